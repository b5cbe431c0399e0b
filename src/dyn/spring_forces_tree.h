// What springs and torsions add to dynamics. They count as forces within the joints do: an ideal
// mechanism has none. Nothing is done, and nothing is read, where the model has no springs.
#ifndef LWI_SPRINGS_H
#define LWI_SPRINGS_H

#include "../model/data.h"

/// A spring in one state.
typedef struct lwi_spring_at {
    double x, rate;         ///< length or twist, and how fast it grows
    double force;           ///< that pulls, or turns back
    double by_x, by_rate;   ///< its derivatives
    double energy;          ///< stored
    double elastic;         ///< the force without damping
    double friction;        ///< of a torsion with loss: at its axis `out`
    double friction_by_out; ///< derivative by the speed of `out`
} lwi_spring_at;

/// Where a spring between two points lies, or one between a plane and a point.
typedef struct lwi_spring_line {
    lw_vec3 p[2];  ///< its ends in the world; of a plane where the point is, twice
    lw_vec3 u;     ///< from the first to the second, of length 1; zero where they meet; the normal
    double length; ///< or height
} lwi_spring_line;

/// The state of a spring; its change of length for unit rate of each degree of freedom is left in
/// d->spring_row, and those of its ends in d->spring_s. Needs d->X_WB.
lwi_spring_at lwi_spring_state(const lw_model *m, lw_data *d, int k, const double *tree_q,
                               const double *tree_v, lwi_spring_line *line);

/// Leaves the generalised forces that hold against all springs in d->spring_tau [tree_nv]. False
/// where there are none. Changes d->X_WB.
bool lwi_find_spring_forces(const lw_model *m, lw_data *d, const double *tree_q,
                            const double *tree_v);
void lwi_add_spring_forces(const lw_model *m, const lw_data *d, double *tau);

/// f_ext with the forces of the springs on the bodies, in d->spring_force, for reactions. Those of
/// torsions act within the joints.
lw_status lwi_apply_springs(const lw_model *m, lw_data *d, const double *q, const double *v,
                            const lw_force *f_ext, const lw_force **sum);

/// Needs d->X_WB.
double lwi_spring_energy(const lw_model *m, const lw_data *d, const double *tree_q);

/// Power that damping and friction of springs take. Changes d->X_WB.
double lwi_spring_losses(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v);

#endif
