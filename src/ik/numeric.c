// Levenberg-Marquardt with the damping of Chan and Lawrence (1988), lambda = E / 10, an active set
// for the limits, and starts at the points of Halton's sequence: the same on every machine and in
// every run. Close to a solution the damping vanishes with the error, so convergence is quadratic.
#include "numeric.h"

#include <math.h>
#include <string.h>

void lwi_pose_error(const lw_pose *now, const lw_pose *X, lwi_ik_rows rows, double e[6])
{
    const lw_vec3 d = lw_sub3(X->p, now->p);
    lw_vec3 w = {0.0, 0.0, 0.0};
    if (rows == LWI_ROWS_POSE) {
        const lw_mat3 back = lw_transpose3(&now->R), R = lw_mul3(&X->R, &back);
        w = lw_log3(&R);
    } else if (rows == LWI_ROWS_DIRECTION) {
        // The rotation vector that turns one direction into the other on the shortest way.
        const lw_vec3 a = {now->R.row[0].z, now->R.row[1].z, now->R.row[2].z},
                      b = {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z}, x = lw_cross3(a, b);
        const double s = lw_norm3(x), angle = atan2(s, lw_dot3(a, b));
        if (s > 1e-12) {
            w = lw_scale3(angle / s, x);
        } else if (lw_dot3(a, b) < 0.0) { // opposite: about any axis across it
            const lw_vec3 any = fabs(a.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0);
            w = lw_scale3(angle, lw_unit3(lw_cross3(a, any)));
        }
    }
    e[0] = w.x, e[1] = w.y, e[2] = w.z;
    e[3] = d.x, e[4] = d.y, e[5] = d.z;
}

static double half_square(const double e[8])
{
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        sum += e[k] * e[k];
    }
    return 0.5 * sum;
}

// In metres and radians.
static double residual_of(const double e[8], double weight)
{
    const double turn = e[0] * e[0] + e[1] * e[1] + e[2] * e[2],
                 away = e[4] * e[4] + e[5] * e[5] + e[6] * e[6];
    return sqrt(turn + away / (weight * weight));
}

// fmin() and fmax() are calls.
static double clamped(double least, double x, double most)
{
    return x < least ? least : x > most ? most : x;
}

static double dot8(const double x[8], const double y[8])
{
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        sum += x[k] * y[k];
    }
    return sum;
}

// (J'J + lambda) d = J'e over the free joints, by Cholesky, where they are fewer than the rows.
static void step_of_few(int n, const lwi_posture *at, double lambda, unsigned is_free, double *d)
{
    double A[LWI_ARM_JOINTS][LWI_ARM_JOINTS];
    int list[LWI_ARM_JOINTS], m = 0;
    for (int i = 0; i < n; ++i) {
        d[i] = 0.0;
        if (is_free >> i & 1u) {
            list[m++] = i;
        }
    }
    for (int a = 0; a < m; ++a) {
        const double *x = at->J[list[a]];
        for (int b = 0; b <= a; ++b) {
            double sum = dot8(x, at->J[list[b]]) + (a == b ? lambda : 0.0);
            for (int k = 0; k < b; ++k) {
                sum -= A[a][k] * A[b][k];
            }
            A[a][b] = a == b ? sqrt(fmax(sum, 1e-300)) : sum / A[b][b];
        }
        double sum = dot8(x, at->e);
        for (int k = 0; k < a; ++k) {
            sum -= A[a][k] * d[list[k]];
        }
        d[list[a]] = sum / A[a][a];
    }
    for (int a = m - 1; a >= 0; --a) {
        double sum = d[list[a]];
        for (int k = a + 1; k < m; ++k) {
            sum -= A[k][a] * d[list[k]];
        }
        d[list[a]] = sum / A[a][a];
    }
}

static void damped_step(const lwi_numeric_def *def, int n, const lwi_posture *at, double lambda,
                        unsigned is_free, double *d)
{
    const int rows = def->rows == LWI_ROWS_POSE ? 6 : def->rows == LWI_ROWS_DIRECTION ? 5 : 3;
    if (__builtin_popcount(is_free) >= rows) {
        def->kernels->step(n, at, lambda, d);
    } else {
        step_of_few(n, at, lambda, is_free, d);
    }
}

