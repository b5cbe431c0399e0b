// The tree by the derivations that cost least (base parameters, pseudo-inertias, composite bodies),
// and its elements projected onto the independent degrees of freedom: with tree rates u = K x and
// tree accelerations K x' + b(u, u), where b is bilinear, they follow from the tree's H, B and G:
//
//   M = K' H K,   B_jl = K' (H b(u_j, u_l) + B(u_j, u_l)),   G = K' G,   u_j = K e_j
#include "tree_dynamics.h"

#include "force_derivatives.h"

#include <string.h>

bool lwi_is_plain(const lwi_symbolic *k)
{
    return k->m->tree_nq == k->m->nbody && k->m->tree_nv == k->m->nbody;
}

// A copy of the bodies with rates and accelerations: its inertias are moved and its loads set by
// what follows.
static lwi_sym_tree copy_tree(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a)
{
    lwi_sym_tree tree = {k->m->nbody, NULL, k->gravity, k->is_searched};
    tree.body = lwi_symbolic_alloc(k, tree.nbody, sizeof *tree.body);
    if (!tree.body) {
        tree.nbody = 0;
        return tree;
    }
    for (int i = 0; i < tree.nbody; ++i) {
        lwi_sym_body *b = &tree.body[i];
        if (k->body[i].type == LW_TREE_SCREW) {
            lwi_symbolic_position(k, i);
        }
        *b = k->body[i];
        for (int j = 0; j < b->nv; ++j) {
            b->v[j] = v ? v[b->v_start + j] : LWI_ZERO;
            b->a[j] = a ? a[b->v_start + j] : LWI_ZERO;
        }
    }
    return tree;
}

void lwi_regrouped_forces(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau)
{
    lwi_sym_tree tree = copy_tree(k, v, a);
    if (tree.nbody > 0) {
        lwi_rod_halves(k, &tree);
        lwi_rod_forces(k, v, a, &tree);
        lwi_tree_regroup(k->g, &tree);
        lwi_derive_inverse_dynamics(k->g, &tree, tau);
    }
    lwi_expr *loads = lwi_symbolic_take(k, k->m->tree_nv);
    if (loads && (k->m->nload > 0 || k->unbalance)) {
        lwi_load_forces(k, loads);
        for (int i = 0; i < k->m->tree_nv; ++i) {
            tau[i] = lwi_add(k->g, tau[i], loads[i]);
        }
    }
}

void lwi_regrouped_derivatives(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_expr *tau,
                               lwi_expr *dq, lwi_expr *dv, lwi_expr *H)
{
    lwi_sym_tree tree = copy_tree(k, v, a);
    if (tree.nbody > 0) {
        lwi_tree_regroup(k->g, &tree);
        lwi_derive_inverse_dynamics(k->g, &tree, tau);
        lwi_derive_force_derivatives(k->g, &tree, k->m->tree_nv, dq, dv, H);
    }
}

// --- Elements ---------------------------------------------------------------------------------

typedef struct elements {
    int n;               ///< tree_nv
    lwi_expr *H, *B, *G; ///< the latter NULL if not wanted
    lwi_expr *K;         ///< [nv * n] a row for each independent degree of freedom
    lwi_expr *bias, *force, *column;
} elements;

static bool derive_tree(lwi_symbolic *k, bool has_B, bool has_G, elements *t)
{
    const int n = k->m->tree_nv, nv = k->m->nv;
    *t = (elements){.n = n, .H = lwi_symbolic_take(k, n * n), .K = lwi_symbolic_take(k, nv * n)};
    t->B = has_B ? lwi_symbolic_take(k, n * n * n) : NULL;
    t->G = has_G ? lwi_symbolic_take(k, n) : NULL;
    t->bias = lwi_symbolic_take(k, n);
    t->force = lwi_symbolic_take(k, n);
    t->column = lwi_symbolic_take(k, nv);
    lwi_sym_tree tree = copy_tree(k, NULL, NULL);
    if (k->status != LW_OK) {
        return false;
    }
    if (tree.nbody > 0) {
        lwi_rod_halves(k, &tree);
        lwi_tree_regroup(k->g, &tree);
        lwi_derive_elements(k->g, &tree, t->H, t->B, t->G);
        lwi_rod_elements(k, t->H, t->B);
    }
    for (int i = 0; i < n; ++i) {
        t->H[i * n + i] = lwi_add(k->g, t->H[i * n + i], k->passive[i].rotor);
    }
    for (int j = 0; j < nv; ++j) {
        lwi_tree_column(k, j, t->K + j * n);
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
static void begin_force(lwi_symbolic *k, elements *t, const lwi_expr *u, const lwi_expr *v)
{
    memset(t->force, 0, (size_t)t->n * sizeof *t->force);
    if (k->m->nstep > 0) {
        lwi_tree_accelerations(k, u, v, NULL, t->bias);
        add_product(k->g, t->n, t->H, t->bias, t->force);
    }
}

static void mass_matrix(lwi_symbolic *k, elements *t, lwi_expr *M)
{
    const int nv = k->m->nv;
    for (int j = 0; j < nv; ++j) {
        memset(t->force, 0, (size_t)t->n * sizeof *t->force);
        add_product(k->g, t->n, t->H, t->K + j * t->n, t->force);
        lwi_tree_project(k, t->force, t->column);
        for (int i = 0; i <= j; ++i) {
            M[i * nv + j] = M[j * nv + i] = t->column[i];
        }
    }
}

static void christoffel(lwi_symbolic *k, elements *t, lwi_expr *B)
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
            lwi_tree_project(k, t->force, t->column);
            for (int i = 0; i < nv; ++i) {
                B[(i * nv + j) * nv + l] = B[(i * nv + l) * nv + j] = t->column[i];
            }
        }
    }
}

void lwi_projected_elements(lwi_symbolic *k, lwi_expr *M, lwi_expr *B, lwi_expr *G)
{
    elements t;
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
        lwi_tree_project(k, t.G, G);
    }
}

void lwi_projected_coriolis(lwi_symbolic *k, lwi_expr *C)
{
    lwi_graph *g = k->g;
    const int nv = k->m->nv, n = k->m->tree_nv;
    elements t;
    lwi_expr *v = lwi_symbolic_take(k, n), *Cv = lwi_symbolic_take(k, n * n);
    if (!v || !Cv || !derive_tree(k, true, false, &t)) {
        return;
    }
    lwi_tree_rates(k, k->v, v);
    for (int i = 0; i < n * n; ++i) {
        for (int b = 0; b < n; ++b) {
            Cv[i] = lwi_add(g, Cv[i], lwi_mul(g, t.B[i * n + b], v[b]));
        }
    }
    for (int j = 0; j < nv; ++j) {
        begin_force(k, &t, t.K + j * n, v);
        add_product(g, n, Cv, t.K + j * n, t.force);
        lwi_tree_project(k, t.force, t.column);
        for (int i = 0; i < nv; ++i) {
            C[i * nv + j] = t.column[i];
        }
    }
}
