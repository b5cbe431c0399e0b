// Derivatives of the joint forces of a tree by positions, rates and accelerations, by the recursion
// of Singh, Russell and Wensing (2022), over pseudo-inertias P instead of spatial ones. With the
// motion V of a body as a matrix of four rows (angular velocity and velocity of the origin), its
// acceleration field is V' + V V, and the forces of all bodies from k outward depend on
//
//   P   their pseudo-inertia       N   their force and moment
//   L   sum of V P: its antisymmetric part is the momentum, the other half the rate of P
//
// While joint k moves with its screw S, whatever it carries moves as one; seen from there the base
// moves differently. With the motion V0 and the field A0 of the parent
//
//   Psi' = [V0, S]    Psi'' = [A0, S] - 2 Psi' V0, which is a screw too
//
//   along S:             N changes by Psi'' P + 2 Psi' L, beside moving with S
//   by the rate of S:    N changes by (Psi' + S') P + 2 S L,  where S' = [V, S]
//
// Everything of a body is along axes that do not rotate with its joint, or with the joints of the
// run of parallel joints that it belongs to, about the body's origin: composite bodies are rotated
// once, and forces move through a run without being rotated.
#include "force_derivatives.h"

#include "body_motion.h"

#include <stdlib.h>
#include <string.h>

/// L: three rows of four.
typedef struct momentum {
    lwi_mat M;
    lwi_vec l;
} momentum;

/// A degree of freedom: its screw, and what it does to the forces, in the axes of its body.
typedef struct screw {
    lwi_twist S, rate, second; ///< S, Psi' + S', Psi''
    lwi_vec turn;              ///< the angular part of Psi'
    lwi_twist H, D, E;         ///< forces for unit acceleration, by rate and by position
    lwi_vec couple;            ///< what a rotation outside does by 2 L
} screw;

/// A body along its axes.
typedef struct link {
    bool goes_on;        ///< in the axes of its parent, which is parallel
    bool is_carrier;     ///< of bodies in other axes
    lwi_expr c, s;       ///< the rotation of the body in its axes, about z
    lwi_vec p;           ///< its origin from the parent's, in the parent's axes if it goes on, else
                         ///< along the axes of the parent's body
    lwi_vec w, dw, v, a; ///< its motion
    lwi_mat U;
    lwi_pseudo P; ///< with all that it carries
    momentum L;
    lwi_twist N;
} link;

typedef struct work {
    lwi_graph *g;
    const lwi_sym_tree *tree;
    link *links;
    screw *screws; ///< [n]
    int n;
} work;

static bool has_turned_axes(const lwi_sym_body *b)
{
    return b->type == LW_TREE_REVOLUTE || b->type == LW_TREE_SCREW;
}

static lwi_vec rotate(lwi_graph *g, lwi_expr c, lwi_expr s, lwi_vec x)
{
    const lwi_expr out = lwi_sub_products(g, c, x.x, s, x.y);
    return vec_of(out, lwi_add_products(g, s, x.x, c, x.y), x.z);
}

// The rotation from the axes of a body to those of its parent's body.
static lwi_mat fixed_rotation(lwi_graph *g, const lwi_sym_body *b)
{
    return has_turned_axes(b) ? b->rest.R : lwi_body_pose(g, b).R;
}

// --- Axes -------------------------------------------------------------------------------------

static bool is_known_angle(const lwi_sym_body *b)
{
    return b->type == LW_TREE_REVOLUTE && b->q[0] != LWI_UNKNOWN;
}

