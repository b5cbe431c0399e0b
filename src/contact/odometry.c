// The motion of the base by what its wheels do: weighted least squares, and the test for slip.
//
// Rows are velocities of contacts, as parts of their wheels: along the rolling direction, across
// it, and along the normal. Each is zero but for its standard deviation. What the encoders give is
// on the right-hand side.
#include "wheel_rows.h"

#include "../kin/closure.h"
#include "../math/row_space.h"

#include <math.h>
#include <string.h>

static const double dependent = 1e-10; ///< columns and rows below that are combinations of others

enum { ROLLING, SIDE, HEIGHT, KINDS };

// Directions in which a wheel holds the ground. Returns whether the row is there.
static bool direction_of(const lw_wheel_info *wheel, const lw_wheel_contact *at, int kind,
                         bool has_encoder, lw_vec3 *direction)
{
    if (kind == HEIGHT) {
        *direction = at->normal;
        return true;
    }
    if (wheel->roller == 0.0) {
        *direction = kind == ROLLING ? at->forward : at->side;
        return kind == SIDE || has_encoder;
    }
    *direction = lw_add3(lw_scale3(-sin(wheel->roller), at->forward),
                         lw_scale3(cos(wheel->roller), at->side));
    return kind == ROLLING && has_encoder;
}

// Row r of A and b, over its standard deviation; a row that is not there is zero.
static void fill_row(const lw_data *d, lw_wheels *w, const double *tree_q, int r,
                     const double *speed, const double *steer_rate, double deviation)
{
    const int k = r / KINDS, n = wheel_columns(w);
    const lw_wheel_info *wheel = &w->m->wheel[k];
    const lw_wheel_contact *at = &w->contact[k];
    double *row = w->A + r * n;
    lw_vec3 direction;
    memset(row, 0, (size_t)n * sizeof *row);
    w->b[r] = 0.0;
    w->sigma[r] = 0.0;
    if (!direction_of(wheel, at, r % KINDS, !isnan(speed[k]), &direction)) {
        return;
    }
    lwi_wheel_row(d, w, tree_q, wheel->body, at->point, direction);
    double known = isnan(speed[k]) ? 0.0 : w->tree_row[wheel->axle] * wheel->axle_sign * speed[k];
    w->tree_row[wheel->axle] = 0.0;
    if (wheel->steering == LW_STEERING_DRIVEN) {
        known += steer_rate ? w->tree_row[wheel->steer] * steer_rate[k] : 0.0;
        w->tree_row[wheel->steer] = 0.0;
    }
    lwi_wheel_unknowns(d, w, at->point, direction, row);
    for (int i = 0; i < n; ++i) {
        row[i] /= deviation;
    }
    w->b[r] = -known / deviation;
    w->sigma[r] = deviation;
}

// Least squares with the least norm: the columns' space gives what fits, b' and the leverage of
// each row; the rows' space the solution of A x = b'. x [n] is in w->fit behind b'.
static int solve(lw_wheels *w)
{
    const int rows = wheel_rows(w), n = wheel_columns(w);
    double *x = w->fit + rows;
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < n; ++k) {
            w->At[k * rows + r] = w->A[r * n + k];
        }
    }
    memset(x, 0, (size_t)n * sizeof *x);
    const int rank = lwi_row_space(n, rows, dependent, w->At, x);
    memset(w->fit, 0, (size_t)rows * sizeof *w->fit);
    memset(w->leverage, 0, (size_t)rows * sizeof *w->leverage);
    for (int i = 0; i < rank; ++i) {
        const double *v = w->At + i * rows;
        const double share = lwi_dot(rows, v, w->b);
        for (int r = 0; r < rows; ++r) {
            w->fit[r] += share * v[r];
            w->leverage[r] += v[r] * v[r];
        }
    }
    double *left = w->b, *z = w->At; // the basis is not used again
    memcpy(z, w->fit, (size_t)rows * sizeof *z);
    for (int r = 0; r < rows; ++r) {
        left[r] -= w->fit[r];
    }
    const int of_rows = lwi_row_space(rows, n, dependent, w->A, z);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < of_rows; ++i) {
        for (int k = 0; k < n; ++k) {
            x[k] += z[i] * w->A[i * n + k];
        }
    }
    return rank;
}

