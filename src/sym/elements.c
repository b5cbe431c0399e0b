// Mass matrix, velocity forces and gravity forces separately, after Uicker and Kahn, but with
// composite bodies: everything outward of joint l moves as one when joints l and before move, so
// that its pseudo-inertia in the frame of l gives all elements whose last joint is l.
//
// With joints k before or at l, the acceleration that belongs to v[k] v[l] is that of the screw k
// times the screw l, in the frame of l; its moment is -z x (Sigma w_k) for joints that rotate.
// C[i][k][l] for i beyond l is -C[l][k][i]: the mass matrix between two joints does not depend on
// joints before both.
#include "body_motion.h"

#include <stdlib.h>
#include <string.h>

/// A body with all that it carries.
typedef struct composite {
    lwi_pseudo P;
    lwi_vec a;         ///< acceleration of the frame minus gravity
    lwi_expr rotation; ///< 1 or 0: the joint's own screw
    lwi_expr travel;
} composite;

/// A screw seen from a body, known from its parent.
static lwi_twist carry_screw(lwi_graph *g, const lwi_sym_body *body, const lwi_twist *from)
{
    const lwi_vec p = lwi_body_pose(g, body).p;
    const lwi_vec at = vec_add(g, from->lin, vec_cross(g, from->ang, p));
    const lwi_vec ang = lwi_to_body(g, body, from->ang);
    return (lwi_twist){ang, lwi_to_body(g, body, at)};
}

static lwi_expr power(lwi_graph *g, const lwi_twist *s, const lwi_twist *wrench)
{
    const lwi_expr rotating = vec_dot(g, s->ang, wrench->ang);
    return lwi_add(g, rotating, vec_dot(g, s->lin, wrench->lin));
}

/// The wrench of the composite body for a unit acceleration of its joint.
static lwi_twist own_wrench(lwi_graph *g, const composite *l)
{
    const lwi_pseudo *P = &l->P;
    const lwi_expr zz = lwi_add(g, P->S.xx, P->S.yy);
    const lwi_vec spin = vec_of(lwi_neg(P->S.xz), lwi_neg(P->S.yz), zz);
    const lwi_vec arm = vec_of(lwi_neg(P->h.y), P->h.x, LWI_ZERO);
    lwi_twist out;
    for (int k = 0; k < 3; ++k) {
        out.ang.e[k] = lwi_sub_products(g, l->rotation, spin.e[k], l->travel, arm.e[k]);
        out.lin.e[k] = lwi_mul(g, l->rotation, arm.e[k]);
    }
    out.lin.z = lwi_add(g, out.lin.z, lwi_mul(g, l->travel, P->m));
    return out;
}

/// The same for the acceleration of screw k times the joint's own.
static lwi_twist pair_wrench(lwi_graph *g, const composite *l, const lwi_twist *k)
{
    const lwi_pseudo *P = &l->P;
    const lwi_mat S = sym_full(&P->S);
    const lwi_expr along = vec_dot(g, k->ang, P->h);
    const lwi_expr ax = lwi_mul(g, l->travel, k->ang.y), ay = lwi_mul(g, l->travel, k->ang.x);
    const lwi_vec a = vec_of(ax, lwi_neg(ay), LWI_ZERO), across = vec_cross(g, P->h, a);
    const lwi_expr x = lwi_mul(g, l->rotation, vec_dot(g, S.row[1], k->ang));
    const lwi_expr y = lwi_neg(lwi_mul(g, l->rotation, vec_dot(g, S.row[0], k->ang)));
    lwi_twist out = {vec_of(x, y, LWI_ZERO), vec_zero()};
    for (int i = 0; i < 3; ++i) {
        const lwi_expr along_z = i == 2 ? along : LWI_ZERO;
        const lwi_expr U = lwi_sub(g, along_z, lwi_mul(g, k->ang.z, P->h.e[i]));
        out.lin.e[i] = lwi_add_products(g, l->rotation, U, P->m, a.e[i]);
        out.ang.e[i] = lwi_add(g, out.ang.e[i], across.e[i]);
    }
    return out;
}

/// All elements whose last joint is l: `seen` are the screws of the joints before it, in its frame.
static void fill_elements(lwi_graph *g, const lwi_sym_tree *tree, int l, const composite *own,
                          const lwi_twist *seen, lwi_expr *H, lwi_expr *C, lwi_expr *gravity)
{
    const int n = tree->nbody;
    lwi_twist wrench = own_wrench(g, own);
    for (int i = l; i >= 0; i = tree->body[i].parent) {
        H[i * n + l] = H[l * n + i] = power(g, &seen[i], &wrench);
    }
    if (gravity) {
        gravity[l] = vec_dot(g, own->a, wrench.lin);
    }
    for (int k = l; C && k >= 0; k = tree->body[k].parent) {
        wrench = pair_wrench(g, own, &seen[k]);
        for (int i = l; i >= 0; i = tree->body[i].parent) {
            const lwi_expr value = i == l ? LWI_ZERO : power(g, &seen[i], &wrench);
            C[(i * n + k) * n + l] = C[(i * n + l) * n + k] = value;
            // The same with l and i exchanged, if i is at k or beyond.
            if (i < l && i >= k) {
                C[(l * n + k) * n + i] = C[(l * n + i) * n + k] = lwi_neg(value);
            }
        }
    }
}

