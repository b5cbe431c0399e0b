// Masses of slender rods. With ends at a and b and the way d from one to the other, the kinetic
// energy of a rod of mass m is
//
//   m/6 (a'.a' + a'.b' + b'.b')  =  m/4 a'.a' + m/4 b'.b' - m/12 d'.d'
//
// two halves of its mass at the ends, which belong to the bodies there and carry its gravity, minus
// what they have too much for the rotation of the rod.
#include "tree_dynamics.h"

#include "../model/kernel.h"
#include "loops.h"

static const lwi_loop *massive_rod(const lwi_symbolic *k, int i)
{
    const lw_loop_info *loop = &k->m->loop[i];
    return loop->is_rod && loop->mass > 0.0 ? &k->m->kernel->program->loop[i] : NULL;
}

static void add_point(lwi_graph *g, lwi_mass *I, lwi_expr mass, lwi_vec at)
{
    const lwi_expr *p = at.e;
    I->mass = lwi_add(g, I->mass, mass);
    I->first = vec_add(g, I->first, vec_scale(g, mass, at));
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, l = (i + 2) % 3, ij = i + j + 2; // 3 and so on: xy, yz, xz
        const lwi_expr squares = lwi_add_products(g, p[j], p[j], p[l], p[l]);
        I->tensor.e[i] = lwi_add(g, I->tensor.e[i], lwi_mul(g, mass, squares));
        const lwi_expr product = lwi_mul(g, mass, lwi_mul(g, p[i], p[j]));
        I->tensor.e[ij] = lwi_sub(g, I->tensor.e[ij], product);
    }
}

void lwi_rod_halves(lwi_symbolic *k, lwi_sym_tree *tree)
{
    for (int i = 0; i < k->m->nloop; ++i) {
        const lw_loop_info *loop = &k->m->loop[i];
        for (int side = 0; side < 2 && massive_rod(k, i); ++side) {
            const lw_frame_info *at = &k->m->frame[loop->frame[side]];
            if (at->body >= 0) {
                const lwi_vec p = vec_number(k->g, at->X_BF.p);
                add_point(k->g, &tree->body[at->body].own, lwi_scale(k->g, 0.5, k->rod_mass[i]), p);
            }
        }
    }
}

// --- Forces -----------------------------------------------------------------------------------

static int common_body(const lwi_symbolic *k, const lwi_loop *loop)
{
    const int side = loop->npath[0] > 0 ? 0 : 1;
    return k->body[loop->path[side][0]].parent;
}

// Angular velocity and acceleration of a body, along its own axes.
static void angular_motion(lwi_symbolic *k, int body, const lwi_expr *v, const lwi_expr *a,
                           lwi_vec *w, lwi_vec *dw)
{
    lwi_graph *g = k->g;
    int *chain = lwi_symbolic_alloc(k, k->m->nbody, sizeof *chain), n = 0;
    *w = *dw = vec_zero();
    for (int i = body; i >= 0 && chain; i = k->body[i].parent) {
        chain[n++] = i;
    }
    while (n-- > 0) {
        const lwi_sym_body *b = &k->body[chain[n]];
        const lwi_vec own = lwi_joint_twist(g, b, v ? v + b->v_start : NULL).ang;
        const lwi_vec rate = lwi_joint_twist(g, b, a ? a + b->v_start : NULL).ang;
        const lwi_vec before = mat_apply_t(g, &b->X.R, *w);
        *w = vec_add(g, before, own);
        *dw = vec_add(g, mat_apply_t(g, &b->X.R, *dw), rate);
        *dw = vec_add(g, *dw, vec_cross(g, before, own));
    }
}

// A force at a point of a body, along the body's axes.
static void load(lwi_graph *g, lwi_sym_body *b, lwi_vec p, lwi_vec f)
{
    b->force = vec_add(g, b->force, f);
    b->moment = vec_add(g, b->moment, vec_cross(g, p, f));
}

