// The recursions of dynamics for one state, in tree coordinates, for the table of kernels
// (model/kernels.h).
#ifndef LWI_KERNEL_RECURSIONS_H
#define LWI_KERNEL_RECURSIONS_H

#include "../kin/closure.h"
#include "kernel_begin.h"
#include "kernel_crba_rows.h"
#include "kernel_momentum.h"
#include "kernel_rods.h"

/// Sines and cosines from the closure sweep.
static inline void take_angles(const lw_data *d, tree *t)
{
    const double *s = d->loop_work.sine, *c = d->loop_work.cosine;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        t->sine[i] = is_angle ? s[b->q] : 0.0;
        t->cosine[i] = is_angle ? c[b->q] : 1.0;
    }
}

static inline void bring_angles(const lw_model *m, const lw_data *d, const double *q, tree *t)
{
    if (m->nstep == 0) {
        find_sines(t, q);
    } else if (t->all_revolute) { // one each, in the order of the bodies
        t->sine = d->loop_work.sine;
        t->cosine = d->loop_work.cosine;
    } else {
        take_angles(d, t);
    }
}

static void run_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 const double *a, const lw_force *f_ext, bool has_rods, double *tau)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    const number *const lanes[] = {(const double *)f_ext};
    bring_angles(m, d, q, &e.tree);
    rnea_outward(&e.tree, q, v, a, &e.world, e.moving, e.force);
    if (has_rods) {
        add_rods(&e.tree, m, &e.world, e.moving, e.force);
    }
    subtract_applied(&e, f_ext ? lanes : NULL);
    joint_forces(&e, q, v, a, tau);
}

static void run_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    place_joints(&e.tree, q);
    if (m->nstep == 0) {
        crba_rows_of_forces(&e.tree, e.nv, e.composite, e.passive, d->dof_row, d->dof_stride, M);
        return;
    }
    lwi_closure_compose(m, d);
    const folding fold = {m->kernel->program->fronts, d->fronts.g, m->nv, M};
    memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
    mass_matrix(&e, &fold, d->tree_J);
}

static int run_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *tau, const lw_force *f_ext, double *a)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    const number *const lanes[] = {(const double *)f_ext};
    bits singular;
    return forward_dynamics(&e, q, v, tau, f_ext ? lanes : NULL, a, &singular);
}

static int run_forward_dynamics_closed(const lw_model *m, lw_data *d, const double *tau,
                                       const lw_force *f_ext, double *a)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const lwi_front_data *f = &d->fronts;
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    take_angles(d, &e.tree);
    lwi_closure_compose(m, d);
    const front_work fronts = {.plan = p,
                               .nv = m->nv,
                               .g = f->g,
                               .bias = d->tree_a,
                               .F = f->F,
                               .D = f->D,
                               .r = f->r,
                               .size = f->r + p->nslot,
                               .along = f->r + 2 * p->nslot,
                               .share = f->share};
    memset(fronts.F, 0, (size_t)p->nfront * sizeof *fronts.F);
    memset(fronts.D, 0, (size_t)(p->nslot * p->nslot) * sizeof *fronts.D);
    memset(fronts.r, 0, (size_t)(2 * p->nslot) * sizeof *fronts.r);
    const number *const lanes[] = {(const double *)f_ext};
    bits singular;
    return accelerations(&e, d->tree_q, d->tree_v, tau, f_ext ? lanes : NULL, &fronts, a,
                         &singular);
}

static void run_gravity_forces(const lw_model *m, lw_data *d, const double *q, double *tau)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    find_sines(&e.tree, q);
    const vec3 up = scale3(real_of(-1), in_rotated_world(m->kernel, d->settings.gravity));
    rnea_gravity(&e.tree, q, up, e.moving, e.force);
    rnea_inward(&e.tree, e.force, tau);
}

/// A vector along the axes of the world as rotated for its first child, along its own.
static inline lw_vec3 in_world(const lwi_kernel *kernel, vec3 v)
{
    const vec3 r = rotate_z(kernel->world_phi[0], kernel->world_phi[1], v);
    return (lw_vec3){r.x, r.y, r.z};
}

static double run_momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                           lw_force *momentum, lw_vec3 *h)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    bring_angles(m, d, q, &e.tree);
    const pair3 world = {e.world.w, in_rotated_world(m->kernel, d->settings.base_velocity.lin)};
    momentum_outward(&e.tree, q, v, world, e.moving, e.force);
    const total sum = momentum_inward(&e.tree, e.moving, e.force);
    momentum->ang = in_world(m->kernel, sum.momentum.ang);
    momentum->lin = in_world(m->kernel, sum.momentum.lin);
    *h = in_world(m->kernel, sum.h);
    return sum.mass;
}

static void run_momentum_rows(const lw_model *m, lw_data *d, const double *q, lw_vec3 *h,
                              double *rows)
{
    evaluation e;
    begin(m, &d->settings, d->work, &e);
    bring_angles(m, d, q, &e.tree);
    set_joints(&e.tree, q);
    *h = in_world(m->kernel, momentum_columns(&e.tree, e.composite, e.column));
    const size_t n = (size_t)m->tree_nv;
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const lw_pose *X = &d->X_WB[i];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            const vec3 l = rotate_z(b->cos_phi, b->sin_phi, e.column[k].ang);
            const vec3 p = rotate_z(b->cos_phi, b->sin_phi, e.column[k].lin);
            const lw_vec3 lin = lw_rotate(&X->R, (lw_vec3){p.x, p.y, p.z});
            const lw_vec3 ang =
                lw_add3(lw_rotate(&X->R, (lw_vec3){l.x, l.y, l.z}), lw_cross3(X->p, lin));
            double *to = rows + k;
            to[0] = ang.x;
            to[n] = ang.y;
            to[2 * n] = ang.z;
            to[3 * n] = lin.x;
            to[4 * n] = lin.y;
            to[5 * n] = lin.z;
        }
    }
}

static void run_joint_wrenches(const lw_model *m, const lw_data *d, lw_force *force)
{
    evaluation e = {.tree = {.nbody = m->nbody}, .nv = m->tree_nv};
    lay_out_work(&e, m->kernel->ngeneral, d->work);
    for (int i = 0; i < m->nbody; ++i) {
        const segment *b = &m->kernel->segment[i];
        const vec3 n = rotate_z(b->cos_phi, b->sin_phi, e.force[i].ang);
        const vec3 f = rotate_z(b->cos_phi, b->sin_phi, e.force[i].lin);
        force[i] = (lw_force){{n.x, n.y, n.z}, {f.x, f.y, f.z}};
    }
}

#endif
