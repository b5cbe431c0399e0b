// linkwork compare: one motion at several levels of detail.

#include "commands.h"
#include "message.h"
#include "model.h"
#include "number.h"
#include "output.h"
#include "plot.h"
#include "shafts.h"
#include "state.h"
#include "timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

<<<<<<< HEAD
/// The machine at one choice of levels. Arrays by joint are in the order of the yardstick, which is
/// the last choice.
=======
enum { MOST_LEVELS = 16 };

/// The machine at one choice of levels. Arrays by joint have the common joints, in the order of the
/// guide.
>>>>>>> 34c2895 (compare works on the joints that all choices have; what is behind elastic shafts follows)
typedef struct variant {
    char *spec;
    robot robot;
    const lw_model *m; ///< of the robot
    lw_data *d;
    shaft_map shafts;
    int *q_of, *v_of;                       ///< [nq], [nv] the common coordinates, here
    double *q, *v, *a;                      ///< [samples * its own nq or nv] the motion
    double *tau;                            ///< [samples * nv]
    double *peak, *largest, *rms, *inertia; ///< [nv]
    double ns;
} variant;

/// Coordinates of all choices are those of the guide, which has the fewest, and for each choice the
/// freedoms behind its elastic shafts. Differences are from the yardstick, the last choice.
typedef struct comparison {
    const command_line *args;
    robot robot;
    variant at[MOST_LEVELS];
    int count;
    const variant *guide;
    int nq, nv;              ///< common coordinates
    const char **name;       ///< [nv] of the common joints
    int *position, *freedom; ///< [nq], [nv] of the guide
    int samples;
    double duration; ///< 0 for given states
    double *q;       ///< [samples * nq] of the guide, all of its coordinates
    double *v, *a;   ///< [samples * nv]
} comparison;

static const variant *yardstick(const comparison *c)
{
    return &c->at[c->count - 1];
}

static int no_memory(void)
{
    return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
}

static double *numbers(int rows, int columns)
{
    return calloc((size_t)rows * (size_t)columns + 1, sizeof(double));
}

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
        if (!shafts_find(c->at[i].m, &c->at[i].shafts)) {
            return no_memory();
        }
        c->guide = c->at[i].m->nv < c->guide->m->nv ? &c->at[i] : c->guide;
    }
    const lw_model *m = c->guide->m;
    c->name = calloc((size_t)m->nv + 1, sizeof *c->name);
    c->position = calloc((size_t)m->nq + 1, sizeof *c->position);
    c->freedom = calloc((size_t)m->nv + 1, sizeof *c->freedom);
    if (!c->name || !c->position || !c->freedom) {
        return no_memory();
    }
    for (int i = 0; i < m->nq; ++i) {
        if (shafts_follower_at(&c->guide->shafts, i) < 0) {
            c->position[c->nq++] = i;
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        if (!shafts_is_follower(&c->guide->shafts, k)) {
            c->name[c->nv] = m->velocity_name[k];
            c->freedom[c->nv++] = k;
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
        return no_memory();
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

static bool is_slide(const lw_model *m, int v)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->v_start[i] <= v && v < m->v_start[i + 1]) {
            return m->carrier[i] == LW_TREE_PRISMATIC;
        }
    }
    return false;
}

// Towards the farther limit, by half the way or one radian (a fifth of a metre).
static double far_point(const lw_model *m, int k, double from)
{
    const lw_freedom *f = &m->freedom[m->v_tree[k]];
    const double most = is_slide(m, m->v_tree[k]) ? 0.2 : 1.0;
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
    double *from = numbers(m->nv, 2), *to = from ? from + m->nv : NULL;
    lw_axis_limits *limits = calloc((size_t)m->nv + 1, sizeof *limits);
    lw_trajectory *trajectory = NULL;
    int code = EXIT_GOOD;
    if (!from || !limits) {
        code = no_memory();
        goto done;
    }
    double duration = 1.0;
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_freedom(m, k);
        limits[k] = lw_default_axis_limits();
        from[k] = q < 0 ? 0.0 : m->q_reference[q];
        to[k] = q < 0 ? 0.0 : from[k] + share * (far_point(m, k, from[k]) - from[k]);
        // A quintic is fastest in its middle: 15/8 of its mean velocity.
        duration =
            fmax(duration, 1.875 * fabs(to[k] - from[k]) / m->freedom[m->v_tree[k]].max_velocity);
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
            v[one->v_of[k]] = c->v[i * guide->nv + c->freedom[k]];
            a[one->v_of[k]] = c->a[i * guide->nv + c->freedom[k]];
        }
        shafts_follow_position(&one->shafts, q);
        shafts_follow(&one->shafts, v);
        shafts_follow(&one->shafts, a);
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
        shafts_gather(&one->shafts, tau);
        for (int k = 0; k < c->nv; ++k) {
            one->tau[i * c->nv + k] = tau[one->v_of[k]];
        }
    }
    return LW_OK;
}

