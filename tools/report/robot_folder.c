#include "report/robot_folder.h"

#include <linkwork/control.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/generate.h>

#include "draw/draw_model.h"
#include "report/rules_report.h"
#include "report/self_check_source.h"
#include "report/spec_inputs.h"
#include "support/draft_folder.h"
#include "support/equations.h"
#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 64 };

static const double good_below = 1e-9; ///< of a self-check

/// A folder while it is made.
typedef struct folder {
    job *work;
    lw_spec *spec;
    draft_folder files;
    progress_mode progress;
    char name[MOST_NAME]; ///< as code has it
    int tip;
    unsigned functions;    ///< that code was generated for
    spec_inputs inputs;    ///< symbols of the specification
    char *with_inputs;     ///< text of the code that takes them, or NULL
    char *code, *controls; ///< texts of the generated files; controls for the self-check
    lw_control_numbers control;
    const char *engine;      ///< that was verified and is used
    const char *closed_form; ///< of inverse kinematics: "yes", or why not
    double worst;            ///< of the self-check; NAN where it was not run
    int stage;
} folder;

static void show(folder *f, const char *what)
{
    static const double stages = 6.0;
    progress_show(f->progress, f->stage++ / stages, what);
}

static int put(folder *f, const char *name, const char *text)
{
    return draft_put(&f->files, name, text);
}

static int refuse(lw_status status, const char *what)
{
    return complain(exit_code_of(status), "%s: %s", what, lw_status_text(status));
}

// --- Models and tables ------------------------------------------------------------------------

static int write_models(folder *f)
{
    static const struct {
        lw_format format;
        const char *file;
    } row[2] = {{LW_FORMAT_LINKWORK, "model.xml"}, {LW_FORMAT_URDF, "model.urdf"}};
    int code = EXIT_GOOD;
    show(f, "model");
    for (int i = 0; i < 2 && code == EXIT_GOOD; ++i) {
        char *text = NULL;
        size_t size = 0;
        const lw_status status =
            lw_save_text(f->work->robot.mech, row[i].format, &text, &size, f->work->robot.report);
        code = status == LW_OK ? put(f, row[i].file, text) : refuse(status, row[i].file);
        lw_text_free(text);
    }
    return code;
}

static void print_pose(FILE *to, const char *what, const lw_pose *X)
{
    const lw_quat r = lw_quat_of(&X->R);
    fprintf(to, "%s: position (%.12g, %.12g, %.12g) m, quaternion (%.12g, %.12g, %.12g, %.12g)\n",
            what, X->p.x, X->p.y, X->p.z, r.w, r.x, r.y, r.z);
}

static int write_tables(folder *f)
{
    static const char *const title[2] = {"after Craig: Rx(alpha) Tx(a) Rz(theta) Tz(d)",
                                         "after Paul: Rz(theta) Tz(d) Tx(a) Rx(alpha)"};
    const lw_model *m = f->work->m;
    lw_dh_row *row = memory_get(f->work->pool, LW_DH_MOST, sizeof *row);
    file_draft draft;
    int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    fprintf(draft.to, "Denavit and Hartenberg's parameters of %s, rad and m\n", m->name);
    for (int c = LW_DH_CRAIG; c <= LW_DH_PAUL; ++c) {
        int n = 0;
        lw_pose base, tip;
        const lw_status status =
            lw_dh_table(m, f->tip, (lw_dh_convention)c, LW_DH_MOST, row, &n, &base, &tip);
        if (status != LW_OK) {
            fprintf(draft.to, "\nnone: joints of the chain to %s depend on others\n",
                    m->frame[f->tip].name);
            break;
        }
        fprintf(draft.to, "\n%s\n%-16s %18s %18s %18s %18s\n", title[c], "joint", "alpha", "a",
                "theta", "d");
        for (int i = 0; i < n; ++i) {
            fprintf(draft.to, "%-16s %18.12g %18.12g %18.12g %18.12g  + q in %s\n",
                    m->tree_velocity_name[row[i].dof], row[i].alpha, row[i].a, row[i].theta,
                    row[i].d, row[i].is_prismatic ? "d" : "theta");
        }
        print_pose(draft.to, "frame 0 in the world", &base);
        print_pose(draft.to, "tool in the last frame", &tip);
    }
    const char *text = NULL;
    code = file_end_text(&draft, f->work->pool, &text);
    return code == EXIT_GOOD ? put(f, "dh.txt", text) : code;
}