/// The composite body of a run of parallel joints, without the rotation of the first: each body by
/// its absolute angle, and moved to where it then is. compose() arrives at the same values.
static void compose_run(lwi_graph *g, const lwi_sym_tree *tree, int first, const composite *links)
{
    const int last = lwi_end_of_run(tree, first);
    lwi_pseudo sum = {.m = LWI_ZERO};
    for (int i = last; i >= first; --i) {
        // Along axes that do not rotate with the first joint: a joint that rotates by the absolute
        // angle, and the origin of the body.
        lwi_sym_body absolute = tree->body[first];
        lwi_vec r = vec_zero();
        for (int k = first + 1; k <= i; ++k) {
            const lwi_vec p = tree->body[k].rest.p;
            lwi_expr c, s;
            lwi_joint_angle(g, &absolute, &c, &s);
            r.x = lwi_add(g, r.x, lwi_sub_products(g, c, p.x, s, p.y));
            r.y = lwi_add(g, r.y, lwi_add_products(g, s, p.x, c, p.y));
            r.z = lwi_add(g, r.z, p.z);
            absolute.q[0] = lwi_add(g, absolute.q[0], tree->body[k].q[0]);
        }
        const lwi_pseudo P = i == last ? links[i].P : lwi_pseudo_of(g, &tree->body[i]);
        const lwi_pseudo rotated = lwi_pseudo_rotate(g, &P, &absolute);
        const lwi_pseudo moved = lwi_pseudo_shift(g, &rotated, r);
        sum = lwi_pseudo_add(g, &sum, &moved);
    }
}

static void compose(lwi_graph *g, const lwi_sym_tree *tree, composite *links)
{
    for (int i = 0; i < tree->nbody; ++i) {
        const lw_tree_joint type = tree->body[i].type;
        links[i].P = lwi_pseudo_of(g, &tree->body[i]);
        links[i].rotation = type == LW_TREE_PRISMATIC ? LWI_ZERO : LWI_ONE;
        links[i].travel = type == LW_TREE_PRISMATIC ? LWI_ONE
                          : type == LW_TREE_SCREW   ? tree->body[i].lead
                                                    : LWI_ZERO;
    }
    for (int i = tree->nbody - 1; i >= 0; --i) {
        const lwi_sym_body *body = &tree->body[i];
        const bool goes_on = body->parent >= 0 && lwi_end_of_run(tree, body->parent) >= i;
        if (tree->is_searched && !goes_on && lwi_end_of_run(tree, i) > i) {
            compose_run(g, tree, i, links);
        }
        if (body->parent >= 0) {
            const lwi_pseudo moved = lwi_pseudo_to_parent(g, &links[i].P, body);
            links[body->parent].P = lwi_pseudo_add(g, &links[body->parent].P, &moved);
        }
    }
}

/// The screws of the joints before l and the acceleration minus gravity, seen from a body: l
/// itself, or l without the rotation of its joint, if the composite body is rotated instead.
static void see_joints(lwi_graph *g, const lwi_sym_tree *tree, const lwi_sym_body *body, int l,
                       const composite *links, const lwi_twist *seen, composite *to, lwi_twist *own)
{
    const int parent = body->parent;
    const lwi_twist *before = seen + (size_t)(parent < 0 ? 0 : parent) * (size_t)tree->nbody;
    to->a = lwi_to_body(g, body, parent < 0 ? vec_neg(tree->gravity) : links[parent].a);
    for (int i = parent; i >= 0; i = tree->body[i].parent) {
        own[i] = carry_screw(g, body, before + i);
    }
    own[l].ang.z = to->rotation;
    own[l].lin.z = to->travel;
}

void lwi_derive_elements(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *H, lwi_expr *C,
                         lwi_expr *gravity)
{
    const size_t n = (size_t)tree->nbody;
    composite *links = calloc(n + 1, sizeof *links);
    lwi_twist *seen = calloc(n * n + 1, sizeof *seen);
    memset(H, 0, n * n * sizeof *H);
    if (C) {
        memset(C, 0, n * n * n * sizeof *C);
    }
    if (!links || !seen) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        goto done;
    }
    compose(g, tree, links);
    for (int l = 0; l < tree->nbody; ++l) {
        const lwi_sym_body *body = &tree->body[l];
        lwi_twist *own = seen + (size_t)l * n;
        if (body->type == LW_TREE_REVOLUTE) {
            const lwi_sym_body still = lwi_unrotated(body);
            composite rotated = links[l];
            rotated.P = lwi_pseudo_rotate(g, &links[l].P, body);
            see_joints(g, tree, &still, l, links, seen, &rotated, own);
            fill_elements(g, tree, l, &rotated, own, H, C, gravity);
        }
        see_joints(g, tree, body, l, links, seen, &links[l], own);
        fill_elements(g, tree, l, &links[l], own, H, C, gravity);
    }

done:
    free(seen);
    free(links);
}