static void choose_axes(work *k)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->tree->nbody; ++i) {
        const lwi_sym_body *b = &k->tree->body[i];
        link *l = &k->links[i];
        const lwi_sym_body *parent = b->parent < 0 ? NULL : &k->tree->body[b->parent];
        lwi_sym_body absolute = *b;
        l->goes_on = parent && is_known_angle(b) && is_known_angle(parent) && lwi_is_parallel(b) &&
                     b->rest.R.row[0].x == LWI_ONE && b->rest.R.row[2].z == LWI_ONE;
        l->c = LWI_ONE;
        l->s = LWI_ZERO;
        if (l->goes_on) {
            for (int j = b->parent; j >= 0;
                 j = k->links[j].goes_on ? k->tree->body[j].parent : -1) {
                absolute.q[0] = lwi_add(g, absolute.q[0], k->tree->body[j].q[0]);
            }
        }
        if (has_turned_axes(b)) {
            lwi_joint_angle(g, &absolute, &l->c, &l->s);
        }
        l->p = lwi_body_pose(g, b).p;
        if (l->goes_on) {
            const link *before = &k->links[b->parent];
            l->p = rotate(g, before->c, before->s, l->p);
        } else if (parent) {
            k->links[b->parent].is_carrier = true;
        }
    }
}

// --- Outward ----------------------------------------------------------------------------------

static lwi_mat field(lwi_graph *g, lwi_vec w, lwi_vec dw)
{
    lwi_mat U;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        U.row[i].e[i] = lwi_neg(lwi_add_products(g, w.e[j], w.e[j], w.e[k], w.e[k]));
        const lwi_expr product = lwi_mul(g, w.e[i], w.e[j]);
        U.row[i].e[j] = lwi_sub(g, product, dw.e[k]);
        U.row[j].e[i] = lwi_add(g, product, dw.e[k]);
    }
    return U;
}

// The motion of the parent at the body's origin, along the body's axes.
static link parent_motion(const work *k, int i)
{
    lwi_graph *g = k->g;
    const lwi_sym_body *b = &k->tree->body[i];
    const link *l = &k->links[i];
    link out = {.w = vec_zero()};
    if (b->parent < 0) {
        const lwi_mat R = fixed_rotation(g, b);
        out.a = mat_apply_t(g, &R, vec_neg(k->tree->gravity));
        return out;
    }
    const link *before = &k->links[b->parent];
    out = (link){.w = before->w, .dw = before->dw, .v = before->v, .a = before->a, .U = before->U};
    if (!l->goes_on) { // along the axes of the parent's body
        const lwi_expr c = before->c, s = lwi_neg(before->s);
        out.w = rotate(g, c, s, out.w);
        out.dw = rotate(g, c, s, out.dw);
        out.v = rotate(g, c, s, out.v);
        out.a = rotate(g, c, s, out.a);
        out.U = field(g, out.w, out.dw);
    }
    out.a = vec_add(g, out.a, mat_apply(g, &out.U, l->p));
    out.v = vec_add(g, out.v, vec_cross(g, out.w, l->p));
    if (!l->goes_on) {
        const lwi_mat R = fixed_rotation(g, b);
        out.w = mat_apply_t(g, &R, out.w);
        out.dw = mat_apply_t(g, &R, out.dw);
        out.v = mat_apply_t(g, &R, out.v);
        out.a = mat_apply_t(g, &R, out.a);
        out.U = field(g, out.w, out.dw);
    }
    return out;
}

// [V, S], about the body's origin.
static lwi_twist bracket(lwi_graph *g, lwi_vec w, lwi_vec v, const lwi_twist *S)
{
    lwi_twist out;
    out.ang = vec_cross(g, w, S->ang);
    out.lin = vec_cross(g, w, S->lin);
    out.lin = vec_sub(g, out.lin, vec_cross(g, S->ang, v));
    return out;
}

