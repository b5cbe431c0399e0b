// Parameters of all bodies, from base parameters, that rigid bodies can have: the pseudo-inertia
//
//   P = [ E  h ]    E = tr(T) / 2 - T,  h the first moment, m the mass,
//       [ h' m ]
//
// of each is positive definite (Wensing, Kim and Slotine 2018), by construction: P = L U U' L' with
// P0 = L L' that of the model and U upper triangular with the exponentials of four unknowns on its
// diagonal (log-Cholesky; Rucker and Wensing 2022). What base parameters leave open is taken from
// the model by the entropic distance tr(U U') - log det(U U') - 4, which is a sum of ten squares
// here: the six entries above the diagonal, and exp(2 x) - 2 x - 1 for each x = log of a diagonal
// entry. So all of it is one nonlinear least-squares problem, solved by Levenberg's and Marquardt's
// method.
#include "consistent.h"

#include "dense.h"

#include "../base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOUR = 4, ITERATIONS = 200 };

static const double SMALLEST_SIGMA = 1e-8; // of a base parameter's size: rounding stays below
static const double HELD_SIGMA = 1e-9;

// Cholesky factor L of a 4x4 matrix, lower triangular; false where it is not positive definite.
static bool factor4(double P[FOUR][FOUR], double L[FOUR][FOUR])
{
    for (int i = 0; i < FOUR; ++i) {
        for (int j = 0; j < FOUR; ++j) {
            L[i][j] = 0.0;
        }
        for (int j = 0; j <= i; ++j) {
            double x = P[i][j];
            for (int k = 0; k < j; ++k) {
                x -= L[i][k] * L[j][k];
            }
            if (i == j && !(x > 1e-12 * P[i][i])) {
                return false;
            }
            L[i][j] = i == j ? sqrt(x) : x / L[j][j];
        }
    }
    return true;
}

static void pseudo_inertia(const double *p, double P[FOUR][FOUR])
{
    const double half = 0.5 * (p[4] + p[5] + p[6]);
    const double all[FOUR][FOUR] = {{half - p[4], -p[7], -p[8], p[1]},
                                    {-p[7], half - p[5], -p[9], p[2]},
                                    {-p[8], -p[9], half - p[6], p[3]},
                                    {p[1], p[2], p[3], p[0]}};
    memcpy(P, all, sizeof all);
}

static void ten_of_pseudo(double P[FOUR][FOUR], double *p)
{
    const double ten[LWI_TEN] = {P[3][3],           P[0][3],           P[1][3],           P[2][3],
                                 P[1][1] + P[2][2], P[0][0] + P[2][2], P[0][0] + P[1][1], -P[0][1],
                                 -P[0][2],          -P[1][2]};
    memcpy(p, ten, sizeof ten);
}

// The factor of the model's body. Where that is no real body's, its second moments about the centre
// get no principal value below a hundredth of the largest; without a mass, they get one that places
// them 0.1 m from the centre.
static void prior_factor(const double *p, double mass_of_all, double L[FOUR][FOUR])
{
    double P[FOUR][FOUR], E[9], value[3];
    pseudo_inertia(p, P);
    if (factor4(P, L)) {
        return;
    }
    const double centre[3] = {p[0] > 0.0 ? p[1] / p[0] : 0.0, p[0] > 0.0 ? p[2] / p[0] : 0.0,
                              p[0] > 0.0 ? p[3] / p[0] : 0.0};
    for (int i = 0; i < 9; ++i) {
        E[i] = P[i / 3][i % 3] - fmax(p[0], 0.0) * centre[i / 3] * centre[i % 3];
    }
    double mass = p[0], largest = 0.0;
    if (!lwi_symmetric_eigen(3, E, value)) {
        value[0] = value[1] = value[2] = 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        largest = fmax(largest, fabs(value[k]));
    }
    const double arm = 0.1;
    if (!(largest > 0.0)) {
        largest = (mass > 0.0 ? mass : fmax(1e-3 * mass_of_all, 1e-3)) * arm * arm;
    }
    mass = mass > 0.0 ? mass : largest / (arm * arm);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P[i][j] = mass * centre[i] * centre[j];
            for (int k = 0; k < 3; ++k) { // eigenvectors are columns
                P[i][j] += fmax(value[k], 0.01 * largest) * E[3 * k + i] * E[3 * k + j];
            }
        }
        P[i][3] = P[3][i] = mass * centre[i];
    }
    P[3][3] = mass;
    factor4(P, L);
}

// --- One body ---------------------------------------------------------------------------------

// Unknowns: alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3.
typedef struct body_prior {
    double L[FOUR][FOUR];
} body_prior;

