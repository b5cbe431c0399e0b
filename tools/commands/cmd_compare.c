// linkwork compare: one motion at several levels of detail.

#include "commands/commands.h"
#include "report/compare.h"
#include "report/units.h"
#include "support/job.h"
#include "support/message.h"
#include "support/timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <string.h>

// --- The models -------------------------------------------------------------------------------

static int build(comparison *c, variant *one)
{
    const int code = robot_open_at_levels(&one->robot, c->robot, c->args, one->spec);
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
            return no_memory();
        }
        c->guide = c->at[i].m->nv < c->guide->m->nv ? &c->at[i] : c->guide;
    }
    const lw_model *m = c->guide->m;
    c->name = memory_get(c->pool, (size_t)m->nv, sizeof *c->name);
    c->position = memory_get(c->pool, (size_t)m->nq, sizeof *c->position);
    c->dof = memory_get(c->pool, (size_t)m->nv, sizeof *c->dof);
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
    one->q_of = memory_get(c->pool, (size_t)c->nq, sizeof *one->q_of);
    one->v_of = memory_get(c->pool, (size_t)c->nv, sizeof *one->v_of);
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
    double *from = memory_numbers(c->pool, 2, m->nv), *to = from + m->nv;
    lw_axis_limits *limits = memory_get(c->pool, (size_t)m->nv, sizeof *limits);
    lw_trajectory *trajectory = NULL;
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
    const int code = status == LW_OK ? sample(c, trajectory)
                                     : complain(exit_code_of(status), "%s", lw_status_text(status));
    lw_trajectory_destroy(trajectory);
    return code;
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

// The torques of all samples; *failed is the first that has none.
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
    double *tau = memory_numbers(c->pool, most_dofs(c), 1);
    int code = EXIT_GOOD;
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
            code =
                complain_of(bad->m, bad->d, status, "point %d at \"%s\": ", failed + 1, bad->spec);
        }
    }
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
    double *v = memory_numbers(c->pool, m->nv, 1);
    lw_status status = LW_OK;
    for (int k = 0; k < c->nv && status == LW_OK; ++k) {
        double energy = 0;
        memset(v, 0, (size_t)m->nv * sizeof *v);
        v[one->v_of[k]] = 1;
        lw_shafts_follow(&one->shafts, v);
        status = lw_kinetic_energy(m, one->d, one->q, v, &energy);
        one->inertia[k] = 2 * energy;
    }
    return status;
}

static int measure(comparison *c, variant *one)
{
    const variant *base = compare_yardstick(c);
    double *tau = memory_numbers(c->pool, one->m->nv, 1);
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
    return exit_code_of(status);
}

// --- The command ------------------------------------------------------------------------------

static void reserve(const comparison *c, variant *one)
{
    const lw_model *m = one->m;
    one->q = memory_numbers(c->pool, c->samples, m->nq);
    one->v = memory_numbers(c->pool, c->samples, m->nv);
    one->a = memory_numbers(c->pool, c->samples, m->nv);
    one->tau = memory_numbers(c->pool, c->samples, c->nv);
    one->peak = memory_numbers(c->pool, c->nv, 1);
    one->largest = memory_numbers(c->pool, c->nv, 1);
    one->rms = memory_numbers(c->pool, c->nv, 1);
    one->inertia = memory_numbers(c->pool, c->nv, 1);
}

// The states of the motion: given, or storage for those that are made.
static int take_states(comparison *c)
{
    const lw_model *m = c->guide->m;
    if (!args_has(c->args, OPT_STATE)) {
        c->samples = 201;
        const int code = args_whole(c->args, OPT_SAMPLES, 2, 100000, &c->samples);
        c->q = memory_numbers(c->pool, c->samples, m->nq);
        c->v = memory_numbers(c->pool, c->samples, m->nv);
        c->a = memory_numbers(c->pool, c->samples, m->nv);
        return code;
    }
    state_list states;
    const int code = states_read(&states, c->args, m);
    c->samples = states.count;
    c->q = states.q;
    c->v = states.v;
    c->a = states.a;
    return code != EXIT_GOOD || states.count > 0
               ? code
               : complain(EXIT_USAGE, "--state: there is no state to compare at");
}

static int prepare(comparison *c)
{
    const char *text = args_value(c->args, OPT_LEVELS);
    char **spec;
    int code = split_levels(c->args, text ? text : "high,middle,low", &spec, &c->count);
    c->count = code == EXIT_GOOD ? c->count : 0;
    for (int i = 0; i < c->count && code == EXIT_GOOD; ++i) {
        c->at[i].spec = spec[i];
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
        reserve(c, &c->at[i]);
    }
    return code;
}

static int run(job *work)
{
    comparison *c = work->context;
    c->args = work->args;
    c->pool = work->pool;
    c->robot = &work->robot;
    int code = prepare(c);
    if (code == EXIT_GOOD) {
        code = evaluate_all(c);
    }
    for (int i = 0; i < c->count && code == EXIT_GOOD; ++i) {
        code = measure(c, &c->at[i]);
    }
    if (code == EXIT_GOOD && args_has(work->args, OPT_PLOT)) {
        code = compare_plot(c, args_value(work->args, OPT_PLOT));
    }
    if (code == EXIT_GOOD) {
        (work->out.is_json ? compare_json : compare_text)(&work->out, c);
    }
    return code;
}

static void end(job *work)
{
    comparison *c = work->context;
    for (int i = 0; i < c->count; ++i) {
        lw_shafts_free(&c->at[i].shafts);
        robot_close(&c->at[i].robot);
    }
}

const command_def command_compare = {
    .name = "compare",
    .options = OPTIONS(OPTIONS_RESULT, OPT_LEVELS, OPT_STATE, OPT_SAMPLES, OPT_PLOT),
    .summary = "levels of detail compared along a motion",
    .about = "Computes the joint forces of one motion at several levels of detail, and prints how "
             "far each is from the last one, and the computing time per point, also relative to "
             "the first level. The motion goes from the reference configuration halfway to the "
             "farther limit of each joint, at most 1 rad or 0.2 m, by a quintic within the "
             "velocity limits and in no less than a second; it is made shorter if a loop would not "
             "close. --state gives other points. Motors behind elastic shafts, which only some "
             "choices have, follow the joints as rigid shafts would, and forces are those at the "
             "joints.\n\nAssemblies that a choice does not name have the levels of --level.",
    .keys = "names, against, samples, duration, compared: levels, nbody, mass, following (joints "
            "of this choice alone), ns, peak, largest, rms, inertia (one number per joint), tau "
            "(one row per point)",
    .example = "compare hr120.xml\ncompare hr120.xml --levels high+wrist=low,low --json",
    .notes = NOTES({OPT_PLOT, "Draws the force of each joint over time, levels overlaid."}),
    .context_size = sizeof(comparison),
    .run = run,
    .end = end,
};
