#include "motors.h"

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
