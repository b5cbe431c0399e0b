// With tree rates u = K x and tree accelerations K x' + b(u, u), where b is bilinear, the elements
// follow from the tree's H, B and G:
//
//   M = K' H K,   B_jl = K' (H b(u_j, u_l) + B(u_j, u_l)),   G = K' G,   u_j = K e_j
#include "projected.h"

#include "base_tree.h"

#include <string.h>

typedef struct tree {
    int n;               ///< tree_nv
    lwi_expr *H, *B, *G; ///< the latter null where not wanted
    lwi_expr *K;         ///< [nv * n] a row for each independent degree of freedom
    lwi_expr *bias, *force, *unit;
} tree;

static bool derive_tree(lwi_machine *k, bool has_B, bool has_G, tree *t)
{
    const int n = k->m->tree_nv, nv = k->m->nv;
    *t = (tree){.n = n, .H = lwi_machine_room(k, n * n), .K = lwi_machine_room(k, nv * n)};
    t->B = has_B ? lwi_machine_room(k, n * n * n) : NULL;
    t->G = has_G ? lwi_machine_room(k, n) : NULL;
    t->bias = lwi_machine_room(k, n);
    t->force = lwi_machine_room(k, n);
    t->unit = lwi_machine_room(k, nv);
    if (k->status != LW_OK) {
        return false;
    }
    lwi_base_elements(k, t->H, t->B, t->G);
    for (int i = 0; i < n; ++i) {
        t->H[i * n + i] = lwi_add(k->g, t->H[i * n + i], k->within[i].rotor);
    }
    for (int j = 0; j < nv; ++j) {
        memset(t->unit, 0, (size_t)nv * sizeof *t->unit);
        t->unit[j] = LWI_ONE;
        lwi_machine_spread(k, t->unit, t->K + j * n);
    }
    return k->status == LW_OK;
}

// out [n] += A x
static void add_product(lwi_graph *g, int n, const lwi_expr *A, const lwi_expr *x, lwi_expr *out)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            out[i] = lwi_add(g, out[i], lwi_mul(g, A[i * n + j], x[j]));
        }
    }
}

// out [n] = H b(u, v), where joints depend on others.
static void begin_force(lwi_machine *k, tree *t, const lwi_expr *u, const lwi_expr *v)
{
    memset(t->force, 0, (size_t)t->n * sizeof *t->force);
    if (k->m->nstep > 0) {
        lwi_machine_accelerate(k, u, v, NULL, t->bias);
        add_product(k->g, t->n, t->H, t->bias, t->force);
    }
}

static void mass_matrix(lwi_machine *k, tree *t, lwi_expr *M)
{
    const int nv = k->m->nv;
    for (int j = 0; j < nv; ++j) {
        memset(t->force, 0, (size_t)t->n * sizeof *t->force);
        add_product(k->g, t->n, t->H, t->K + j * t->n, t->force);
        lwi_machine_collect(k, t->force, t->unit);
        for (int i = 0; i <= j; ++i) {
            M[i * nv + j] = M[j * nv + i] = t->unit[i];
        }
    }
}

static void christoffel(lwi_machine *k, tree *t, lwi_expr *B)
{
    lwi_graph *g = k->g;
    const int nv = k->m->nv, n = t->n;
    for (int j = 0; j < nv; ++j) {
        for (int l = j; l < nv; ++l) {
            const lwi_expr *u = t->K + j * n, *v = t->K + l * n;
            begin_force(k, t, u, v);
            for (int a = 0; a < n; ++a) {
                for (int b = 0; b < n; ++b) {
                    const lwi_expr rates = lwi_mul(g, u[a], v[b]);
                    for (int i = 0; i < n && rates != LWI_ZERO; ++i) {
                        const lwi_expr part = lwi_mul(g, t->B[(i * n + a) * n + b], rates);
                        t->force[i] = lwi_add(g, t->force[i], part);
                    }
                }
            }
            lwi_machine_collect(k, t->force, t->unit);
            for (int i = 0; i < nv; ++i) {
                B[(i * nv + j) * nv + l] = B[(i * nv + l) * nv + j] = t->unit[i];
            }
        }
    }
}

void lwi_projected_elements(lwi_machine *k, lwi_expr *M, lwi_expr *B, lwi_expr *G)
{
    tree t;
    if (!derive_tree(k, B, G, &t)) {
        return;
    }
    if (M) {
        mass_matrix(k, &t, M);
    }
    if (B) {
        christoffel(k, &t, B);
    }
    if (G) {
        lwi_machine_collect(k, t.G, G);
    }
}

void lwi_projected_coriolis(lwi_machine *k, lwi_expr *C)
{
    lwi_graph *g = k->g;
    const int nv = k->m->nv, n = k->m->tree_nv;
    tree t;
    lwi_expr *v = lwi_machine_room(k, n), *Cv = lwi_machine_room(k, n * n);
    if (!v || !Cv || !derive_tree(k, true, false, &t)) {
        return;
    }
    lwi_machine_spread(k, k->v, v);
    for (int i = 0; i < n * n; ++i) {
        for (int b = 0; b < n; ++b) {
            Cv[i] = lwi_add(g, Cv[i], lwi_mul(g, t.B[i * n + b], v[b]));
        }
    }
    for (int j = 0; j < nv; ++j) {
        begin_force(k, &t, t.K + j * n, v);
        add_product(g, n, Cv, t.K + j * n, t.force);
        lwi_machine_collect(k, t.force, t.unit);
        for (int i = 0; i < nv; ++i) {
            C[i * nv + j] = t.unit[i];
        }
    }
}
