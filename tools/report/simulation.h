// One simulation of the program: its set-up, its rows, and what there is to report of it.
#ifndef SIMULATION_H
#define SIMULATION_H

#include <linkwork/run.h>
#include <linkwork/shafts.h>

#include "report/table.h"
#include "support/robot_file.h"

/// Whether this build has the methods of SUNDIALS.
#ifdef LINKWORK_HAS_STIFF
enum { simulation_has_stiff = 1 };
#else
enum { simulation_has_stiff = 0 };
#endif

typedef struct simulation {
    const robot *robot;
    const char *name;   ///< of the run, or empty
    const char *levels; ///< that were asked for, or null
    char *label;        ///< both, for plots; its own
    lw_run *run;        ///< from a file, or null
    lw_sim_def def;
    const char *method; ///< its name
    int stiff;          ///< 1 for CVODE, 2 for IDA, instead of the method of `def`
    double duration, every;
    const double *q, *v; ///< where it begins
    table rows;
    int ncolumn_q, ncolumn_v, ncolumn_tau, ncolumn_energy, ncolumn_error; ///< first of each kind
    bool follows;    ///< a controller follows a motion: rows tell how far it is behind
    bool is_stopped; ///< by the user
    double reached;  ///< s

    lw_sim_info info;
    double seconds;                        ///< that it took
    double energy_drift, energy_size, gap; ///< the largest of all rows
    double *peak_error;                    ///< [nv] of following the motion; where there is one
    lw_shafts shafts;                      ///< degrees of freedom behind elastic shafts
} simulation;

/// Runs it, with a progress bar where standard error is a terminal. Complains and returns an exit
/// code; simulation_free() is due either way. A user's interrupt ends it with EXIT_GOOD.
int simulation_run(simulation *s);
void simulation_free(simulation *s);

#endif
