// linkwork sensitivity: derivatives of joint forces by physical parameters. Those by masses,
// centres and inertias of links are analytic; by other numbers of the description they are central
// differences of sixth order, of models that are compiled with the number changed.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"
#include "support/parameter_names.h"

#include <linkwork/derivatives.h>
#include <linkwork/parameters.h>

#include <string.h>

typedef struct sensitivity {
    int count;
    const char **name;                ///< [count]
    lw_inertial_parameter *parameter; ///< [count]; body -1 for those that are varied
    lw_variation **other;             ///< [count]; NULL for those that are not
} sensitivity;

enum { LINK_PARAMETERS = LW_LINK_INERTIA_YZ + 1 }; // the ten independent ones of a link

// A name is a parameter, a link (all ten of it), or "all".
static void add_item(job *work, const char *item)
{
    sensitivity *s = work->context;
    const lw_model *m = work->m;
    bool is_link = false;
    for (int i = 0; i < m->nlink; ++i) {
        const char *link = m->link[i].name;
        if (strcmp(item, "all") == 0 || strcmp(item, link) == 0) {
            is_link = true;
            for (int k = 0; k < LINK_PARAMETERS; ++k) {
                s->name[s->count++] = memory_text(work->pool, "%s.%s", link,
                                                  lw_link_parameter_name((lw_link_parameter)k));
            }
        }
    }
    if (!is_link) {
        s->name[s->count++] = item;
    }
}

static int unknown_parameter(const lw_model *m, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    char best[SUGGEST_SIZE] = "", text[SUGGEST_SIZE], candidate[SUGGEST_SIZE];
    for (int i = 0; i < m->nlink; ++i) {
        for (int k = 0; k < LW_LINK_PARAMETER_COUNT; ++k) {
            snprintf(candidate, sizeof candidate, "%s.%s", m->link[i].name,
                     lw_link_parameter_name((lw_link_parameter)k));
            lw_nearest_offer(&near, candidate);
            if (near.best == candidate) { // whose text is overwritten by the next
                memcpy(best, candidate, sizeof best);
                near.best = best;
            }
        }
        lw_nearest_offer(&near, m->link[i].name);
    }
    return complain(EXIT_USAGE, "there is no parameter \"%s\"%s", name,
                    near.best ? suggest_text(&near, text) : "; --list prints what there is");
}

static int vary(job *work, int i)
{
    sensitivity *s = work->context;
    const lw_compile_options options = robot_options(&work->robot, work->args);
    s->parameter[i] = (lw_inertial_parameter){.body = -1};
    switch (lw_variation_create(work->robot.mech, &options, work->m, s->name[i], &s->other[i])) {
    case LW_OK:
        return EXIT_GOOD;
    case LW_ERR_MEMORY:
        return no_memory();
    case LW_ERR_UNSUPPORTED:
        return unknown_parameter(work->m, s->name[i]);
    default:
        return complain(EXIT_INPUT,
                        "the mechanism cannot be assembled with %s a little different: it is "
                        "not free to vary alone",
                        s->name[i]);
    }
}

// Column k of dtau.
static lw_status difference(const job *work, int i, int k, double *dtau)
{
    const sensitivity *s = work->context;
    double *column = job_numbers(work, work->m->nv, 1);
    const lw_status status =
        lw_force_sensitivity(work->m, work->d, s->other[k], states_q(&work->states, i),
                             states_v(&work->states, i), states_a(&work->states, i), NULL, column);
    for (int j = 0; j < work->m->nv && status == LW_OK; ++j) {
        dtau[j * s->count + k] = column[j];
    }
    return status;
}

