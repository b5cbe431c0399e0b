// How joints follow from motors through gears.
#ifndef MOTORS_H
#define MOTORS_H

#include <linkwork/model.h>

/// Dependent freedoms that follow linearly from independent ones, as one matrix: what a step gives
/// in terms of its sources is put in terms of what those came from.
typedef struct motor_matrix {
    int nrow;
    int *joint;     ///< [nrow] tree velocities
    double *at;     ///< [nrow * nv]
    double *offset; ///< [nrow]
} motor_matrix;

/// False where memory is short; motors_free() is due either way. A matrix without rows where there
/// are no gears, or where it would be too large.
bool motors_find(const lw_model *m, motor_matrix *matrix);
void motors_free(motor_matrix *matrix);

#endif
