// Control through elastic shafts: joints are seen at their motors, and moved by these.
#ifndef LWI_SHAFTS_H
#define LWI_SHAFTS_H

#include <linkwork/model.h>

/// With the followers e, freedoms behind elastic shafts, and as many joints j that they turn, rigid
/// shafts would give x_e = N x_j (lw_shaft_ratios). Seen at its motors a joint is at N^-1 x_e, and
/// a torque on it is N^-T of that on the motors.
typedef struct lwi_shafts {
    int n; ///< followers, and joints that they turn; 0 where nothing is to be done
    int nv;
    double *G;             ///< [nv*nv]
    double *inverse;       ///< [n*n] of N
    int *follower, *joint; ///< [n]
    double *seen, *work;   ///< [nv]
} lwi_shafts;

/// From the ratios in the reference configuration. n is 0 where the model has no such freedoms, or
/// where these do not determine the joints: then every freedom is controlled by itself.
lw_status lwi_shafts_create(const lw_model *m, lwi_shafts *shafts);
void lwi_shafts_free(lwi_shafts *shafts);

/// Velocities with those of joints as the motors tell them, and errors [nv] of positions likewise.
/// Returns v itself where there is nothing to do.
const double *lwi_shafts_look(const lwi_shafts *shafts, const lw_model *m, const double *q,
                              const double *v, double *error);

/// Positions of followers from those of the others; velocities or accelerations [nv] likewise.
void lwi_shafts_follow_position(const lwi_shafts *shafts, const lw_model *m, double *q);
void lwi_shafts_follow(const lwi_shafts *shafts, double *x);

/// G' tau in place: what the others must give along a motion of theirs, with rigid shafts.
void lwi_shafts_gather(const lwi_shafts *shafts, double *tau);

/// Moves forces of joints onto the motors that turn them.
void lwi_shafts_hand_over(const lwi_shafts *shafts, double *tau);

#endif