// The chi-square that `n` squares exceed by chance as a normal deviate exceeds z (E. B. Wilson and
// M. M. Hilferty, 1931).
static double chi_square_limit(int n, double z)
{
    const double c = 2.0 / (9.0 * n), root = 1.0 - c + z * sqrt(c);
    return n * root * root * root;
}

static void judge(const lw_wheels *w, double threshold, lw_wheel_slip *slip,
                  lw_odometry_result *result)
{
    double worst = 0.0;
    int rows = 0, suspect = -1;
    result->chi_square = 0.0;
    for (int k = 0; k < w->m->nwheel; ++k) {
        const double *left = w->b + KINDS * k, *sigma = w->sigma + KINDS * k;
        const double free = 1.0 - w->leverage[KINDS * k];
        const double score = free > 1e-9 ? fabs(left[ROLLING]) / sqrt(free) : 0.0;
        for (int i = 0; i < KINDS; ++i) {
            rows += sigma[i] > 0.0;
            result->chi_square += left[i] * left[i];
        }
        if (score > worst) {
            worst = score;
            suspect = k;
        }
        if (slip) {
            slip[k] =
                (lw_wheel_slip){-left[ROLLING] * sigma[ROLLING], -left[SIDE] * sigma[SIDE], score};
        }
    }
    result->redundancy = rows - result->rank;
    result->limit = result->redundancy > 0 ? chi_square_limit(result->redundancy, threshold) : 0.0;
    const bool slips = result->redundancy > 0 && result->chi_square > result->limit;
    result->slipping = slips ? suspect : -1;
}

static double given(double value, double usual)
{
    return value > 0.0 ? value : usual;
}

lw_status lw_odometry(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                      const double *speed, const double *steer_rate,
                      const lw_odometry_options *options, double *rate, lw_wheel_slip *slip,
                      lw_odometry_result *result)
{
    static const lw_odometry_options usual = {0};
    const lw_odometry_options *o = options ? options : &usual;
    if (!speed || !result) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lw_wheel_contacts(m, d, wheels, q, o->normal, NULL);
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < m->nwheel; ++k) {
        if (isinf(speed[k]) || (steer_rate && !isfinite(steer_rate[k]))) {
            return LW_ERR_NUMBER;
        }
    }
    if (!lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    const double *tree_q = m->nstep ? d->tree_q : q;
    const double deviation[KINDS] = {given(o->rolling, 0.01), given(o->side, 0.01),
                                     given(o->height, 0.01)};
    for (int r = 0; r < wheel_rows(wheels); ++r) {
        fill_row(d, wheels, tree_q, r, speed, steer_rate, deviation[r % KINDS]);
    }
    result->rank = solve(wheels);
    const double *x = wheels->fit + wheel_rows(wheels);
    result->twist = (lw_motion){lw_vec3_of(x[0], x[1], x[2]), lw_vec3_of(x[3], x[4], x[5])};
    for (int k = 0; k < wheels->npassive && rate; ++k) {
        rate[k] = x[6 + k];
    }
    judge(wheels, given(o->threshold, 3.09), slip, result);
    return LW_OK;
}

lw_pose lw_pose_advance(const lw_pose *X_WB, const lw_motion *twist, double dt)
{
    // p + R V v with V = 1 + (1 - cos a)/a^2 [w] + (a - sin a)/a^3 [w]^2, w = twist.ang dt.
    const lw_vec3 w = lw_scale3(dt, twist->ang), v = lw_scale3(dt, twist->lin);
    const double square = lw_dot3(w, w), a = sqrt(square);
    const double half = sin(0.5 * a);
    const double b = a > 1e-4 ? 2.0 * half * half / square : 0.5 - square / 24.0;
    const double c = a > 1e-2 ? (a - sin(a)) / (square * a)
                              : 1.0 / 6.0 - square / 120.0 + square * square / 5040.0;
    const lw_vec3 wv = lw_cross3(w, v);
    const lw_vec3 moved = lw_add3(v, lw_add3(lw_scale3(b, wv), lw_scale3(c, lw_cross3(w, wv))));
    const lw_mat3 turn = lw_exp3(w);
    const lw_pose X = {lw_mul3(&X_WB->R, &turn), lw_add3(X_WB->p, lw_rotate(&X_WB->R, moved))};
    return X;
}