static int most_freedoms(const comparison *c)
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
    double *tau = numbers(most_freedoms(c), 1);
    int code = tau ? EXIT_GOOD : no_memory();
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
    double *v = numbers(m->nv, 1);
    lw_status status = v ? LW_OK : LW_ERR_MEMORY;
    for (int k = 0; k < c->nv && status == LW_OK; ++k) {
        double energy = 0;
        memset(v, 0, (size_t)m->nv * sizeof *v);
        v[one->v_of[k]] = 1;
        shafts_follow(&one->shafts, v);
        status = lw_kinetic_energy(m, one->d, one->q, v, &energy);
        one->inertia[k] = 2 * energy;
    }
    free(v);
    return status;
}

static int measure(comparison *c, variant *one)
{
    const variant *base = yardstick(c);
    double *tau = numbers(one->m->nv, 1);
    if (!tau) {
        return no_memory();
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
    return status == LW_ERR_MEMORY ? no_memory() : exit_code_of(status);
}

// --- Output -----------------------------------------------------------------------------------

// The freedoms behind elastic shafts of one choice.
static json_t *followers_json(output *out, const variant *one)
{
    json_t *list = output_array(out);
    for (int k = 0; k < one->m->nv; ++k) {
        if (shafts_is_follower(&one->shafts, k)) {
            output_append(out, list, output_text(out, one->m->velocity_name[k]));
        }
    }
    return list;
}

static void compare_json(output *out, const comparison *c)
{
    json_t *levels = output_array(out);
    for (int i = 0; i < c->count; ++i) {
        const variant *one = &c->at[i];
        json_t *item = output_object(out);
        output_set(out, item, "levels", output_text(out, one->spec));
        output_set(out, item, "nbody", json_integer(one->m->nbody));
        output_set(out, item, "mass", output_number(out, one->m->mass));
        output_set(out, item, "following", followers_json(out, one));
        output_set(out, item, "ns", output_number(out, one->ns));
        output_set(out, item, "peak", output_numbers(out, one->peak, c->nv));
        output_set(out, item, "largest", output_numbers(out, one->largest, c->nv));
        output_set(out, item, "rms", output_numbers(out, one->rms, c->nv));
        output_set(out, item, "inertia", output_numbers(out, one->inertia, c->nv));
        output_set(out, item, "tau", output_matrix(out, one->tau, c->samples, c->nv));
        output_append(out, levels, item);
    }
    out->json = output_object(out);
    output_set(out, out->json, "names", output_names(out, c->name, c->nv));
    output_set(out, out->json, "against", output_text(out, yardstick(c)->spec));
    output_set(out, out->json, "samples", json_integer(c->samples));
    output_set(out, out->json, "duration", output_number(out, c->duration));
    output_set(out, out->json, "compared", levels);
}

static bool print_table(output *out, const comparison *c, const char *title, size_t field,
                        int columns)
{
    const char *head[MOST_LEVELS];
    double *value = numbers(c->nv, columns);
    for (int i = 0; i < columns && value; ++i) {
        const double *const *own = (const double *const *)((const char *)&c->at[i] + field);
        head[i] = c->at[i].spec;
        for (int k = 0; k < c->nv; ++k) {
            value[k * columns + i] = (*own)[k];
        }
    }
    if (value && columns > 0) {
        fprintf(out->text, "\n%s\n", title);
        output_table(out, "joint", c->name, c->nv, head, columns, value);
    }
    free(value);
    return value != NULL;
}

// What only some choices have: motors that their joints do not determine.
static void print_followers(output *out, const comparison *c)
{
    bool is_first = true;
    for (int i = 0; i < c->count; ++i) {
        const variant *one = &c->at[i];
        const char *between = " ";
        if (one->shafts.nfollower == 0) {
            continue;
        }
        fputs(is_first ? "\nbehind elastic shafts, taken as rigid along the motion\n" : "",
              out->text);
        is_first = false;
        output_name(out, one->spec, output_width(one->spec));
        for (int k = 0; k < one->m->nv; ++k) {
            if (shafts_is_follower(&one->shafts, k)) {
                fprintf(out->text, "%s%s", between, one->m->velocity_name[k]);
                between = ", ";
            }
        }
        fputc('\n', out->text);
    }
}

static bool compare_text(output *out, const comparison *c)
{
    char title[160];
    char number[NUMBER_ROOM];
    int width = 6;
    for (int i = 0; i < c->count; ++i) {
        const int own = output_width(c->at[i].spec);
        width = own > width ? own : width;
    }
    fprintf(out->text, "%s: %d points", yardstick(c)->m->name, c->samples);
    if (c->duration > 0) {
        fprintf(out->text, " of a motion of %s s", number_text(c->duration, number));
    }
    fputs("\n\n", out->text);
    output_name(out, "levels", width);
    fprintf(out->text, "%8s %12s %16s %10s\n", "bodies", "mass, kg", "ns a point", "ratio");
    for (int i = 0; i < c->count; ++i) {
        output_name(out, c->at[i].spec, width);
        fprintf(out->text, "%8d %12.6g %16.1f %10.2f\n", c->at[i].m->nbody, c->at[i].m->mass,
                c->at[i].ns, c->at[i].ns / c->at[0].ns);
    }
    print_followers(out, c);
    bool is_good =
        print_table(out, c, "largest force or torque, N or N m", offsetof(variant, peak), c->count);
    snprintf(title, sizeof title, "largest difference from %.100s", yardstick(c)->spec);
    is_good = is_good && print_table(out, c, title, offsetof(variant, largest), c->count - 1);
    snprintf(title, sizeof title, "root mean square of the difference from %.100s",
             yardstick(c)->spec);
    is_good = is_good && print_table(out, c, title, offsetof(variant, rms), c->count - 1);
    return is_good && print_table(out, c, "inertia at the first point, kg m^2 or kg",
                                  offsetof(variant, inertia), c->count);
}

// A panel for each joint with a curve for each choice.
static int write_plot(const comparison *c, const char *path)
{
    const lw_model *m = c->guide->m;
    const size_t n = (size_t)c->nv;
    plot_curve *curve = calloc(n * (size_t)c->count + 1, sizeof *curve);
    plot_panel *panel = calloc(n + 1, sizeof *panel);
    char(*title)[120] = calloc(n + 1, sizeof *title);
    double *x = numbers(c->samples, c->nv); // as wide as the torques, since curves have one stride
    int code = EXIT_FILE;
    if (!curve || !panel || !title || !x) {
        no_memory();
        goto done;
    }
    for (int i = 0; i < c->samples; ++i) {
        x[i * c->nv] = c->duration > 0 ? c->duration * i / (c->samples - 1) : i + 1;
    }
<<<<<<< HEAD
    for (int k = 0; k < m->nv; ++k) {
        snprintf(title[k], sizeof title[k], "%.90s, %s", m->velocity_name[k],
                 is_slide(m, m->v_tree[k]) ? "N" : "N m");
        panel[k] =
            (plot_panel){.title = title[k], .ncurve = c->count, .curve = curve + k * c->count};
=======
    for (int k = 0; k < c->nv; ++k) {
        snprintf(title[k], sizeof title[k], "%.90s, %s", c->name[k],
                 is_slide(m, m->v_tree[c->freedom[k]]) ? "N" : "N m");
        panel[k] = (plot_panel){title[k], c->count, curve + k * c->count};
>>>>>>> 34c2895 (compare works on the joints that all choices have; what is behind elastic shafts follows)
        for (int i = 0; i < c->count; ++i) {
            panel[k].curve[i] = (plot_curve){.x = x,
                                             .y = c->at[i].tau + k,
                                             .count = c->samples,
                                             .stride = c->nv,
                                             .label = c->at[i].spec,
                                             .color = i,
                                             .dash = i};
        }
    }
    code = plot_write(path, m->name, c->duration > 0 ? "time, s" : "point", panel, c->nv);
done:
    free(curve);
    free(panel);
    free(title);
    free(x);
    return code;
}

// --- The command ------------------------------------------------------------------------------

static bool make_room(const comparison *c, variant *one)
{
    const lw_model *m = one->m;
    one->q = numbers(c->samples, m->nq);
    one->v = numbers(c->samples, m->nv);
    one->a = numbers(c->samples, m->nv);
    one->tau = numbers(c->samples, c->nv);
    one->peak = numbers(c->nv, 1);
    one->largest = numbers(c->nv, 1);
    one->rms = numbers(c->nv, 1);
    one->inertia = numbers(c->nv, 1);
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
<<<<<<< HEAD
        robot_close(&one->robot);
=======
        shafts_free(&one->shafts);
        lw_data_destroy(one->d);
        lw_model_destroy(one->m);
>>>>>>> 34c2895 (compare works on the joints that all choices have; what is behind elastic shafts follows)
        free(one->spec);
    }
    free(c->name);
    free(c->position);
    free(c->freedom);
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
        c->q = numbers(c->samples, m->nq);
        c->v = numbers(c->samples, m->nv);
        c->a = numbers(c->samples, m->nv);
        code = c->q && c->v && c->a ? EXIT_GOOD : no_memory();
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
        code = make_room(c, &c->at[i]) ? EXIT_GOOD : no_memory();
    }
    return code;
}

int command_compare(const command_line *args)
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
        code = write_plot(&c, args_value(args, OPT_PLOT));
    }
    if (code == EXIT_GOOD && !output_begin(&out, args_has(args, OPT_JSON))) {
        code = no_memory();
    }
    if (code == EXIT_GOOD && out.is_json) {
        compare_json(&out, &c);
    } else if (code == EXIT_GOOD && !compare_text(&out, &c)) {
        code = no_memory();
    }
    code = output_finish(&out, code);
    free_comparison(&c);
    return code;
}
