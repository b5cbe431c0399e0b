// From a derivation to what an emitter writes.

#include "../sym/derivation.h"
#include "../sym/inverse_kinematics.h"
#include "emit.h"

#include "../base/report.h"
#include "../math/largest.h"
#include "../math/wide.h"
#include "../model/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 16 };

lw_generate_options lw_default_generate_options(void)
{
    return (lw_generate_options){.lanes = 1, .sincos = LW_SINCOS_INLINE};
}

/// What a function computes, and which of v, a, t (for tau) and X it reads.
static const struct {
    const char *text, *reads;
} abouts[LW_FUNCTION_COUNT] = {
    [LW_FUNCTION_POSES] =
        {"Poses of all frames in the world: for each a rotation, row by row, then "
         "a position (m).",
         ""},
    [LW_FUNCTION_JACOBIAN] = {"Jacobian of a frame, row by row: angular velocity, then velocity of "
                              "its origin, world axes.",
                              ""},
    [LW_FUNCTION_INVERSE_DYNAMICS] = {"Joint forces (N, N m) that give the accelerations a.", "va"},
    [LW_FUNCTION_MASS_MATRIX] = {"Mass matrix, row by row (kg, kg m, kg m^2).", ""},
    [LW_FUNCTION_CORIOLIS_MATRIX] = {"Coriolis matrix, row by row: C v are the velocity forces.",
                                     "v"},
    [LW_FUNCTION_CHRISTOFFEL] = {"Christoffel form: velocity force i is the sum of B[i,k,l] v[k] "
                                 "v[l].",
                                 ""},
    [LW_FUNCTION_GRAVITY] = {"Joint forces (N, N m) that balance gravity.", ""},
    [LW_FUNCTION_FORWARD_DYNAMICS] = {"Accelerations that the joint forces tau (N, N m) cause.",
                                      "vt"},
    [LW_FUNCTION_ENERGY] = {"Kinetic and potential energy (J).", "v"},
    [LW_FUNCTION_REGRESSOR] = {"Regressor, row by row: Y times the inertial parameters are the "
                               "joint forces.",
                               "va"},
    [LW_FUNCTION_ELEMENTS] = {"Upper half of H, different elements of the Christoffel form, and "
                              "gravity forces.",
                              ""},
    [LW_FUNCTION_LOADS] = {"Generalised forces (N, N m) of the loads.", ""},
    [LW_FUNCTION_INVERSE_KINEMATICS] = {"Solutions for pose X (rotation by rows, then position): "
                                        "rows of q, then 1 where real, 0 where not.",
                                        "X"},
    [LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES] = {"Derivatives of the joint forces by q (along "
                                                  "unit velocities: nv columns), v and a: three "
                                                  "matrices, row by row; the last is M.",
                                                  "va"},
    [LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES] = {"Derivatives of the accelerations by q (along "
                                                  "unit velocities: nv columns), v and tau: three "
                                                  "matrices, row by row.",
                                                  "vt"},
    [LW_FUNCTION_JACOBIAN_RATE] = {"Rate of the Jacobian of a frame, row by row.", "v"},
    [LW_FUNCTION_PARAMETER_DERIVATIVES] = {"Derivatives of the joint forces by the parameters p: a "
                                           "row for each joint, a column for each parameter.",
                                           "va"},
    [LW_FUNCTION_INVERSE_MASS_MATRIX] = {"Inverse of the mass matrix, row by row.", ""},
};

static bool reads(lw_function function, char what)
{
    return strchr(abouts[function].reads, what) != NULL;
}

/// All that the source borrows.
typedef struct job {
    lw_derivation *derivation;
    const lw_model *m;
    lwi_arena arena;
    lwi_text options, about;
    lwi_emit_source source;
    lwi_emit_function function[LW_FUNCTION_COUNT];
    lwi_emit_result result[LW_FUNCTION_COUNT];
    double *q, *v, *a, *tau, *pose;
} job;

