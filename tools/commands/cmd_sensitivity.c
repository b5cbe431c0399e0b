// linkwork sensitivity: derivatives of joint forces by inertial parameters.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/derivatives.h>

#include <string.h>

typedef struct sensitivity {
    int count;
    const char **name; ///< [count]
    lw_inertial_parameter *parameter;
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
    return complain(EXIT_USAGE, "there is no parameter \"%s\"%s", name, suggest_text(&near, text));
}

static int prepare(job *work)
{
    sensitivity *s = work->context;
    const lw_model *m = work->m;
    const command_line *args = work->args;
    const int lists = args_count(args, OPT_PARAMETERS);
    if (lists == 0) {
        return complain(EXIT_USAGE, "sensitivity needs --parameters, such as %s.mass or all",
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
    for (int i = 0; i < s->count; ++i) {
        if (lw_find_parameter(m, s->name[i], &s->parameter[i]) != LW_OK) {
            return unknown_parameter(m, s->name[i]);
        }
    }
    return EXIT_GOOD;
}

static int evaluate(job *work, int i, json_t *result)
{
    const sensitivity *s = work->context;
    const lw_model *m = work->m;
    const state_list *states = &work->states;
    output *out = &work->out;
    double *dtau = job_numbers(work, m->nv, s->count);
    const lw_status status =
        lw_inertial_sensitivity(m, work->d, states_q(states, i), states_v(states, i),
                                states_a(states, i), s->count, s->parameter, dtau);
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
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION, OPT_PARAMETERS),
    .summary = "derivatives of forces by inertial parameters",
    .about = "Computes the derivative of the joint forces of inverse dynamics by masses, centres "
             "and inertias of links.",
    .keys = "dtau (one row per joint, one column per parameter), parameters, names",
    .example = "sensitivity arm.urdf --parameters forearm.mass,forearm.center.x -q 0,0.5,-0.5\n"
               "sensitivity arm.urdf --parameters forearm --json",
    .context_size = sizeof(sensitivity),
    .run = prepare,
    .evaluate = evaluate,
};