// --- Equations and code -----------------------------------------------------------------------

static lw_status derive(folder *f, const lw_derive_options *o, lw_derivation **d)
{
    lw_derive_options with = *o;
    lw_report *own = NULL;
    lw_status status = lw_report_create(&own);
    with.functions |= 1u << LW_FUNCTION_INVERSE_KINEMATICS;
    if (status == LW_OK) {
        status = lw_derive(f->work->m, &with, d, own);
    }
    f->closed_form = "yes";
    if (status != LW_OK && status != LW_ERR_MEMORY) {
        const int last = lw_report_count(own) - 1;
        f->closed_form = memory_text(f->work->pool, "no: %s",
                                     last >= 0 ? lw_report_diagnostic(own, last).message
                                               : lw_status_text(status));
        with.functions = o->functions;
        status = lw_derive(f->work->m, &with, d, f->work->robot.report);
    }
    f->functions = with.functions;
    lw_report_destroy(own);
    return status;
}

static int write_equations(folder *f)
{
    static const struct {
        lw_document format;
        const char *file;
    } row[2] = {{LW_DOCUMENT_MARKDOWN, "equations.md"}, {LW_DOCUMENT_LATEX, "equations.tex"}};
    const lw_model *m = f->work->m;
    const char *figure = NULL, *products = lw_spec_get(f->spec, "products");
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    show(f, "equations");
    int code = draw_figure(f->work->pool, m, f->work->d, &figure);
    o.functions =
        1u << LW_FUNCTION_POSES | 1u << LW_FUNCTION_JACOBIAN | 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    o.functions |= equations_are_short(m) ? 1u << LW_FUNCTION_ELEMENTS : 0;
    o.is_symbolic = true;
    o.is_apart = true;
    o.effort = 0;
    o.frame = f->tip;
    o.figure = figure;
    o.has_product_integrals = products && strcmp(products, "integral") == 0;
    const lw_status status = code == EXIT_GOOD ? derive(f, &o, &d) : LW_OK;
    if (status != LW_OK) {
        return refuse(status, "cannot derive the equations");
    }
    for (int i = 0; i < 2 && code == EXIT_GOOD; ++i) {
        char *text = NULL;
        const lw_status written = lw_derivation_document(d, row[i].format, &text);
        code = written == LW_OK ? put(f, row[i].file, text) : refuse(written, row[i].file);
        lw_text_free(text);
    }
    lw_derivation_destroy(d);
    return code;
}

static int find_gains(folder *f)
{
    const lw_model *m = f->work->m;
    double *gain = memory_numbers(f->work->pool, 4, m->nv);
    double bandwidth = 5.0, damping = 1.0;
    lw_spec_number(f->spec, "controller.bandwidth", &bandwidth);
    lw_spec_number(f->spec, "controller.damping", &damping);
    f->control = (lw_control_numbers){gain,      gain + m->nv, gain + 2 * m->nv, gain + 3 * m->nv,
                                      bandwidth, damping};
    const double omega = 2.0 * acos(-1.0) * bandwidth;
    lw_status status = lw_controller_gains(m, f->work->d, m->q_reference, LW_CONTROL_PD, omega,
                                           damping, gain, gain + m->nv);
    if (status == LW_OK) {
        status = lw_controller_gains(m, f->work->d, m->q_reference, LW_CONTROL_COMPUTED_TORQUE,
                                     omega, damping, gain + 2 * m->nv, gain + 3 * m->nv);
    }
    return status == LW_OK ? EXIT_GOOD : refuse(status, "gains at the reference configuration");
}

