// Rods with mass. All mass of a thin uniform rod lies on the line between its ends, and moves in
// proportion, so that everything about it follows from its two ends: with p1, p2 and their
// velocities v1, v2,
//
//   first moment      m/2 (p1 + p2)
//   momentum          m/2 (v1 + v2)
//   kinetic energy    m/6 (v1.v1 + v1.v2 + v2.v2) = m/8 |v1 + v2|^2 + m/24 |v2 - v1|^2
//
// Functions here cost nothing where no rod has mass (lw_data.nheavy).
#ifndef LWI_ROD_ENDS_H
#define LWI_ROD_ENDS_H

#include "tree.h"

/// Both ends of a rod, along the axes of the world.
typedef struct lwi_rod_ends {
    double mass;
    int body[2]; ///< -1 for the world
    lw_vec3 p[2], v[2], a[2];
} lwi_rod_ends;

/// Rod k from poses alone; with velocities, and accelerations too, where the level is 1 or 2.
/// Needs d->X_WB, d->vel, d->acc.
lwi_rod_ends lwi_rod_at(const lw_model *m, const lw_data *d, int k, int level);

static inline bool lwi_has_rod_mass(const lw_model *m, int k)
{
    return m->loop[k].mass > 0.0;
}

/// Mass and first moment of all heavy rods. Needs d->X_WB.
double lwi_rod_moment(const lw_model *m, const lw_data *d, lw_vec3 *moment);

/// Jacobians of the two ends of a rod: rows 0 to 2 of J [6*tree_nv] for the first, 3 to 5 for the
/// second, in world axes. Needs d->X_WB.
void lwi_rod_jacobian(const lw_model *m, const lw_data *d, const double *tree_q,
                      const lwi_rod_ends *rod, double *J);

#endif