// Twelve digits of a number of this size are enough to check with, and the same on every computer.
static double shortened(double x, double size)
{
    double unit = 1;
    for (; size < 1e12 && unit < 1e300; size *= 10) {
        unit *= 10;
    }
    const double y = round(x * unit) / unit;
    return y == 0 || !isfinite(y) ? 0 : y;
}

static double *numbers(job *j, int n)
{
    return lwi_arena_take(&j->arena, (size_t)n + 1, sizeof(double));
}

// --- Known answers ----------------------------------------------------------------------------

// The pose of the frame that inverse kinematics is of.
static bool make_pose(job *j)
{
    j->pose = numbers(j, 12);
    if (!j->pose || lwi_pose_of_frame(j->m, j->derivation->options.frame, j->q, j->pose) != LW_OK) {
        return false;
    }
    for (int i = 0; i < 12; ++i) {
        j->pose[i] = shortened(j->pose[i], 1);
    }
    j->source.pose = j->pose;
    return true;
}

// A state a little away from the reference, in numbers of few digits.
static bool make_state(job *j, double step)
{
    const lw_model *m = j->m;
    double *sine = numbers(j, m->nq), *cosine = numbers(j, m->nq);
    j->q = numbers(j, m->nq);
    j->v = numbers(j, m->nv);
    j->a = numbers(j, m->nv);
    j->tau = numbers(j, m->nv);
    if (!sine || !cosine || !j->q || !j->v || !j->a || !j->tau) {
        return false;
    }
    for (int i = 0; i < m->nq; ++i) {
        j->q[i] = m->q_reference[i] + step * (1 + i % 3);
        lwi_rounded_sincos(j->q[i], &sine[i], &cosine[i]);
    }
    for (int i = 0; i < m->nv; ++i) {
        j->v[i] = 0.5 + 0.25 * (i % 3);
        j->a[i] = 1.5 - 0.5 * (i % 4);
        j->tau[i] = 2.0 - 0.75 * (i % 3);
    }
    if (lwi_derivation_tape(j->derivation, LW_FUNCTION_INVERSE_KINEMATICS) && !make_pose(j)) {
        return false;
    }
    j->source.q = j->q;
    j->source.v = j->v;
    j->source.a = j->a;
    j->source.tau = j->tau;
    for (int i = 0; i < m->nq; ++i) {
        sine[i] = shortened(sine[i], 1);
        cosine[i] = shortened(cosine[i], 1);
    }
    j->source.sine = sine;
    j->source.cosine = cosine;
    return true;
}

