// Compliance and stiffness of a frame at a loaded equilibrium (Salisbury 1980; the load term of
// Chen and Kao 2000), and commands that bring a frame to a pose in spite of virtual joints.
//
// The compliance J S^-1 J' exists whatever J is, so it is what is computed; S contains how loads
// change as the mechanism deflects, which K_theta = J' K_x J of the unloaded one leaves out.

#include "static_forces.h"

#include "../kin/finite.h"
#include "../math/damped.h"
#include "../math/invert.h"
#include "../math/largest.h"
#include "../model/data.h"

#include <linkwork/kinematics.h>

#include <string.h>

enum { MOST = 6, SWEEPS = 40, ROUNDS = 40 };

// Pivots below this share of the largest entry are singular.
static const double least_pivot = 1e-14;

// The inverse of the slopes over a list of degrees of freedom, in the workspace of the solver.
static const double *inverse_slopes(lw_statics *s, int n, const int *dof)
{
    const int nv = s->model->nv;
    double *S = s->block, *inverse = S + n * n;
    for (int i = 0; i < n * n; ++i) {
        S[i] = s->by_q[dof[i / n] * nv + dof[i % n]];
    }
    return lwi_invert(n, S, inverse, least_pivot * lwi_largest(S, n * n)) ? inverse : NULL;
}

lw_status lw_cartesian_compliance(lw_statics *s, lw_data *d, const double *q, int frame,
                                  lw_axes axes, double C[36])
{
    if (!lwi_statics_fits(s, d) || !q || !C) {
        return LW_ERR_ARGUMENT;
    }
    const int n = s->nunknown, nv = s->model->nv, *dof = s->unknown;
    lw_status status = lwi_static_slopes(s, d, q);
    if (status == LW_OK) {
        status = lw_frame_jacobian(s->model, d, q, frame, axes, NULL, s->J);
    }
    const double *inverse = status == LW_OK ? inverse_slopes(s, n, dof) : NULL;
    if (!inverse) {
        return status == LW_OK ? LW_ERR_SINGULAR : status;
    }
    for (int r = 0; r < 6; ++r) {
        for (int k = 0; k < n; ++k) { // J S^-1
            s->A[r * n + k] = 0.0;
            for (int i = 0; i < n; ++i) {
                s->A[r * n + k] += s->J[r * nv + dof[i]] * inverse[i * n + k];
            }
        }
        for (int c = 0; c < 6; ++c) {
            C[r * 6 + c] = 0.0;
            for (int k = 0; k < n; ++k) {
                C[r * 6 + c] += s->A[r * n + k] * s->J[c * nv + dof[k]];
            }
        }
    }
    return LW_OK;
}

// --- Stiffness --------------------------------------------------------------------------------

// One rotation of Jacobi's method, which makes entry (i, k) zero.
static void rotate_pair(int n, double *A, double *V, int i, int k)
{
    const double a = A[i * n + k];
    if (a == 0.0) {
        return;
    }
    const double theta = (A[k * n + k] - A[i * n + i]) / (2.0 * a);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int r = 0; r < n; ++r) {
        const double x = A[r * n + i], y = A[r * n + k];
        A[r * n + i] = c * x - s * y;
        A[r * n + k] = s * x + c * y;
    }
    for (int r = 0; r < n; ++r) {
        const double x = A[i * n + r], y = A[k * n + r], u = V[i * n + r], w = V[k * n + r];
        A[i * n + r] = c * x - s * y;
        A[k * n + r] = s * x + c * y;
        V[i * n + r] = c * u - s * w;
        V[k * n + r] = s * u + c * w;
    }
}

lw_status lw_principal_axes(int n, const double *matrix, double *value, double *vector)
{
    if (n < 1 || n > MOST || !matrix || !value || !vector) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_all_finite(matrix, n * n)) {
        return LW_ERR_NUMBER;
    }
    double A[MOST * MOST], V[MOST * MOST];
    int order[MOST];
    for (int i = 0; i < n * n; ++i) {
        A[i] = 0.5 * (matrix[i] + matrix[(i % n) * n + i / n]);
        V[i] = i / n == i % n;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int i = 0; i < n; ++i) {
            for (int k = i + 1; k < n; ++k) {
                rotate_pair(n, A, V, i, k);
            }
        }
    }
    for (int i = 0; i < n; ++i) { // insertion, smallest first
        int at = i;
        for (; at > 0 && A[order[at - 1] * (n + 1)] > A[i * (n + 1)]; --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (int i = 0; i < n; ++i) {
        value[i] = A[order[i] * (n + 1)];
        memcpy(vector + i * n, V + order[i] * n, (size_t)n * sizeof *V);
    }
    return LW_OK;
}

// The inverse, with rows and columns over the roots of the diagonal: rotations and translations
// have different units. Entries of J that should be zero leave about 1e-32 of the largest.
static bool invert_scaled(int n, const double *C, double *K)
{
    double A[MOST * MOST], scale[MOST];
    const double rounding = 1e-24 * lwi_largest(C, n * n);
    for (int i = 0; i < n; ++i) {
        if (!(C[i * (n + 1)] > rounding)) {
            return false;
        }
        scale[i] = 1.0 / sqrt(C[i * (n + 1)]);
    }
    for (int i = 0; i < n * n; ++i) {
        A[i] = C[i] * scale[i / n] * scale[i % n];
    }
    if (!lwi_invert(n, A, K, 1e-11)) {
        return false;
    }
    for (int i = 0; i < n * n; ++i) {
        K[i] *= scale[i / n] * scale[i % n];
    }
    return true;
}

static int pseudo_inverse(int n, const double *C, double *K)
{
    double value[MOST], vector[MOST * MOST];
    int rank = 0;
    lw_principal_axes(n, C, value, vector);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int e = 0; e < n; ++e) {
        if (fabs(value[e]) <= 1e-12 * lwi_largest(value, n)) {
            continue;
        }
        ++rank;
        for (int i = 0; i < n * n; ++i) {
            K[i] += vector[e * n + i / n] * vector[e * n + i % n] / value[e];
        }
    }
    return rank;
}

