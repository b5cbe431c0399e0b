// linkwork deflect: where an elastic mechanism rests under its loads, the command that compensates
// that, its stiffness, and the load at which it buckles.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "draw/heat_map.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/kinematics.h>
#include <linkwork/motion.h>
#include <linkwork/statics.h>

#include <math.h>
#include <string.h>

// Load factors beyond this are of no interest.
static const double most_factor = 100.0;

// kg, of --error.
static const double most_payload = 1e5;

typedef struct deflection {
    lw_statics *statics;
    int frame;
    lw_axes axes;
    double error; ///< m; 0 where it was not given
    double *q, *command;
} deflection;

/// What is found at one state.
typedef struct answer {
    lw_deflection found;
    lw_pose rigid, tip;
    double C[36], K[36], translation[9];
    int rank, yielding;       ///< directions that yield, and those of translations
    double value[3], axis[9]; ///< of the translational stiffness; infinite where it is rigid
    double factor;
    double payload;
    bool is_exact; ///< the command brings the frame to its pose
} answer;

// --- Options ----------------------------------------------------------------------------------

static int unknown_joint(const lw_model *m, const char *name)
{
    char text[SUGGEST_SIZE];
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int k = 0; k < m->nv; ++k) {
        lw_nearest_offer(&near, m->velocity_name[k]);
    }
    return complain(EXIT_USAGE, "--stiffness: there is no joint \"%s\"%s", name,
                    suggest_text(&near, text));
}

// "JOINT=N" or "N" for all joints that have no number of their own.
static int set_stiffness(const lw_model *m, const char *item, double *stiffness, bool *is_named)
{
    const size_t length = strcspn(item, "=");
    const char *value = item[length] == '=' ? item + length + 1 : item;
    char name[200] = "";
    double number = 0.0;
    if (!number_parse(value, strlen(value), &number) || length >= sizeof name) {
        return complain(EXIT_USAGE, "--stiffness is JOINT=N,... or one number for all, not \"%s\"",
                        item);
    }
    memcpy(name, item, value == item ? 0 : length);
    if (!(number > 0.0)) {
        return complain(EXIT_USAGE,
                        "--stiffness: that of \"%s\" is %g, must be above zero; what is rigid is "
                        "left out",
                        value == item ? "all joints" : name, number);
    }
    bool is_known = value == item;
    for (int k = 0; k < m->nv; ++k) {
        const bool is_meant = value == item || strcmp(m->velocity_name[k], name) == 0;
        if (is_meant && lw_position_of_dof(m, k) >= 0) {
            if (value != item && is_named[k]) {
                return complain(EXIT_USAGE, "--stiffness: %s is given twice", name);
            }
            stiffness[k] = value == item && is_named[k] ? stiffness[k] : number;
            is_named[k] |= value != item;
            is_known = true;
        }
    }
    return is_known ? EXIT_GOOD : unknown_joint(m, name);
}

static int read_stiffness(job *work, double *stiffness)
{
    int code = EXIT_GOOD, ngeneral = 0;
    bool *is_named = memory_get(work->pool, (size_t)work->m->nv + 1, sizeof *is_named);
    memset(is_named, 0, (size_t)work->m->nv * sizeof *is_named);
    for (int i = 0; i < args_count(work->args, OPT_STIFFNESS) && code == EXIT_GOOD; ++i) {
        int count;
        char **item =
            memory_split(work->pool, args_value_at(work->args, OPT_STIFFNESS, i), ',', &count);
        for (int k = 0; k < count && code == EXIT_GOOD; ++k) {
            code = set_stiffness(work->m, item[k], stiffness, is_named);
            ngeneral += !strchr(item[k], '=');
        }
    }
    if (code == EXIT_GOOD && ngeneral > 1) { // not a number for each joint in turn
        return complain(EXIT_USAGE,
                        "--stiffness has %d numbers for all joints, where one is: a joint of its "
                        "own is JOINT=N",
                        ngeneral);
    }
    return code;
}

static int read_vector(const command_line *args, option_id option, memory *pool, lw_vec3 *out)
{
    const char *text = args_value(args, option);
    double x[3] = {0.0};
    int count = 0;
    char **item = text ? memory_split(pool, text, ',', &count) : NULL;
    bool is_good = !text || count == 3;
    for (int i = 0; i < count && is_good; ++i) {
        is_good = number_parse(item[i], strlen(item[i]), &x[i]);
    }
    *out = lw_vec3_of(x[0], x[1], x[2]);
    return is_good ? EXIT_GOOD
                   : complain(EXIT_USAGE, "%s is X,Y,Z, not \"%s\"", option_name(option), text);
}

