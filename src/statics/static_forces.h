// A mechanism with its compliance.
#ifndef LWI_STATIC_FORCES_H
#define LWI_STATIC_FORCES_H

#include <linkwork/statics.h>

#include "equilibrium.h"
#include "shaft_control.h"

/// A load, of the definition or of the model.
typedef struct lwi_wrench_at {
    int body;        ///< -1: on the world, without effect
    lw_pose X_BF;    ///< where it acts, and its axes where it rotates with the body
    int frame;       ///< a frame of that body
    lw_vec3 point;   ///< where it acts, in coordinates of that frame
    lw_axes axes;    ///< LW_IN_FRAME: rotates with the body
    lw_force wrench; ///< N m, N
} lwi_wrench_at;

struct lw_statics {
    const lw_model *model;
    lw_shafts shafts;
    double *stiffness;             ///< [nv] of elastic drives; 0 for others
    const double *command;         ///< [nq] of the call under way
    double own, applied;           ///< factors of loads
    int nown, nload;               ///< loads of the model, then those of the definition
    lwi_wrench_at *load;           ///< [nown + nload + 1], of which the last is for a payload
    bool has_payload;              ///< whether that one acts
    lw_vec3 gravity;               ///< that pulls it
    int nunknown, *unknown;        ///< [nv] what deflects
    int nsettling, *row, *column;  ///< [nv] compensation: what must balance, and what moves
    int ncolumn;                   ///< motors may be more than joints
    int ndriven, *driven;          ///< [nv] what commands bring to a place
    int nvirtual, *virtual_joint;  ///< [nv] settling ones that no motor moves
    const int *rows, *columns;     ///< of the call under way
    int nrows, ncolumns;           ///< how many these are
    lwi_equilibrium solver;        ///< of the call under way, and its workspace
    lw_force *f_ext;               ///< [nbody]
    double *zero, *tau, *by_q, *J; ///< [nv], [nv], [nv*nv], [6*nv]
    double *q, *start;             ///< [nq] spare configurations
    double *A, *B, *along;         ///< [6*nv], [6*nv], [nv] compensation of a frame
    double *block;                 ///< workspace of the solver
};

/// Residual forces of the call under way at q, without the springs of elastic drives, into s->tau.
lw_status lwi_static_forces(lw_statics *s, lw_data *d, const double *q);

/// Their slopes, with those springs, into s->by_q [nv*nv].
lw_status lwi_static_slopes(lw_statics *s, lw_data *d, const double *q);

/// Solves for `columns` so that `rows` balance. Elastic drives are at s->command unless it is NULL.
lw_status lwi_static_solve(lw_statics *s, lw_data *d, int nrow, const int *rows, int ncolumn,
                           const int *columns, double *q);

/// Whether d is of this model and loads are as the options of the data allow.
bool lwi_statics_fits(const lw_statics *s, const lw_data *d);

#endif