static int write_code(folder *f)
{
    const lw_model *m = f->work->m;
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    lw_generate_options g = lw_default_generate_options();
    show(f, "code");
    o.functions = lw_default_engine_options(m).functions;
    o.effort = 0;
    o.is_apart = true;
    o.frame = f->tip;
    lw_status status = derive(f, &o, &d);
    if (status == LW_ERR_SINGULAR) { // links without mass: everything but forward dynamics
        o.functions &= ~(1u << LW_FUNCTION_FORWARD_DYNAMICS);
        status = derive(f, &o, &d);
    }
    size_t size = 0;
    g.prefix = f->name;
    g.origin = args_again(f->work->args);
    if (status == LW_OK) {
        status = lw_generate(d, &g, &f->code, &size, f->work->robot.report);
    }
    lw_derivation_destroy(d);
    int code = status == LW_OK ? find_gains(f) : refuse(status, "cannot generate code");
    char *text = NULL;
    const char *header = memory_text(f->work->pool, "%s.h", f->name);
    if (code == EXIT_GOOD) {
        code = put(f, header, f->code);
    }
    if (code == EXIT_GOOD) {
        status = lw_generate_controllers(m, &f->control, f->name, header, &text);
        if (status == LW_OK) {
            status = lw_generate_controllers(m, &f->control, f->name, "math.h", &f->controls);
        }
        code = status == LW_OK
                   ? put(f, memory_text(f->work->pool, "%s_controllers.h", f->name), text)
                   : refuse(status, "cannot generate controllers");
    }
    lw_text_free(text);
    return code;
}

// --- Code with inputs -------------------------------------------------------------------------

// The code at other values of its inputs, against the numeric algorithms of the robot that they
// make.
static int try_inputs(folder *f, lw_derivation *d, const lw_derive_options *o)
{
    const lw_model *other = f->inputs.other;
    lw_derivation *changed = NULL;
    lw_data *data = NULL;
    double *q = memory_numbers(f->work->pool, 6, other->nq + other->nv), *v = q + other->nq;
    double *a = v + other->nv, *tau = a + other->nv, *want = tau + other->nv;
    double *got = want + other->nv, worst = 0.0;
    unsigned long long seed = 18;
    lw_derive_options one = *o;
    one.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    lw_status status = lw_derive(other, &one, &changed, NULL);
    const int n = lw_derivation_nsymbol(d);
    double *value = memory_numbers(f->work->pool, n, 1);
    for (int i = 0; i < n && status == LW_OK; ++i) {
        value[i] = lw_derivation_symbol(changed, i).value;
    }
    status = status == LW_OK ? lw_data_create(other, &data) : status;
    for (int k = 0; k < 20 && status == LW_OK; ++k) {
        lw_random_state(other, data, &seed, 0.7, q, v, a, tau);
        status = lw_inverse_dynamics(other, data, q, v, a, NULL, want);
        if (status == LW_OK) {
            status = lw_derivation_run(d, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0.0, value, got);
        }
        double size = 1e-6, error = 0.0;
        for (int i = 0; i < other->nv && status == LW_OK; ++i) {
            size = fmax(size, fabs(want[i]));
            error = fmax(error, fabs(got[i] - want[i]));
        }
        worst = fmax(worst, error / size);
    }
    lw_data_destroy(data);
    lw_derivation_destroy(changed);
    if (status != LW_OK || !(worst < good_below)) {
        return status != LW_OK ? refuse(status, "code with inputs")
                               : complain(EXIT_NUMERIC,
                                          "code with inputs is off by %.3g at other values", worst);
    }
    return EXIT_GOOD;
}

