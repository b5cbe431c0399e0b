// linkwork identify: inertial parameters and friction from measured torques.

#include "commands/commands.h"
#include "draw/plot.h"
#include "support/job.h"
#include "support/message.h"

#ifdef LINKWORK_HAS_IDENTIFY
#include "support/blas.h"
#include "support/files.h"
#include "support/log_file.h"

#include <linkwork/identify.h>

#include <math.h>
#include <string.h>

typedef struct identification {
    lw_regression *regression;
    lw_log log, instruments, validation;
    lw_estimate estimate;
    double *error, *size; ///< [nv]
} identification;

static int open_columns(job *work)
{
    identification *c = work->context;
    const command_line *args = work->args;
    lw_regression_def def = {0};
    int code = args_list(args, OPT_COLUMNS, joint_column_word, 5, &def.columns);
    if (code != EXIT_GOOD) {
        return code;
    }
    const char **held =
        memory_get(work->pool, (size_t)args_count(args, OPT_HOLD) + 1, sizeof *held);
    for (int k = 0; k < args_count(args, OPT_HOLD); ++k) {
        held[k] = args_value_at(args, OPT_HOLD, k);
    }
    def.nheld = args_count(args, OPT_HOLD);
    def.held = held;
    const int first = lw_report_count(work->robot.report);
    const lw_status status =
        lw_regression_create(work->m, &def, &c->regression, work->robot.report);
    return status == LW_OK ? EXIT_GOOD : library_failure(work, first, status);
}

static int read_filter(const command_line *args, lw_filter_def *filter)
{
    int code = args_number(args, OPT_CUTOFF, ARGS_ABOVE_ZERO, 1e6, &filter->cutoff);
    if (code == EXIT_GOOD) {
        code = args_number(args, OPT_PERIOD, ARGS_ABOVE_ZERO, 1e6, &filter->period);
    }
    if (code == EXIT_GOOD) {
        code = args_whole(args, OPT_HARMONICS, 1, 100, &filter->harmonics);
    }
    return code;
}

