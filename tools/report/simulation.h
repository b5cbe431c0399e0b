// One simulation of the program: its set-up, its rows, and what there is to report of it.
#ifndef SIMULATION_H
#define SIMULATION_H

#include <linkwork/collide.h>
#include <linkwork/run.h>
#include <linkwork/shafts.h>

#include "report/output.h"
#include "report/table.h"
#include "support/progress.h"
#include "support/robot_file.h"

/// Whether this build has the methods of SUNDIALS.
#ifdef LINKWORK_HAS_STIFF
enum { simulation_has_stiff = 1 };
#else
enum { simulation_has_stiff = 0 };
#endif

/// What a simulation does where two links come nearer than a margin.
typedef enum collision_mode { COLLISION_IGNORED, COLLISION_WARNS, COLLISION_STOPS } collision_mode;

typedef struct collision_watch {
    collision_mode mode;
    double margin; ///< m
    lw_collide *shapes;
    lw_data *data;
    bool has_begun;
    double t, *q; ///< of the step before
    int left_out; ///< pairs that are not free at the begin
    bool is_found, is_proven;
    int pair;
    double at, before, distance; ///< s, s, m
} collision_watch;

typedef struct simulation {
    const robot *robot;
    memory *pool;
    const char *name;   ///< of the run, or empty
    const char *levels; ///< that were requested, or NULL
    const char *label;  ///< both, for plots
    lw_run *run;        ///< from a file, or NULL
    lw_sim_def def;
    const char *method; ///< its name
    int stiff;          ///< 1 for CVODE, 2 for IDA, instead of the method of `def`
    double duration, every;
    const double *q, *v; ///< where it begins
    progress_mode progress;
    table rows;
    int ncolumn_q, ncolumn_v, ncolumn_tau, ncolumn_energy, ncolumn_error; ///< first of each kind
    bool follows;    ///< a controller follows a motion: rows have the tracking error
    bool is_stopped; ///< by the user
    double reached;  ///< s

    collision_watch watch;
    lw_sim_info info;
    double seconds;                        ///< that it took
    double energy_drift, energy_size, gap; ///< the largest of all rows
    double *peak_error;                    ///< [nv] of following the motion; where there is one
    lw_shafts shafts;                      ///< degrees of freedom behind elastic shafts
} simulation;

/// Runs it, and shows its progress. Complains and returns an exit
/// code; simulation_free() is due either way. A user's interrupt ends it with EXIT_GOOD.
int simulation_run(simulation *s);

/// Makes the shapes, where the mode requires them; then looks at each step; complains of what was
/// found, and returns an exit code.
int collision_start(simulation *s, const command_line *args);
lw_status collision_step(simulation *s, double t, const double *q);
int collision_complain(const simulation *s);
void collision_free(collision_watch *w);
void collision_report(output *out, const simulation *s, json_t *result);

void simulation_free(simulation *s);

// --- Reports ------------------------------------------------------------------------------

/// What a simulation came to: steps, energy, and what each drive had to give.
void report_text(output *out, const simulation *s);
void report_json(output *out, const simulation *s, json_t *result);

/// What the commanded motion requires of the motors: nothing without a motion or motors.
void report_motors_text(output *out, const simulation *s);
void report_motors_json(output *out, const simulation *s, json_t *result);

/// Panels of positions, velocities, forces and energies. A colour represents a joint, a dash for a
/// simulation; joints are identified by their names, so that mechanisms at several levels of detail
/// go together. Motors behind elastic shafts are shown at the joints that they turn: their forces
/// there, as if the shafts were rigid, and no curves of their own. Written whole or not at all;
/// complains and returns an exit code.
int plot_simulations(const simulation *sim, int count, const char *path);

/// The same for the amplitudes of the drives' forces over frequency.
int plot_spectra(const simulation *sim, int count, const char *path);

#endif