// Below which numbers of a function are nothing but rounding. Forces and inertias grow with mass
// and length; what else there is has ones among it.
static double least_size(const lw_model *m, lw_function function)
{
    static const double share = 1e-4;
    double reach = 0;
    if (function == LW_FUNCTION_POSES || function == LW_FUNCTION_JACOBIAN ||
        function == LW_FUNCTION_JACOBIAN_RATE || function == LW_FUNCTION_REGRESSOR ||
        function == LW_FUNCTION_FORWARD_DYNAMICS ||
        function == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES ||
        function == LW_FUNCTION_INVERSE_MASS_MATRIX || function == LW_FUNCTION_INVERSE_KINEMATICS) {
        return 1;
    }
    for (int i = 0; i < m->nbody; ++i) {
        const lw_vec3 p = m->X_PJ[i].p, h = m->inertia[i].first_moment;
        reach = fmax(reach, m->mass * fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
        reach = fmax(reach, fmax(fabs(h.x), fmax(fabs(h.y), fabs(h.z))));
    }
    return share * reach;
}

// A power of ten above all numbers of an answer, so that errors are relative to the largest of
// them: those of a mechanism of milligrams must count too.
static double scale_of(const double *want, int n, double least)
{
    static const double smallest = 1e-24; // whose twelfth digit is within a float
    const double size = fmax(fmax(least, smallest), lwi_largest(want, n));
    double scale = smallest;
    while (scale < size && scale < 1e300) {
        scale *= 10;
    }
    return shortened(scale, scale);
}

static lw_status answer(job *j, lw_function function, lwi_emit_result *r)
{
    double *want = numbers(j, r->size);
    if (!want) {
        return LW_ERR_MEMORY;
    }
    const double *a = reads(function, 't') ? j->tau : j->a;
    const double *q = reads(function, 'X') ? j->pose : j->q;
    const lw_status status =
        lw_derivation_run(j->derivation, function, q, j->v, a, 0.5, NULL, want);
    r->scale = scale_of(want, r->size, least_size(j->m, function));
    for (int i = 0; i < r->size; ++i) {
        want[i] = shortened(want[i], r->scale);
    }
    r->want = want;
    return status;
}

// Away from the reference; nearer where a loop does not reach, and at last the reference itself.
static lw_status answer_all(job *j)
{
    static const double steps[] = {0.125, 0.015625, 0};
    lw_status status = LW_OK;
    for (int k = 0; k < 3; ++k) {
        if (!make_state(j, steps[k])) {
            return LW_ERR_MEMORY;
        }
        status = LW_OK;
        int n = 0;
        for (int i = 0; i < LW_FUNCTION_COUNT && status == LW_OK; ++i) {
            if (lwi_derivation_tape(j->derivation, (lw_function)i)) {
                status = answer(j, (lw_function)i, &j->result[n++]);
            }
        }
        if (status == LW_OK || status == LW_ERR_MEMORY) {
            break;
        }
    }
    return status;
}

// --- Source -----------------------------------------------------------------------------------

static lwi_counts counts_of(lw_counts c)
{
    return (lwi_counts){c.mul, c.add, c.div, c.sqrt, c.sincos, c.other};
}

static void describe(job *j, const lw_generate_options *options)
{
    const lw_derive_options *derived = &j->derivation->options;
    static const char *const cost[] = {"operations", "products", "instructions"};
    lwi_text *out = &j->options;
    lwi_text_format(out, "%s%s%s, cost %s, effort %d%s",
                    derived->is_symbolic ? "symbolic parameters" : "numbers folded in",
                    derived->inputs ? ", inputs " : "", derived->inputs ? derived->inputs : "",
                    cost[derived->cost], derived->effort,
                    derived->is_ideal ? ", ideal joints" : "");
    if (derived->rounding > 0.0) {
        lwi_text_add(out, ", rounding ");
        lwi_emit_number(out, derived->rounding, "");
    }
    lwi_text_format(out, "%s%s",
                    derived->is_sincos_input ? ", sines and cosines as inputs"
                    : options->sincos == LW_SINCOS_INLINE && options->language == LW_LANGUAGE_C
                        ? ", own sines and cosines"
                        : "",
                    options->real == LW_REAL_FLOAT ? ", float" : ", double");
    lwi_text_format(out, options->lanes > 1 ? ", %d states per call" : "", options->lanes);
}

// All results of one tape as one function, which must be the first.
static void join(job *j, int n)
{
    lwi_emit_function *all = &j->function[0];
    all->nresult = n;
    for (int i = 1; i < n; ++i) {
        all->reads_v = all->reads_v || j->function[i].reads_v;
        all->reads_a = all->reads_a || j->function[i].reads_a;
        all->reads_tau = all->reads_tau || j->function[i].reads_tau;
    }
    all->name = "all";
}

// What float cannot see is left out, unless it shall stay.
static lw_status round_functions(job *j)
{
    for (int i = 0; i < j->source.nfunction; ++i) {
        lwi_tape *tape = lwi_arena_take(&j->arena, 1, sizeof *tape);
        if (!tape || lwi_emit_round(&j->arena, j->function[i].tape, tape) != LW_OK) {
            return LW_ERR_MEMORY;
        }
        j->function[i].tape = tape;
        j->function[i].counts = lwi_tape_counts(tape);
    }
    return LW_OK;
}

// Returns how many there are.
static int collect_functions(job *j, const lw_generate_options *options)
{
    int n = 0;
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        const lw_function function = (lw_function)i;
        const lwi_tape *tape = lwi_derivation_tape(j->derivation, function);
        if (tape) {
            j->result[n] = (lwi_emit_result){.name = lw_function_result(function),
                                             .about = abouts[i].text,
                                             .size = lw_derivation_size(j->derivation, function)};
            j->function[n] = (lwi_emit_function){
                .name = lw_function_name(function),
                .nresult = 1,
                .result = &j->result[n],
                .reads_v = reads(function, 'v'),
                .reads_a = reads(function, 'a'),
                .reads_tau = reads(function, 't'),
                .reads_pose = reads(function, 'X'),
                .counts = counts_of(lw_derivation_counts(j->derivation, function)),
                .tape = tape};
            ++n;
        }
    }
    if (options->is_joined && n > 1) {
        join(j, n);
        n = 1;
    }
    return n;
}

