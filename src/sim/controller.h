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
    lw_shafts shafts;
    double block[];
};

/// Forces that it requests at the joints, before they are handed to motors and held within limits.
/// For computed torque c->a is left as the accelerations that they are made for.
lw_status lwi_controller_ask(lw_controller *c, lw_data *d, double t, const double *q,
                             const double *v, double *tau);

#endif