// The joints that no limit holds against the gradient; the columns of the others become zero.
static unsigned free_joints(const lwi_numeric_def *def, int n, const double *q, lwi_posture *at)
{
    unsigned is_free = (1u << n) - 1u;
    for (int i = 0; i < n; ++i) {
        if (q[i] > def->lower[i] && q[i] < def->upper[i]) {
            continue;
        }
        const double slope = dot8(at->J[i], at->e);
        if ((q[i] <= def->lower[i] && slope < 0.0) || (q[i] >= def->upper[i] && slope > 0.0)) {
            is_free &= ~(1u << i);
            memset(at->J[i], 0, sizeof at->J[i]);
        }
    }
    return is_free;
}

// One iteration: joints that a limit holds against the gradient, and those that the step would
// take beyond one, leave the set of the free ones; they go to their limit, and the others make up
// for it. Columns and error of what has left are gone afterwards. No joint turns by more than
// `most`.
static void iterate(const lwi_frames *frames, const lwi_numeric_def *def, lwi_posture *at,
                    double lambda, double most, double *q)
{
    const int n = frames->n;
    unsigned is_free = free_joints(def, n, q, at);
    double d[LWI_ARM_JOINTS];
    for (int round = 0; round < 3; ++round) {
        bool is_changed = false;
        damped_step(def, n, at, lambda, is_free, d);
        for (int i = 0; i < n && round < 2; ++i) {
            const double wanted = q[i] + d[i];
            if (!(is_free >> i & 1u) || (wanted >= def->lower[i] && wanted <= def->upper[i])) {
                continue;
            }
            const double limit = wanted < def->lower[i] ? def->lower[i] : def->upper[i];
            for (int k = 0; k < 8; ++k) {
                at->e[k] -= at->J[i][k] * (limit - q[i]);
            }
            memset(at->J[i], 0, sizeof at->J[i]);
            q[i] = limit;
            is_free &= ~(1u << i);
            is_changed = true;
        }
        if (!is_changed) {
            break;
        }
    }
    for (int i = 0; i < n; ++i) {
        const double step = frames->slides[i] ? d[i] : clamped(-most, d[i], most);
        q[i] = clamped(def->lower[i], q[i] + step, def->upper[i]);
    }
}

// A joint turns by less than half a turn in a step: beyond, the linearization says nothing. Next to
// a solution, where the seed of a controller is, it turns by less: a step that is long there, as
// next to a singular configuration, leads to another solution.
static const double wide_step = 3.0, near_step = 0.15;

// A seed with less than this is next to a solution: half the square of a radian.
static const double near_error = 0.5;

// Starts around a seed that is next to a solution, before all others.
enum { NEAR_STARTS = 8 };

static const int prime[LWI_ARM_JOINTS] = {2, 3, 5, 7, 11, 13, 17, 19};

double lwi_halton(int index, int base)
{
    double f = 1.0, r = 0.0;
    while (index > 0) {
        f /= base;
        r += f * (index % base);
        index /= base;
    }
    return r;
}

// The range of joint i; a joint without limits has one turn, or one metre.
static void range_of(const lwi_frames *frames, const lwi_numeric_def *def, int i, double *lower,
                     double *upper)
{
    const double wide = frames->slides[i] ? 0.5 : 3.141592653589793;
    *lower = isfinite(def->lower[i])   ? def->lower[i]
             : isfinite(def->upper[i]) ? def->upper[i] - 2.0 * wide
                                       : -wide;
    *upper = isfinite(def->upper[i]) ? def->upper[i] : *lower + 2.0 * wide;
}

