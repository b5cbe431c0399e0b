// How joints follow from motors through gears.
#ifndef MOTORS_H
#define MOTORS_H

#include <linkwork/model.h>

/// Dependent degrees of freedom that follow linearly from independent ones, as one matrix: what a
/// step gives in terms of its sources is put in terms of what those came from.
typedef struct motor_matrix {
    int nrow;
    int *joint;     ///< [nrow] tree velocities
    double *at;     ///< [nrow * nv]
    double *offset; ///< [nrow]
} motor_matrix;

/// How many bodies of the tree are shafts of drives or between gearboxes; these come last.
int motors_shafts(const lw_model *m);

/// Whether a tree velocity is that of a shaft.
bool motors_is_shaft(const lw_model *m, int v);

enum { MOTORS_MOST = 8 }; ///< columns of a table that fits a screen

/// Drives that follow the joints: turns of each for one of the joints that turn any.
typedef struct drive_matrix {
    int ndrive, njoint;
    int drive[MOTORS_MOST], joint[MOTORS_MOST]; ///< tree velocities, independent velocities
    double ratio[MOTORS_MOST * MOTORS_MOST];    ///< [ndrive * njoint]
    double inverse[MOTORS_MOST * MOTORS_MOST];  ///< [njoint * ndrive] motors to joints
    bool has_inverse;
} drive_matrix;

/// Of a matrix that motors_find() made. No drives where there are too many.
drive_matrix motors_drives(const lw_model *m, const motor_matrix *matrix);

/// False where memory is short; motors_free() is due either way. A matrix without rows where there
/// are no gears, or where it would be too large.
bool motors_find(const lw_model *m, motor_matrix *matrix);
void motors_free(motor_matrix *matrix);

#endif
