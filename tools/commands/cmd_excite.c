// linkwork excite: a motion from which parameters can be identified.

#include "commands/commands.h"
#include "report/table.h"
#include "support/job.h"
#include "support/message.h"

#ifdef LINKWORK_HAS_IDENTIFY
#include "support/blas.h"
#include "support/log_file.h"
#include "support/progress.h"

#include <linkwork/collide.h>
#include <linkwork/identify.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct excitation {
    lw_regression *regression;
    lw_collide *solids;
    lw_data *d; ///< for collisions
    lw_excitation found;
    progress_mode progress;
} excitation;

static bool is_free(void *context, const double *q)
{
    excitation *c = context;
    lw_verdict verdict = LW_VERDICT_FREE;
    return lw_collide_check(c->solids, c->d, q, 0.0, &verdict, NULL) == LW_OK &&
           verdict == LW_VERDICT_FREE;
}

static bool show_progress(void *context, double share, double condition)
{
    const excitation *c = context;
    char stage[64];
    snprintf(stage, sizeof stage, "condition number %.4g", condition);
    progress_show(c->progress, share, stage);
    return true;
}

// Collisions count where the model has shapes, and the reference configuration is free.
static void open_solids(job *work, lw_excite_def *def)
{
    excitation *c = work->context;
    if (lw_collide_create(work->m, &c->solids, NULL) == LW_OK &&
        lw_collide_describe(c->solids)->nsolid > 0 && lw_data_create(work->m, &c->d) == LW_OK &&
        is_free(c, work->m->q_reference)) {
        def->is_free = is_free;
    }
}

static int read_options(job *work, lw_excite_def *def, lw_regression_def *columns)
{
    const command_line *args = work->args;
    int code = args_list(args, OPT_COLUMNS, joint_column_word, 5, &columns->columns);
    code = code == EXIT_GOOD ? args_number(args, OPT_PERIOD, ARGS_ABOVE_ZERO, 1e6, &def->period)
                             : code;
    code = code == EXIT_GOOD ? args_whole(args, OPT_HARMONICS, 1, 50, &def->harmonics) : code;
    code = code == EXIT_GOOD ? args_whole(args, OPT_EVALUATIONS, 1, 10000000, &def->evaluations)
                             : code;
    return code == EXIT_GOOD ? args_number(args, OPT_SHARE, ARGS_ABOVE_ZERO, 1.0, &def->share)
                             : code;
}

static int write_rows(job *work, const lw_excitation *e)
{
    const lw_model *m = work->m;
    double rate = 100.0;
    if (args_number(work->args, OPT_RATE, ARGS_ABOVE_ZERO, 1e6, &rate) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    table t;
    table_begin(&t, work->pool, 1 + 3 * m->nv);
    table_name(&t, 0, NULL, "t");
    for (int j = 0; j < m->nv; ++j) {
        table_name(&t, 1 + j, "q", m->position_name[j]);
        table_name(&t, 1 + m->nv + j, "v", m->velocity_name[j]);
        table_name(&t, 1 + 2 * m->nv + j, "a", m->velocity_name[j]);
    }
    const int rows = (int)ceil(e->period * rate);
    for (int i = 0; i < rows; ++i) {
        double *row = table_add_row(&t);
        if (!row) {
            table_free(&t);
            return complain(EXIT_FILE, "%d rows are too many", rows);
        }
        row[0] = i / rate;
        lw_excitation_at(e, row[0], row + 1, row + 1 + m->nv, row + 1 + 2 * m->nv);
    }
    const int code = table_write(&t, args_value(work->args, OPT_OUTPUT));
    table_free(&t);
    return code;
}

static int run(job *work)
{
    excitation *c = work->context;
    output *out = &work->out;
    lw_excite_def def = lw_default_excite_def();
    lw_regression_def columns = {0};
    int code = read_options(work, &def, &columns);
    code = code == EXIT_GOOD ? progress_open(work->args, &c->progress) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    use_one_blas_thread();
    def.context = c;
    def.progress = show_progress;
    open_solids(work, &def);
    const int first = lw_report_count(work->robot.report);
    lw_status status = lw_regression_create(work->m, &columns, &c->regression, work->robot.report);
    if (status == LW_OK) {
        status = lw_excite(c->regression, &def, &c->found, work->robot.report);
    }
    progress_clear(c->progress);
    if (status != LW_OK) {
        return library_failure(work, first, status);
    }
    const int nbase = lw_regression_describe(c->regression)->nbase;
    if (out->is_json) {
        out->json = output_object(out);
        output_put(
            out, out->json, "condition f, period f, harmonics d, coefficients o, base d",
            c->found.condition, c->found.period, c->found.harmonics,
            output_matrix(out, c->found.coefficient, work->m->nv, 1 + 2 * c->found.harmonics),
            nbase);
    } else {
        fprintf(out->text, "%d base parameters, condition number %.2f over a period of %g s%s\n",
                nbase, c->found.condition, c->found.period,
                def.is_free ? ", free of collisions at 60 instants" : "");
    }
    return args_has(work->args, OPT_OUTPUT) ? write_rows(work, &c->found) : EXIT_GOOD;
}

static void end(job *work)
{
    excitation *c = work->context;
    lw_excitation_free(&c->found);
    lw_regression_destroy(c->regression);
    lw_collide_destroy(c->solids);
    lw_data_destroy(c->d);
}
#else
static int run(job *work)
{
    (void)work;
    return complain(EXIT_INPUT, "this build has no identification: LAPACKE was not found");
}
static void end(job *work)
{
    (void)work;
}
typedef char excitation;
#endif

const command_def command_excite = {
    .name = "excite",
    .options = OPTIONS(OPT_COLUMNS, OPT_PERIOD, OPT_HARMONICS, OPT_EVALUATIONS, OPT_SHARE, OPT_RATE,
                       OPT_OUTPUT, OPTIONS_MODEL, OPT_PROGRESS, OPT_JSON),
    .summary = "a motion from which parameters can be identified",
    .about = "Searches a periodic motion of all joints, a Fourier series each, whose torques "
             "contain much information on the base parameters of 'identify', within the limits of "
             "positions, velocities, accelerations and torques, and without contacts where the "
             "model has collision shapes. Joints without limits of velocity and acceleration take "
             "2 rad/s and 5 rad/s^2. The search is deterministic.",
    .keys = "condition, period, harmonics, coefficients (one row per joint: centre, then two of "
            "each wave), base",
    .example = "excite arm.xml -o motion.csv\nexcite arm.xml --period 5 --harmonics 8 --json",
    .notes = NOTES({OPT_PERIOD, "Period of the motion in seconds. Default: 10."},
                   {OPT_HARMONICS, "Waves of each joint. Default: 5."},
                   {OPT_OUTPUT, "Writes rows of t, q, v and a over one period, as CSV or .npy."}),
    .context_size = sizeof(excitation),
    .run = run,
    .end = end,
};