static int read_load(job *work, lw_static_load *load)
{
    double payload = 0.0;
    int code = read_vector(work->args, OPT_FORCE, work->pool, &load->wrench.lin);
    if (code == EXIT_GOOD) {
        code = read_vector(work->args, OPT_TORQUE, work->pool, &load->wrench.ang);
    }
    if (code == EXIT_GOOD) {
        code = args_number(work->args, OPT_PAYLOAD, 0.0, DBL_MAX, &payload);
    }
    load->wrench.lin = lw_add3(load->wrench.lin, lw_scale3(payload, work->m->gravity));
    return code;
}

static int prepare(job *work)
{
    static const char *const axes[] = {"world", "frame", NULL};
    deflection *own = work->context;
    const command_line *args = work->args;
    const lw_model *m = work->m;
    if (args_has(args, OPT_SAMPLES) && !args_has(args, OPT_MAP)) {
        return complain(EXIT_USAGE, "--samples needs --map, which it is of");
    }
    double *stiffness = job_numbers(work, m->nv, 1);
    const int choice = args_choice(args, OPT_EXPRESSED_IN, axes);
    int code = choice < 0 ? EXIT_USAGE : read_stiffness(work, stiffness);
    if (code != EXIT_GOOD) {
        return code;
    }
    own->axes = choice == 0 ? LW_IN_WORLD : LW_IN_FRAME;
    own->frame =
        args_has(args, OPT_FRAME) ? robot_find_frame(m, args_value(args, OPT_FRAME)) : robot_tip(m);
    if (own->frame < 0) {
        return EXIT_USAGE;
    }
    lw_static_load load = {.frame = own->frame, .axes = LW_IN_WORLD};
    code = read_load(work, &load);
    if (code == EXIT_GOOD) {
        code = args_number(args, OPT_ERROR, ARGS_ABOVE_ZERO, DBL_MAX, &own->error);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_statics_def def = {.stiffness = stiffness, .nload = 1, .load = &load};
    const lw_status status = lw_statics_create(m, &def, &own->statics);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    own->q = job_numbers(work, m->nq, 1);
    own->command = job_numbers(work, m->nq, 1);
    return lw_statics_unknowns(own->statics, NULL) > 0
               ? EXIT_GOOD
               : complain(EXIT_INPUT, "nothing in the model yields: give --stiffness JOINT=N, or "
                                      "describe elastic shafts or joints with a stiffness");
}

// --- Results ----------------------------------------------------------------------------------

static lw_status find_command(const job *work, const double *wanted, answer *a)
{
    deflection *own = work->context;
    const size_t size = (size_t)work->m->nq * sizeof *own->q;
    double *q = job_numbers(work, work->m->nq, 1);
    memcpy(q, wanted, size);
    lw_status status =
        lw_compensate_frame(own->statics, work->d, own->frame, &a->rigid, q, own->command);
    a->is_exact = status == LW_OK;
    if (status == LW_ERR_NO_CONVERGENCE || status == LW_ERR_SINGULAR) {
        memcpy(q, wanted, size);
        status = lw_compensate(own->statics, work->d, q, own->command);
    }
    return status;
}

static lw_status find_stiffness(const job *work, answer *a)
{
    const deflection *own = work->context;
    lw_status status =
        lw_cartesian_compliance(own->statics, work->d, own->q, own->frame, own->axes, a->C);
    double part[9];
    for (int i = 0; i < 9; ++i) {
        part[i] = a->C[(3 + i / 3) * 6 + 3 + i % 3];
    }
    if (status == LW_OK) {
        status = lw_cartesian_stiffness(6, a->C, a->K, NULL, &a->rank);
    }
    if (status == LW_OK) {
        status = lw_cartesian_stiffness(3, part, a->translation, NULL, &a->yielding);
    }
    double value[3], axis[9];
    if (status == LW_OK) {
        status = lw_principal_axes(3, a->translation, value, axis);
    }
    // The equilibrium is stable, so no direction has a stiffness below zero: the first ones are
    // those that the pseudo-inverse leaves at zero, which are rigid, and come last.
    const int rigid = 3 - a->yielding;
    for (int i = 0; i < 3 && status == LW_OK; ++i) {
        const int from = (i + rigid) % 3;
        a->value[i] = i < a->yielding ? value[from] : (double)INFINITY;
        memcpy(a->axis + 3 * i, axis + 3 * from, 3 * sizeof *axis);
    }
    return status;
}

static lw_status find_all(const job *work, const double *wanted, answer *a)
{
    deflection *own = work->context;
    lw_status status = lw_load_factor(own->statics, work->d, wanted, LW_SCALE_ALL, most_factor,
                                      &a->factor, own->q);
    if (status != LW_OK || a->factor <= 1.0) {
        return status;
    }
    memcpy(own->q, wanted, (size_t)work->m->nq * sizeof *own->q);
    status = lw_deflect(own->statics, work->d, wanted, own->q, &a->found);
    if (status == LW_OK) {
        status = lw_pose_of_frame(work->m, work->d, wanted, own->frame, &a->rigid);
    }
    if (status == LW_OK) {
        status = lw_pose_of_frame(work->m, work->d, own->q, own->frame, &a->tip);
    }
    if (status == LW_OK) {
        status = find_stiffness(work, a);
    }
    if (status == LW_OK) {
        status = find_command(work, wanted, a);
    }
    if (status == LW_OK && own->error > 0.0) {
        double *q = job_numbers(work, work->m->nq, 1);
        status = lw_payload_limit(own->statics, work->d, wanted, own->frame, own->error,
                                  most_payload, &a->payload, q);
    }
    return status;
}

static void put_json(job *work, const answer *a, json_t *result)
{
    const deflection *own = work->context;
    const lw_model *m = work->m;
    output *out = &work->out;
    const lw_quat quat = lw_quat_of(&a->tip.R);
    const double turn[] = {quat.w, quat.x, quat.y, quat.z};
    json_t *tip = output_object(out), *principal = output_array(out);
    for (int i = 0; i < 3; ++i) {
        output_append(out, principal,
                      i < a->yielding ? output_number(out, a->value[i]) : json_null());
    }
    output_put(out, tip, "frame s, position o, quaternion o, commanded o, sag f",
               m->frame[own->frame].name, output_numbers(out, &a->tip.p.x, 3),
               output_numbers(out, turn, 4), output_numbers(out, &a->rigid.p.x, 3),
               lw_norm3(lw_sub3(a->tip.p, a->rigid.p)));
    output_put(out, result, "names o, q o, command o, tip o, steps d, residual f",
               output_names(out, m->position_name, m->nq), output_numbers(out, own->q, m->nq),
               output_numbers(out, own->command, m->nq), tip, a->found.steps, a->found.residual);
    output_put(out, result,
               "compliance o, stiffness o, translational_stiffness o, principal_stiffness o, "
               "principal_axes o, load_factor n",
               output_matrix(out, a->C, 6, 6),
               a->rank == 6 ? output_matrix(out, a->K, 6, 6) : json_null(),
               a->yielding == 3 ? output_matrix(out, a->translation, 3, 3) : json_null(), principal,
               output_matrix(out, a->axis, 3, 3), a->factor);
    output_set(out, result, "compensates_pose", json_boolean(a->is_exact));
    if (own->error > 0.0) {
        output_put(out, result, "payload n", a->payload);
    }
}

static void put_text(job *work, const double *wanted, const answer *a)
{
    static const char *const head[] = {"commanded", "at rest", "command that compensates"};
    static const char *const axis[] = {"x", "y", "z"}, *const at[] = {"commanded", "at rest"};
    const deflection *own = work->context;
    const lw_model *m = work->m;
    output *out = &work->out;
    double *table = job_numbers(work, m->nq, 3);
    for (int k = 0; k < m->nq; ++k) {
        table[3 * k] = wanted[k];
        table[3 * k + 1] = own->q[k];
        table[3 * k + 2] = own->command[k];
    }
    output_table(out, "position", m->position_name, m->nq, head, 3, table);
    const lw_vec3 way = lw_sub3(a->tip.p, a->rigid.p);
    const double tip[] = {a->rigid.p.x, a->tip.p.x,   a->rigid.p.y,
                          a->tip.p.y,   a->rigid.p.z, a->tip.p.z};
    fprintf(out->text, "\n%s sags by %.4g mm\n", m->frame[own->frame].name, 1e3 * lw_norm3(way));
    output_table(out, "", axis, 3, at, 2, tip);
    fprintf(out->text, "\ntranslational stiffness, N/mm, along its principal axes\n");
    for (int i = 0; i < 3; ++i) {
        if (i < a->yielding) {
            fprintf(out->text, "  %10.4g  along (%6.3f %6.3f %6.3f)\n", 1e-3 * a->value[i],
                    a->axis[3 * i], a->axis[3 * i + 1], a->axis[3 * i + 2]);
        } else {
            fprintf(out->text, "       rigid  along (%6.3f %6.3f %6.3f)\n", a->axis[3 * i],
                    a->axis[3 * i + 1], a->axis[3 * i + 2]);
        }
    }
    fprintf(out->text,
            isinf(a->factor) ? "\nload factor at which it buckles: above %.0f\n"
                             : "\nload factor at which it buckles: %.6g\n",
            isinf(a->factor) ? most_factor : a->factor);
    if (own->error > 0.0) {
        fprintf(out->text, "payload at which it is off by %g m: ", own->error);
        if (a->payload > 0.0) {
            fprintf(out->text, isinf(a->payload) ? "above %g kg\n" : "%.6g kg\n",
                    isinf(a->payload) ? most_payload : a->payload);
        } else {
            fputs("none, it is farther off without one\n", out->text);
        }
    }
    if (!a->is_exact) {
        fputs("\nThe joints cannot bring the frame to its pose against the joints that settle; the "
              "command\nbrings the joints to where they were commanded.\n",
              out->text);
    }
}

// --- Map --------------------------------------------------------------------------------------

static double random_number(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

// A command within the limits of the joints; motors and what settles stay at the reference.
static void random_command(const lw_model *m, unsigned long long *state, double *command)
{
    memcpy(command, m->q_reference, (size_t)m->nq * sizeof *command);
    for (int k = 0; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const int at = lw_position_of_dof(m, k);
        if (at >= 0 && dof->stiffness == 0.0) {
            const double low = fmax(dof->lower, -0.5 * TWO_PI),
                         high = fmin(dof->upper, 0.5 * TWO_PI);
            command[at] = low < high ? random_number(state, low, high) : command[at];
        }
    }
}

static int draw_map(job *work)
{
    const deflection *own = work->context;
    const lw_model *m = work->m;
    int samples = 20000;
    const int code = args_whole(work->args, OPT_SAMPLES, 1, 1000000, &samples);
    if (code != EXIT_GOOD) {
        return code;
    }
    double *x = job_numbers(work, samples, 1), *y = job_numbers(work, samples, 1),
           *sag = job_numbers(work, samples, 1), *command = job_numbers(work, m->nq, 1),
           worst = 0.0;
    unsigned long long seed = 1;
    int count = 0;
    for (int i = 0; i < samples; ++i) {
        lw_pose rigid, tip;
        lw_deflection found;
        random_command(m, &seed, command);
        memcpy(own->q, command, (size_t)m->nq * sizeof *own->q);
        if (lw_deflect(own->statics, work->d, command, own->q, &found) != LW_OK ||
            !found.is_stable ||
            lw_pose_of_frame(m, work->d, command, own->frame, &rigid) != LW_OK ||
            lw_pose_of_frame(m, work->d, own->q, own->frame, &tip) != LW_OK) {
            continue;
        }
        x[count] = hypot(rigid.p.x, rigid.p.y);
        y[count] = rigid.p.z;
        sag[count] = 1e3 * lw_norm3(lw_sub3(tip.p, rigid.p));
        worst = fmax(worst, sag[count++]);
    }
    const heat_map map = {
        .title = memory_text(work->pool, "%s: how far %s sags", m->name, m->frame[own->frame].name),
        .subtitle = memory_text(work->pool,
                                "largest of %d random configurations in each "
                                "cell; at most %.3g mm",
                                count, worst),
        .x_name = "distance from the z axis, m",
        .y_name = "height, m",
        .value_name = "sag, mm",
        .count = count,
        .x = x,
        .y = y,
        .value = sag};
    return count > 0 ? heat_map_write(work->pool, &map, args_value(work->args, OPT_MAP))
                     : complain(EXIT_NUMERIC, "no random configuration has a stable equilibrium");
}

// --- Picture ----------------------------------------------------------------------------------

// The mechanism at rest, where it was commanded behind it, and the ellipsoid of the frame's
// compliance: how far a force yields it in each direction, by its three principal sections.
static int draw_ellipsoid(job *work, const double *wanted, const answer *a)
{
    enum { POINTS = 60 };
    const deflection *own = work->context;
    lw_vec3 half[3], *curve = memory_get(work->pool, 3 * POINTS, sizeof *curve);
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
        most = fmax(most, 1.0 / a->value[i]);
    }
    const double reach = lw_norm3(a->tip.p), size = reach > 0.0 ? 0.25 * reach : 0.25;
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 axis = lw_vec3_of(a->axis[3 * i], a->axis[3 * i + 1], a->axis[3 * i + 2]);
        const double yields = most > 0.0 ? size / (most * a->value[i]) : 0.0;
        half[i] = lw_scale3(yields, own->axes == LW_IN_WORLD ? axis : lw_rotate(&a->tip.R, axis));
    }
    for (int i = 0; i < 3 * POINTS; ++i) {
        const double angle = TWO_PI * (i % POINTS) / POINTS;
        const lw_vec3 one = half[i / POINTS], two = half[(i / POINTS + 1) % 3];
        curve[i] =
            lw_add3(a->tip.p, lw_add3(lw_scale3(cos(angle), one), lw_scale3(sin(angle), two)));
    }
    const draw_options o = {
        .view = VIEW_ISO,
        .width = 900,
        .height = 720,
        .show = LW_SCENE_SHOW_TIPS,
        .what =
            memory_text(work->pool, "at rest; compliance ellipsoid, at most %.3g mm/N", 1e3 * most),
        .ghosts = wanted,
        .nghost = 1,
        .ghost_label = "behind it the commanded configuration",
        .curve = curve,
        .ncurve = most > 0.0 ? 3 : 0,
        .curve_points = POINTS};
    return draw_model(work->pool, work->m, work->d, own->q, &o, args_value(work->args, OPT_OUTPUT));
}