static const int above[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static void triangle(const double *x, double U[FOUR][FOUR])
{
    memset(U, 0, FOUR * FOUR * sizeof U[0][0]);
    for (int k = 0; k < FOUR; ++k) {
        U[k][k] = exp(x[0] + (k < 3 ? x[1 + k] : 0.0));
    }
    for (int k = 0; k < 6; ++k) {
        U[above[k][0]][above[k][1]] = exp(x[0]) * x[4 + k];
    }
}

// L (A B' + B A') L', times a factor.
static void sandwich(const body_prior *b, double A[FOUR][FOUR], double B[FOUR][FOUR], double factor,
                     double out[FOUR][FOUR])
{
    double LA[FOUR][FOUR], LB[FOUR][FOUR];
    for (int i = 0; i < FOUR; ++i) {
        for (int j = 0; j < FOUR; ++j) {
            LA[i][j] = LB[i][j] = 0.0;
            for (int k = 0; k <= i; ++k) {
                LA[i][j] += b->L[i][k] * A[k][j];
                LB[i][j] += b->L[i][k] * B[k][j];
            }
        }
    }
    for (int i = 0; i < FOUR; ++i) {
        for (int j = 0; j < FOUR; ++j) {
            out[i][j] = 0.0;
            for (int k = 0; k < FOUR; ++k) {
                out[i][j] += factor * (LA[i][k] * LB[j][k] + LB[i][k] * LA[j][k]);
            }
        }
    }
}

// Ten numbers, and their derivatives D [ten*ten] by the unknowns.
static void body_parameters(const body_prior *b, const double *x, double *p, double *D)
{
    double U[FOUR][FOUR], P[FOUR][FOUR];
    triangle(x, U);
    sandwich(b, U, U, 0.5, P);
    ten_of_pseudo(P, p);
    for (int c = 0; c < LWI_TEN && D; ++c) {
        double dU[FOUR][FOUR] = {{0}}, column[LWI_TEN];
        if (c == 0) {
            memcpy(dU, U, sizeof dU);
        } else if (c < FOUR) {
            dU[c - 1][c - 1] = U[c - 1][c - 1];
        } else {
            dU[above[c - 4][0]][above[c - 4][1]] = exp(x[0]);
        }
        sandwich(b, dU, U, 1.0, P);
        ten_of_pseudo(P, column);
        for (int k = 0; k < LWI_TEN; ++k) {
            D[k * LWI_TEN + c] = column[k];
        }
    }
}

// The ten residuals of the entropic distance, and their derivatives [ten*ten].
static void distance_rows(const double *x, double *r, double *D)
{
    double U[FOUR][FOUR];
    triangle(x, U);
    memset(D, 0, LWI_TEN * LWI_TEN * sizeof *D);
    for (int k = 0; k < FOUR; ++k) {
        const double y = x[0] + (k < 3 ? x[1 + k] : 0.0);
        const double f = fmax(expm1(2.0 * y) - 2.0 * y, 0.0);
        r[k] = fabs(y) < 1e-5 ? sqrt(2.0) * y * (1.0 + y / 3.0) : copysign(sqrt(f), y);
        const double slope =
            fabs(y) < 1e-5 ? sqrt(2.0) * (1.0 + 2.0 * y / 3.0) : expm1(2.0 * y) / r[k];
        D[k * LWI_TEN] = slope;
        if (k < 3) {
            D[k * LWI_TEN + 1 + k] = slope;
        }
    }
    for (int k = 0; k < 6; ++k) {
        r[FOUR + k] = U[above[k][0]][above[k][1]];
        D[(FOUR + k) * LWI_TEN] = r[FOUR + k];
        D[(FOUR + k) * LWI_TEN + FOUR + k] = exp(x[0]);
    }
}

// --- All of them ------------------------------------------------------------------------------

typedef struct problem {
    const lw_regression *r;
    const lw_estimate *target;
    int n, rows;   ///< unknowns; rows without those of the damping
    double *C;     ///< [nbase*nbase] inverse of the lower factor of the covariance
    double weight; ///< of the prior, square root
    body_prior *body;
    double *p, *D; ///< [nparameter]; [nparameter * ten] derivatives of p by its own unknowns
    double *J, *f; ///< [(rows + n) * n] column by column, [rows + n]
    double *KD;    ///< [nbase * n]
} problem;

// Squares keep what is not negative so; an offset is its own unknown.
static bool is_square(const problem *t, int joint)
{
    return t->r->joint[joint].kind != LW_COLUMN_OFFSET;
}

static void parameters(problem *t, const double *x, bool has_rates)
{
    for (int b = 0; b < t->r->nbody; ++b) {
        const int at = b * LWI_TEN;
        body_parameters(&t->body[b], x + at, t->p + at, has_rates ? t->D + at * LWI_TEN : NULL);
    }
    for (int j = 0; j < t->r->njoint; ++j) {
        const int at = t->r->nbody * LWI_TEN + j;
        t->p[at] = is_square(t, j) ? x[at] * x[at] : x[at];
        t->D[at * LWI_TEN] = is_square(t, j) ? 2.0 * x[at] : 1.0;
    }
}

// K D: derivatives of the base parameters.
static void base_rates(problem *t)
{
    const lw_regression_info *info = &t->r->info;
    for (int k = 0; k < info->nbase; ++k) {
        const double *K = info->K + (size_t)k * (size_t)info->nparameter;
        double *row = t->KD + (size_t)k * (size_t)t->n;
        for (int c = 0; c < t->n; ++c) {
            const int b = c / LWI_TEN;
            row[c] = b < t->r->nbody ? 0.0 : K[c] * t->D[c * LWI_TEN];
            for (int i = 0; b < t->r->nbody && i < LWI_TEN; ++i) {
                row[c] += K[b * LWI_TEN + i] * t->D[(b * LWI_TEN + i) * LWI_TEN + c % LWI_TEN];
            }
        }
    }
}

static double held_weight(const lw_regression_info *info, int c)
{
    const int first = c / LWI_TEN * LWI_TEN;
    return 1.0 / (HELD_SIGMA * fmax(fabs(info->value[c]), fmax(fabs(info->value[first]), 1e-3)));
}

// Residuals f and, column by column with `stride` rows, their derivatives J.
static double evaluate(problem *t, const double *x, int stride, bool has_rates)
{
    const lw_regression_info *info = &t->r->info;
    const int nbase = info->nbase;
    parameters(t, x, has_rates);
    if (has_rates) {
        base_rates(t);
        memset(t->J, 0, (size_t)stride * (size_t)t->n * sizeof *t->J);
    }
    for (int k = 0; k < nbase; ++k) {
        t->f[k] = 0.0;
        for (int i = 0; i <= k; ++i) {
            const double C = t->C[k * nbase + i];
            double gap = -t->target->base[i];
            for (int c = 0; c < info->nparameter; ++c) {
                gap += info->K[i * info->nparameter + c] * t->p[c];
            }
            t->f[k] += C * gap;
            for (int c = 0; c < t->n && has_rates; ++c) {
                t->J[(size_t)c * (size_t)stride + (size_t)k] += C * t->KD[i * t->n + c];
            }
        }
    }
    int row = nbase;
    for (int b = 0; b < t->r->nbody; ++b, row += LWI_TEN) {
        double D[LWI_TEN * LWI_TEN];
        distance_rows(x + b * LWI_TEN, t->f + row, D);
        for (int k = 0; k < LWI_TEN; ++k) {
            t->f[row + k] *= t->weight;
            for (int c = 0; c < LWI_TEN && has_rates; ++c) {
                t->J[(size_t)(b * LWI_TEN + c) * (size_t)stride + (size_t)(row + k)] =
                    t->weight * D[k * LWI_TEN + c];
            }
        }
    }
    for (int c = 0; c < info->nparameter; ++c) {
        if (!info->is_held[c]) {
            continue;
        }
        const double w = held_weight(info, c);
        const int b = c / LWI_TEN;
        t->f[row] = w * (t->p[c] - info->value[c]);
        for (int k = 0; k < (b < t->r->nbody ? LWI_TEN : 1) && has_rates; ++k) {
            const int column = b < t->r->nbody ? b * LWI_TEN + k : c;
            t->J[(size_t)column * (size_t)stride + (size_t)row] = w * t->D[c * LWI_TEN + k];
        }
        ++row;
    }
    double sum = 0.0;
    for (int i = 0; i < t->rows; ++i) {
        sum += t->f[i] * t->f[i];
    }
    return sum;
}

// Levenberg and Marquardt, with the damping as further rows.
static lw_status minimise(problem *t, double *x, double *step)
{
    double damping = 1e-3, *trial = step + t->n;
    double best = evaluate(t, x, t->rows + t->n, true);
    for (int round = 0; round < ITERATIONS; ++round) {
        const int stride = t->rows + t->n;
        for (int c = 0; c < t->n; ++c) {
            t->J[(size_t)c * (size_t)stride + (size_t)(t->rows + c)] = damping;
            t->f[t->rows + c] = 0.0;
        }
        const lw_status status = lwi_least_squares(stride, t->n, t->J, t->f, step, NULL, NULL);
        if (status != LW_OK && status != LW_ERR_SINGULAR) {
            return status;
        }
        double longest = 0.0;
        for (int c = 0; c < t->n && status == LW_OK; ++c) {
            longest = fmax(longest, fabs(step[c]));
        }
        const double share = longest > 1.0 ? 1.0 / longest : 1.0;
        for (int c = 0; c < t->n && status == LW_OK; ++c) {
            trial[c] = x[c] - share * step[c];
        }
        const double now = status == LW_OK ? evaluate(t, trial, stride, false) : (double)INFINITY;
        const bool is_better = now < best;
        const bool is_done = status == LW_OK && (longest < 1e-9 || fabs(best - now) < 1e-9 * best);
        if (is_better) {
            memcpy(x, trial, (size_t)t->n * sizeof *x);
            best = now;
            damping = fmax(0.2 * damping, 1e-9);
        } else {
            damping *= 8.0;
        }
        if (is_done || damping > 1e12) {
            parameters(t, x, false);
            return LW_OK;
        }
        best = evaluate(t, x, stride, true);
    }
    return LW_ERR_NO_CONVERGENCE;
}

// C = L^-1 for S = L L', S with a least standard deviation.
static bool whiten(const problem *t, int stride, const double *S, double *C, double *L)
{
    const int n = t->r->info.nbase;
    double largest = 0.0;
    for (int k = 0; k < n; ++k) {
        largest = fmax(largest, fabs(t->target->base[k]));
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double floor =
                i == j ? SMALLEST_SIGMA * fmax(fabs(t->target->base[i]), 1e-3 * largest) : 0.0;
            double x = S[i * stride + j] + floor * floor;
            for (int k = 0; k < j; ++k) {
                x -= L[i * n + k] * L[j * n + k];
            }
            if (i == j && !(x > 0.0)) {
                return false;
            }
            L[i * n + j] = i == j ? sqrt(x) : x / L[j * n + j];
        }
    }
    for (int c = 0; c < n; ++c) {
        for (int i = 0; i < n; ++i) {
            double x = i == c ? 1.0 : 0.0;
            for (int k = c; k < i; ++k) {
                x -= L[i * n + k] * C[k * n + c];
            }
            C[i * n + c] = i < c ? 0.0 : x / L[i * n + i];
        }
    }
    return true;
}