static void move_outward(const work *k, int i)
{
    lwi_graph *g = k->g;
    const lwi_sym_body *b = &k->tree->body[i];
    link *l = &k->links[i];
    const link base = parent_motion(k, i);
    const lwi_twist v = lwi_joint_twist(g, b, b->v), a = lwi_joint_twist(g, b, b->a);
    l->w = vec_add(g, base.w, v.ang);
    l->v = vec_add(g, base.v, v.lin);
    l->dw = vec_add(g, base.dw, vec_cross(g, base.w, v.ang));
    l->dw = vec_add(g, l->dw, a.ang);
    l->U = field(g, l->w, l->dw);
    const lwi_vec both = vec_add(g, base.w, l->w);
    l->a = vec_add(g, base.a, vec_cross(g, both, v.lin));
    l->a = vec_add(g, l->a, a.lin);
    for (int j = 0; j < b->nv; ++j) {
        screw *s = &k->screws[b->v_start + j];
        lwi_expr unit[6] = {LWI_ZERO};
        unit[j] = LWI_ONE;
        s->S = lwi_joint_twist(g, b, unit);
        const lwi_twist first = bracket(g, base.w, base.v, &s->S);
        const lwi_twist own = b->nv > 1 ? bracket(g, l->w, l->v, &s->S) : first;
        s->turn = first.ang;
        s->rate.ang = vec_add(g, first.ang, own.ang);
        s->rate.lin = vec_add(g, first.lin, own.lin);
        // U0 S - S x a0 - 2 Psi' x v0
        s->second.ang = mat_apply(g, &base.U, s->S.ang);
        s->second.lin = vec_sub(g, mat_apply(g, &base.U, s->S.lin), vec_cross(g, s->S.ang, base.a));
        const lwi_vec twice = vec_add(g, first.ang, first.ang);
        s->second.lin = vec_sub(g, s->second.lin, vec_cross(g, twice, base.v));
    }
}

// --- Composite bodies -------------------------------------------------------------------------

static momentum momentum_of(lwi_graph *g, const lwi_pseudo *P, lwi_vec w, lwi_vec v)
{
    const lwi_mat S = sym_full(&P->S);
    momentum L;
    for (int c = 0; c < 3; ++c) { // the columns of S and h
        const lwi_vec across = vec_cross(g, w, S.row[c]);
        for (int r = 0; r < 3; ++r) {
            L.M.row[r].e[c] = lwi_add(g, across.e[r], lwi_mul(g, v.e[r], P->h.e[c]));
        }
    }
    L.l = vec_add(g, vec_cross(g, w, P->h), vec_scale(g, P->m, v));
    return L;
}

static momentum momentum_add(lwi_graph *g, const momentum *a, const momentum *b)
{
    momentum out;
    for (int r = 0; r < 3; ++r) {
        out.M.row[r] = vec_add(g, a->M.row[r], b->M.row[r]);
    }
    out.l = vec_add(g, a->l, b->l);
    return out;
}

// Rotated about z: sum and difference of the entries across z are kept, so that four
// multiplications rotate the other two.
static momentum momentum_rotate(lwi_graph *g, const momentum *L, lwi_expr c, lwi_expr s)
{
    const lwi_vec *m = L->M.row;
    const lwi_expr difference = lwi_sub(g, m[0].x, m[1].y), sum = lwi_add(g, m[0].y, m[1].x);
    const lwi_expr e = lwi_sub_products(g, c, difference, s, sum);
    const lwi_expr along = lwi_mul(g, c, e), across = lwi_mul(g, s, e);
    momentum out;
    out.M.row[0].x = lwi_add(g, m[1].y, along);
    out.M.row[1].y = lwi_sub(g, m[0].x, along);
    out.M.row[0].y = lwi_add(g, m[0].y, across);
    out.M.row[1].x = lwi_add(g, m[1].x, across);
    const lwi_vec column = rotate(g, c, s, mat_column(&L->M, 2)), row = rotate(g, c, s, m[2]);
    out.M.row[0].z = column.x;
    out.M.row[1].z = column.y;
    out.M.row[2] = row;
    out.l = rotate(g, c, s, L->l);
    return out;
}

// Seen from a frame in which the old one is at R, p.
static momentum momentum_move(lwi_graph *g, const momentum *L, const lwi_frame *X)
{
    const lwi_mat half = mat_mul(g, &X->R, &L->M), back = mat_transpose(&X->R);
    momentum out = {mat_mul(g, &half, &back), mat_apply(g, &X->R, L->l)};
    for (int r = 0; r < 3; ++r) {
        out.M.row[r] = vec_add(g, out.M.row[r], vec_scale(g, out.l.e[r], X->p));
    }
    return out;
}

