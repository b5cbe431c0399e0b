// linkwork calibrate: the geometry of a mechanism from measured poses, positions or contacts.

#include "commands/commands.h"
#include "report/table.h"
#include "support/job.h"
#include "support/message.h"

#ifdef LINKWORK_HAS_IDENTIFY
#include "support/blas.h"
#include "support/log_file.h"

#include <linkwork/identify.h>

#include <math.h>
#include <string.h>

typedef struct calibrating {
    lw_calibrate_def def;
    lw_compile_options options;
    lw_calibration found;
    double unseen[2];
} calibrating;

static const char *const pose_columns[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

// The columns of the measurements that a kind reads; a distance has one of its own name.
static int value_columns(lw_measurement kind, const char *const **name)
{
    static const char *const distance[] = {"distance"};
    *name = kind == LW_MEASURE_DISTANCE ? distance : pose_columns;
    return kind == LW_MEASURE_POSE       ? 7
           : kind == LW_MEASURE_POSITION ? 3
           : kind == LW_MEASURE_DISTANCE ? 1
                                         : 0;
}

static int missing_column(const char *path, const char *name)
{
    return complain(EXIT_INPUT, "%s:1:1: there is no column \"%s\"", path, name);
}

// Configurations and measurements of a file; what is not measured is left null.
static int read_measurements(const job *work, const char *path, lw_calibrate_def *def)
{
    const lw_model *m = work->m;
    const char *const *value;
    const int nvalue = value_columns(def->kind, &value);
    table t;
    int code = table_read(&t, work->pool, path);
    if (code != EXIT_GOOD) {
        return code;
    }
    double *q = memory_numbers(work->pool, t.nrow + 1, m->nq);
    double *measured = memory_numbers(work->pool, t.nrow + 1, nvalue + 1);
    for (int k = 0; k < m->nq + nvalue && code == EXIT_GOOD; ++k) {
        const char *name = k < m->nq ? m->position_name[k] : value[k - m->nq];
        int column = table_column(&t, name);
        if (column < 0 && k < m->nq) {
            column = table_column(&t, memory_text(work->pool, "q.%s", name));
        }
        if (column < 0) {
            code = missing_column(path, name);
        }
        for (int i = 0; i < t.nrow && code == EXIT_GOOD; ++i) {
            const double x = t.value[(size_t)i * (size_t)t.ncolumn + (size_t)column];
            if (fabs(x) > (k < m->nq ? 25.0 : 1000.0)) {
                code = complain(EXIT_INPUT, "%s:%d: %s is %g: positions are in radians and metres",
                                path, i + 2, name, x);
            }
            double *to = k < m->nq ? &q[i * m->nq + k] : &measured[i * nvalue + k - m->nq];
            *to = x;
        }
    }
    for (int i = 0; i < t.nrow && code == EXIT_GOOD && def->kind == LW_MEASURE_POSE; ++i) {
        const double *quat = measured + i * 7 + 3;
        const double length =
            sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
        if (fabs(length - 1.0) > 1e-3) {
            code = complain(EXIT_INPUT, "%s:%d: the quaternion has length %g, must be 1", path,
                            i + 2, length);
        }
    }
    if (code == EXIT_GOOD && t.nrow == 0) {
        code = complain(EXIT_INPUT, "%s: there are no measurements", path);
    }
    def->n = t.nrow;
    def->q = q;
    def->measured = nvalue > 0 ? measured : NULL;
    table_free(&t);
    return code;
}

static int read_unknowns(job *work, lw_calibrate_def *def)
{
    static const char *const word[] = {"base", "tool", "offsets", "compliance"};
    bool *const flag[] = {&def->has_base, &def->has_tool, &def->has_offsets, &def->has_compliance};
    const command_line *args = work->args;
    int total = 0;
    for (int i = 0; i < args_count(args, OPT_PARAMETERS); ++i) {
        total += (int)strlen(args_value_at(args, OPT_PARAMETERS, i)) + 1;
    }
    const char **name = memory_get(work->pool, (size_t)total + 1, sizeof *name);
    for (int i = 0; i < args_count(args, OPT_PARAMETERS); ++i) {
        int count;
        char **item = memory_split(work->pool, args_value_at(args, OPT_PARAMETERS, i), ',', &count);
        for (int k = 0; k < count; ++k) {
            int which = 0;
            while (which < 4 && strcmp(item[k], word[which]) != 0) {
                ++which;
            }
            if (which < 4) {
                *flag[which] = true;
            } else {
                name[def->nparameter++] = item[k];
            }
        }
    }
    def->parameter = name;
    if (def->nparameter == 0 && args_has(args, OPT_PARAMETERS)) {
        def->nparameter = -1; // base, tool and the like alone
    }
    return EXIT_GOOD;
}

static int read_known(const command_line *args, lw_calibrate_def *def)
{
    const char *text = args_value(args, OPT_POSITION);
    if (!text) {
        return EXIT_GOOD;
    }
    int count;
    char **item = memory_split(args->pool, text, ',', &count);
    double *const to[3] = {&def->known.x, &def->known.y, &def->known.z};
    for (int k = 0; k < 3; ++k) {
        if (count != 3 || !lw_parse_number(item[k], strlen(item[k]), to[k])) {
            return complain(EXIT_USAGE, "--position: \"%s\" is not x,y,z", text);
        }
    }
    return EXIT_GOOD;
}

static int read_options(job *work)
{
    static const char *const kind[] = {"pose", "position", "distance", "plane", "point", NULL};
    calibrating *c = work->context;
    const command_line *args = work->args;
    const int chosen = args_choice(args, OPT_MEASURED, kind);
    if (chosen < 0) {
        return EXIT_USAGE;
    }
    if (!args_has(args, OPT_FRAME) || !args_has(args, OPT_LOG)) {
        return complain(EXIT_USAGE, "calibrate needs --frame and --log");
    }
    const int frame = robot_find_frame(work->m, args_value(args, OPT_FRAME));
    if (frame < 0) {
        return EXIT_USAGE;
    }
    c->def = lw_default_calibrate_def((lw_measurement)chosen, work->m->frame[frame].name);
    int code = args_number(args, OPT_NOISE, ARGS_ABOVE_ZERO, 1.0, &c->def.sigma_length);
    c->def.sigma_angle = c->def.sigma_length;
    code = code == EXIT_GOOD ? read_known(args, &c->def) : code;
    return code == EXIT_GOOD ? read_unknowns(work, &c->def) : code;
}

static void print_text(job *work)
{
    const calibrating *c = work->context;
    const lw_calibration *f = &c->found;
    FILE *text = work->out.text;
    const bool has_angle = c->def.kind == LW_MEASURE_POSE;
    fprintf(text,
            "%d measurements, %d unknowns, of which %d combinations are identifiable; "
            "condition number %.3g\n\n",
            c->def.n, f->n, f->rank, f->condition);
    int width = 12;
    for (int i = 0; i < f->n; ++i) {
        width =
            output_width(f->parameter[i].name) > width ? output_width(f->parameter[i].name) : width;
    }
    for (int i = 0; i < f->n; ++i) {
        const lw_calibrated *p = &f->parameter[i];
        output_name(&work->out, p->name, width + 2);
        fprintf(text, "%13.7f -> %13.7f  ", p->nominal, p->value);
        if (p->is_identifiable) {
            fprintf(text, "sigma %.2g\n", p->sigma);
        } else {
            fprintf(text, "not identifiable alone\n");
        }
    }
    for (int i = 0; i < f->nnull; ++i) {
        fprintf(text, "%s%s\n", i == 0 ? "\n" : "", f->null[i]);
    }
    fprintf(text, "\nRMS error before: %.6g m", f->before[0]);
    fprintf(text, has_angle ? ", %.6g rad\n" : "\n", f->before[1]);
    fprintf(text, "RMS error after:  %.6g m", f->after[0]);
    fprintf(text, has_angle ? ", %.6g rad\n" : "\n", f->after[1]);
    if (args_has(work->args, OPT_VALIDATE)) {
        fprintf(text, "on other poses:   %.6g m", c->unseen[0]);
        fprintf(text, has_angle ? ", %.6g rad\n" : "\n", c->unseen[1]);
    }
}

static void print_json(job *work)
{
    const calibrating *c = work->context;
    const lw_calibration *f = &c->found;
    output *out = &work->out;
    json_t *list = output_array(out), *groups = output_array(out), *error = output_object(out);
    for (int i = 0; i < f->n; ++i) {
        const lw_calibrated *p = &f->parameter[i];
        output_put(out, output_item(out, list),
                   "name s, nominal f, value f, sigma g, identifiable o", p->name, p->nominal,
                   p->value, p->sigma, p->is_identifiable ? json_true() : json_false());
    }
    for (int i = 0; i < f->nnull; ++i) {
        output_append(out, groups, output_text(out, f->null[i]));
    }
    output_put(out, error, "before o, after o", output_numbers(out, f->before, 2),
               output_numbers(out, f->after, 2));
    if (args_has(work->args, OPT_VALIDATE)) {
        output_set(out, error, "unseen", output_numbers(out, c->unseen, 2));
    }
    out->json = output_object(out);
    output_put(out, out->json, "parameters o, not_separable o, rank d, error o, iterations d", list,
               groups, f->rank, error, f->iterations);
}

static int write_model(job *work, int first)
{
    const char *path = args_value(work->args, OPT_OUTPUT);
    const size_t length = strlen(path);
    const bool is_urdf = length > 5 && strcmp(path + length - 5, ".urdf") == 0;
    const lw_status status = lw_save_file(
        work->robot.mech, is_urdf ? LW_FORMAT_URDF : LW_FORMAT_LINKWORK, path, work->robot.report);
    return status == LW_OK ? EXIT_GOOD : library_failure(work, first, status);
}

static int run(job *work)
{
    calibrating *c = work->context;
    const command_line *args = work->args;
    use_one_blas_thread();
    int code = read_options(work);
    if (code == EXIT_GOOD) {
        code = read_measurements(work, args_value(args, OPT_LOG), &c->def);
    }
    lw_calibrate_def other = c->def;
    if (code == EXIT_GOOD && args_has(args, OPT_VALIDATE)) {
        code = read_measurements(work, args_value(args, OPT_VALIDATE), &other);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    c->options = robot_options(&work->robot, args);
    const int first = lw_report_count(work->robot.report);
    lw_status status =
        lw_calibrate(work->robot.mech, &c->options, &c->def, &c->found, work->robot.report);
    if (status == LW_OK && args_has(args, OPT_VALIDATE)) {
        status = lw_calibration_error(work->robot.mech, &c->options, &other, &c->found, c->unseen);
    }
    if (status != LW_OK) {
        return library_failure(work, first, status);
    }
    if (work->out.is_json) {
        print_json(work);
    } else {
        print_text(work);
    }
    return args_has(args, OPT_OUTPUT) ? write_model(work, first) : EXIT_GOOD;
}

static void end(job *work)
{
    lw_calibration_free(&((calibrating *)work->context)->found);
}
#else
static int run(job *work)
{
    (void)work;
    return complain(EXIT_INPUT, "this build has no calibration: LAPACKE was not found");
}
static void end(job *work)
{
    (void)work;
}
typedef char calibrating;
#endif

const command_def command_calibrate = {
    .name = "calibrate",
    .options = OPTIONS(OPT_FRAME, OPT_LOG, OPT_MEASURED, OPT_PARAMETERS, OPT_POSITION, OPT_NOISE,
                       OPT_VALIDATE, OPT_OUTPUT, OPTIONS_MODEL, OPT_JSON),
    .summary = "geometry from measured poses, positions or contacts",
    .about =
        "Finds the placements of joints, or other kinematic parameters, from measurements of a "
        "frame: a table, CSV or .npy, with a column for each coordinate, and x, y, z, qw, qx, "
        "qy, qz (poses), x, y, z (positions) or distance. Combinations that the measurements "
        "cannot distinguish are named, and stay as the model has them.",
    .keys = "parameters (name, nominal, value, sigma, identifiable), not_separable, rank, error "
            "(before, after, unseen: position in m, orientation in rad), iterations",
    .example = "calibrate arm.urdf --frame tool0 --log poses.csv -o arm_new.xml\n"
               "calibrate arm.urdf --frame tool0 --log touch.csv --measured plane",
    .notes = NOTES(
        {OPT_FRAME, "The frame that is measured."}, {OPT_LOG, "The measurements, CSV or .npy."},
        {OPT_PARAMETERS,
         "What is unknown: kinematic parameters (JOINT.before.x, ROD.length; JOINT for all of it), "
         "base (pose of the measuring device), tool (placement of the frame), offsets and "
         "compliance (of every joint). Default: the placements of all joints that carry the "
         "frame."},
        {OPT_POSITION, "The point of distances, or about the normal of a plane. Default: 0,0,0 and "
                       "0,0,1."},
        {OPT_VALIDATE, "Other measurements, which are not used for the fit: their error."},
        {OPT_OUTPUT, "Writes the calibrated model: linkwork XML, or URDF where the name ends in "
                     ".urdf."}),
    .context_size = sizeof(calibrating),
    .run = run,
    .end = end,
};