lw_status lwi_consistent_fit(const lw_regression *r, int stride, const double *S, double prior,
                             lw_estimate *estimate, lw_report *report)
{
    const lw_regression_info *info = &r->info;
    int nheld = 0;
    for (int c = 0; c < info->nparameter; ++c) {
        nheld += info->is_held[c];
    }
    problem t = {.r = r, .target = estimate, .n = info->nparameter, .weight = sqrt(prior)};
    t.rows = info->nbase + LWI_TEN * r->nbody + nheld;
    const size_t n = (size_t)t.n, nbase = (size_t)info->nbase, rows = (size_t)t.rows + n;
    double *block = calloc(2 * nbase * nbase + n * LWI_TEN + rows * n + rows + nbase * n + 4 * n,
                           sizeof *block);
    t.body = calloc((size_t)r->nbody + 1, sizeof *t.body);
    double *full = calloc(n + 1, sizeof *full);
    lw_status status = block && t.body && full ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        double *L = block, *at = block + 2 * nbase * nbase;
        t.C = block + nbase * nbase;
        t.D = at, at += n * LWI_TEN;
        t.J = at, at += rows * n;
        t.f = at, at += rows;
        t.KD = at, at += nbase * n;
        double *x = at, *step = at + n;
        t.p = at + 3 * n;
        for (int b = 0; b < r->nbody; ++b) {
            prior_factor(info->value + b * LWI_TEN, r->m->mass, t.body[b].L);
        }
        for (int j = 0; j < r->njoint; ++j) {
            const int c = LWI_TEN * r->nbody + j;
            x[c] = is_square(&t, j) ? sqrt(fmax(info->value[c], 1e-2)) : info->value[c];
        }
        status = whiten(&t, stride, S, t.C, L) ? minimise(&t, x, step) : LW_ERR_SINGULAR;
        memcpy(full, t.p, n * sizeof *full);
    }
    if (status == LW_OK) {
        estimate->full = full;
    } else {
        free(full);
        lwi_report_error(report, (lw_location){0}, status,
                         "no physically consistent parameters were found near the estimate");
    }
    free(block);
    free(t.body);
    return status;
}