// Force and moment of a body for its motion, minus the load on it.
static lwi_twist own_wrench(lwi_graph *g, const lwi_pseudo *P, const lwi_mat *U, lwi_vec a)
{
    lwi_twist out = {vec_cross(g, P->h, a), mat_apply(g, U, P->h)};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const lwi_expr *Uj = U->row[j].e, *Uk = U->row[k].e, *S = P->S.e;
        const lwi_expr Sij = S[lwi_pseudo_index(i, j)], Sik = S[lwi_pseudo_index(i, k)];
        lwi_expr sum = lwi_sub_products(g, Uk[i], Sij, Uj[i], Sik);
        sum = lwi_add(g, sum, lwi_mul(g, Uk[j], S[j]));
        sum = lwi_sub(g, sum, lwi_mul(g, Uj[k], S[k]));
        const lwi_expr difference = lwi_sub(g, Uk[k], Uj[j]);
        sum = lwi_add(g, sum, lwi_mul(g, difference, S[lwi_pseudo_index(j, k)]));
        out.ang.e[i] = lwi_add(g, out.ang.e[i], sum);
        out.lin.e[i] = lwi_add(g, out.lin.e[i], lwi_mul(g, P->m, a.e[i]));
    }
    return out;
}

static lwi_twist wrench_rotate(lwi_graph *g, lwi_expr c, lwi_expr s, const lwi_twist *w)
{
    const lwi_vec ang = rotate(g, c, s, w->ang);
    return (lwi_twist){ang, rotate(g, c, s, w->lin)};
}

static lwi_twist wrench_add(lwi_graph *g, const lwi_twist *a, const lwi_twist *b)
{
    const lwi_vec ang = vec_add(g, a->ang, b->ang);
    return (lwi_twist){ang, vec_add(g, a->lin, b->lin)};
}

// Moves a force to the parent's origin; along the axes of the parent's body if the axes change.
static lwi_twist wrench_move(lwi_graph *g, const link *l, const lwi_mat *R, const lwi_twist *w)
{
    lwi_twist out = *w;
    if (!l->goes_on) {
        out.ang = mat_apply(g, R, w->ang);
        out.lin = mat_apply(g, R, w->lin);
    }
    out.ang = vec_add(g, out.ang, vec_cross(g, l->p, out.lin));
    return out;
}

// A sum over children in other axes, along those of the body, and what else the body has.
typedef struct carried {
    lwi_pseudo P;
    momentum L;
    lwi_twist N;
} carried;

static carried carried_add(lwi_graph *g, const carried *a, const carried *b)
{
    carried out;
    out.P = lwi_pseudo_add(g, &a->P, &b->P);
    out.L = momentum_add(g, &a->L, &b->L);
    out.N = wrench_add(g, &a->N, &b->N);
    return out;
}

static lwi_pseudo pseudo_rotate(lwi_graph *g, const lwi_pseudo *P, const link *l)
{
    const lwi_sym_body b = {.type = LW_TREE_REVOLUTE, .q = {LWI_UNKNOWN}, .c = l->c, .s = l->s};
    return l->c == LWI_ONE ? *P : lwi_pseudo_rotate(g, P, &b);
}

// The body alone: along its own axes where others along these are added, so that all are rotated
// together.
static carried own_part(const work *k, int i)
{
    lwi_graph *g = k->g;
    const lwi_sym_body *b = &k->tree->body[i];
    const link *l = &k->links[i];
    carried out = {.P = lwi_pseudo_of(g, b)};
    lwi_twist load = {b->moment, b->force};
    lwi_vec w = l->w, v = l->v, a = l->a;
    lwi_mat U = l->U;
    if (l->is_carrier) {
        const lwi_expr s = lwi_neg(l->s);
        w = rotate(g, l->c, s, w);
        v = rotate(g, l->c, s, v);
        a = rotate(g, l->c, s, a);
        U = field(g, w, rotate(g, l->c, s, l->dw));
    } else {
        out.P = pseudo_rotate(g, &out.P, l);
        load = wrench_rotate(g, l->c, l->s, &load);
    }
    out.L = momentum_of(g, &out.P, w, v);
    out.N = own_wrench(g, &out.P, &U, a);
    out.N.ang = vec_sub(g, out.N.ang, load.ang);
    out.N.lin = vec_sub(g, out.N.lin, load.lin);
    return out;
}

