// A plan as the parts of this layer see it.
#ifndef LWI_SWEEP_PLAN_H
#define LWI_SWEEP_PLAN_H

#include <linkwork/compile.h>
#include <linkwork/run.h>
#include <linkwork/sweep.h>
#include <linkwork/workspace_map.h>

#include "../base/arena.h"
#include "../base/text.h"

#include <stdint.h>

enum {
    LWI_SWEEP_MOST_INPUTS = 256,
    LWI_SWEEP_MOST_STRUCTURES = 64,
    LWI_SWEEP_MOST_MEASURES = 64,
    LWI_SWEEP_CHUNK = 256 ///< cases that are drawn and computed together
};

/// What varies.
typedef enum lwi_input_kind {
    LWI_INPUT_POSITION,  ///< of a joint
    LWI_INPUT_PARAMETER, ///< of a part (lw_set_parameter())
    LWI_INPUT_RUN        ///< an attribute of the run file (run_attribute.c)
} lwi_input_kind;

/// How it varies.
typedef enum lwi_input_law {
    LWI_LAW_HOLD,
    LWI_LAW_UNIFORM,
    LWI_LAW_NORMAL,
    LWI_LAW_LHS,
    LWI_LAW_GRID
} lwi_input_law;

typedef struct lwi_input {
    lwi_input_kind kind;
    lwi_input_law law;
    const char *name;
    double a, b, step; ///< mean and deviation, or range; step of a grid
    bool has_limits;   ///< the range of a position is that of its joint in each structure
    long long count;   ///< points of a grid, else 1
    int draw;          ///< number of its random variate
    size_t run_at;     ///< where its value stands in the run file
    size_t run_length; ///< likewise
    lw_location at;
} lwi_input;

typedef enum lwi_measure_kind {
    LWI_MEASURE_Q,
    LWI_MEASURE_INPUTS,
    LWI_MEASURE_POSITION, ///< of a frame; `part` is 0..2 for one coordinate, or -1 for all
    LWI_MEASURE_POSE,
    LWI_MEASURE_MANIPULABILITY,
    LWI_MEASURE_SIGMA_MIN,
    LWI_MEASURE_INVERSE_CONDITION,
    LWI_MEASURE_GRAVITY, ///< forces that balance gravity
    LWI_MEASURE_POTENTIAL,
    LWI_MEASURE_MASS,
    LWI_MEASURE_RUN ///< of a simulated run: reduce(signal[name])
} lwi_measure_kind;

typedef enum lwi_jacobian_part {
    LWI_PART_TRANSLATION,
    LWI_PART_ROTATION,
    LWI_PART_SCALED
} lwi_jacobian_part;
typedef enum lwi_signal {
    LWI_SIGNAL_Q,
    LWI_SIGNAL_V,
    LWI_SIGNAL_TAU,
    LWI_SIGNAL_ERROR,
    LWI_SIGNAL_POWER
} lwi_signal;
typedef enum lwi_reduce {
    LWI_REDUCE_MAX,
    LWI_REDUCE_MIN,
    LWI_REDUCE_MEAN,
    LWI_REDUCE_RMS,
    LWI_REDUCE_FINAL
} lwi_reduce;

typedef struct lwi_measure {
    lwi_measure_kind kind;
    const char *text; ///< as it is written
    int part;
    lw_frame_ellipsoid ellipsoid;
    lwi_signal signal;
    lwi_reduce reduce;
    bool is_absolute;
    int column, ncolumn;
    int *at;   ///< [nstructure] its frame, or the index of its signal
    int *rank; ///< [nstructure] axes of its ellipsoid at most
    int pose;  ///< of a frame: into the poses of a case
} lwi_measure;

typedef struct lwi_structure {
    const char *path;
    lw_mech *mech;
    lw_model *model;
    int *position;      ///< [ninput] into q; -1 for inputs that are no positions
    double *low, *high; ///< [ninput] of positions and others
    int *frame;         ///< [nframe] that measures need
    bool has_lanes;     ///< batches give the same bits as single states, whatever was before
} lwi_structure;

struct lw_sweep {
    lwi_arena arena;
    lw_sweep_info info;
    long long repeats; ///< cases of each point of the grid
    double length;     ///< m: what a radian counts in scaled measures
    lw_level_choice *level;
    int nlevel;
    lwi_structure *structure;
    lwi_input *input;
    int ndraw;
    bool changes_model, has_poses, has_run;
    char *run_text; ///< or null
    size_t run_size;
    const char *run_path;
    long long most_steps; ///< of a simulated run
    lwi_measure *measure;
    int nmeasure, nframe;
};

/// How the models of a plan are compiled.
lw_compile_options lwi_sweep_options(const lw_sweep *s);

/// Values of what varies for cases first .. first + count - 1, all of one structure.
/// @param value [ninput][LWI_SWEEP_CHUNK]
void lwi_sweep_draw(const lw_sweep *s, int structure, long long first, int count, double *value);

/// The structure of a case, and the first case behind those of that structure.
int lwi_sweep_structure(const lw_sweep *s, long long number, long long *end);

/// Reads a measure; the plan finds the rest of it in its models. False where it is none.
bool lwi_measure_parse(lw_sweep *s, lwi_measure *m, char *name, size_t size);

/// What measures of one case read.
typedef struct lwi_case {
    const lw_model *m;
    lw_data *d;
    const double *q;
    const lw_pose *pose; ///< [nframe]
    const double *input; ///< [ninput], LWI_SWEEP_CHUNK apart
    int structure;
    double *J;                     ///< scratch of ellipsoids
    bool (*cancel)(void *context); ///< of a run, which then ends with LW_ERR_BUSY; or NULL
    void *context;
} lwi_case;

/// Fills the row of a case but for measures of a run. Returns its status.
lw_status lwi_measure_case(const lw_sweep *s, const lwi_case *c, double *row);

/// Simulates the run of a case, and fills the measures of it.
lw_status lwi_measure_run(const lw_sweep *s, const lwi_case *c, bool starts_at_q, double *row);

/// Writes the run file with the attributes that vary. False where memory is short.
/// @param value [ninput], LWI_SWEEP_CHUNK apart
bool lwi_run_fill_in(const lw_sweep *s, const double *value, lwi_text *out);

/// Singular values of J [rows*n] with rows <= n or rows <= 6, largest first, by one-sided Jacobi
/// rotations of its rows, which are destroyed. There are min(rows, n) of them; others are 0.
void lwi_row_singular_values(int rows, int n, double *J, double sigma[6]);

#endif
