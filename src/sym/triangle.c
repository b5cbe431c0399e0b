// Planar loops with a closing joint in closed form. Around the loop the two dependent joints and
// the closing one, e0 e1 e2, follow each other with known poses between them,
//
//   e0 F1 e1 F2 e2 F0 = 1,
//
// and so make a triangle (three revolute joints), a quadratic (one slides) or two lines (two
// slide).
#include "loops.h"

#include <math.h>

enum { THREE = 3 };

// A vector and a pose within the plane.
typedef struct flat {
    lwi_expr x, y;
} flat;

typedef struct flat_pose {
    lwi_expr c, s;
    flat p;
} flat_pose;

static const flat_pose unmoved = {LWI_ONE, LWI_ZERO, {LWI_ZERO, LWI_ZERO}};

typedef struct element {
    flat_pose F; ///< from the joint before to this one at zero
    bool is_slide, is_backward;
    flat slide;
    int body; ///< -1 for the closing joint
    flat_pose value;
    lwi_expr amount;
} element;

static flat rotate(lwi_graph *g, const flat_pose *X, flat a)
{
    return (flat){lwi_sub_products(g, X->c, a.x, X->s, a.y),
                  lwi_add_products(g, X->s, a.x, X->c, a.y)};
}

static flat plus(lwi_graph *g, flat a, flat b)
{
    return (flat){lwi_add(g, a.x, b.x), lwi_add(g, a.y, b.y)};
}

static flat minus(lwi_graph *g, flat a, flat b)
{
    return (flat){lwi_sub(g, a.x, b.x), lwi_sub(g, a.y, b.y)};
}

static flat opposite(flat a)
{
    return (flat){lwi_neg(a.x), lwi_neg(a.y)};
}

static flat scaled(lwi_graph *g, lwi_expr s, flat a)
{
    return (flat){lwi_mul(g, s, a.x), lwi_mul(g, s, a.y)};
}

static lwi_expr dot(lwi_graph *g, flat a, flat b)
{
    return lwi_add_products(g, a.x, b.x, a.y, b.y);
}

static lwi_expr cross(lwi_graph *g, flat a, flat b)
{
    return lwi_sub_products(g, a.x, b.y, a.y, b.x);
}

static flat_pose times(lwi_graph *g, const flat_pose *X, const flat_pose *Y)
{
    const flat along = rotate(g, X, (flat){Y->c, Y->s});
    return (flat_pose){along.x, along.y, plus(g, X->p, rotate(g, X, Y->p))};
}

static flat_pose inverse(lwi_graph *g, const flat_pose *X)
{
    const flat_pose back = {X->c, lwi_neg(X->s), unmoved.p};
    const flat p = rotate(g, &back, X->p);
    return (flat_pose){back.c, back.s, {lwi_neg(p.x), lwi_neg(p.y)}};
}

static void shift(lwi_graph *g, flat_pose *X, flat p)
{
    X->p = plus(g, X->p, rotate(g, X, p));
}

// --- The branches of the loop within the plane --------------------------------------------------

/// A joint of a branch, or its end.
typedef struct stop {
    flat offset; ///< from the joint before, along the axes of the body in between
    flat slide;  ///< direction of z
    bool is_slide, is_backward;
    int body;
} stop;

// The normal of the plane in the common body as the compile takes it: the branches of closed forms
// are counted about it.
static lw_vec3 find_normal(const lwi_symbolic *k, const lwi_loop *loop)
{
    lw_vec3 normal = {0, 0, 0};
    for (int side = 0; side < 2; ++side) {
        lw_mat3 R = lw_mat3_identity();
        for (int i = 0; i <= loop->npath[side]; ++i) {
            const bool is_end = i == loop->npath[side];
            const int body = is_end ? -1 : loop->path[side][i];
            const lw_mat3 *next = is_end ? &loop->X[side].R : &k->m->X_PJ[body].R;
            const bool is_slide =
                is_end ? loop->type == LW_JOINT_PRISMATIC : k->body[body].type == LW_TREE_PRISMATIC;
            const lw_mat3 product = lw_mul3(&R, next);
            R = lwi_snapped_rotation(k, &product);
            normal = is_slide ? normal : lw_vec3_of(R.row[0].z, R.row[1].z, R.row[2].z);
        }
    }
    return normal;
}

// Rows of B are the axes within the plane and the normal, along the axes of a body; those of the
// next one are the same at zero. Returns the offset across the plane.
static lwi_expr next_stop(lwi_symbolic *k, lw_mat3 *B, const lw_mat3 *R, lwi_vec p, stop *out)
{
    lwi_graph *g = k->g;
    const lwi_mat axes = mat_number(g, B);
    const lwi_vec at = mat_apply(g, &axes, p);
    const lw_mat3 product = lw_mul3(B, R);
    *B = lwi_snapped_rotation(k, &product);
    out->offset = (flat){at.x, at.y};
    out->slide = (flat){lwi_number(g, B->row[0].z), lwi_number(g, B->row[1].z)};
    out->is_backward = B->row[2].z < 0;
    return at.z;
}

