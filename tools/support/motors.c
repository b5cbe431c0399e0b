#include "support/motors.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST_MATRIX = 2 * 1000 * 1000 }; // entries

void motors_free(motor_matrix *matrix)
{
    free(matrix->joint);
    free(matrix->at);
    free(matrix->offset);
    *matrix = (motor_matrix){0};
}

// Adds factor times tree velocity v to a row. False where v does not follow linearly.
static bool add_source(const lw_model *m, const motor_matrix *matrix, const int *row_of, int v,
                       double factor, int row)
{
    for (int k = 0; k < m->nv; ++k) {
        if (m->v_tree[k] == v) {
            matrix->at[(size_t)row * (size_t)m->nv + (size_t)k] += factor;
            return true;
        }
    }
    if (row_of[v] < 0) {
        return false;
    }
    for (int k = 0; k < m->nv; ++k) {
        matrix->at[(size_t)row * (size_t)m->nv + (size_t)k] +=
            factor * matrix->at[(size_t)row_of[v] * (size_t)m->nv + (size_t)k];
    }
    matrix->offset[row] += factor * matrix->offset[row_of[v]];
    return true;
}

static void add_row(const lw_model *m, motor_matrix *matrix, int *row_of, const lw_step_info *step,
                    int t)
{
    const double *c = step->coefficient + t * (1 + step->nsource);
    const int row = matrix->nrow;
    matrix->offset[row] = c[0];
    for (int k = 0; k < m->nv; ++k) {
        matrix->at[(size_t)row * (size_t)m->nv + (size_t)k] = 0;
    }
    for (int k = 0; k < step->nsource; ++k) {
        if (!add_source(m, matrix, row_of, step->source[k], c[1 + k], row)) {
            return;
        }
    }
    matrix->joint[row] = step->target[t];
    row_of[step->target[t]] = matrix->nrow++;
}

int motors_shafts(const lw_model *m)
{
    int count = 0;
    for (int i = m->nbody - 1; i >= 0 && m->joints[m->joint[i]].is_shaft; --i) {
        ++count;
    }
    return count;
}

bool motors_is_shaft(const lw_model *m, int v)
{
    return v >= m->tree_nv - motors_shafts(m);
}

// Gauss and Jordan on (A 1), with the largest pivot of each column. False where A is singular.
static bool invert(const double *A, int n, double *inverse)
{
    double work[MOTORS_MOST][2 * MOTORS_MOST] = {{0}};
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            work[r][c] = A[r * n + c];
        }
        work[r][n + r] = 1;
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k; r < n; ++r) {
            best = fabs(work[r][k]) > fabs(work[best][k]) ? r : best;
        }
        if (!(fabs(work[best][k]) > 1e-12)) {
            return false;
        }
        for (int c = 0; c < 2 * n; ++c) {
            const double swap = work[k][c];
            work[k][c] = work[best][c];
            work[best][c] = swap;
        }
        const double pivot = work[k][k];
        for (int c = 0; c < 2 * n; ++c) {
            work[k][c] /= pivot;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = r == k ? 0 : work[r][k];
            for (int c = 0; c < 2 * n; ++c) {
                work[r][c] -= factor * work[k][c];
            }
        }
    }
    for (int k = 0; k < n * n; ++k) {
        inverse[k] = work[k / n][n + k % n];
    }
    return true;
}

static bool turns_any(const lw_model *m, const motor_matrix *matrix, const int *row, int n, int k)
{
    for (int i = 0; i < n; ++i) {
        if (matrix->at[(size_t)row[i] * (size_t)m->nv + (size_t)k] != 0) {
            return true;
        }
    }
    return false;
}

drive_matrix motors_drives(const lw_model *m, const motor_matrix *matrix)
{
    drive_matrix d = {0};
    int row[MOTORS_MOST];
    for (int i = 0; i < m->ndrive; ++i) {
        for (int r = 0; r < matrix->nrow; ++r) {
            if (matrix->joint[r] != m->drive[i].dof) {
                continue;
            }
            if (d.ndrive == MOTORS_MOST) {
                return (drive_matrix){0};
            }
            row[d.ndrive] = r;
            d.drive[d.ndrive++] = m->drive[i].dof;
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        if (!turns_any(m, matrix, row, d.ndrive, k)) {
            continue;
        }
        if (d.njoint == MOTORS_MOST) {
            return (drive_matrix){0};
        }
        d.joint[d.njoint++] = k;
    }
    for (int i = 0; i < d.ndrive; ++i) {
        for (int k = 0; k < d.njoint; ++k) {
            d.ratio[i * d.njoint + k] =
                matrix->at[(size_t)row[i] * (size_t)m->nv + (size_t)d.joint[k]];
        }
    }
    d.has_inverse = d.ndrive > 0 && d.ndrive == d.njoint && invert(d.ratio, d.ndrive, d.inverse);
    return d;
}

bool motors_find(const lw_model *m, motor_matrix *matrix)
{
    *matrix = (motor_matrix){0};
    const int dependent = m->tree_nv - m->nv;
    if (m->ngear == 0 || dependent <= 0 || (double)dependent * m->nv > LARGEST_MATRIX) {
        return true;
    }
    const size_t rows = (size_t)dependent;
    int *row_of = malloc((size_t)m->tree_nv * sizeof *row_of);
    matrix->joint = calloc(rows, sizeof *matrix->joint);
    matrix->at = calloc(rows * (size_t)m->nv + 1, sizeof *matrix->at);
    matrix->offset = calloc(rows, sizeof *matrix->offset);
    const bool is_good = row_of && matrix->joint && matrix->at && matrix->offset;
    for (int v = 0; v < m->tree_nv && is_good; ++v) {
        row_of[v] = -1;
    }
    for (int i = 0; i < m->nstep && is_good; ++i) {
        const lw_step_info *step = &m->step[i];
        const bool is_line = step->kind == LW_STEP_FUNCTION && step->ncoefficient == 2;
        for (int t = 0; t < step->ntarget && (is_line || step->kind == LW_STEP_LINEAR); ++t) {
            add_row(m, matrix, row_of, step, t);
        }
    }
    free(row_of);
    return is_good;
}
