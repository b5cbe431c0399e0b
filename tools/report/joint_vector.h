// Commands whose result is one number per degree of freedom.
#ifndef JOINT_VECTOR_H
#define JOINT_VECTOR_H

#include "report/units.h"
#include "support/job.h"

/// A function of a state with one number per velocity as its result, and how that is printed.
typedef struct joint_vector {
    lw_status (*function)(const lw_model *m, lw_data *d, const state_list *states, int i,
                          double *result);
    const char *key; ///< in JSON, and above the column
    unit_of unit;
    int (*more)(job *work, int i, json_t *result); ///< what is printed besides, or NULL
    double *result;                                ///< [nv]
} joint_vector;

/// Evaluates and prints it at all states of the command line. Returns an exit code.
int joint_vector_run(const command_line *args, joint_vector vector);

#endif
