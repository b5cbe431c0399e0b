// Parameters of all bodies, from base parameters, that rigid bodies can have: the pseudo-inertia
//
//   P = [ E  h ]    E = tr(T) / 2 - T,  h the first moment, m the mass,
//       [ h' m ]
//
// of each is positive definite (Wensing, Kim and Slotine 2018). What base parameters leave open is
// taken from the model's P0 = L L' by the entropic distance tr(inv(P0) P) - log det(inv(P0) P) - 4.
// Residuals of the base parameters are linear in P and the distance is convex, so that there is one
// minimum, and Newton's method with a line search finds it from everywhere.
//
// P = G G' with G = L U, U lower triangular, and a step is dP = G Z G' with Z symmetric: the second
// derivatives of the distance are then the identity in the ten entries of Z, and P stays positive
// definite by construction, with the factor U chol(1 + Z). Each step is one problem of least
// squares, which has not the square of its condition number.
#include "consistent.h"

#include "dense.h"

#include "../base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOUR = 4, ITERATIONS = 200 };

static const double SMALLEST_SIGMA = 1e-8; // of a base parameter's size: rounding stays below
static const double HELD_SIGMA = 1e-9;
static const double BARRIER = 1e-6; // keeps friction and the like above zero, in units of the noise

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

// A symmetric matrix by its entries on the diagonal and, times sqrt(2), above it.
static const int entry[LWI_TEN][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1},
                                      {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

static void multiply(double A[FOUR][FOUR], double B[FOUR][FOUR], double C[FOUR][FOUR])
{
    for (int i = 0; i < FOUR; ++i) {
        for (int j = 0; j < FOUR; ++j) {
            C[i][j] = 0.0;
            for (int k = 0; k < FOUR; ++k) {
                C[i][j] += A[i][k] * B[k][j];
            }
        }
    }
}

// Ten numbers, and their derivatives D [ten*ten] by the entries of Z.
static void body_parameters(double L[FOUR][FOUR], double U[FOUR][FOUR], double *p, double *D)
{
    double G[FOUR][FOUR], column[LWI_TEN];
    multiply(L, U, G);
    memset(p, 0, LWI_TEN * sizeof *p);
    for (int c = 0; c < LWI_TEN; ++c) {
        const int a = entry[c][0], b = entry[c][1];
        const double scale = a == b ? 0.5 : sqrt(0.5);
        double P[FOUR][FOUR];
        for (int i = 0; i < FOUR; ++i) {
            for (int j = 0; j < FOUR; ++j) {
                P[i][j] = scale * (G[i][a] * G[j][b] + G[i][b] * G[j][a]);
            }
        }
        ten_of_pseudo(P, column);
        for (int k = 0; k < LWI_TEN; ++k) {
            D[k * LWI_TEN + c] = column[k];
            p[k] += a == b ? column[k] : 0.0;
        }
    }
}

// The entropic distance, and its derivatives by the entries of Z: U'U - 1.
static double distance(double U[FOUR][FOUR], double *slope)
{
    double sum = 0.0;
    for (int c = 0; c < LWI_TEN; ++c) {
        const int a = entry[c][0], b = entry[c][1];
        slope[c] = a == b ? -1.0 : 0.0;
        for (int k = 0; k < FOUR; ++k) {
            slope[c] += (a == b ? 1.0 : sqrt(2.0)) * U[k][a] * U[k][b];
        }
        sum += a == b ? slope[c] - 2.0 * log(U[a][a]) : 0.0;
    }
    return sum;
}

// U chol(1 + share Z); false where that is not positive definite.
static bool move_body(double U[FOUR][FOUR], const double *z, double share, double out[FOUR][FOUR])
{
    double P[FOUR][FOUR], L[FOUR][FOUR];
    for (int c = 0; c < LWI_TEN; ++c) {
        const int a = entry[c][0], b = entry[c][1];
        P[a][b] = P[b][a] = a == b ? 1.0 + share * z[c] : share * sqrt(0.5) * z[c];
    }
    if (!factor4(P, L)) {
        return false;
    }
    multiply(U, L, out);
    return true;
}

// --- All of them ------------------------------------------------------------------------------

typedef double factor[FOUR][FOUR];

typedef struct problem {
    const lw_regression *r;
    const lw_estimate *target;
    int n, rows;   ///< unknowns; residuals
    double *C;     ///< [nbase*nbase] inverse of the lower factor of the covariance
    double prior;  ///< weight of the distance
    factor *L, *U; ///< [nbody] of the model; of the estimate, and behind these of a trial
    double *joint; ///< [njoint] parameters of joints, and behind these of a trial
    double *p, *D; ///< [nparameter]; [nparameter * ten] derivatives of p by its own unknowns
    double *J, *f; ///< [rows * n] column by column, [rows]
    double *KD;    ///< [nbase * n]
} problem;

static bool is_positive(const problem *t, int joint)
{
    return t->r->joint[joint].kind != LW_COLUMN_OFFSET;
}

static bool is_held(const problem *t, int joint)
{
    return t->r->info.is_held[LWI_TEN * t->r->nbody + joint];
}

// Parameters of joints that are not negative change by shares of themselves, offsets by z, and what
// is held not at all.
static void parameters(problem *t, factor *U, const double *joint)
{
    for (int b = 0; b < t->r->nbody; ++b) {
        const int at = b * LWI_TEN;
        body_parameters(t->L[b], U[b], t->p + at, t->D + at * LWI_TEN);
    }
    for (int j = 0; j < t->r->njoint; ++j) {
        const int at = t->r->nbody * LWI_TEN + j;
        t->p[at] = joint[j];
        t->D[at * LWI_TEN] = is_held(t, j) ? 0.0 : is_positive(t, j) ? joint[j] : 1.0;
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

// Base parameters in units of their noise, and what is held: rows that are linear in p.
static int linear_rows(problem *t)
{
    const lw_regression_info *info = &t->r->info;
    const int nbase = info->nbase;
    base_rates(t);
    memset(t->J, 0, (size_t)t->rows * (size_t)t->n * sizeof *t->J);
    for (int k = 0; k < nbase; ++k) {
        double gap = -t->target->base[k];
        for (int c = 0; c < info->nparameter; ++c) {
            gap += info->K[k * info->nparameter + c] * t->p[c];
        }
        for (int i = k; i < nbase; ++i) {
            t->f[i] = (k == 0 ? 0.0 : t->f[i]) + t->C[i * nbase + k] * gap;
        }
    }
    for (int c = 0; c < t->n; ++c) {
        double *column = t->J + (size_t)c * (size_t)t->rows;
        for (int k = 0; k < nbase; ++k) {
            const double rate = t->KD[k * t->n + c];
            for (int i = k; i < nbase && rate != 0.0; ++i) {
                column[i] += t->C[i * nbase + k] * rate;
            }
        }
    }
    int row = nbase;
    for (int c = 0; c < LWI_TEN * t->r->nbody; ++c) {
        if (info->is_held[c]) {
            const double w = held_weight(info, c);
            t->f[row] = w * (t->p[c] - info->value[c]);
            for (int k = 0; k < LWI_TEN; ++k) {
                const int column = c / LWI_TEN * LWI_TEN + k;
                t->J[(size_t)column * (size_t)t->rows + (size_t)row] = w * t->D[c * LWI_TEN + k];
            }
            ++row;
        }
    }
    return row;
}

// The sum of squares, the distances and the barriers; the rows of Newton's step.
static double evaluate(problem *t, factor *U, const double *joint)
{
    parameters(t, U, joint);
    const int linear = linear_rows(t), nbody = t->r->nbody;
    double sum = 0.0;
    for (int i = 0; i < linear; ++i) {
        sum += t->f[i] * t->f[i];
    }
    for (int c = 0; c < t->n; ++c) {
        const int j = c - LWI_TEN * nbody, row = linear + c;
        const double weight = sqrt(0.5 * (j < 0 ? t->prior : BARRIER));
        if (j < 0 && c % LWI_TEN == 0) {
            sum += t->prior * distance(U[c / LWI_TEN], t->f + row);
        } else if (j >= 0) {
            const bool has_barrier = is_positive(t, j) && !is_held(t, j);
            sum -= has_barrier ? BARRIER * log(joint[j]) : 0.0;
            t->f[row] = has_barrier ? -1.0 : 0.0;
        }
        t->f[row] *= weight;
        t->J[(size_t)c * (size_t)t->rows + (size_t)row] = weight;
    }
    return sum;
}

static bool move(problem *t, const double *step, double share)
{
    const int nbody = t->r->nbody, njoint = t->r->njoint;
    bool is_good = true;
    for (int b = 0; b < nbody && is_good; ++b) {
        is_good = move_body(t->U[b], step + b * LWI_TEN, share, t->U[nbody + b]);
    }
    for (int j = 0; j < njoint && is_good; ++j) {
        const double z = share * step[LWI_TEN * nbody + j];
        const double x = is_positive(t, j) ? t->joint[j] * (1.0 + z) : t->joint[j] + z;
        t->joint[njoint + j] = is_held(t, j) ? t->joint[j] : x;
        is_good = !is_positive(t, j) || is_held(t, j) || 1.0 + z > 0.0;
    }
    return is_good;
}

// Newton's method: each step halved until the sum falls as far as its slope lets expect.
static lw_status minimise(problem *t, double *step)
{
    const int nbody = t->r->nbody, njoint = t->r->njoint;
    double best = evaluate(t, t->U, t->joint);
    for (int round = 0; round < ITERATIONS; ++round) {
        double expected = 0.0, now = (double)INFINITY; // what the step is to save, to first order
        for (int i = 0; i < t->rows; ++i) {
            expected += t->f[i] * t->f[i];
        }
        const lw_status status = lwi_least_squares(t->rows, t->n, t->J, t->f, step, NULL, NULL);
        if (status != LW_OK) {
            return status;
        }
        for (int i = t->n; i < t->rows; ++i) { // what is left of the residuals
            expected -= t->f[i] * t->f[i];
        }
        double share = 1.0;
        while (share > 1e-12 && !(now <= best - 0.2 * share * expected)) {
            now = move(t, step, -share) ? evaluate(t, t->U + nbody, t->joint + njoint)
                                        : (double)INFINITY;
            share *= 0.5;
        }
        const bool is_done = expected < 1e-9 * fmax(1.0, fabs(best));
        if (now <= best) {
            memcpy(t->U, t->U + nbody, (size_t)nbody * sizeof *t->U);
            memcpy(t->joint, t->joint + njoint, (size_t)njoint * sizeof *t->joint);
        } else if (!is_done) {
            return LW_ERR_NO_CONVERGENCE;
        }
        best = evaluate(t, t->U, t->joint);
        if (is_done) {
            return LW_OK;
        }
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

static lw_status fit(problem *t, int stride, const double *S, double *block)
{
    const lw_regression_info *info = &t->r->info;
    const size_t n = (size_t)t->n, nbase = (size_t)info->nbase, rows = (size_t)t->rows;
    double *factor_of_S = block, *at = block + 2 * nbase * nbase;
    t->C = block + nbase * nbase;
    t->D = at, at += n * LWI_TEN;
    t->J = at, at += rows * n;
    t->f = at, at += rows;
    t->KD = at, at += nbase * n;
    t->joint = at, at += 2 * (size_t)t->r->njoint;
    for (int b = 0; b < t->r->nbody; ++b) {
        prior_factor(info->value + b * LWI_TEN, t->r->m->mass, t->L[b]);
        for (int k = 0; k < FOUR; ++k) {
            t->U[b][k][k] = 1.0;
        }
    }
    for (int j = 0; j < t->r->njoint; ++j) {
        const double value = info->value[LWI_TEN * t->r->nbody + j];
        t->joint[j] = is_positive(t, j) && !is_held(t, j) ? fmax(value, 1e-2) : value;
    }
    return whiten(t, stride, S, t->C, factor_of_S) ? minimise(t, at) : LW_ERR_SINGULAR;
}

lw_status lwi_consistent_fit(const lw_regression *r, int stride, const double *S, double prior,
                             lw_estimate *estimate, lw_report *report)
{
    const lw_regression_info *info = &r->info;
    problem t = {.r = r, .target = estimate, .n = info->nparameter, .prior = prior};
    t.rows = info->nbase + info->nparameter;
    for (int c = 0; c < LWI_TEN * r->nbody; ++c) {
        t.rows += info->is_held[c];
    }
    const size_t n = (size_t)t.n, nbase = (size_t)info->nbase, rows = (size_t)t.rows;
    double *block = calloc(2 * nbase * nbase + n * LWI_TEN + rows * n + rows + nbase * n + n +
                               2 * (size_t)r->njoint,
                           sizeof *block);
    t.L = calloc(3 * (size_t)r->nbody + 1, sizeof *t.L);
    t.p = calloc(n + 1, sizeof *t.p);
    lw_status status = LW_ERR_MEMORY;
    if (block && t.L && t.p) {
        t.U = t.L + r->nbody;
        status = fit(&t, stride, S, block);
    }
    if (status == LW_OK) {
        estimate->full = t.p;
    } else {
        free(t.p);
        lwi_report_error(report, (lw_location){0}, status,
                         "no physically consistent parameters were found near the estimate");
    }
    free(block);
    free(t.L);
    return status;
}
