// linkwork compare: one motion at several levels of detail.

#include "commands/commands.h"
#include "report/compare.h"
#include "report/units.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/state.h"
#include "support/timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- The models -------------------------------------------------------------------------------

static int build(comparison *c, variant *one)
{
    const int code = robot_open_at_levels(&one->robot, &c->robot, c->args, one->spec);
    one->m = one->robot.model;
    one->d = one->robot.data;
    return code;
}

// The common coordinates: those of the choice that has the fewest, without its followers.
static int find_common(comparison *c)
{
    c->guide = &c->at[0];
    for (int i = 0; i < c->count; ++i) {
        if (lw_shafts_create(c->at[i].m, &c->at[i].shafts) == LW_ERR_MEMORY) {
            return compare_no_memory();
        }
        c->guide = c->at[i].m->nv < c->guide->m->nv ? &c->at[i] : c->guide;
    }
    const lw_model *m = c->guide->m;
    c->name = calloc((size_t)m->nv + 1, sizeof *c->name);
    c->position = calloc((size_t)m->nq + 1, sizeof *c->position);
    c->dof = calloc((size_t)m->nv + 1, sizeof *c->dof);
    if (!c->name || !c->position || !c->dof) {
        return compare_no_memory();
    }
    for (int i = 0; i < m->nq; ++i) {
        if (!lw_shafts_follows_at(&c->guide->shafts, i)) {
            c->position[c->nq++] = i;
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        if (!lw_shafts_follows(&c->guide->shafts, k)) {
            c->name[c->nv] = m->velocity_name[k];
            c->dof[c->nv++] = k;
        }
    }
    return EXIT_GOOD;
}

// Where each common coordinate is here. What else is there must follow them: main joints, not
// motors.
static int match(const comparison *c, variant *one)
{
    const lw_model *m = c->guide->m;
    const char *missing = NULL;
    one->q_of = calloc((size_t)c->nq + 1, sizeof *one->q_of);
    one->v_of = calloc((size_t)c->nv + 1, sizeof *one->v_of);
    if (!one->q_of || !one->v_of) {
        return compare_no_memory();
    }
    for (int k = 0; k < c->nq; ++k) {
        one->q_of[k] = lw_find_position(one->m, m->position_name[c->position[k]]);
        missing = one->q_of[k] < 0 ? m->position_name[c->position[k]] : missing;
    }
    for (int k = 0; k < c->nv; ++k) {
        one->v_of[k] = lw_find_velocity(one->m, c->name[k]);
        missing = one->v_of[k] < 0 ? c->name[k] : missing;
    }
    if (missing || one->m->nv != c->nv + one->shafts.nfollower) {
        return complain(EXIT_INPUT,
                        "\"%s\" has other coordinates than \"%s\"%s%s; leave the main joints "
                        "independent, and no motion needs another",
                        one->spec, c->guide->spec, missing ? ", which has " : "",
                        missing ? missing : "");
    }
    return EXIT_GOOD;
}

// --- The motion -------------------------------------------------------------------------------

// Towards the farther limit, by half the way or one radian (a fifth of a metre).
static double far_point(const lw_model *m, int k, double from)
{
    const lw_dof *f = &m->dof[m->v_tree[k]];
    const double most = unit_slides(m, m->v_tree[k]) ? 0.2 : 1.0;
    const double up = f->upper - from, down = from - f->lower;
    const double way = fmin(most, 0.5 * fmax(fmax(up, down), 0.0));
    return from + (down > up ? -way : way);
}

static int sample(comparison *c, const lw_trajectory *trajectory)
{
    const lw_model *m = c->guide->m;
    c->duration = lw_trajectory_duration(trajectory);
    for (int i = 0; i < c->samples; ++i) {
        const double t = c->duration * i / (c->samples - 1);
        const lw_status status = lw_trajectory_state(trajectory, m, t, &c->q[i * m->nq],
                                                     &c->v[i * m->nv], &c->a[i * m->nv]);
        if (status != LW_OK) {
            return complain(exit_code_of(status), "%s", lw_status_text(status));
        }
    }
    return EXIT_GOOD;
}

// One quintic from the reference configuration and a share of the way to the far point, in no less
// than a second and no faster than the limits of velocity allow.
static int make_motion(comparison *c, double share)
{
    const lw_model *m = c->guide->m;
    double *from = compare_numbers(m->nv, 2), *to = from ? from + m->nv : NULL;
    lw_axis_limits *limits = calloc((size_t)m->nv + 1, sizeof *limits);
    lw_trajectory *trajectory = NULL;
    int code = EXIT_GOOD;
    if (!from || !limits) {
        code = compare_no_memory();
        goto done;
    }
    double duration = 1.0;
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_dof(m, k);
        limits[k] = lw_default_axis_limits();
        from[k] = q < 0 ? 0.0 : m->q_reference[q];
        to[k] = q < 0 ? 0.0 : from[k] + share * (far_point(m, k, from[k]) - from[k]);
        // A quintic is fastest in its middle: 15/8 of its mean velocity.
        duration =
            fmax(duration, 1.875 * fabs(to[k] - from[k]) / m->dof[m->v_tree[k]].max_velocity);
    }
    lw_move move = lw_default_move();
    move.npoint = 1;
    move.point = to;
    move.duration = duration;
    const lw_trajectory_def def = {
        .n = m->nv, .start = from, .limits = limits, .nmove = 1, .move = &move};
    const lw_status status = lw_trajectory_create(&def, &trajectory, NULL);
    code = status == LW_OK ? sample(c, trajectory)
                           : complain(exit_code_of(status), "%s", lw_status_text(status));
done:
    lw_trajectory_destroy(trajectory);
    free(limits);
    free(from);
    return code;
}

