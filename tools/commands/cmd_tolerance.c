// linkwork tolerance: what manufacturing tolerances do, by Monte Carlo and by the linear theory.

#include "commands/commands.h"
#include "support/files.h"
#include "support/message.h"
#include "support/parameter_names.h"
#include "sweep/plan_text.h"
#include "sweep/sweep_drive.h"

#include <linkwork/derivatives.h>
#include <linkwork/parameters.h>
#include <linkwork/sweep.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The linear answer: values at the means, and deviations.
typedef struct linear {
    lw_sweep *sweep;
    lw_sweep_worker *worker;
    lw_parameters *parameters;
    lw_sweep_info info;
    double *mean, *sigma, *row, *other; ///< [ninput], [ninput], [ncolumn], [ncolumn]
    double *variance;                   ///< [ncolumn]
    double *q;                          ///< [nq] where it is measured
    const char *lost; ///< an input that cannot be a deviation off its mean; NULL for none
} linear;

static void find_moments(linear *x, const lw_model *m)
{
    memcpy(x->q, m->q_reference, (size_t)m->nq * sizeof *x->q);
    for (int i = 0; i < x->info.ninput; ++i) {
        lw_sweep_variate v;
        lw_sweep_input(x->sweep, i, &v);
        x->mean[i] = v.is_normal ? v.a : 0.5 * (v.a + v.b);
        x->sigma[i] = v.is_normal ? v.b : (v.b - v.a) / sqrt(12.0);
        const int at = v.is_parameter ? -1 : lw_find_position(m, x->info.input[i]);
        if (at >= 0) {
            x->q[at] = x->mean[i];
        }
    }
}

// The row of the parameter Jacobian that a column has; -1 for a column that is no coordinate.
static int jacobian_row(const job *work, const char *column, int *frame)
{
    const size_t length = strlen(column);
    if (length < 3 || column[length - 2] != '.' || !strchr("xyz", column[length - 1])) {
        return -1;
    }
    char *name = memory_text(work->pool, "%.*s", (int)length - 2, column);
    *frame = lw_find_frame(work->m, name);
    return *frame < 0 ? -1 : 3 + column[length - 1] - 'x';
}

// Derivatives of all columns by input i: of coordinates of frames by the parameter Jacobian, of
// others by a central difference over a standard deviation.
static lw_status add_input(job *work, linear *x, int i)
{
    const double h = x->sigma[i];
    int parameter = -1;
    const bool has_jacobian =
        lw_parameters_find(x->parameters, x->info.input[i], &parameter, 1) == 1;
    if (!(h > 0.0)) {
        return LW_OK;
    }
    double *input = memory_numbers(work->pool, x->info.ninput, 1);
    memcpy(input, x->mean, (size_t)x->info.ninput * sizeof *input);
    input[i] = x->mean[i] + h;
    lw_sweep_evaluate(x->sweep, x->worker, input, x->row);
    input[i] = x->mean[i] - h;
    lw_sweep_evaluate(x->sweep, x->worker, input, x->other);
    const lw_status status = (lw_status)(int)(x->row[0] != 0.0 ? x->row[0] : x->other[0]);
    for (int k = 1; k < x->info.ncolumn; ++k) {
        double change = 0.5 * (x->row[k] - x->other[k]), J[6];
        int frame = -1;
        const int row = has_jacobian ? jacobian_row(work, x->info.column[k], &frame) : -1;
        if (row >= 0 && lw_parameter_jacobian(work->m, work->d, x->parameters, x->q, frame,
                                              LW_IN_WORLD, 1, &parameter, J, NULL) == LW_OK) {
            change = J[row] * h;
        } else if (status != LW_OK) {
            x->lost = x->info.input[i];
            return status;
        }
        x->variance[k] += change * change;
    }
    return LW_OK;
}

static int open_linear(job *work, linear *x, const char *path)
{
    const lw_compile_options options = robot_options(&work->robot, work->args);
    char *text = NULL;
    size_t size = 0;
    const int code = file_read(path, &text, &size);
    if (code != EXIT_GOOD) {
        return code;
    }
    lw_status status = lw_sweep_load_text(path, text, size, &x->sweep, NULL);
    free(text);
    status = status == LW_OK ? lw_sweep_worker_create(x->sweep, &x->worker) : status;
    if (status == LW_OK) {
        status = lw_parameters_create(work->robot.mech, &options, work->m, &x->parameters);
    }
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    x->info = lw_sweep_describe(x->sweep);
    x->mean = memory_numbers(work->pool, 2, x->info.ninput);
    x->sigma = x->mean + x->info.ninput;
    x->row = memory_numbers(work->pool, 3, x->info.ncolumn);
    x->other = x->row + x->info.ncolumn;
    x->variance = x->other + x->info.ncolumn;
    x->q = memory_numbers(work->pool, work->m->nq + 1, 1);
    return EXIT_GOOD;
}

