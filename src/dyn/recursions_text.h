// The text of recursions.c and recursions_avx2.c.
#ifndef LWI_RECURSIONS_TEXT_H
#define LWI_RECURSIONS_TEXT_H

#include "kernel_work.h"
#include "recursions.h"

/// A vector of the world, along its axes as turned for its first child.
static inline vec3 in_turned_world(const lwi_kernel *kernel, lw_vec3 v)
{
    return turn_back_z(kernel->world_phi[0], kernel->world_phi[1], (vec3){v.x, v.y, v.z});
}

static inline void begin(const lw_model *m, lw_data *d, evaluation *e)
{
    const lwi_kernel *kernel = m->kernel;
    e->tree.nbody = m->nbody;
    e->tree.all_revolute = kernel->all_revolute != 0;
    e->tree.segment = kernel->segment;
    e->tree.user = kernel->user;
    e->nv = m->tree_nv;
    e->passive = kernel->has_joint_forces && !d->is_ideal ? kernel->passive : NULL;
    e->nload = kernel->nload;
    e->load = kernel->load;
    lay_out_work(e, kernel->ngeneral, d->work);
}

/// Weight, and the motion of the world.
static inline void set_world(const lw_model *m, const lw_data *d, evaluation *e)
{
    const lwi_kernel *kernel = m->kernel;
    set_moving_world(in_turned_world(kernel, d->base_velocity.ang),
                     in_turned_world(kernel, d->base_acceleration.ang),
                     in_turned_world(kernel, d->base_acceleration.lin),
                     in_turned_world(kernel, d->gravity), &e->world);
}

static void run_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 const double *a, const lw_force *f_ext, double *tau)
{
    evaluation e;
    begin(m, d, &e);
    set_world(m, d, &e);
    const number *const lanes[] = {f_ext ? &f_ext->ang.x : NULL};
    inverse_dynamics(&e, q, v, a, f_ext ? lanes : NULL, tau);
}

static void run_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M)
{
    evaluation e;
    begin(m, d, &e);
    place_joints(&e.tree, q);
    mass_matrix(&e, M);
}

static int run_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *tau, const lw_force *f_ext, double *a)
{
    evaluation e;
    begin(m, d, &e);
    set_world(m, d, &e);
    const number *const lanes[] = {f_ext ? &f_ext->ang.x : NULL};
    bits singular;
    return forward_dynamics(&e, q, v, tau, f_ext ? lanes : NULL, a, &singular);
}

static void run_gravity_forces(const lw_model *m, lw_data *d, const double *q, double *tau)
{
    evaluation e;
    begin(m, d, &e);
    turn_angles(&e.tree, q);
    const vec3 up = scale3(real_of(-1), in_turned_world(m->kernel, d->gravity));
    rnea_weight(&e.tree, q, up, e.moving, e.force);
    rnea_inward(&e.tree, e.force, tau);
}

static const lwi_recursions recursions = {run_inverse_dynamics, run_mass_matrix,
                                          run_forward_dynamics, run_gravity_forces};

#endif