static carried child_part(const work *k, int i)
{
    lwi_graph *g = k->g;
    const link *l = &k->links[i];
    const lwi_mat R = fixed_rotation(g, &k->tree->body[i]);
    const lwi_frame X = {l->goes_on ? mat_identity() : R, l->p};
    carried out;
    out.P = lwi_pseudo_move(g, &l->P, &X);
    out.L = momentum_move(g, &l->L, &X);
    out.N = wrench_move(g, l, &R, &l->N);
    return out;
}

static void compose(const work *k, int i)
{
    lwi_graph *g = k->g;
    link *l = &k->links[i];
    carried sum = own_part(k, i);
    for (int is_along = 0; is_along < 2; ++is_along) {
        for (int c = i + 1; c < k->tree->nbody; ++c) {
            if (k->tree->body[c].parent == i && k->links[c].goes_on == (is_along != 0)) {
                const carried part = child_part(k, c);
                sum = carried_add(g, &part, &sum);
            }
        }
        if (!is_along && l->is_carrier) {
            sum.P = pseudo_rotate(g, &sum.P, l);
            sum.L = momentum_rotate(g, &sum.L, l->c, l->s);
            sum.N = wrench_rotate(g, l->c, l->s, &sum.N);
        }
    }
    l->P = sum.P;
    l->L = sum.L;
    l->N = sum.N;
}

// --- Inward -----------------------------------------------------------------------------------

// Force and moment of the field T P, for a screw T.
static lwi_twist apply_pseudo(lwi_graph *g, const lwi_pseudo *P, const lwi_twist *T)
{
    lwi_twist out;
    const lwi_sym I = {{lwi_add(g, P->S.yy, P->S.zz), lwi_add(g, P->S.xx, P->S.zz),
                        lwi_add(g, P->S.xx, P->S.yy), lwi_neg(P->S.xy), lwi_neg(P->S.xz),
                        lwi_neg(P->S.yz)}};
    out.ang = vec_add(g, sym_apply(g, &I, T->ang), vec_cross(g, P->h, T->lin));
    out.lin = vec_add(g, vec_cross(g, T->ang, P->h), vec_scale(g, P->m, T->lin));
    return out;
}

// tr(M) t - M t: the moment of the field T L for a rotation t; with M' what T does to its power.
static lwi_vec turn_momentum(lwi_graph *g, const lwi_mat *M, lwi_vec t)
{
    lwi_vec out;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const lwi_expr others = lwi_add(g, M->row[j].e[j], M->row[k].e[k]);
        const lwi_expr rest = lwi_add_products(g, M->row[i].e[j], t.e[j], M->row[i].e[k], t.e[k]);
        out.e[i] = lwi_sub(g, lwi_mul(g, others, t.e[i]), rest);
    }
    return out;
}

static lwi_twist apply_momentum(lwi_graph *g, const momentum *L, lwi_vec t)
{
    const lwi_vec ang = turn_momentum(g, &L->M, t);
    return (lwi_twist){ang, vec_cross(g, t, L->l)};
}

static void fill_screw(const work *k, const link *l, screw *s)
{
    lwi_graph *g = k->g;
    // Twice L, whose entries are read several times.
    const momentum twice = momentum_add(g, &l->L, &l->L);
    s->H = apply_pseudo(g, &l->P, &s->S);
    const lwi_twist rate = apply_pseudo(g, &l->P, &s->rate);
    const lwi_twist by_rate = apply_momentum(g, &twice, s->S.ang);
    s->D = wrench_add(g, &rate, &by_rate);
    const lwi_twist second = apply_pseudo(g, &l->P, &s->second);
    const lwi_twist by_turn = apply_momentum(g, &twice, s->turn);
    s->E = wrench_add(g, &second, &by_turn);
    const lwi_mat back = mat_transpose(&twice.M);
    const lwi_vec turned = turn_momentum(g, &back, s->S.ang);
    s->couple = vec_add(g, turned, vec_cross(g, twice.l, s->S.lin));
}

// The force moves with the screw; joints before it see that, while its own screws move too.
static void add_moving(const work *k, const link *l, screw *s)
{
    lwi_graph *g = k->g;
    const lwi_vec moment = vec_add_crosses(g, s->S.ang, l->N.ang, s->S.lin, l->N.lin);
    s->E.ang = vec_add(g, s->E.ang, moment);
    s->E.lin = vec_add(g, s->E.lin, vec_cross(g, s->S.ang, l->N.lin));
}