// Stops of both branches, the ends last; and how far the second end is above the first.
static lwi_expr find_stops(lwi_symbolic *k, const lwi_loop *loop, stop *const stops[2])
{
    lwi_expr height[2] = {LWI_ZERO, LWI_ZERO};
    const lw_mat3 to_normal = lw_rotation_to_z(find_normal(k, loop));
    const lw_mat3 across = lw_transpose3(&to_normal);
    for (int side = 0; side < 2; ++side) {
        lw_mat3 B = lwi_snapped_rotation(k, &across);
        for (int i = 0; i < loop->npath[side]; ++i) {
            const int body = loop->path[side][i];
            stop *own = &stops[side][i];
            const lwi_expr up = next_stop(k, &B, &k->m->X_PJ[body].R, k->body[body].rest.p, own);
            height[side] = lwi_add(k->g, height[side], up);
            own->is_slide = k->body[body].type == LW_TREE_PRISMATIC;
            own->body = body;
        }
        const lw_pose *X = &loop->X[side];
        stop *end = &stops[side][loop->npath[side]];
        const lwi_expr up = next_stop(k, &B, &X->R, vec_number(k->g, X->p), end);
        height[side] = lwi_add(k->g, height[side], up);
        end->is_slide = loop->type == LW_JOINT_PRISMATIC;
        end->body = -1;
    }
    return lwi_sub(k->g, height[1], height[0]);
}

static bool take_stops(lwi_symbolic *k, const lwi_loop *loop, stop *stops[2])
{
    for (int side = 0; side < 2; ++side) {
        stops[side] = lwi_symbolic_alloc(k, loop->npath[side] + 1, sizeof *stops[side]);
    }
    return k->status == LW_OK;
}

lwi_expr lwi_plane_height(lwi_symbolic *k, const lwi_loop *loop)
{
    stop *stops[2];
    return take_stops(k, loop, stops) ? find_stops(k, loop, stops) : LWI_ZERO;
}

// What a joint does whose position is known.
static flat_pose motion_of(lwi_symbolic *k, const stop *joint)
{
    const lwi_sym_body *b = &k->body[joint->body];
    flat_pose J = unmoved;
    if (joint->is_slide) {
        J.p = scaled(k->g, b->q[0], joint->slide);
    } else {
        J.c = b->c;
        J.s = joint->is_backward ? lwi_neg(b->s) : b->s;
    }
    return J;
}

static element element_of(const stop *joint, const flat_pose *F, bool is_backward)
{
    return (element){.F = *F,
                     .is_slide = joint->is_slide,
                     .is_backward =
                         joint->is_slide ? is_backward : is_backward != joint->is_backward,
                     .slide = joint->slide,
                     .body = joint->body};
}

static bool is_target(const lwi_symbolic *k, const lwi_step *step, int body)
{
    const int v = k->m->v_start[body];
    return v == step->target[0] || v == step->target[1];
}

// Down the first branch, through the closing joint, up the second.
static void find_elements(lwi_symbolic *k, const lwi_loop *loop, const lwi_step *step,
                          stop *const stops[2], element e[THREE + 1])
{
    lwi_graph *g = k->g;
    const stop *one = &stops[0][loop->npath[0]], *two = &stops[1][loop->npath[1]];
    flat_pose X = unmoved, J;
    int n = 0;
    for (const stop *joint = stops[0]; joint < one; ++joint) {
        shift(g, &X, joint->offset);
        if (is_target(k, step, joint->body) && n < THREE) {
            e[n++] = element_of(joint, &X, false);
            X = unmoved;
        } else {
            J = motion_of(k, joint);
            X = times(g, &X, &J);
        }
    }
    shift(g, &X, one->offset);
    e[n++] = (element){.F = X, .is_slide = one->is_slide, .slide = one->slide, .body = -1};
    X = unmoved;
    if (one->is_slide) { // the two directions agree
        X.c = dot(g, one->slide, two->slide);
        X.s = cross(g, two->slide, one->slide);
    }
    shift(g, &X, opposite(two->offset));
    for (int i = loop->npath[1] - 1; i >= 0; --i) {
        const stop *joint = &stops[1][i];
        if (is_target(k, step, joint->body) && n < THREE) {
            e[n++] = element_of(joint, &X, true);
            X = unmoved;
        } else {
            J = motion_of(k, joint);
            J = inverse(g, &J);
            X = times(g, &X, &J);
        }
        shift(g, &X, opposite(joint->offset));
    }
    e[0].F = times(g, &X, &e[0].F);
}

// --- Closed forms -------------------------------------------------------------------------------

// e0 and e2 are revolute, and e1 is known: e0 (F1 e1 F2) e2 = F0^-1. One vector gives e0, the rest
// e2.
static void solve_outer(lwi_graph *g, element e[THREE], lwi_expr inverse_square)
{
    flat_pose G = times(g, &e[1].F, &e[1].value);
    G = times(g, &G, &e[2].F);
    const flat_pose H = inverse(g, &e[0].F);
    e[0].value = unmoved;
    e[0].value.c = lwi_mul(g, dot(g, G.p, H.p), inverse_square);
    e[0].value.s = lwi_mul(g, cross(g, G.p, H.p), inverse_square);
    flat_pose rest = times(g, &e[0].value, &G);
    rest = inverse(g, &rest);
    e[2].value = times(g, &rest, &H);
}

