// The recursive Newton-Euler algorithm, unrolled in body coordinates (Luh, Walker and Paul 1980),
// with the moments taken from the pseudo-inertia: if Sigma_zz is zero, which regrouping achieves
// for revolute joints, a body's moment costs 13 multiplications instead of 22.
#include "body_motion.h"

#include <stdlib.h>

/// U from angular velocity and acceleration.
static void set_U(lwi_graph *g, lwi_body_motion *m)
{
    const lwi_expr *w = m->w.e;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m->U.row[i].e[i] = lwi_neg(lwi_add_products(g, w[j], w[j], w[k], w[k]));
        const lwi_expr product = lwi_mul(g, w[i], w[j]);
        m->U.row[i].e[j] = lwi_sub(g, product, m->dw.e[k]);
        m->U.row[j].e[i] = lwi_add(g, product, m->dw.e[k]);
    }
}

/// The same if a joint rotates about z: points on its axis move with the parent, so that the column
/// of z is the parent's, rotated. This is made before the plain way, and is the cheaper one; both
/// give the same values.
static void set_U_about_axis(lwi_graph *g, const lwi_sym_body *body, const lwi_body_motion *parent,
                             lwi_body_motion *m)
{
    const lwi_vec column = mat_apply(g, &parent->U, mat_column(&body->rest.R, 2));
    const lwi_vec rotated = lwi_to_body(g, body, column);
    const lwi_vec dw = mat_apply_t(g, &body->rest.R, parent->dw);
    const lwi_expr xz = lwi_mul(g, m->w.x, m->w.z), yz = lwi_mul(g, m->w.y, m->w.z);
    m->dw.x = lwi_sub(g, yz, rotated.y);
    m->dw.y = lwi_sub(g, rotated.x, xz);
    m->dw.z = lwi_add(g, dw.z, body->a[0]);
    set_U(g, m);
}

static void move_outward(lwi_graph *g, const lwi_sym_body *body, const lwi_body_motion *parent,
                         lwi_body_motion *m)
{
    m->p = lwi_body_pose(g, body).p;
    const lwi_twist v = lwi_joint_twist(g, body, body->v), a = lwi_joint_twist(g, body, body->a);
    const lwi_vec w = lwi_to_body(g, body, parent->w);
    m->w = vec_add(g, w, v.ang);
    if (body->type == LW_TREE_REVOLUTE) {
        set_U_about_axis(g, body, parent, m);
    }
    // dw + w x joint rate + joint acceleration
    const lwi_vec dw = lwi_to_body(g, body, parent->dw);
    m->dw = vec_add(g, dw, vec_cross(g, w, v.ang));
    m->dw = vec_add(g, m->dw, a.ang);
    set_U(g, m);
    // E^T (a + U p) + (2 w + joint rate) x joint velocity + joint acceleration, where rates of free
    // joints are those of the body
    m->a = lwi_to_body(g, body, vec_add(g, parent->a, mat_apply(g, &parent->U, m->p)));
    const lwi_vec both = vec_add(g, w, m->w);
    m->a = vec_add(g, m->a, vec_cross(g, both, v.lin));
    m->a = vec_add(g, m->a, a.lin);
}

/// Force and moment that the motion of a body needs, minus the load on it.
static void body_force(lwi_graph *g, const lwi_sym_body *body, const lwi_pseudo *P,
                       lwi_body_motion *m)
{
    const lwi_vec Uh = mat_apply(g, &m->U, P->h), across = vec_cross(g, P->h, m->a);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const lwi_expr *Uj = m->U.row[j].e, *Uk = m->U.row[k].e, *S = P->S.e;
        m->f.e[i] = lwi_add(g, lwi_mul(g, P->m, m->a.e[i]), Uh.e[i]);
        // (U S)_kj - (U S)_jk
        const lwi_expr Sij = S[lwi_pseudo_index(i, j)], Sik = S[lwi_pseudo_index(i, k)];
        lwi_expr sum = lwi_sub_products(g, Uk[i], Sij, Uj[i], Sik);
        sum = lwi_add(g, sum, lwi_mul(g, Uk[j], S[j]));
        sum = lwi_sub(g, sum, lwi_mul(g, Uj[k], S[k]));
        const lwi_expr difference = lwi_sub(g, Uk[k], Uj[j]);
        sum = lwi_add(g, sum, lwi_mul(g, difference, S[lwi_pseudo_index(j, k)]));
        m->spin.e[i] = sum;
        m->rest.e[i] = lwi_sub(g, across.e[i], body->moment.e[i]);
        m->n.e[i] = lwi_add(g, m->rest.e[i], sum);
        m->f.e[i] = lwi_sub(g, m->f.e[i], body->force.e[i]);
    }
}