// The same functions with the symbols of the specification as inputs; inverse kinematics where
// they are none of its lengths, or its equations take these.
static int write_code_with_inputs(folder *f)
{
    lw_derivation *d = NULL;
    lw_derive_options o = lw_default_derive_options();
    lw_generate_options g = lw_default_generate_options();
    size_t size = 0;
    int code = spec_inputs_find(f->work->pool, f->spec, f->work->m, &f->inputs);
    if (code != EXIT_GOOD || !f->inputs.list) {
        return code;
    }
    o.functions = f->functions;
    o.inputs = f->inputs.list;
    o.effort = 0;
    o.is_apart = true;
    o.frame = f->tip;
    lw_status status = lw_derive(f->work->m, &o, &d, NULL);
    if (status == LW_ERR_UNSUPPORTED && o.functions & 1u << LW_FUNCTION_INVERSE_KINEMATICS) {
        o.functions &= ~(1u << LW_FUNCTION_INVERSE_KINEMATICS);
        status = lw_derive(f->work->m, &o, &d, f->work->robot.report);
        f->inputs.note = memory_text(f->work->pool, "%s%slengths of inverse kinematics are numbers",
                                     f->inputs.note, *f->inputs.note ? "; " : "");
    }
    g.prefix = memory_text(f->work->pool, "%s_with", f->name);
    g.origin = args_again(f->work->args);
    if (status == LW_OK) {
        status = lw_generate(d, &g, &f->with_inputs, &size, f->work->robot.report);
    }
    code = status == LW_OK ? try_inputs(f, d, &o) : refuse(status, "cannot generate code");
    lw_derivation_destroy(d);
    return code == EXIT_GOOD
               ? put(f, memory_text(f->work->pool, "%s_with_inputs.h", f->name), f->with_inputs)
               : code;
}

// --- Self-check and engines -------------------------------------------------------------------

static int check_code(folder *f)
{
    const check_plan plan = {f->work->m,
                             f->work->d,
                             f->name,
                             f->functions,
                             f->tip,
                             &f->control,
                             f->with_inputs ? memory_text(f->work->pool, "%s_with", f->name)
                                            : NULL};
    const char *source = NULL;
    show(f, "self-check");
    int code = self_check_source(f->work->pool, &plan, &source);
    if (code != EXIT_GOOD) {
        return code;
    }
    const char *program = memory_text(
        f->work->pool,
        "// Compares the code of this folder with numbers of linkwork's numeric algorithms:\n"
        "//     cc -O2 -o self_check self_check.c -lm && ./self_check\n"
        "#include \"%s_controllers.h\"\n%s\n#include <stdio.h>\n%s\nint main(void)\n{\n"
        "    const double worst = linkwork_self_check();\n"
        "    printf(\"largest relative difference %%.3g\\n\", worst);\n"
        "    return worst < 1e-9 ? 0 : 1;\n}\n",
        f->name,
        f->with_inputs ? memory_text(f->work->pool, "#include \"%s_with_inputs.h\"\n", f->name)
                       : "",
        source);
    code = put(f, "self_check.c", program);
    const char *whole = memory_text(f->work->pool, "%s\n%s\n%s\n%s", f->code, f->controls,
                                    f->with_inputs ? f->with_inputs : "", source);
    lw_compiler compiler;
    char cache[1000];
    equations_compiler(&compiler, cache, sizeof cache);
    f->worst = (double)NAN;
    lw_run_self_check(&compiler, whole, &f->worst, f->work->robot.report);
    return code;
}