static int read_samples(comparison *c)
{
    const char *text = args_value(c->args, OPT_SAMPLES);
    double value = 201;
    if (text && (!number_parse(text, strlen(text), &value) ||
                 !(value >= 2 && value <= 100000 && value == floor(value)))) {
        return complain(EXIT_USAGE, "--samples is a whole number from 2 to 100000, not \"%s\"",
                        text);
    }
    c->samples = (int)value;
    return EXIT_GOOD;
}

// --- Evaluation -------------------------------------------------------------------------------

// The motion of the common joints, in the order of this choice; what is behind elastic shafts
// follows.
static void own_order(const comparison *c, variant *one)
{
    const lw_model *guide = c->guide->m, *m = one->m;
    for (int i = 0; i < c->samples; ++i) {
        double *q = &one->q[i * m->nq], *v = &one->v[i * m->nv], *a = &one->a[i * m->nv];
        for (int k = 0; k < c->nq; ++k) {
            q[one->q_of[k]] = c->q[i * guide->nq + c->position[k]];
        }
        for (int k = 0; k < c->nv; ++k) {
            v[one->v_of[k]] = c->v[i * guide->nv + c->dof[k]];
            a[one->v_of[k]] = c->a[i * guide->nv + c->dof[k]];
        }
        lw_shafts_follow_position(&one->shafts, q);
        lw_shafts_follow(&one->shafts, v);
        lw_shafts_follow(&one->shafts, a);
    }
}

static lw_status evaluate_at(const variant *one, int i, double *tau)
{
    const lw_model *m = one->m;
    return lw_inverse_dynamics(m, one->d, &one->q[i * m->nq], &one->v[i * m->nv],
                               &one->a[i * m->nv], NULL, tau);
}

// The torques of all samples; *failed tells where they have none.
static lw_status evaluate(const comparison *c, variant *one, double *tau, int *failed)
{
    own_order(c, one);
    for (int i = 0; i < c->samples; ++i) {
        const lw_status status = evaluate_at(one, i, tau);
        if (status != LW_OK) {
            *failed = i;
            return status;
        }
        lw_shafts_gather(&one->shafts, tau);
        for (int k = 0; k < c->nv; ++k) {
            one->tau[i * c->nv + k] = tau[one->v_of[k]];
        }
    }
    return LW_OK;
}

static int most_dofs(const comparison *c)
{
    int most = 0;
    for (int i = 0; i < c->count; ++i) {
        most = c->at[i].m->nv > most ? c->at[i].m->nv : most;
    }
    return most;
}

