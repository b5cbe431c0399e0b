// A machine that is simulated in real time: fixed steps of 1 ms under computed torque, which looks
// at it at every step.
#ifndef BENCH_REAL_TIME_H
#define BENCH_REAL_TIME_H

#include <linkwork/linkwork.h>

typedef struct real_time {
    lw_trajectory *trajectory;
    lw_controller *controller;
    lw_sim *sim[2]; ///< semi-implicit Euler, and RK4
} real_time;

/// False where memory is short. Free with real_time_close().
bool real_time_open(const lw_model *m, real_time *r);
void real_time_close(real_time *r);

/// One step of 1 ms; from the begin again when the motion is over.
lw_status real_time_step(real_time *r, int method);

#endif