// The start number `start`: 1 is the middle of the limits, others are points of Halton's sequence.
// Those of negative number, from -8 on, are within 0.2 rad or m of the seed.
static void start_at(const lwi_frames *frames, const lwi_numeric_def *def, int start,
                     const double *seed, double *q)
{
    for (int i = 0; i < frames->n; ++i) {
        double lower, upper;
        range_of(frames, def, i, &lower, &upper);
        const double u = start == 1 ? 0.5 : lwi_halton(start + 9, prime[i]);
        q[i] = lower + u * (upper - lower);
        if (start < 0) {
            q[i] = clamped(def->lower[i], seed[i] + 0.4 * (u - 0.5), def->upper[i]);
        }
    }
}

// Whether the start in the middle of the limits would be the seed again.
static bool is_middle(const lwi_frames *frames, const lwi_numeric_def *def, const double *seed)
{
    for (int i = 0; i < frames->n; ++i) {
        double lower, upper;
        range_of(frames, def, i, &lower, &upper);
        if (!(fabs(2.0 * seed[i] - (lower + upper)) <= 1e-3 * (upper - lower))) {
            return false;
        }
    }
    return true;
}

lwi_numeric_result lwi_numeric_solve(const lwi_frames *frames, const lw_pose *X,
                                     const lwi_numeric_def *def, double *q)
{
    lwi_numeric_result result = {.residual = (double)INFINITY};
    const int n = frames->n;
    double now[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS], most = wide_step;
    lwi_posture at;
    for (int i = 0; i < n; ++i) {
        now[i] = seed[i] = clamped(def->lower[i], q[i], def->upper[i]);
    }
    int near = 0, left_out = 0; // starts around the seed, and such as are left out
    for (int start = 0; start < def->starts; ++start) {
        if (start > 0) {
            const bool is_near = start <= near;
            left_out = start == 1 && is_middle(frames, def, seed) ? 1 : left_out;
            start_at(frames, def, is_near ? -start : start - near + left_out, seed, now);
            most = is_near ? near_step : wide_step;
        }
        result.starts = start + 1;
        double before = (double)INFINITY;
        int slow = 0;
        for (int k = 0; k <= def->iterations; ++k) {
            def->kernels->posture(frames, def->rows, X, def->weight, now, &at);
            const double E = half_square(at.e), residual = residual_of(at.e, def->weight);
            if (residual < result.residual) {
                result.residual = residual;
                memcpy(q, now, (size_t)n * sizeof *q);
            }
            if (residual <= def->tolerance) {
                result.is_solved = true;
                return result;
            }
            if (start == 0 && k == 0 && E < near_error) {
                most = near_step;
                near = NEAR_STARTS;
            }
            slow = E > 0.999 * before ? slow + 1 : 0;
            before = E < before ? E : before;
            if (slow >= 5 || k == def->iterations) {
                break;
            }
            iterate(frames, def, &at, 0.1 * E, most, now);
            ++result.iterations;
        }
    }
    for (int i = 0; i < n; ++i) {
        if (q[i] <= def->lower[i] || q[i] >= def->upper[i]) {
            result.at_limit |= 1u << i;
        }
    }
    return result;
}

double lwi_numeric_descend(const lwi_frames *frames, const lw_pose *X, const lwi_numeric_def *def,
                           double *q)
{
    const size_t size = (size_t)frames->n * sizeof *q;
    double next[LWI_ARM_JOINTS], lambda = 1e-3;
    lwi_posture at, trial;
    def->kernels->posture(frames, def->rows, X, 1.0, q, &at);
    double E = half_square(at.e);
    for (int k = 0; k < def->iterations && lambda < 1e6; ++k) {
        memcpy(next, q, size);
        trial = at;
        iterate(frames, def, &trial, lambda, wide_step, next);
        def->kernels->posture(frames, def->rows, X, 1.0, next, &trial);
        const double after = half_square(trial.e);
        if (!(after < E)) {
            lambda *= 5.0;
            continue;
        }
        const bool is_last = after > (1.0 - 1e-9) * E;
        memcpy(q, next, size);
        at = trial;
        E = after;
        lambda = fmax(0.2 * lambda, 1e-12);
        if (is_last) {
            break;
        }
    }
    return sqrt(2.0 * E);
}