static void print_linear(job *work, const linear *x)
{
    output *out = &work->out;
    const int count = x->info.ncolumn - 1;
    if (out->is_json) {
        json_t *list = output_array(out);
        for (int k = 1; k <= count; ++k) {
            output_put(out, output_item(out, list), "name s, mean f, deviation f",
                       x->info.column[k], x->row[k], sqrt(x->variance[k]));
        }
        output_set(out, out->json, "linear", list);
        return;
    }
    static const char *const head[] = {"mean", "deviation"};
    double *value = memory_numbers(work->pool, count + 1, 2);
    for (int k = 0; k < count; ++k) {
        value[2 * k] = x->row[k + 1];
        value[2 * k + 1] = sqrt(x->variance[k + 1]);
    }
    fputc('\n', out->text);
    output_table(out, "linear, from the parameter Jacobian", x->info.column + 1, count, head, 2,
                 value);
}

static int add_linear(job *work)
{
    linear x = {0};
    int code = open_linear(
        work, &x, memory_text(work->pool, "%s/plan.xml", args_value(work->args, OPT_OUTPUT)));
    lw_status status = LW_OK;
    if (code == EXIT_GOOD) {
        find_moments(&x, work->m);
        for (int i = 0; i < x.info.ninput && status == LW_OK; ++i) {
            status = add_input(work, &x, i);
        }
        lw_sweep_evaluate(x.sweep, x.worker, x.mean, x.row);
        if (x.row[0] != 0.0) {
            code = complain(EXIT_NUMERIC, "at the means: %s",
                            lw_status_text((lw_status)(int)x.row[0]));
        } else if (status == LW_OK) {
            print_linear(work, &x);
        } else { // the Monte Carlo answer stands
            complain(EXIT_GOOD, "no linear answer: with %s a standard deviation off its mean: %s",
                     x.lost, lw_status_text(status));
            if (work->out.is_json) {
                output_set(&work->out, work->out.json, "linear", json_null());
            }
        }
    }
    lw_parameters_destroy(x.parameters);
    lw_sweep_worker_destroy(x.worker);
    lw_sweep_destroy(x.sweep);
    return code;
}

static int run(job *work)
{
    file_draft draft;
    if (args_has(work->args, OPT_LIST)) {
        return parameter_names_print(work);
    }
    if (!args_has(work->args, OPT_VARY)) {
        return complain(EXIT_USAGE, "tolerance needs --vary; --list prints what may vary");
    }
    int code = plan_begin(&draft, work, 10000.0);
    if (code != EXIT_GOOD && !draft.to) {
        return code;
    }
    code = code == EXIT_GOOD ? plan_add_inputs(&draft, work) : code;
    code = code == EXIT_GOOD ? plan_add_measures(&draft, work) : code;
    code = plan_run(&draft, work, code);
    const bool has_result =
        code == EXIT_GOOD && !args_has(work->args, OPT_CASE) && drive_is_finished(work);
    return has_result ? add_linear(work) : code;
}

const command_def command_tolerance = {
    .name = "tolerance",
    .operands = "MODEL",
    .options = OPTIONS(OPT_VARY, OPT_MEASURE, OPT_COUNT, OPT_SEED, OPT_MODE, OPT_LEVEL, OPT_LIST,
                       OPTIONS_SWEEP),
    .summary = "what tolerances of parameters do, by Monte Carlo and linearly",
    .about =
        "Draws parameters of parts from their distributions, compiles the mechanism anew for each "
        "case, and measures it at the reference configuration or where --vary holds positions "
        "(q.JOINT=0.5). Beside it stands the linear answer: the root of the sum of squares of "
        "derivative times standard deviation, with derivatives of coordinates from the parameter "
        "Jacobian and of other measures from differences.",
    .keys = KEYS_SWEEP
    "; linear (name, mean, deviation; or null); with --list only parameters (name, value)",
    .example = "tolerance arm.xml --vary 'R2.before.x=normal(0.4,1e-4)' --measure tool.position "
               "--n 1e6 -o tolerance",
    .notes = NOTES(NOTE_SWEEP_OUTPUT, {OPT_COUNT, "How many cases. Default: 10000."},
                   {OPT_LIST, "Prints the parameters that --vary takes, with their values in the "
                              "description, and ends."}),
    .run = run,
};