// The unit of a degree of freedom that is a joint's only one, by its name.
static const char *unit_of(const lw_model *m, const char *name, bool is_rate)
{
    for (int i = 0; i < m->nbody; ++i) {
        const int v = m->v_start[i];
        if (m->v_start[i + 1] == v + 1 && strcmp(m->tree_velocity_name[v], name) == 0) {
            const bool slides = m->carrier[i] == LW_TREE_PRISMATIC;
            return slides ? (is_rate ? "m/s" : "m") : (is_rate ? "rad/s" : "rad");
        }
    }
    return "";
}

static lw_status find_units(job *j)
{
    const lw_model *m = j->m;
    const char **q = lwi_arena_take(&j->arena, (size_t)m->nq + 1, sizeof *q);
    const char **v = lwi_arena_take(&j->arena, (size_t)m->nv + 1, sizeof *v);
    if (!q || !v) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < m->nq; ++i) {
        q[i] = unit_of(m, m->position_name[i], false);
    }
    for (int i = 0; i < m->nv; ++i) {
        v[i] = unit_of(m, m->velocity_name[i], true);
    }
    j->source.position_unit = q;
    j->source.velocity_unit = v;
    return LW_OK;
}

static void identify_model(job *j)
{
    const double gravity[3] = {j->m->gravity.x, j->m->gravity.y, j->m->gravity.z};
    for (int k = 0; k < 3; ++k) {
        lwi_text_add(&j->about, k > 0 ? ", " : "Gravity (");
        lwi_text_add_number(&j->about, gravity[k]);
    }
    lwi_text_add(&j->about, ") m/s^2, mass ");
    lwi_text_add_number(&j->about, shortened(j->m->mass, j->m->mass));
    lwi_text_add(&j->about, " kg.");
}

// What a parameter is, and how its axes stand in the frame of the link.
static const char *about_symbol(job *j, const lw_symbol_info *symbol)
{
    const size_t capacity = strlen(symbol->meaning) + strlen(symbol->axes) + 3;
    char *text = lwi_arena_take(&j->arena, capacity, 1);
    if (text) {
        strcat(strcat(strcpy(text, symbol->meaning), *symbol->axes ? "; " : ""), symbol->axes);
    }
    return text;
}