// Three revolute joints: a cos + b sin = c for the angle at e1, from the lengths of the three
// sides.
static void solve_triangle(lwi_graph *g, element e[THREE], int branch)
{
    const flat a = inverse(g, &e[1].F).p, b = e[2].F.p;
    const lwi_expr third = dot(g, e[0].F.p, e[0].F.p);
    const lwi_expr bb = dot(g, b, b), sides = lwi_add(g, dot(g, a, a), bb);
    const lwi_expr c = lwi_scale(g, 0.5, lwi_sub(g, sides, third));
    const lwi_expr A = dot(g, a, b), B = cross(g, b, a);
    const lwi_expr size = lwi_add_products(g, A, A, B, B);
    lwi_expr w = lwi_sqrt(g, lwi_sub(g, size, lwi_mul(g, c, c)));
    w = branch < 0 ? lwi_neg(w) : w;
    const lwi_expr inverse_size = lwi_div(g, LWI_ONE, size);
    e[1].value = unmoved;
    e[1].value.c = lwi_mul(g, lwi_sub_products(g, A, c, B, w), inverse_size);
    e[1].value.s = lwi_mul(g, lwi_add_products(g, B, c, A, w), inverse_size);
    solve_outer(g, e, lwi_div(g, LWI_ONE, third));
}

// e1 slides between two revolute joints, which keep their distance.
static void solve_slide(lwi_graph *g, element e[THREE], int branch)
{
    const flat d = minus(g, e[2].F.p, inverse(g, &e[1].F).p);
    const lwi_expr third = dot(g, e[0].F.p, e[0].F.p);
    const lwi_expr b = dot(g, e[1].slide, d);
    const lwi_expr rest = lwi_sub(g, dot(g, d, d), third);
    const lwi_expr w = lwi_sqrt(g, lwi_sub(g, lwi_mul(g, b, b), rest));
    e[1].amount = lwi_sub(g, branch < 0 ? lwi_neg(w) : w, b);
    e[1].value = unmoved;
    e[1].value.p = scaled(g, e[1].amount, e[1].slide);
    solve_outer(g, e, lwi_div(g, LWI_ONE, third));
}

// e0 rotates by the remaining angle, and the slides e1 and e2 are linear.
static void solve_two_slides(lwi_graph *g, element e[THREE])
{
    const flat_pose F12 = times(g, &e[1].F, &e[2].F), F = times(g, &F12, &e[0].F);
    e[0].value = unmoved;
    e[0].value.c = F.c;
    e[0].value.s = lwi_neg(F.s);
    const flat d1 = rotate(g, &e[1].F, e[1].slide), d2 = rotate(g, &F12, e[2].slide);
    const lwi_expr inverse_det = lwi_div(g, LWI_ONE, cross(g, d1, d2));
    e[1].amount = lwi_mul(g, cross(g, d2, F.p), inverse_det);
    e[2].amount = lwi_neg(lwi_mul(g, cross(g, d1, F.p), inverse_det));
}

static void rotate_elements(element e[THREE], int by)
{
    const element copy[THREE] = {e[0], e[1], e[2]};
    for (int i = 0; i < THREE; ++i) {
        e[i] = copy[(i + by) % THREE];
    }
}

lw_status lwi_plane_triangle(lwi_symbolic *k, const lwi_step *step, const lwi_loop *loop)
{
    lwi_graph *g = k->g;
    element e[THREE + 1];
    stop *stops[2];
    if (!take_stops(k, loop, stops)) {
        return k->status;
    }
    find_stops(k, loop, stops);
    find_elements(k, loop, step, stops, e);
    int slides = 0, odd = 0;
    for (int i = 0; i < THREE; ++i) {
        slides += e[i].is_slide;
    }
    for (int i = 0; i < THREE; ++i) {
        odd = e[i].is_slide == (slides == 1) ? i : odd;
    }
    if (slides == 0) {
        solve_triangle(g, e, step->branch);
    } else if (slides == 1) {
        rotate_elements(e, (odd + 2) % THREE);
        solve_slide(g, e, step->branch);
    } else {
        rotate_elements(e, odd);
        solve_two_slides(g, e);
    }
    for (int i = 0; i < THREE; ++i) {
        if (e[i].body >= 0 && e[i].is_slide) {
            const lwi_expr q = e[i].is_backward ? lwi_neg(e[i].amount) : e[i].amount;
            lwi_symbolic_place(k, e[i].body, q, LWI_ZERO, LWI_ZERO);
        } else if (e[i].body >= 0) {
            const lwi_expr s = e[i].is_backward ? lwi_neg(e[i].value.s) : e[i].value.s;
            lwi_symbolic_place(k, e[i].body, LWI_UNKNOWN, e[i].value.c, s);
        }
    }
    return k->status;
}