static int open_log(job *work, const char *path, lw_log *log)
{
    lw_filter_def filter = {0};
    lw_log raw;
    int code = read_filter(work->args, &filter);
    if (code == EXIT_GOOD) {
        code = log_read(work, path, &raw);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    const int first = lw_report_count(work->robot.report);
    const lw_status status = lw_log_condition(work->m, &raw, &filter, log, work->robot.report);
    return status == LW_OK ? EXIT_GOOD : library_failure(work, first, status);
}

// Only the base parameters of the model: without a log.
static int print_base(job *work)
{
    const identification *c = work->context;
    const lw_regression_info *info = lw_regression_describe(c->regression);
    output *out = &work->out;
    json_t *list = out->is_json ? output_array(out) : NULL;
    if (!list) {
        fprintf(out->text, "%d base parameters of %d\n", info->nbase, info->nparameter);
    }
    for (int k = 0; k < info->nbase; ++k) {
        const double *K = info->K + (size_t)k * (size_t)info->nparameter;
        const char *text = info->name[info->column[k]];
        for (int i = 0; i < info->nparameter; ++i) {
            if (K[i] != 0.0 && i != info->column[k]) {
                text = memory_text(work->pool, "%s %c %.9g %s", text, K[i] < 0.0 ? '-' : '+',
                                   fabs(K[i]), info->name[i]);
            }
        }
        if (list) {
            output_put(out, output_item(out, list), "name s, sum s", info->name[info->column[k]],
                       text);
        } else {
            fprintf(out->text, "  %s\n", text);
        }
    }
    if (list) {
        out->json = output_object(out);
        output_put(out, out->json, "base o, count d, structural d", list, info->nbase,
                   info->nstructural);
    }
    return EXIT_GOOD;
}

// --- Results ----------------------------------------------------------------------------------

static void print_parameters(job *work)
{
    const identification *c = work->context;
    const lw_regression_info *info = lw_regression_describe(c->regression);
    output *out = &work->out;
    json_t *list = out->is_json ? output_array(out) : NULL;
    const int width = output_widest(info->name, info->nparameter) + 2;
    if (!list) {
        output_name(out, "base parameter", width > 16 ? width : 16);
        fprintf(out->text, "%14s %14s %10s\n", "value", "sigma", "relative");
    }
    for (int k = 0; k < info->nbase; ++k) {
        const char *name = info->name[info->column[k]];
        const double value = c->estimate.base[k], sigma = c->estimate.sigma[k];
        if (list) {
            output_put(out, output_item(out, list), "name s, value f, sigma f, identifiable o",
                       name, value, sigma, json_true());
            continue;
        }
        output_name(out, name, width > 16 ? width : 16);
        fprintf(out->text, "%14.6g %14.3g %9.1f%%\n", value, sigma, 100.0 * sigma / fabs(value));
    }
    for (int i = 0; i < info->nparameter && list; ++i) {
        bool is_base = info->is_held[i];
        for (int k = 0; k < info->nbase; ++k) {
            is_base = is_base || info->column[k] == i;
        }
        if (!is_base) {
            output_put(out, output_item(out, list), "name s, identifiable o", info->name[i],
                       json_false());
        }
    }
    if (list) {
        output_set(out, out->json, "parameters", list);
    }
}

static void print_errors(job *work)
{
    const identification *c = work->context;
    const lw_model *m = work->m;
    output *out = &work->out;
    json_t *list = out->is_json ? output_array(out) : NULL;
    if (!list) {
        fprintf(out->text, "\nerror of the torques of the %s, RMS:\n",
                args_has(work->args, OPT_VALIDATE) ? "validation log" : "log");
    }
    for (int j = 0; j < m->nv; ++j) {
        const double share = c->size[j] > 0.0 ? c->error[j] / c->size[j] : 0.0;
        if (list) {
            output_put(out, output_item(out, list), "name s, rms f, relative f",
                       m->velocity_name[j], c->error[j], share);
            continue;
        }
        output_name(out, m->velocity_name[j], output_widest(m->velocity_name, m->nv) + 2);
        fprintf(out->text, "%12.4g  %6.2f%% of its own\n", c->error[j], 100.0 * share);
    }
    if (list) {
        output_set(out, out->json, "error", list);
    }
}

static void print_gains(job *work)
{
    const identification *c = work->context;
    const lw_model *m = work->m;
    output *out = &work->out;
    if (!c->estimate.gain) {
        return;
    }
    if (out->is_json) {
        output_put(out, out->json, "gains o, gain_sigma o",
                   output_numbers(out, c->estimate.gain, m->nv),
                   output_numbers(out, c->estimate.gain_sigma, m->nv));
        return;
    }
    fprintf(out->text, "\ndrive gains:\n");
    for (int j = 0; j < m->nv; ++j) {
        output_name(out, m->velocity_name[j], output_widest(m->velocity_name, m->nv) + 2);
        fprintf(out->text, "%12.6g  sigma %.3g\n", c->estimate.gain[j], c->estimate.gain_sigma[j]);
    }
}

// Measured and predicted torque, joint by joint, as a text.
static int draw_torques(job *work, const char **text)
{
    const identification *c = work->context;
    const lw_model *m = work->m;
    const lw_log *log = args_has(work->args, OPT_VALIDATE) ? &c->validation : &c->log;
    double *predicted = job_numbers(work, log->n, m->nv),
           *measured = job_numbers(work, log->n, m->nv);
    const lw_status status = lw_identify_predict(c->regression, &c->estimate, log, predicted);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    plot_panel *panel = memory_get(work->pool, (size_t)m->nv, sizeof *panel);
    for (int j = 0; j < m->nv; ++j) {
        plot_curve *curve = memory_get(work->pool, 2, sizeof *curve);
        const double gain = c->estimate.gain ? c->estimate.gain[j] : 1.0;
        for (int i = 0; i < log->n; ++i) {
            measured[i * m->nv + j] = gain * log->tau[i * m->nv + j];
        }
        curve[0] = (plot_curve){log->t, measured + j, log->n, m->nv, "measured", 0, 0};
        curve[1] = (plot_curve){log->t, predicted + j, log->n, m->nv, "predicted", 1, 1};
        curve[0].stride = curve[1].stride = m->nv;
        panel[j] =
            (plot_panel){.title = memory_text(work->pool, "%s, N m or N", m->velocity_name[j]),
                         .ncurve = 2,
                         .curve = curve};
    }
    // Curves have one stride for both axes: times as often as there are joints.
    double *time = job_numbers(work, log->n, m->nv);
    for (int i = 0; i < log->n * m->nv; ++i) {
        time[i] = log->t[i / m->nv];
    }
    for (int j = 0; j < m->nv; ++j) {
        panel[j].curve[0].x = panel[j].curve[1].x = time + j;
    }
    file_draft draft;
    const int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    plot_draw(draft.to, "measured and predicted torques", "t, s", panel, m->nv);
    return file_end_text(&draft, work->pool, text);
}

// The model with the new parameters as a text.
static int make_model(job *work, char **text, size_t *size)
{
    const identification *c = work->context;
    const char *path = args_value(work->args, OPT_OUTPUT);
    const size_t length = strlen(path);
    const bool is_urdf = length > 5 && strcmp(path + length - 5, ".urdf") == 0;
    const int first = lw_report_count(work->robot.report);
    lw_status status =
        lw_identify_apply(c->regression, &c->estimate, work->robot.mech, work->robot.report);
    if (status == LW_OK) {
        status = lw_save_text(work->robot.mech, is_urdf ? LW_FORMAT_URDF : LW_FORMAT_LINKWORK, text,
                              size, work->robot.report);
    }
    return status == LW_OK ? EXIT_GOOD : library_failure(work, first, status);
}

// Both files or none.
static int write_files(job *work)
{
    const command_line *args = work->args;
    file_text file[2];
    int n = 0;
    char *model = NULL;
    const char *plot = NULL;
    size_t size = 0;
    int code = args_has(args, OPT_OUTPUT) ? make_model(work, &model, &size) : EXIT_GOOD;
    if (code == EXIT_GOOD && args_has(args, OPT_PLOT)) {
        code = draw_torques(work, &plot);
    }
    if (model) {
        file[n++] = (file_text){args_value(args, OPT_OUTPUT), model, size};
    }
    if (plot) {
        file[n++] = (file_text){args_value(args, OPT_PLOT), plot, strlen(plot)};
    }
    if (code == EXIT_GOOD) {
        code = files_write(file, n);
    }
    lw_text_free(model);
    return code;
}

static int estimate(job *work)
{
    identification *c = work->context;
    const command_line *args = work->args;
    lw_identify_def def = lw_default_identify_def();
    def.is_robust = args_has(args, OPT_ROBUST);
    def.has_gains = args_has(args, OPT_GAINS);
    def.is_consistent = args_has(args, OPT_OUTPUT);
    def.instruments = args_has(args, OPT_INSTRUMENTS) ? &c->instruments : NULL;
    if (args_number(args, OPT_PRIOR, ARGS_ABOVE_ZERO, 1e12, &def.prior) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (def.instruments && c->instruments.n != c->log.n) {
        return complain(EXIT_INPUT, "the log of instruments has %d samples, the other one %d",
                        c->instruments.n, c->log.n);
    }
    const int first = lw_report_count(work->robot.report);
    const lw_status status =
        lw_identify(c->regression, &c->log, &def, &c->estimate, work->robot.report);
    if (status != LW_OK) {
        return library_failure(work, first, status);
    }
    c->error = job_numbers(work, 2, work->m->nv);
    c->size = c->error + work->m->nv;
    const lw_status checked = lw_identify_error(
        c->regression, &c->estimate, args_has(args, OPT_VALIDATE) ? &c->validation : &c->log,
        c->error, c->size);
    return checked == LW_OK ? EXIT_GOOD
                            : complain(exit_code_of(checked), "%s", lw_status_text(checked));
}

static int run(job *work)
{
    identification *c = work->context;
    const command_line *args = work->args;
    output *out = &work->out;
    use_one_blas_thread();
    int code = open_columns(work);
    if (code != EXIT_GOOD || !args_has(args, OPT_LOG)) {
        return code != EXIT_GOOD ? code : print_base(work);
    }
    code = open_log(work, args_value(args, OPT_LOG), &c->log);
    if (code == EXIT_GOOD && args_has(args, OPT_INSTRUMENTS)) {
        code = open_log(work, args_value(args, OPT_INSTRUMENTS), &c->instruments);
    }
    if (code == EXIT_GOOD && args_has(args, OPT_VALIDATE)) {
        code = open_log(work, args_value(args, OPT_VALIDATE), &c->validation);
    }
    if (code == EXIT_GOOD) {
        code = estimate(work);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    if (out->is_json) {
        out->json = output_object(out);
        output_put(out, out->json, "samples d, condition f, outliers d", c->estimate.nsample,
                   c->estimate.condition, c->estimate.noutlier);
    } else {
        fprintf(out->text, "%d samples, condition number %.3g, %d base parameters\n\n",
                c->estimate.nsample, c->estimate.condition, c->estimate.nbase);
    }
    print_parameters(work);
    print_gains(work);
    print_errors(work);
    return write_files(work);
}

static void end(job *work)
{
    identification *c = work->context;
    lw_regression_destroy(c->regression);
    lw_log_free(&c->log);
    lw_log_free(&c->instruments);
    lw_log_free(&c->validation);
    lw_estimate_free(&c->estimate);
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
typedef char identification;
#endif

const command_def command_identify = {
    .name = "identify",
    .operands = "MODEL",
    .options = OPTIONS(OPT_LOG, OPT_COLUMNS, OPT_HOLD, OPT_CUTOFF, OPT_PERIOD, OPT_HARMONICS,
                       OPT_ROBUST, OPT_INSTRUMENTS, OPT_GAINS, OPT_VALIDATE, OPT_PRIOR, OPT_PLOT,
                       OPT_OUTPUT, OPTIONS_MODEL, OPT_JSON),
    .summary = "masses and friction from measured torques",
    .about =
        "Estimates what joint torques depend on from a log of a motion: CSV or .npy with the "
        "columns t (or time), q.NAME and tau.NAME of every independent coordinate, as 'simulate' "
        "writes "
        "them. Torques distinguish only combinations of the inertial parameters, the base "
        "parameters; without --log these are listed. What is neither estimated nor held keeps the "
        "value of the model.\n\n"
        "Positions and torques are filtered by a low-pass without delay and positions "
        "differentiated; with --period they are a Fourier series. Joints are weighted by their "
        "noise. With -o the parameters of all bodies are made physically consistent, as near to "
        "the model as the measurements leave open, and written as a model.",
    .keys = "samples, condition, outliers, parameters (name, value, sigma, identifiable), gains, "
            "gain_sigma, error (name, rms, relative); without --log base (name, sum), count, "
            "structural",
    .example =
        "identify arm.xml\nidentify arm.xml --log log.csv --columns viscous,coulomb --period 10\n"
        "identify arm.xml --log log.csv --validate other.csv --plot torques.svg -o arm_new.xml",
    .notes = NOTES({OPT_HOLD, "A parameter, or a link or joint with all of its own, that keeps the "
                              "value of the model; may be given more than once."},
                   {OPT_PLOT, "Draws measured and predicted torques over time."},
                   {OPT_OUTPUT, "Writes the model with the new parameters: linkwork XML, or URDF "
                                "where the name ends in .urdf."}),
    .context_size = sizeof(identification),
    .run = run,
    .end = end,
};