static lw_status collect(job *j, const lw_generate_options *options)
{
    const int nparameter = lw_derivation_nsymbol(j->derivation);
    const bool has_poses = lwi_derivation_tape(j->derivation, LW_FUNCTION_POSES) != NULL;
    const int nframe = has_poses ? j->m->nframe : 0;
    double *parameter = numbers(j, nparameter);
    const char **name =
        lwi_arena_take(&j->arena, (size_t)nparameter + (size_t)nframe + 1, sizeof *name);
    const char **meaning = lwi_arena_take(&j->arena, (size_t)nparameter + 1, sizeof *meaning);
    if (!parameter || !name || !meaning) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < nparameter; ++i) {
        const lw_symbol_info symbol = lw_derivation_symbol(j->derivation, i);
        name[i] = symbol.name;
        parameter[i] = symbol.value;
        meaning[i] = about_symbol(j, &symbol);
        if (!meaning[i]) {
            return LW_ERR_MEMORY;
        }
    }
    for (int i = 0; i < nframe; ++i) {
        name[nparameter + i] = j->m->frame[i].name;
    }
    const int n = collect_functions(j, options);
    const lwi_kernel *kernel = j->m->kernel;
    lwi_emit_quaternion *quaternion =
        lwi_arena_take(&j->arena, (size_t)kernel->nquat + 1, sizeof *quaternion);
    if (!quaternion) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < kernel->nquat; ++i) {
        const lwi_quat_at *at = &kernel->quat[i];
        quaternion[i] =
            (lwi_emit_quaternion){at->q, at->v, j->m->carrier[at->body] == LW_TREE_FREE};
    }
    describe(j, options);
    identify_model(j);
    j->source = (lwi_emit_source){
        .machine = j->m->name,
        .about = j->about.at ? j->about.at : "",
        .options = j->options.at ? j->options.at : "",
        .nq = j->m->nq,
        .nv = j->m->nv,
        .position_name = j->m->position_name,
        .velocity_name = j->m->velocity_name,
        .is_sincos_input = j->derivation->options.is_sincos_input,
        .nparameter = nparameter,
        .parameter_name = name,
        .parameter_about = meaning,
        .parameter = parameter,
        .nframe = nframe,
        .frame_name = name + nparameter,
        .loops = j->derivation->loops,
        .nfunction = n,
        .function = j->function,
        .nquaternion = kernel->nquat,
        .quaternion = quaternion,
    };
    return j->options.is_short || j->about.is_short ? LW_ERR_MEMORY : find_units(j);
}

// Each function in two.
static lw_status add_dictionaries(job *j)
{
    lwi_emit_function *half =
        lwi_arena_take(&j->arena, 2 * (size_t)j->source.nfunction + 1, sizeof *half);
    lw_status status = half ? LW_OK : LW_ERR_MEMORY;
    int n = 0;
    for (int i = 0; i < j->source.nfunction && status == LW_OK; ++i) {
        int count;
        status = lwi_emit_dictionary(&j->arena, j->q, &j->function[i], &half[n], &count);
        n += count;
    }
    j->source.function = half;
    j->source.nfunction = n;
    return status;
}

