// A controller as its parts see it.
#ifndef LWI_CONTROLLER_H
#define LWI_CONTROLLER_H

#include <linkwork/control.h>

#include "../statics/shaft_control.h"

struct lw_controller {
    const lw_model *model;
    const lw_trajectory *trajectory;
    lw_dynamics_component component; ///< without functions: the algorithms of dynamics.h
    lw_control_law law;
    double period, delay;
    double *kp, *kd, *limit;         ///< [nv]
    double *q, *v, *a, *error, *tau; ///< [nq], [nv]: what is wanted, and work
    double *hold;                    ///< [nq]
    double *seen;                    ///< [nv] velocities as the motors measure them
    lw_contact_task task;
    double *J; ///< [6*nv]
    lw_shafts shafts;
    double block[];
};

/// Forces that it requests at the joints, before they are handed to motors and held within limits.
/// For computed torque c->a is left as the accelerations that they are made for.
lw_status lwi_controller_ask(lw_controller *c, lw_data *d, double t, const double *q,
                             const double *v, double *tau);

/// Whether a definition of the laws for contact makes sense; others have no task.
lw_status lwi_check_task(const lw_model *m, const lw_controller_def *def);

/// Adds the forces of the task to tau [nv]. Needs the reference motion in c->q and c->v.
lw_status lwi_add_task_forces(lw_controller *c, lw_data *d, const double *q, const double *v,
                              double *tau);

#endif