lw_status lw_cartesian_stiffness(int n, const double *C, double *K, double *commutator, int *rank)
{
    if (n < 1 || n > MOST || !C || !K) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_all_finite(C, n * n)) {
        return LW_ERR_NUMBER;
    }
    double whole[MOST * MOST];
    const int found = invert_scaled(n, C, whole) ? n : pseudo_inverse(n, C, whole);
    for (int i = 0; i < n * n; ++i) {
        const double mirror = whole[(i % n) * n + i / n];
        K[i] = 0.5 * (whole[i] + mirror);
        if (commutator) {
            commutator[i] = 0.5 * (whole[i] - mirror);
        }
    }
    if (rank) {
        *rank = found;
    }
    return LW_OK;
}

// --- Commands for a frame ---------------------------------------------------------------------

// Where the frame should go, along the axes of the world: rotation, then translation.
static lw_status find_error(lw_statics *s, lw_data *d, const double *q, int frame,
                            const lw_pose *goal, double e[6])
{
    lw_pose X;
    const lw_status status = lw_pose_of_frame(s->model, d, q, frame, &X);
    if (status == LW_OK) {
        const lw_mat3 back = lw_transpose3(&X.R), R = lw_mul3(&goal->R, &back);
        const lw_vec3 turn = lw_log3(&R), way = lw_sub3(goal->p, X.p);
        const double all[] = {turn.x, turn.y, turn.z, way.x, way.y, way.z};
        memcpy(e, all, sizeof all);
    }
    return status;
}

// The Jacobian of the frame over what is driven, [6*ndriven] in s->A, while virtual joints follow:
// J_a - J_v S_vv^-1 S_va.
static lw_status find_jacobian(lw_statics *s, lw_data *d, const double *q, int frame)
{
    const int nv = s->model->nv, n = s->ndriven, nvirtual = s->nvirtual, *joint = s->virtual_joint;
    lw_status status = nvirtual > 0 ? lwi_static_slopes(s, d, q) : LW_OK;
    if (status == LW_OK) {
        status = lw_frame_jacobian(s->model, d, q, frame, LW_IN_WORLD, NULL, s->J);
    }
    const double *inverse = status == LW_OK ? inverse_slopes(s, nvirtual, joint) : NULL;
    if (!inverse) {
        return status == LW_OK ? LW_ERR_SINGULAR : status;
    }
    for (int r = 0; r < 6; ++r) {
        for (int k = 0; k < nvirtual; ++k) { // J_v S_vv^-1
            s->B[r * nvirtual + k] = 0.0;
            for (int i = 0; i < nvirtual; ++i) {
                s->B[r * nvirtual + k] += s->J[r * nv + joint[i]] * inverse[i * nvirtual + k];
            }
        }
        for (int k = 0; k < n; ++k) {
            s->A[r * n + k] = s->J[r * nv + s->driven[k]];
            for (int i = 0; i < nvirtual; ++i) {
                s->A[r * n + k] -= s->B[r * nvirtual + i] * s->by_q[joint[i] * nv + s->driven[k]];
            }
        }
    }
    return LW_OK;
}

static lw_status go_nearer(lw_statics *s, lw_data *d, int frame, const double e[6], double *q)
{
    const int n = s->ndriven;
    lw_status status = find_jacobian(s, d, q, frame);
    if (status != LW_OK) {
        return status;
    }
    const double size = lwi_largest(s->A, 6 * n);
    double *x = s->block, *N = x + n, against[6];
    for (int i = 0; i < 6; ++i) {
        against[i] = -e[i];
    }
    if (!lwi_damped_step(6, n, n, s->A, against, 1, 1e-12 * size * size, N, x)) {
        return LW_ERR_SINGULAR;
    }
    memset(s->along, 0, (size_t)s->model->nv * sizeof *s->along);
    for (int k = 0; k < n; ++k) {
        s->along[s->driven[k]] = x[k];
    }
    memcpy(s->start, q, (size_t)s->model->nq * sizeof *q);
    return lw_integrate(s->model, s->start, s->along, 1.0, q);
}

lw_status lw_compensate_frame(lw_statics *s, lw_data *d, int frame, const lw_pose *goal, double *q,
                              double *command)
{
    if (!goal) {
        return LW_ERR_ARGUMENT;
    }
    double e[6], least = (double)INFINITY;
    lw_status status = LW_OK;
    for (int round = 0; round < ROUNDS && status == LW_OK; ++round) {
        status = lw_compensate(s, d, q, command);
        if (status == LW_OK) {
            status = find_error(s, d, q, frame, goal, e);
        }
        const double left = status == LW_OK ? lwi_largest(e, 6) : 0.0;
        if (status != LW_OK || left <= 1e-14 || (left <= 1e-12 && left >= 0.5 * least)) {
            return status;
        }
        least = fmin(least, left);
        status = go_nearer(s, d, frame, e, q);
    }
    return status == LW_OK ? LW_ERR_NO_CONVERGENCE : status;
}
