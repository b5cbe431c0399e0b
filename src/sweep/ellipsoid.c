// Ellipsoids of velocities, of forces (Yoshikawa, "Manipulability of robotic mechanisms", Int. J.
// Robotics Research 1985) and of accelerations ("Dynamic manipulability of robot manipulators", J.
// Robotic Systems 1985). Unlike there, gravity takes nothing away from the torques.

#include "ellipsoid.h"

#include "../math/cholesky.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>

size_t lwi_ellipsoid_space(const lw_model *m)
{
    return (size_t)(m->nv + 6) * (size_t)(m->nv + 1);
}

bool lwi_has_force_limits(const lw_model *m)
{
    for (int k = 0; k < m->nv; ++k) {
        if (!isfinite(m->dof[m->v_tree[k]].max_force)) {
            return false;
        }
    }
    return true;
}

/// Rows of J become those of J M^-1, times the limits of force.
static lw_status weigh(const lw_model *m, lw_data *d, const double *q, int rows, double *J,
                       double *M)
{
    const int n = m->nv;
    const bool has_limits = lwi_has_force_limits(m);
    const lw_status status = lw_mass_matrix(m, d, q, M);
    if (status != LW_OK || !lwi_cholesky(n, M)) {
        return status != LW_OK ? status : LW_ERR_SINGULAR;
    }
    for (int i = 0; i < rows; ++i) {
        lwi_cholesky_solve(n, M, J + (ptrdiff_t)i * n);
        for (int k = 0; k < n && has_limits; ++k) {
            J[(ptrdiff_t)i * n + k] *= m->dof[m->v_tree[k]].max_force;
        }
    }
    return LW_OK;
}

lw_status lwi_ellipsoid_axes(const lw_model *m, lw_data *d, const double *q, int frame,
                             lw_frame_ellipsoid kind, lwi_jacobian_part part, double length,
                             double *scratch, double axis[6], int *count)
{
    const int n = m->nv, rows = part == LWI_PART_SCALED ? 6 : 3;
    lw_status status = lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, NULL, scratch);
    *count = rows < n ? rows : n; // fewer joints than rows: those that they move
    if (status != LW_OK || n == 0) {
        return status;
    }
    double *J = part == LWI_PART_TRANSLATION ? scratch + (ptrdiff_t)3 * n : scratch;
    for (int k = 0; k < 3 * n && part == LWI_PART_SCALED; ++k) {
        J[k] *= length;
    }
    if (kind == LW_ELLIPSOID_DYNAMIC) {
        status = weigh(m, d, q, rows, J, scratch + (ptrdiff_t)6 * n);
    }
    lwi_row_singular_values(rows, n, J, axis);
    for (int i = 0, k = *count - 1; i <= k && kind == LW_ELLIPSOID_FORCE; ++i, --k) {
        const double longest = 1.0 / axis[k];
        axis[k] = 1.0 / axis[i];
        axis[i] = longest;
    }
    return status;
}