// All variants at the motion, which is shortened where a loop does not close.
static int evaluate_all(comparison *c)
{
    const bool is_given = args_has(c->args, OPT_STATE);
    double *tau = compare_numbers(most_dofs(c), 1);
    int code = tau ? EXIT_GOOD : compare_no_memory();
    for (double share = 1.0; code == EXIT_GOOD; share *= 0.5) {
        lw_status status = LW_OK;
        const variant *bad = NULL;
        int failed = 0;
        code = is_given ? EXIT_GOOD : make_motion(c, share);
        for (int i = 0; i < c->count && status == LW_OK && code == EXIT_GOOD; ++i) {
            bad = &c->at[i];
            status = evaluate(c, &c->at[i], tau, &failed);
        }
        if (status == LW_OK) {
            break;
        }
        if (is_given || share < 0.01) {
            char why[ROBOT_WHY_ROOM];
            code = complain(exit_code_of(status), "point %d at \"%s\": %s", failed + 1, bad->spec,
                            robot_why(bad->m, bad->d, status, why));
        }
    }
    free(tau);
    return code;
}

// The quickest of blocks that go along the whole motion.
static void measure_time(const comparison *c, variant *one, double *tau)
{
    enum { BLOCKS = 10 };
    const double seconds = 0.1, start = timing_now();
    one->ns = (double)INFINITY;
    for (int block = 0; block < BLOCKS || timing_now() < start + seconds; ++block) {
        const double begin = timing_now();
        for (int i = 0; i < c->samples; ++i) {
            evaluate_at(one, i, tau);
        }
        one->ns = fmin(one->ns, 1e9 * (timing_now() - begin) / c->samples);
    }
}

// Inertia at each common joint where the motion begins, with all that follows it.
static lw_status find_inertias(const comparison *c, variant *one)
{
    const lw_model *m = one->m;
    double *v = compare_numbers(m->nv, 1);
    lw_status status = v ? LW_OK : LW_ERR_MEMORY;
    for (int k = 0; k < c->nv && status == LW_OK; ++k) {
        double energy = 0;
        memset(v, 0, (size_t)m->nv * sizeof *v);
        v[one->v_of[k]] = 1;
        lw_shafts_follow(&one->shafts, v);
        status = lw_kinetic_energy(m, one->d, one->q, v, &energy);
        one->inertia[k] = 2 * energy;
    }
    free(v);
    return status;
}

static int measure(comparison *c, variant *one)
{
    const variant *base = compare_yardstick(c);
    double *tau = compare_numbers(one->m->nv, 1);
    if (!tau) {
        return compare_no_memory();
    }
    for (int i = 0; i < c->samples; ++i) {
        for (int k = 0; k < c->nv; ++k) {
            const double own = one->tau[i * c->nv + k];
            const double difference = fabs(own - base->tau[i * c->nv + k]);
            one->peak[k] = fmax(one->peak[k], fabs(own));
            one->largest[k] = fmax(one->largest[k], difference);
            one->rms[k] += difference * difference / c->samples;
        }
    }
    for (int k = 0; k < c->nv; ++k) {
        one->rms[k] = sqrt(one->rms[k]);
    }
    const lw_status status = find_inertias(c, one);
    measure_time(c, one, tau);
    free(tau);
    return status == LW_ERR_MEMORY ? compare_no_memory() : exit_code_of(status);
}

// --- The command ------------------------------------------------------------------------------

static bool reserve(const comparison *c, variant *one)
{
    const lw_model *m = one->m;
    one->q = compare_numbers(c->samples, m->nq);
    one->v = compare_numbers(c->samples, m->nv);
    one->a = compare_numbers(c->samples, m->nv);
    one->tau = compare_numbers(c->samples, c->nv);
    one->peak = compare_numbers(c->nv, 1);
    one->largest = compare_numbers(c->nv, 1);
    one->rms = compare_numbers(c->nv, 1);
    one->inertia = compare_numbers(c->nv, 1);
    return one->q && one->v && one->a && one->tau && one->peak && one->largest && one->rms &&
           one->inertia;
}

static void free_comparison(comparison *c)
{
    for (int i = 0; i < c->count; ++i) {
        variant *one = &c->at[i];
        double *const block[] = {one->q,    one->v,       one->a,   one->tau,
                                 one->peak, one->largest, one->rms, one->inertia};
        for (size_t k = 0; k < sizeof block / sizeof *block; ++k) {
            free(block[k]);
        }
        free(one->q_of);
        free(one->v_of);
        lw_shafts_free(&one->shafts);
        robot_close(&one->robot);
        free(one->spec);
    }
    free(c->name);
    free(c->position);
    free(c->dof);
    free(c->q);
    free(c->v);
    free(c->a);
    robot_close(&c->robot);
}