static lw_status check_options(const lw_derivation *derivation, const lw_generate_options *o,
                               lw_report *report)
{
    const int lanes = o->lanes;
    const bool is_script = o->language != LW_LANGUAGE_C;
    const lw_derive_options *derived = &derivation->options;
    const unsigned both = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS;
    const struct {
        bool is_wrong;
        const char *message;
    } rule[] = {
        {(unsigned)o->language > LW_LANGUAGE_FORTRAN || (unsigned)o->real > LW_REAL_FLOAT ||
             (unsigned)o->sincos > LW_SINCOS_INLINE || (unsigned)o->part > LW_C_SOURCE,
         "there is no such language, type of number, sine or file"},
        {lanes < 1 || lanes > MOST_LANES || (lanes & (lanes - 1)) != 0,
         "the number of states per call must be 1, 2, 4, 8 or 16"},
        {is_script && (lanes > 1 || o->real == LW_REAL_FLOAT),
         "other languages than C have neither float nor vectors here"},
        {is_script && (o->part != LW_C_WHOLE || o->has_dictionary),
         "other languages than C have neither headers nor dictionaries here"},
        {o->language == LW_LANGUAGE_FORTRAN && (derivation->loops || derived->is_sincos_input),
         "Fortran has neither loops without a closed form nor sines and cosines as inputs here"},
        {o->header && strpbrk(o->header, "\"\\\n\r"), "a header cannot be included by such a name"},
        {o->is_joined && derived->is_apart,
         "functions that were derived separately cannot be one function"},
        {o->is_joined && (derived->functions & both) == both,
         "inverse and forward dynamics cannot be one function: the joint forces would be both read "
         "and written"},
        {o->is_joined && (derived->functions & (1u << LW_FUNCTION_INVERSE_KINEMATICS)) != 0,
         "inverse kinematics reads a pose, and cannot be one function with others"},
        {o->has_plant && (is_script || lanes > 1 || o->is_joined || o->has_dictionary),
         "a plant is plain C: one state per call, a function each, in no other language"},
        {o->has_plant && (derived->is_sincos_input || lw_derivation_nsymbol(derivation) > 0),
         "a plant has its sines and its numbers itself: neither may be inputs"},
        {o->has_plant && derivation->loops,
         "a plant keeps no state beside q and v, which a loop without a closed form needs"},
        {o->has_plant && derivation->model->nv == 0, "a plant needs degrees of freedom"},
        {o->has_plant && (derived->functions & 1u << LW_FUNCTION_FORWARD_DYNAMICS) == 0,
         "a plant needs forward dynamics"},
        {derivation->loops && (lanes > 1 || o->has_dictionary),
         "a loop without a closed form is closed by iteration: neither vectors nor dictionaries "
         "have code for it"},
        {lanes > 1 && o->sincos != LW_SINCOS_INLINE && !derived->is_sincos_input,
         "vectors need sines and cosines of the file's own, or as inputs"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; ++i) {
        if (rule[i].is_wrong) {
            return lwi_report_error(report, (lw_location){0}, LW_ERR_ARGUMENT, "%s",
                                    rule[i].message);
        }
    }
    return LW_OK;
}

static bool leaves_small_out(const lw_generate_options *options)
{
    return options->real == LW_REAL_FLOAT && !options->keeps_small;
}

lw_status lw_generate_counts(const lw_derivation *derivation, const lw_generate_options *options,
                             lw_function function, lw_counts *counts)
{
    const lwi_tape *tape = derivation && counts && (unsigned)function < LW_FUNCTION_COUNT
                               ? lwi_derivation_tape(derivation, function)
                               : NULL;
    if (!tape) {
        return LW_ERR_ARGUMENT;
    }
    *counts = lw_derivation_counts(derivation, function);
    if (!options || !leaves_small_out(options)) {
        return LW_OK;
    }
    lwi_arena arena = {0};
    lwi_tape rounded;
    const lw_status status = lwi_emit_round(&arena, tape, &rounded);
    if (status == LW_OK) {
        const lwi_counts c = lwi_tape_counts(&rounded);
        *counts = (lw_counts){c.mul, c.add, c.div, c.sqrt, c.sincos, c.other};
    }
    lwi_arena_free(&arena);
    return status;
}

lw_status lw_generate(lw_derivation *derivation, const lw_generate_options *options, char **text,
                      size_t *size, lw_report *report)
{
    const lw_generate_options plain = lw_default_generate_options();
    lwi_text out = {0};
    if (text) {
        *text = NULL;
    }
    if (!derivation || !text || !size) {
        return LW_ERR_ARGUMENT;
    }
    *size = 0;
    options = options ? options : &plain;
    job j = {.derivation = derivation, .m = derivation->model};
    lw_status status = check_options(derivation, options, report);
    if (status == LW_OK) {
        status = collect(&j, options);
    }
    if (status == LW_OK) {
        status = answer_all(&j);
    }
    if (status == LW_OK && leaves_small_out(options)) {
        status = round_functions(&j);
    }
    if (status == LW_OK && options->has_dictionary) {
        status = add_dictionaries(&j);
    }
    if (status == LW_OK) {
        status = options->language == LW_LANGUAGE_C ? lwi_emit_c(&j.source, options, report, &out)
                 : options->language == LW_LANGUAGE_FORTRAN
                     ? lwi_emit_fortran(&j.source, options, &out)
                     : lwi_emit_script(&j.source, options, report, &out);
    }
    if (status == LW_OK) {
        *text = out.at;
        *size = out.used;
    } else {
        lwi_text_free(&out);
    }
    lwi_text_free(&j.options);
    lwi_text_free(&j.about);
    lwi_arena_free(&j.arena);
    return status;
}