static lwi_expr power(lwi_graph *g, const lwi_twist *s, const lwi_twist *w)
{
    return vec_add_dots(g, s->ang, w->ang, s->lin, w->lin);
}

// Entries of dof k with those of body i: `at` is k with its forces seen from there.
static void fill_entries(const work *k, int i, int dof, const screw *at, lwi_expr *dq, lwi_expr *dv,
                         lwi_expr *M, bool is_own)
{
    lwi_graph *g = k->g;
    const int n = k->n;
    const lwi_sym_body *b = &k->tree->body[i];
    for (int j = b->v_start; j < b->v_start + b->nv; ++j) {
        const screw *s = &k->screws[j];
        M[j * n + dof] = M[dof * n + j] = power(g, &s->S, &at->H);
        dv[j * n + dof] = power(g, &s->S, &at->D);
        dq[j * n + dof] = power(g, &s->S, &at->E);
        if (is_own) {
            continue;
        }
        const lwi_expr rate = power(g, &s->rate, &at->H);
        dv[dof * n + j] = lwi_add(g, rate, vec_dot(g, s->S.ang, at->couple));
        const lwi_expr second = power(g, &s->second, &at->H);
        dq[dof * n + j] = lwi_add(g, second, vec_dot(g, s->turn, at->couple));
    }
}

// The forces of a degree of freedom of body i, seen from its parent.
static void move_inward(const work *k, int i, screw *s)
{
    lwi_graph *g = k->g;
    const link *l = &k->links[i];
    const lwi_sym_body *b = &k->tree->body[i];
    const link *to = &k->links[b->parent];
    const lwi_mat R = fixed_rotation(g, b);
    lwi_twist *const wrench[] = {&s->H, &s->D, &s->E};
    for (int j = 0; j < 3; ++j) {
        *wrench[j] = wrench_move(g, l, &R, wrench[j]);
        if (!l->goes_on) {
            *wrench[j] = wrench_rotate(g, to->c, to->s, wrench[j]);
        }
    }
    if (!l->goes_on) {
        s->couple = rotate(g, to->c, to->s, mat_apply(g, &R, s->couple));
    }
}

static void fill_columns(const work *k, int i, lwi_expr *dq, lwi_expr *dv, lwi_expr *M)
{
    const lwi_sym_body *b = &k->tree->body[i];
    for (int dof = b->v_start; dof < b->v_start + b->nv; ++dof) {
        fill_screw(k, &k->links[i], &k->screws[dof]);
        screw seen = k->screws[dof];
        fill_entries(k, i, dof, &seen, dq, dv, M, true);
        add_moving(k, &k->links[i], &seen);
        for (int j = i; k->tree->body[j].parent >= 0; j = k->tree->body[j].parent) {
            move_inward(k, j, &seen);
            fill_entries(k, k->tree->body[j].parent, dof, &seen, dq, dv, M, false);
        }
    }
}

void lwi_derive_force_derivatives(lwi_graph *g, const lwi_sym_tree *tree, int n, lwi_expr *dq,
                                  lwi_expr *dv, lwi_expr *M)
{
    const size_t size = (size_t)n * (size_t)n * sizeof *dq;
    work k = {.g = g, .tree = tree, .n = n};
    k.links = calloc((size_t)tree->nbody + 1, sizeof *k.links);
    k.screws = calloc((size_t)n + 1, sizeof *k.screws);
    memset(dq, 0, size);
    memset(dv, 0, size);
    memset(M, 0, size);
    if (k.links && k.screws) {
        choose_axes(&k);
        for (int i = 0; i < tree->nbody; ++i) {
            move_outward(&k, i);
        }
        for (int i = tree->nbody - 1; i >= 0; --i) {
            compose(&k, i);
            fill_columns(&k, i, dq, dv, M);
        }
    } else {
        lwi_graph_fail(g, LW_ERR_MEMORY);
    }
    free(k.links);
    free(k.screws);
}