// The states of the motion: given, or room for those that are made.
static int take_states(comparison *c)
{
    const lw_model *m = c->guide->m;
    state_list states = {0};
    int code = EXIT_GOOD;
    if (args_has(c->args, OPT_STATE)) {
        code = states_read(&states, c->args, m);
        c->samples = states.count;
        if (code == EXIT_GOOD && states.count == 0) {
            code = complain(EXIT_USAGE, "--state: there is no state to compare at");
        }
    } else {
        code = read_samples(c);
    }
    if (code == EXIT_GOOD) {
        c->q = compare_numbers(c->samples, m->nq);
        c->v = compare_numbers(c->samples, m->nv);
        c->a = compare_numbers(c->samples, m->nv);
        code = c->q && c->v && c->a ? EXIT_GOOD : compare_no_memory();
    }
    for (int i = 0; i < states.count && code == EXIT_GOOD; ++i) {
        memcpy(&c->q[i * m->nq], states_q(&states, i), (size_t)m->nq * sizeof(double));
        memcpy(&c->v[i * m->nv], states_v(&states, i), (size_t)m->nv * sizeof(double));
        memcpy(&c->a[i * m->nv], states_a(&states, i), (size_t)m->nv * sizeof(double));
    }
    states_free(&states);
    return code;
}

static int prepare(comparison *c)
{
    int code = robot_open(&c->robot, c->args);
    if (code == EXIT_GOOD) {
        const char *text = args_value(c->args, OPT_LEVELS);
        char *spec[MOST_LEVELS];
        code = split_levels(text ? text : "high,middle,low", spec, &c->count);
        for (int i = 0; i < c->count; ++i) {
            c->at[i].spec = spec[i];
        }
    }
    for (int i = 0; i < c->count && code == EXIT_GOOD; ++i) {
        code = build(c, &c->at[i]);
    }
    if (code == EXIT_GOOD) {
        code = find_common(c);
    }
    for (int i = 0; i < c->count && code == EXIT_GOOD; ++i) {
        code = match(c, &c->at[i]);
    }
    if (code == EXIT_GOOD) {
        code = take_states(c);
    }
    for (int i = 0; i < c->count && code == EXIT_GOOD; ++i) {
        code = reserve(c, &c->at[i]) ? EXIT_GOOD : compare_no_memory();
    }
    return code;
}

static int run_compare(const command_line *args)
{
    comparison c = {.args = args};
    output out = {0};
    int code = prepare(&c);
    if (code == EXIT_GOOD) {
        code = evaluate_all(&c);
    }
    for (int i = 0; i < c.count && code == EXIT_GOOD; ++i) {
        code = measure(&c, &c.at[i]);
    }
    if (code == EXIT_GOOD && args_has(args, OPT_PLOT)) {
        code = compare_plot(&c, args_value(args, OPT_PLOT));
    }
    if (code == EXIT_GOOD && !output_begin(&out, args_has(args, OPT_JSON))) {
        code = compare_no_memory();
    }
    if (code == EXIT_GOOD && out.is_json) {
        compare_json(&out, &c);
    } else if (code == EXIT_GOOD && !compare_text(&out, &c)) {
        code = compare_no_memory();
    }
    code = output_finish(&out, code);
    free_comparison(&c);
    return code;
}

const command_def command_compare = {
    .name = "compare",
    .options = OPTIONS(OPTIONS_RESULT, OPT_LEVELS, OPT_STATE, OPT_SAMPLES, OPT_PLOT),
    .summary = "levels of detail against each other along a motion",
    .about = "Computes the joint forces of one motion at several levels of detail, and tells how "
             "far each is from the last one, and how long a point takes, also as a multiple of the "
             "first one's time. The motion goes from the "
             "reference configuration halfway to the farther limit of each joint, at most 1 rad or "
             "0.2 m, by a quintic within the limits of velocity and in no less than a second; it "
             "is made shorter where a loop would not close. --state gives other points. Motors "
             "behind "
             "elastic shafts, which only some choices have, follow the joints as rigid shafts "
             "would, "
             "and forces are those at the joints.\n\n"
             "What --level says holds where a choice says nothing.",
    .keys = "names, against, samples, duration, compared: levels, nbody, mass, following (joints "
            "of this choice alone), ns, peak, largest, rms, inertia (one number a joint), tau (one "
            "row a point)",
    .example = "compare hr120.xml\ncompare hr120.xml --levels high+wrist=low,low --json",
    .notes = NOTES({OPT_PLOT, "Draws the force of each joint over time, levels overlaid."}),
    .run = run_compare,
};
