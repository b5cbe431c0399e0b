// Ellipsoids of velocities, of forces (Yoshikawa, "Manipulability of robotic mechanisms", Int. J.
// Robotics Research 1985) and of accelerations ("Dynamic manipulability of robot manipulators", J.
// Robotic Systems 1985). Unlike there, gravity takes nothing away from the torques.

#include "ellipsoid.h"

#include "../base/philox.h"
#include "../kin/joint_range.h"
#include "../math/cholesky.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

size_t lwi_ellipsoid_space(const lw_model *m)
{
    return (size_t)(m->nv + 6) * (size_t)(m->nv + 1);
}

// Nothing drives a free joint: it is held where it is.
static bool is_held(const lw_model *m, int k)
{
    for (int b = 0; b < m->nbody; ++b) {
        if (m->carrier[b] == LW_TREE_FREE && m->v_tree[k] >= m->v_start[b] &&
            m->v_tree[k] < m->v_start[b + 1]) {
            return true;
        }
    }
    return false;
}

// Leaves out the columns of a matrix with m->nv of them that are held, and returns how many there
// are then.
static int leave_out_held(const lw_model *m, int rows, double *A)
{
    int count = 0;
    double *to = A;
    for (int i = 0; i < rows; ++i) {
        count = 0;
        for (int k = 0; k < m->nv; ++k) {
            if (!is_held(m, k)) {
                *to++ = A[(ptrdiff_t)i * m->nv + k];
                ++count;
            }
        }
    }
    return count;
}

bool lwi_has_force_limits(const lw_model *m)
{
    for (int k = 0; k < m->nv; ++k) {
        if (!is_held(m, k) && !isfinite(m->dof[m->v_tree[k]].max_force)) {
            return false;
        }
    }
    return true;
}

/// Rows of J, of n driven joints, become those of J M^-1, times the limits of force.
static lw_status weigh(const lw_model *m, lw_data *d, const double *q, int rows, int n, double *J,
                       double *M)
{
    const bool has_limits = lwi_has_force_limits(m);
    const lw_status status = lw_mass_matrix(m, d, q, M);
    double *to = M;
    for (int k = 0; k < m->nv && n < m->nv; ++k) { // rows that are held
        for (int j = 0; j < m->nv && !is_held(m, k); ++j) {
            *to++ = M[(ptrdiff_t)k * m->nv + j];
        }
    }
    if (n < m->nv) {
        leave_out_held(m, n, M);
    }
    if (status != LW_OK || !lwi_cholesky(n, M)) {
        return status != LW_OK ? status : LW_ERR_SINGULAR;
    }
    for (int i = 0; i < rows; ++i) {
        double *row = J + (ptrdiff_t)i * n;
        lwi_cholesky_solve(n, M, row);
        for (int k = 0, j = 0; k < m->nv && has_limits; ++k) {
            if (!is_held(m, k)) {
                row[j++] *= m->dof[m->v_tree[k]].max_force;
            }
        }
    }
    return LW_OK;
}

lw_status lwi_ellipsoid_axes(const lw_model *m, lw_data *d, const double *q, int frame,
                             lw_frame_ellipsoid kind, lwi_jacobian_part part, double length,
                             int rank, double *scratch, double axis[6], int *count)
{
    const int rows = part == LWI_PART_SCALED ? 6 : 3;
    lw_status status = lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, NULL, scratch);
    const int n = leave_out_held(m, 6, scratch);
    const int most = rows < n ? rows : n; // fewer joints than rows: those that they move
    *count = rank < most ? rank : most;
    if (status != LW_OK || n == 0) {
        return status;
    }
    double *J = part == LWI_PART_TRANSLATION ? scratch + (ptrdiff_t)3 * n : scratch;
    for (int k = 0; k < 3 * n && part == LWI_PART_SCALED; ++k) {
        J[k] *= length;
    }
    if (kind == LW_ELLIPSOID_DYNAMIC) {
        status = weigh(m, d, q, rows, n, J, scratch + (ptrdiff_t)6 * m->nv);
    }
    lwi_row_singular_values(rows, n, J, axis);
    for (int i = 0, k = *count - 1; i <= k && kind == LW_ELLIPSOID_FORCE; ++i, --k) {
        const double longest = 1.0 / axis[k];
        axis[k] = 1.0 / axis[i];
        axis[i] = longest;
    }
    return status;
}

int lwi_ellipsoid_rank(const lw_model *m, lw_data *d, int frame, lwi_jacobian_part part,
                       double length, double *q, double *scratch)
{
    enum { ALL = 6, STATES = 32, SEED = 1 };
    const double rounding = 1e-9; // of the longest axis
    int rank = 0;
    bool has_state = false;
    for (int i = 0; i < STATES && rank < ALL; ++i) {
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        for (int k = 0; k < m->nv; ++k) {
            const int at = lw_position_of_dof(m, k);
            double low, high, u[2];
            if (at >= 0 && !is_held(m, k)) {
                lwi_joint_range(m, at, &low, &high); // sliders without limits: some metres
                lwi_philox_pair(SEED, (uint64_t)i, (uint32_t)k, 2, u);
                q[at] = low + (high - low) * u[0];
            }
        }
        double axis[6];
        int count = 0, found = 0;
        lw_data_restart(d);
        if (lwi_ellipsoid_axes(m, d, q, frame, LW_ELLIPSOID_VELOCITY, part, length, ALL, scratch,
                               axis, &count) == LW_OK) {
            has_state = true;
            while (found < count && axis[found] > rounding * axis[0]) {
                ++found;
            }
            rank = found > rank ? found : rank;
        }
    }
    lw_data_restart(d);
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    return has_state ? rank : ALL; // loops that did not close: what there can be
}