static int prepare(job *work)
{
    sensitivity *s = work->context;
    const lw_model *m = work->m;
    const command_line *args = work->args;
    const int lists = args_count(args, OPT_PARAMETERS);
    if (args_has(args, OPT_LIST)) {
        work->states.count = 0;
        work->states.is_array = false;
        return parameter_names_print(work);
    }
    if (lists == 0) {
        return complain(
            EXIT_USAGE,
            "sensitivity needs --parameters, such as %s.mass or all; --list prints what "
            "there is",
            m->nlink > 0 ? m->link[0].name : "link");
    }
    for (int i = 0; i < lists; ++i) {
        int count;
        char **item = memory_split(work->pool, args_value_at(args, OPT_PARAMETERS, i), ',', &count);
        const size_t most = (size_t)(s->count + count * (1 + m->nlink * LINK_PARAMETERS));
        const char **before = s->name;
        s->name = memory_get(work->pool, most, sizeof *s->name);
        for (int k = 0; k < s->count; ++k) {
            s->name[k] = before[k];
        }
        for (int k = 0; k < count; ++k) {
            add_item(work, item[k]);
        }
    }
    s->parameter = memory_get(work->pool, (size_t)s->count, sizeof *s->parameter);
    s->other = memory_get(work->pool, (size_t)s->count, sizeof *s->other);
    int code = EXIT_GOOD;
    for (int i = 0; i < s->count && code == EXIT_GOOD; ++i) {
        if (lw_find_parameter(m, s->name[i], &s->parameter[i]) != LW_OK) {
            code = vary(work, i);
        }
    }
    return code;
}

static void end(job *work)
{
    const sensitivity *s = work->context;
    for (int i = 0; s->other && i < s->count; ++i) {
        lw_variation_destroy(s->other[i]);
    }
}

// All columns at state i: those that are analytic together, then the others.
static lw_status fill(const job *work, int i, double *dtau)
{
    const sensitivity *s = work->context;
    lw_status status = lw_inertial_sensitivity(
        work->m, work->d, states_q(&work->states, i), states_v(&work->states, i),
        states_a(&work->states, i), s->count, s->parameter, dtau);
    for (int k = 0; k < s->count && status == LW_OK; ++k) {
        if (s->other[k]) {
            status = difference(work, i, k, dtau);
        }
    }
    return status;
}

static int evaluate(job *work, int i, json_t *result)
{
    const sensitivity *s = work->context;
    const lw_model *m = work->m;
    output *out = &work->out;
    double *dtau = job_numbers(work, m->nv, s->count);
    const lw_status status = fill(work, i, dtau);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_put(out, result, "dtau o, parameters o, names o",
                   output_matrix(out, dtau, m->nv, s->count), output_names(out, s->name, s->count),
                   output_names(out, m->velocity_name, m->nv));
        return EXIT_GOOD;
    }
    double *transpose = job_numbers(work, s->count, m->nv); // for people: one line per parameter
    for (int k = 0; k < s->count * m->nv; ++k) {
        transpose[k] = dtau[(k % m->nv) * s->count + k / m->nv];
    }
    output_table(out, "parameter", s->name, s->count, m->velocity_name, m->nv, transpose);
    return EXIT_GOOD;
}

const command_def command_sensitivity = {
    .name = "sensitivity",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION, OPT_PARAMETERS, OPT_LIST),
    .summary = "derivatives of forces by physical parameters",
    .about = "Computes the derivative of the joint forces of inverse dynamics by masses, centres "
             "and inertias of links, analytically, and by other numbers of the description "
             "(placements, lengths and masses of rods, friction, stiffness, sizes of gears, "
             "coefficients of couplings, springs), those of parts within assemblies too "
             "(ASSEMBLY/PART.mass), by differences of sixth order, through loops and gears. "
             "Independent positions are held, dependent ones follow.",
    .keys =
        "dtau (one row per joint, one column per parameter), parameters, names; with --list only "
        "parameters (name, value)",
    .example = "sensitivity arm.urdf --parameters forearm.mass,forearm.center.x -q 0,0.5,-0.5\n"
               "sensitivity arm.urdf --parameters forearm --json\n"
               "sensitivity press.xml --parameters coupler.length,coupler.mass,pin.friction",
    .notes =
        NOTES({OPT_LIST, "Prints the numbers of the description that --parameters takes beside "
                         "'all' and links, with their values, and ends."}),
    .context_size = sizeof(sensitivity),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