/// The force and moment of a body at the end of a chain, along the axes that its joint rotates it
/// against. There the parent's motion is known and the parent needs force and moment, so that
/// instead of these vectors only the body's moments are rotated; the recursion arrives at the same
/// values.
static void end_force(lwi_graph *g, const lwi_sym_tree *tree, const lwi_sym_body *body,
                      const lwi_body_motion *parent)
{
    if (body->type != LW_TREE_REVOLUTE || lwi_is_loaded(body)) {
        return;
    }
    const lwi_sym_body still = lwi_unrotated(body);
    lwi_body_motion m = {0};
    const lwi_pseudo own = lwi_pseudo_of(g, body), rotated = lwi_pseudo_rotate(g, &own, body);
    const int thin = lwi_thin_axis(&own);
    move_outward(g, &still, parent, &m);
    if (tree->is_searched && thin >= 0) {
        lwi_thin_force(g, body, &own, thin, &m);
    }
    body_force(g, &still, &rotated, &m);
}

/// The moment of the force about the parent's origin, from the lever arm in the body's own axes;
/// there the accelerations of a run need it too.
static void arm_from_body(lwi_graph *g, const lwi_sym_body *body, const lwi_body_motion *m)
{
    const lwi_vec p = lwi_to_body(g, body, body->rest.p);
    lwi_to_parent(g, body, vec_cross(g, p, m->f));
}

static void move_inward(lwi_graph *g, const lwi_sym_body *body, const lwi_body_motion *m,
                        lwi_body_motion *parent)
{
    const lwi_vec f = lwi_to_parent(g, body, m->f), n = lwi_to_parent(g, body, m->n);
    const lwi_vec arm = vec_cross(g, m->p, f);
    parent->f = vec_add(g, parent->f, f);
    parent->n = vec_add(g, parent->n, n);
    parent->n = vec_add(g, parent->n, arm);
    parent->rest = vec_add(g, parent->rest, n);
    parent->rest = vec_add(g, parent->rest, arm);
}

static bool is_end(const lwi_sym_tree *tree, int i)
{
    for (int k = i + 1; k < tree->nbody; ++k) {
        if (tree->body[k].parent == i) {
            return false;
        }
    }
    return true;
}

/// Whether a rotation about z leaves a body with no more moments than it had, or with one more.
static bool is_full(const lwi_pseudo *P)
{
    const lwi_expr moments[5] = {P->h.x, P->h.y, P->S.xy, P->S.xz, P->S.yz};
    int zeros = 0;
    for (int k = 0; k < 5; ++k) {
        zeros += moments[k] == LWI_ZERO;
    }
    return zeros <= 1;
}

void lwi_derive_inverse_dynamics(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *tau)
{
    // The last one is the world.
    lwi_body_motion *all = calloc((size_t)tree->nbody + 1, sizeof *all);
    int nv = 0;
    for (int i = 0; i < tree->nbody; ++i) {
        for (int k = 0; k < tree->body[i].nv; ++k) {
            tau[nv++] = LWI_ZERO;
        }
    }
    if (!all) {
        lwi_graph_fail(g, LW_ERR_MEMORY);
        return;
    }
    // What is derived first is where the search begins; it gives the same values.
    lwi_derive_planar(g, tree, tau);
    const lwi_run run = lwi_find_run(tree);
    lwi_body_motion *world = &all[tree->nbody];
    world->a = vec_neg(tree->gravity);
    for (int i = 0; i < tree->nbody; ++i) {
        const lwi_sym_body *body = &tree->body[i];
        const bool is_in_run = i >= run.first && i <= run.last;
        if (is_in_run) {
            lwi_rotate_from_base(g, tree, all, run, i);
        }
        if (is_in_run && tree->is_searched) {
            lwi_run_acceleration(g, tree, all, run, i);
        }
        const lwi_body_motion *parent = body->parent < 0 ? world : &all[body->parent];
        move_outward(g, body, parent, &all[i]);
        if (is_in_run && all[i].u.z == LWI_ZERO) {
            lwi_run_moments(g, tree, all, run, i);
        }
        const lwi_pseudo P = lwi_pseudo_of(g, body);
        const bool is_thin = tree->is_searched && lwi_thin_axis(&P) >= 0;
        if (is_end(tree, i) && (is_full(&P) || is_thin)) {
            end_force(g, tree, body, parent);
        }
        body_force(g, body, &P, &all[i]);
    }
    for (int i = tree->nbody - 1; i >= 0; --i) {
        const lwi_sym_body *body = &tree->body[i];
        lwi_body_motion *parent = body->parent < 0 ? world : &all[body->parent];
        if (run.last > run.first && i == run.last) {
            lwi_run_power(g, tree, all, run);
        }
        nv -= body->nv;
        lwi_joint_force(g, body, all[i].n, all[i].f, tau + nv);
        if (tree->is_searched && body->type == LW_TREE_REVOLUTE) {
            arm_from_body(g, body, &all[i]);
        }
        move_inward(g, body, &all[i], parent);
        if (is_end(tree, i)) {
            end_force(g, tree, body, parent);
        }
    }
    free(all);
}