// The first engine that agrees with the numeric algorithms.
static int choose_engine(folder *f)
{
    lw_engine_options options = lw_default_engine_options(f->work->m);
    lw_report *report = f->work->robot.report;
    lw_verify_options verify = lw_default_verify_options();
    lw_engine *engine[3] = {NULL, NULL, NULL}, *chosen = NULL;
    lw_compiler compiler;
    char cache[1000];
    show(f, "engines");
    equations_compiler(&compiler, cache, sizeof cache);
    options.frame = f->tip;
    options.functions = f->functions & ~(1u << LW_FUNCTION_INVERSE_KINEMATICS);
    verify.nstate = 20;
    lw_status status = lw_engine_generated(f->work->m, &options, &compiler, &engine[0], report);
    if (status == LW_OK) {
        status = lw_engine_symbolic(f->work->m, &options, &engine[1], report);
    }
    if (status == LW_OK) {
        status = lw_engine_numeric(f->work->m, &options, &engine[2]);
    }
    // Code that failed its own check is not offered.
    const bool is_bad = !isnan(f->worst) && !(f->worst < good_below);
    if (status == LW_OK) {
        status = lw_engine_fallback(is_bad ? 2 : 3, engine + is_bad, &verify, &chosen, report);
    }
    f->engine = status == LW_OK ? memory_text(f->work->pool, "%s", lw_engine_name(chosen)) : "";
    lw_engine_destroy(chosen);
    for (int i = 0; i < 3; ++i) {
        lw_engine_destroy(engine[i]);
    }
    return status == LW_OK ? EXIT_GOOD : refuse(status, "engines");
}

// --- Run file, picture, report ----------------------------------------------------------------

// A fifth of the way to the upper limit of each joint and back.
static const char *run_text(const folder *f, double duration)
{
    const lw_model *m = f->work->m;
    char *to = memory_text(f->work->pool, "%s", ""), *back = to;
    double period = 0.001;
    const char *law = lw_spec_get(f->spec, "controller.law");
    lw_spec_number(f->spec, "controller.period", &period);
    for (int k = 0; k < m->nv; ++k) {
        const double q = m->q_reference[k], upper = m->dof[m->v_tree[k]].upper;
        const double way = isfinite(upper) ? fmin(0.2 * (upper - q), 0.5) : 0.2;
        char a[NUMBER_SIZE], b[NUMBER_SIZE];
        to = memory_text(f->work->pool, "%s%s%s", to, k > 0 ? " " : "", number_text(q + way, a));
        back = memory_text(f->work->pool, "%s%s%s", back, k > 0 ? " " : "", number_text(q, b));
    }
    return memory_text(f->work->pool,
                       "<!-- a motion of model.xml for linkwork simulate -->\n"
                       "<run version=\"1\" name=\"%s\">\n"
                       "  <motion>\n    <to q=\"%s\" duration=\"%.9g\"/>\n"
                       "    <wait duration=\"0.2\"/>\n    <to q=\"%s\" duration=\"%.9g\"/>\n"
                       "  </motion>\n  <controller law=\"%s\" frequency=\"%.9g\" "
                       "damping=\"%.9g\" period=\"%.9g\"/>\n</run>\n",
                       f->name, to, duration, back, duration, law ? law : "computed-torque",
                       f->control.bandwidth, f->control.damping, period);
}

// As quick as the limits allow, of a few durations.
static int write_run(folder *f)
{
    static const double duration[] = {1.0, 2.0, 5.0, 20.0, 100.0};
    show(f, "run file and picture");
    for (size_t i = 0; i < sizeof duration / sizeof *duration; ++i) {
        const char *text = run_text(f, duration[i]);
        lw_run *run = NULL;
        const lw_status status =
            lw_run_load_text("run.xml", text, strlen(text), f->work->m, &run, NULL);
        lw_run_destroy(run);
        if (status == LW_OK) {
            return put(f, "run.xml", text);
        }
    }
    return complain(EXIT_NUMERIC, "no motion keeps the limits of the joints");
}

static int write_picture(folder *f)
{
    const draw_options look = {.width = 900,
                               .height = 720,
                               .show = LW_SCENE_SHOW_TIPS | LW_SCENE_SHOW_COORDINATES,
                               .what = "reference configuration"};
    return draw_model(f->work->pool, f->work->m, f->work->d, f->work->m->q_reference, &look,
                      draft_file(&f->files, "picture.svg"));
}

