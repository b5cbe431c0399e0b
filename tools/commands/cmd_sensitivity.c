// linkwork sensitivity: derivatives of joint forces by physical parameters. Those by masses,
// centres and inertias of links are analytic; by other numbers of the description they are central
// differences of sixth order, of models that are compiled with the number changed.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/derivatives.h>
#include <linkwork/parameters.h>

#include <math.h>
#include <string.h>

enum { SIDES = 6 }; // of a difference

// Models with one number of the description changed.
typedef struct varied {
    double step;
    robot side[SIDES]; ///< at -3, -2, -1, 1, 2 and 3 steps
} varied;

typedef struct sensitivity {
    int count;
    const char **name;                ///< [count]
    lw_inertial_parameter *parameter; ///< [count]; body -2 for those that are varied
    varied *other;                    ///< [count]
} sensitivity;

enum { IS_VARIED = -2 };

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

// The lengths of rods that have none of their own are held, as linkwork/parameters.h has it.
static void hold_lengths(const job *work, const lw_parameters *all)
{
    for (int i = 0; i < lw_parameters_count(all); ++i) {
        const char *name = lw_parameters_name(all, i), *dot = strrchr(name, '.');
        if (dot && strcmp(dot, ".length") == 0) {
            lw_set_parameter(work->robot.mech, name, lw_parameters_value(all, i));
        }
    }
}

// A thousandth of the number; of zeros, of a length that is usual for the model or of a radian.
static double step_of(const lw_model *m, double value)
{
    double length = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        length = fmax(length, lw_norm3(m->X_PJ[i].p));
    }
    const double size = value != 0.0 ? fabs(value) : length > 0.0 ? fmin(length, 1.0) : 1.0;
    return ldexp(size, -10);
}

static int vary(job *work, const char *name, varied *x)
{
    static const int side[SIDES] = {-3, -2, -1, 1, 2, 3};
    lw_mech *mech = work->robot.mech;
    double value;
    const lw_status status = lw_get_parameter(mech, name, &value);
    if (status != LW_OK) {
        return unknown_parameter(work->m, name);
    }
    x->step = step_of(work->m, value);
    int code = EXIT_GOOD;
    for (int i = 0; i < SIDES && code == EXIT_GOOD; ++i) {
        lw_set_parameter(mech, name, value + side[i] * x->step);
        code = robot_open_again(&x->side[i], &work->robot, work->args);
        const lw_model *m = x->side[i].model;
        if (code != EXIT_GOOD || m->nq != work->m->nq || m->nv != work->m->nv) {
            code = complain(EXIT_INPUT,
                            "the mechanism cannot be assembled with %s a little different: it is "
                            "not free to vary alone",
                            name);
        }
    }
    lw_set_parameter(mech, name, value);
    return code;
}

// Column k of dtau.
static lw_status difference(const job *work, int i, int k, double *dtau)
{
    static const double share[SIDES] = {-1.0 / 60, 9.0 / 60,  -45.0 / 60,
                                        45.0 / 60, -9.0 / 60, 1.0 / 60};
    const sensitivity *s = work->context;
    const varied *x = &s->other[k];
    const int nv = work->m->nv;
    double *tau = job_numbers(work, nv, 1);
    for (int side = 0; side < SIDES; ++side) {
        const robot *r = &x->side[side];
        const lw_status status =
            lw_inverse_dynamics(r->model, r->data, states_q(&work->states, i),
                                states_v(&work->states, i), states_a(&work->states, i), NULL, tau);
        if (status != LW_OK) {
            return status;
        }
        for (int j = 0; j < nv; ++j) {
            dtau[j * s->count + k] += share[side] * tau[j] / x->step;
        }
    }
    return LW_OK;
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
    s->other = memory_get(work->pool, (size_t)s->count, sizeof *s->other);
    lw_parameters *all = NULL;
    const lw_compile_options options = robot_options(&work->robot, args);
    if (lw_parameters_create(work->robot.mech, &options, m, &all) == LW_OK) {
        hold_lengths(work, all);
    }
    lw_parameters_destroy(all);
    int code = EXIT_GOOD;
    for (int i = 0; i < s->count && code == EXIT_GOOD; ++i) {
        if (lw_find_parameter(m, s->name[i], &s->parameter[i]) != LW_OK) {
            s->parameter[i] = (lw_inertial_parameter){.body = IS_VARIED};
            code = vary(work, s->name[i], &s->other[i]);
        }
    }
    return code;
}

static void end(job *work)
{
    const sensitivity *s = work->context;
    for (int i = 0; s->other && i < s->count; ++i) {
        for (int k = 0; k < SIDES; ++k) {
            robot_close(&s->other[i].side[k]);
        }
    }
}

// All columns at state i: those that are analytic together, then the others.
static lw_status fill(const job *work, int i, double *dtau)
{
    const sensitivity *s = work->context;
    lw_inertial_parameter *known = memory_get(work->pool, (size_t)s->count, sizeof *known);
    for (int k = 0; k < s->count; ++k) {
        known[k] = s->parameter[k];
        known[k].body = known[k].body == IS_VARIED ? -1 : known[k].body;
    }
    lw_status status = lw_inertial_sensitivity(work->m, work->d, states_q(&work->states, i),
                                               states_v(&work->states, i),
                                               states_a(&work->states, i), s->count, known, dtau);
    for (int k = 0; k < s->count && status == LW_OK; ++k) {
        if (s->parameter[k].body == IS_VARIED) {
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
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION, OPT_PARAMETERS),
    .summary = "derivatives of forces by physical parameters",
    .about = "Computes the derivative of the joint forces of inverse dynamics by masses, centres "
             "and inertias of links, analytically, and by other numbers of the description "
             "(placements, lengths and masses of rods, friction, stiffness, gear ratios, springs), "
             "by differences of sixth order, through loops and gears. Independent positions are "
             "held, dependent ones follow.",
    .keys = "dtau (one row per joint, one column per parameter), parameters, names",
    .example = "sensitivity arm.urdf --parameters forearm.mass,forearm.center.x -q 0,0.5,-0.5\n"
               "sensitivity arm.urdf --parameters forearm --json\n"
               "sensitivity press.xml --parameters coupler.length,coupler.mass,pin.friction",
    .context_size = sizeof(sensitivity),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