// --- Command ----------------------------------------------------------------------------------

static int evaluate(job *work, int i, json_t *result)
{
    const double *wanted = states_q(&work->states, i);
    answer a = {.factor = 0.0};
    const lw_status status = find_all(work, wanted, &a);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (a.factor <= 1.0) {
        work->code = complain(
            EXIT_NUMERIC, "it buckles: the equilibrium is stable up to %.6g of its load", a.factor);
        if (result) {
            output_put(&work->out, result, "load_factor f", a.factor);
        } else {
            fprintf(work->out.text, "load factor at which it buckles: %.6g\n", a.factor);
        }
        return EXIT_GOOD;
    }
    if (result) {
        put_json(work, &a, result);
    } else {
        put_text(work, wanted, &a);
    }
    int code = EXIT_GOOD;
    if (i == 0 && args_has(work->args, OPT_OUTPUT)) {
        code = draw_ellipsoid(work, wanted, &a);
    }
    return i == 0 && args_has(work->args, OPT_MAP) && code == EXIT_GOOD ? draw_map(work) : code;
}

static void end(job *work)
{
    lw_statics_destroy(((deflection *)work->context)->statics);
}

const command_def command_deflect = {
    .name = "deflect",
    .options =
        OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_STIFFNESS, OPT_FORCE, OPT_TORQUE,
                OPT_PAYLOAD, OPT_ERROR, OPT_EXPRESSED_IN, OPT_MAP, OPT_SAMPLES, OPT_OUTPUT),
    .is_picture = true,
    .summary = "sag of an elastic mechanism, and what compensates it",
    .about =
        "Finds where an elastic mechanism rests when its drives are commanded to -q, under "
        "gravity, its loads, springs and contacts, and a load at a frame. What yields: joints with "
        "a --stiffness, joints on elastic shafts (torsions), and joints with a stiffness of their "
        "own, which stand for links and bearings. A free joint is held where it is.\n\nGives the "
        "command for which the frame is "
        "where a rigid mechanism would have it, the compliance and stiffness of the frame under "
        "this load, and the factor of all loads at which the mechanism buckles. Where that is "
        "below 1 there is no such equilibrium, and the exit code is 4.",
    .keys = "names, q (at rest), command (that compensates), compensates_pose, tip (frame, "
            "position, quaternion, commanded, sag in m), steps, residual, compliance (6 by 6, "
            "rotations first), stiffness (6 by 6) and translational_stiffness (3 by 3), null "
            "where a direction is rigid, principal_stiffness (smallest first, null for rigid "
            "directions), principal_axes (rows), load_factor (null above 100), payload (with "
            "--error; null above 1e5)",
    .example = "deflect arm.urdf --stiffness 8000 -q 0,-1,1.2,0,0.7,0 --payload 5\n"
               "deflect arm.urdf --stiffness shoulder=9000,elbow=6000 --error 0.001 --json\n"
               "deflect hr120.xml --map sag.svg -o ellipsoid.svg",
    .notes =
        NOTES({OPT_FRAME, "The frame that is watched, and at which loads act. Default: the tip "
                          "of the longest chain."},
              {OPT_EXPRESSED_IN, "Axes of compliance and stiffness. Default: world."},
              {OPT_OUTPUT, "Draws the mechanism at rest, where it was commanded, and the ellipsoid "
                           "of the compliance of the frame."},
              {OPT_SAMPLES, "Random configurations of --map. Default: 20000."}),
    .context_size = sizeof(deflection),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