static int write_report(folder *f)
{
    output out = {.pool = f->work->pool};
    file_draft draft;
    const char *text = NULL;
    int code = file_begin(&draft);
    if (code != EXIT_GOOD) {
        return code;
    }
    out.text = draft.to;
    fprintf(draft.to, "%s\n\ninverse kinematics as code: %s\nengine: %s\n", f->work->m->name,
            f->closed_form, f->engine);
    if (isnan(f->worst)) {
        fputs("self-check: not run, there is no compiler\n\n", draft.to);
    } else {
        fprintf(draft.to, "self-check: largest relative difference %.3g, %s\n\n", f->worst,
                f->worst < good_below ? "good" : "FAILED");
    }
    if (f->inputs.list || *f->inputs.note) {
        fprintf(draft.to, "inputs of the code: %s\n%s%s\n",
                f->inputs.list ? f->inputs.list : "none", f->inputs.note,
                *f->inputs.note ? "\n" : "");
    }
    rules_report(&out, f->spec);
    for (int i = 0; i < lw_report_count(f->work->robot.report); ++i) {
        const lw_diagnostic d = lw_report_diagnostic(f->work->robot.report, i);
        if (d.code == LW_DIAG_LOST || d.code == LW_DIAG_ROUNDED) {
            fprintf(draft.to, "model.urdf: %s\n", d.message);
        }
    }
    code = file_end_text(&draft, f->work->pool, &text);
    return code == EXIT_GOOD ? put(f, "report.txt", text) : code;
}

// --- The folder -------------------------------------------------------------------------------

static void print_result(const folder *f, const char *path)
{
    output *out = &f->work->out;
    if (out->json) {
        output_put(out, out->json, "files o, engine s, self_check n, inverse_kinematics s",
                   output_names(out, f->files.file, f->files.nfile), f->engine, f->worst,
                   f->closed_form);
        output_put(out, out->json, "inputs s, inputs_note s", f->inputs.list ? f->inputs.list : "",
                   f->inputs.note);
        return;
    }
    fprintf(out->text, "%s:", path);
    for (int i = 0; i < f->files.nfile; ++i) {
        fprintf(out->text, " %s", f->files.file[i]);
    }
    fprintf(out->text, "\ninverse kinematics as code: %s\nengine: %s\n", f->closed_form, f->engine);
    if (f->inputs.list || *f->inputs.note) {
        fprintf(out->text, "inputs of the code: %s%s%s\n", f->inputs.list ? f->inputs.list : "none",
                *f->inputs.note ? "; " : "", f->inputs.note);
    }
    if (isnan(f->worst)) {
        fputs("self-check: not run, there is no compiler\n", out->text);
    } else {
        fprintf(out->text, "self-check: largest relative difference %.3g\n", f->worst);
    }
}

int robot_folder_write(job *work, lw_spec *spec, const char *path)
{
    static int (*const stage[])(folder *) = {
        write_models, write_tables,  write_equations, write_code,    write_code_with_inputs,
        check_code,   choose_engine, write_run,       write_picture, write_report};
    folder f = {.work = work, .spec = spec, .tip = robot_tip(work->m)};
    const int tool = lw_find_frame(work->m, "tool");
    f.tip = tool >= 0 ? tool : f.tip;
    lw_identifier(work->m->name, f.name, sizeof f.name);
    int code = progress_open(work->args, &f.progress);
    code = code == EXIT_GOOD ? draft_begin(&f.files, work->pool, path) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    for (size_t i = 0; i < sizeof stage / sizeof *stage && code == EXIT_GOOD; ++i) {
        code = stage[i](&f);
    }
    progress_show(f.progress, 1.0, code == EXIT_GOOD ? "done" : "failed");
    progress_clear(f.progress);
    code = draft_end(&f.files, code);
    if (code == EXIT_GOOD) {
        print_result(&f, path);
    }
    lw_text_free(f.code);
    lw_text_free(f.controls);
    lw_text_free(f.with_inputs);
    lw_model_destroy(f.inputs.other);
    return code;
}