void lwi_rod_forces(lwi_symbolic *k, const lwi_expr *v, const lwi_expr *a, lwi_sym_tree *tree)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->m->nloop && (v || a); ++i) {
        const lwi_loop *loop = massive_rod(k, i);
        if (!loop) {
            continue;
        }
        lwi_vec d[3], w, dw;
        lwi_loop_way(k, loop, v, a, d);
        angular_motion(k, common_body(k, loop), v, a, &w, &dw);
        const lwi_vec twice = vec_add(g, d[1], d[1]);
        const lwi_vec carried = vec_add(g, vec_cross(g, w, d[0]), twice);
        lwi_vec f = vec_add(g, d[2], vec_cross(g, dw, d[0]));
        f = vec_add(g, f, vec_cross(g, w, carried));
        // What the halves have too much: taken off, so a load that helps along the acceleration.
        f = vec_scale(g, lwi_div(g, k->rod_mass[i], lwi_number(g, 6.0)), f);
        for (int side = 0; side < 2; ++side) {
            const lw_frame_info *at = &k->m->frame[k->m->loop[i].frame[side]];
            lwi_vec own = side ? f : vec_neg(f);
            if (at->body >= 0 && loop->npath[side] > 0) {
                const lwi_frame X = lwi_branch(k, loop, side, 0, loop->npath[side]);
                own = mat_apply_t(g, &X.R, own);
            }
            if (at->body >= 0) {
                load(g, &tree->body[at->body], vec_number(g, at->X_BF.p), own);
            }
        }
    }
}

// --- Elements ---------------------------------------------------------------------------------

// What a degree of freedom does to the way d: w its angular velocity, s the rate of d, along the
// common body's axes.
typedef struct effect {
    int body;
    lwi_vec w, s;
} effect;

static bool is_before(const lwi_symbolic *k, int one, int other)
{
    while (other > one) {
        other = k->body[other].parent;
    }
    return other == one;
}

static int effects(lwi_symbolic *k, const lwi_loop *loop, lwi_twist *S, effect *e)
{
    lwi_graph *g = k->g;
    lwi_vec end[2];
    int n = 0;
    for (int side = 0; side < 2; ++side) {
        lwi_loop_screws(k, loop, side, S, &end[side]);
        for (int i = 0; i < loop->npath[side]; ++i, ++n) {
            const lwi_vec s = vec_add(g, S[i].lin, vec_cross(g, S[i].ang, end[side]));
            e[n] = (effect){loop->path[side][i], S[i].ang, side ? s : vec_neg(s)};
        }
    }
    const lwi_vec d = vec_sub(g, end[1], end[0]);
    lwi_mat R = mat_identity();
    for (int i = common_body(k, loop); i >= 0; i = k->body[i].parent) {
        if (k->body[i].type != LW_TREE_PRISMATIC) {
            e[n] = (effect){i, R.row[2], vec_cross(g, R.row[2], d)};
            ++n;
        }
        R = mat_mul(g, &k->body[i].X.R, &R);
    }
    return n;
}

static void add_rod(lwi_symbolic *k, int n, const effect *e, lwi_expr share, lwi_expr *H,
                    lwi_expr *B)
{
    lwi_graph *g = k->g;
    const int N = k->m->nbody;
    for (int i = 0; i < n; ++i) {
        const lwi_vec mine = vec_scale(g, share, e[i].s);
        for (int j = 0; j < n; ++j) {
            lwi_expr *at = &H[e[i].body * N + e[j].body];
            *at = lwi_add(g, *at, vec_dot(g, mine, e[j].s));
        }
        for (int a = 0; a < n && B; ++a) {
            for (int b = 0; b < n; ++b) {
                // The outer degree of freedom's effect is rotated by the inner one.
                if (is_before(k, e[a].body, e[b].body) || is_before(k, e[b].body, e[a].body)) {
                    const bool is_inner = e[a].body < e[b].body;
                    const effect *in = is_inner ? &e[a] : &e[b], *out = is_inner ? &e[b] : &e[a];
                    lwi_expr *at = &B[(e[i].body * N + e[a].body) * N + e[b].body];
                    *at = lwi_add(g, *at, vec_dot(g, mine, vec_cross(g, in->w, out->s)));
                }
            }
        }
    }
}

void lwi_rod_elements(lwi_symbolic *k, lwi_expr *H, lwi_expr *B)
{
    lwi_twist *S = lwi_symbolic_alloc(k, k->m->nbody, sizeof *S);
    effect *e = lwi_symbolic_alloc(k, k->m->nbody, sizeof *e);
    for (int i = 0; i < k->m->nloop && S && e; ++i) {
        const lwi_loop *loop = massive_rod(k, i);
        if (loop) {
            const lwi_expr share = lwi_neg(lwi_div(k->g, k->rod_mass[i], lwi_number(k->g, 6.0)));
            add_rod(k, effects(k, loop, S, e), e, share, H, B);
        }
    }
}
