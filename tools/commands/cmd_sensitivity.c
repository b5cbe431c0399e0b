// linkwork sensitivity: derivatives of joint forces by inertial parameters.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"
#include "support/suggest.h"

#include <linkwork/derivatives.h>

#include <stdlib.h>
#include <string.h>

typedef struct sensitivity_context {
    int count;
    char **name; ///< [count]
    lw_inertial_parameter *parameter;
    double *dtau;      ///< [nv*count]
    double *transpose; ///< [count*nv] for people: one line a parameter
} sensitivity_context;

enum { LINK_PARAMETERS = LW_LINK_INERTIA_YZ + 1 }; // the ten independent ones of a link

// Adds one name; takes it over. False when memory is short.
static bool add_name(sensitivity_context *s, char *name)
{
    char **longer = name ? realloc(s->name, ((size_t)s->count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(name);
        complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        return false;
    }
    s->name = longer;
    s->name[s->count++] = name;
    return true;
}

static bool add_link(sensitivity_context *s, const lw_model *m, int link)
{
    for (int k = 0; k < LINK_PARAMETERS; ++k) {
        const char *kind = lw_link_parameter_name((lw_link_parameter)k);
        const size_t size = strlen(m->link[link].name) + strlen(kind) + 2;
        char *name = malloc(size);
        if (name) {
            snprintf(name, size, "%s.%s", m->link[link].name, kind);
        }
        if (!add_name(s, name)) {
            return false;
        }
    }
    return true;
}

// A name is a parameter, a link (all ten of it), or "all".
static bool add_item(sensitivity_context *s, const lw_model *m, const char *text, size_t length)
{
    const bool is_all = length == 3 && memcmp(text, "all", 3) == 0;
    bool is_link = false;
    for (int i = 0; i < m->nlink; ++i) {
        const char *name = m->link[i].name;
        if (is_all || (strlen(name) == length && memcmp(name, text, length) == 0)) {
            is_link = true;
            if (!add_link(s, m, i)) {
                return false;
            }
        }
    }
    return is_link || add_name(s, strndup(text, length));
}

static int unknown_parameter(const lw_model *m, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    char best[SUGGEST_ROOM] = "", text[SUGGEST_ROOM], candidate[SUGGEST_ROOM];
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
    return complain(EXIT_USAGE, "there is no parameter \"%s\"%s", name, suggest_text(&near, text));
}

static int read_parameters(sensitivity_context *s, const job *work)
{
    const lw_model *m = work->robot.model;
    for (int i = 0; i < args_count(work->args, OPT_PARAMETERS); ++i) {
        const char *list = args_value_at(work->args, OPT_PARAMETERS, i);
        for (;;) {
            const size_t length = strcspn(list, ",");
            if (!add_item(s, m, list, length)) {
                return EXIT_FILE;
            }
            if (list[length] == '\0') {
                break;
            }
            list += length + 1;
        }
    }
    s->parameter = calloc((size_t)s->count + 1, sizeof *s->parameter);
    if (!s->parameter) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    for (int i = 0; i < s->count; ++i) {
        if (lw_find_parameter(m, s->name[i], &s->parameter[i]) != LW_OK) {
            return unknown_parameter(m, s->name[i]);
        }
    }
    return EXIT_GOOD;
}

static int prepare_sensitivity(job *work)
{
    sensitivity_context *s = work->context;
    if (!args_has(work->args, OPT_PARAMETERS)) {
        return complain(EXIT_USAGE, "sensitivity needs --parameters, such as %s.mass or all",
                        work->robot.model->nlink > 0 ? work->robot.model->link[0].name : "link");
    }
    const int code = read_parameters(s, work);
    if (code != EXIT_GOOD) {
        return code;
    }
    s->dtau = job_numbers(work->robot.model->nv, s->count);
    s->transpose = job_numbers(s->count, work->robot.model->nv);
    return s->dtau && s->transpose ? EXIT_GOOD : EXIT_FILE;
}

static int evaluate_sensitivity(job *work, int i, json_t *result)
{
    sensitivity_context *s = work->context;
    const lw_model *m = work->robot.model;
    const state_list *states = &work->states;
    output *out = &work->out;
    const lw_status status =
        lw_inertial_sensitivity(m, work->robot.data, states_q(states, i), states_v(states, i),
                                states_a(states, i), s->count, s->parameter, s->dtau);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    const char *const *name = (const char *const *)s->name;
    if (result) {
        output_set(out, result, "dtau", output_matrix(out, s->dtau, m->nv, s->count));
        output_set(out, result, "parameters", output_names(out, name, s->count));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
        return EXIT_GOOD;
    }
    for (int k = 0; k < s->count * m->nv; ++k) {
        s->transpose[k] = s->dtau[(k % m->nv) * s->count + k / m->nv];
    }
    output_table(out, "parameter", name, s->count, m->velocity_name, m->nv, s->transpose);
    return EXIT_GOOD;
}

static int run_sensitivity(const command_line *args)
{
    sensitivity_context s = {0};
    const job_steps steps = {prepare_sensitivity, evaluate_sensitivity};
    const int code = job_run(args, &steps, &s);
    for (int i = 0; i < s.count; ++i) {
        free(s.name[i]);
    }
    free(s.name);
    free(s.parameter);
    free(s.dtau);
    free(s.transpose);
    return code;
}

const command_def command_sensitivity = {
    .name = "sensitivity",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION, OPT_PARAMETERS),
    .summary = "derivatives of forces by inertial parameters",
    .about = "Gives the derivative of the joint forces of inverse dynamics by masses, centres "
             "and inertias of links.",
    .keys = "dtau (one row a joint, one column a parameter), parameters, names",
    .example = "sensitivity arm.urdf --parameters forearm.mass,forearm.center.x -q 0,0.5,-0.5\n"
               "sensitivity arm.urdf --parameters forearm --json",
    .run = run_sensitivity,
};
