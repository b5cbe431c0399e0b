// The beginning of an evaluation of a model in double, for one state or for several side by side.
#ifndef LWI_KERNEL_BEGIN_H
#define LWI_KERNEL_BEGIN_H

#include "../model/data.h"
#include "kernel_work.h"

/// A vector of the world, along its axes as rotated for its first child.
static inline vec3 in_rotated_world(const lwi_kernel *kernel, lw_vec3 v)
{
    return rotate_back_z(real_of(kernel->world_phi[0]), real_of(kernel->world_phi[1]),
                         (vec3){real_of(v.x), real_of(v.y), real_of(v.z)});
}

/// What recursions without forces need.
/// @param work LWI_WORK_... reals for each body, degree of freedom and general joint
static inline void begin_tree(const lw_model *m, const lwi_settings *settings, void *work,
                              evaluation *e)
{
    const lwi_kernel *kernel = m->kernel;
    e->tree.nbody = m->nbody;
    e->tree.all_revolute = kernel->all_revolute != 0;
    e->tree.segment = kernel->segment;
    e->tree.user = kernel->user;
    e->nv = m->tree_nv;
    e->passive = kernel->has_joint_forces && !settings->is_ideal ? kernel->passive : NULL;
    lay_out_work(e, kernel->ngeneral, work);
}

static inline void begin(const lw_model *m, const lwi_settings *settings, void *work, evaluation *e)
{
    const lwi_kernel *kernel = m->kernel;
    begin_tree(m, settings, work, e);
    e->friction_rate = settings->is_frictionless ? 0.0 : settings->friction_rate;
    e->nload = settings->is_unloaded ? 0 : kernel->nload;
    e->load = kernel->load;
    set_moving_world(in_rotated_world(kernel, settings->base_velocity.ang),
                     in_rotated_world(kernel, settings->base_acceleration.ang),
                     in_rotated_world(kernel, settings->base_acceleration.lin),
                     in_rotated_world(kernel, settings->gravity), &e->world);
}

#endif
