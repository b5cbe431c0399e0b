// linkwork drive: wheels for a motion, and the motion of wheels.

#include "commands/commands.h"
#include "report/table.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/wheels.h>

#include <math.h>
#include <string.h>

typedef struct driving {
    lw_wheels *wheels;
    lw_motion twist;
    double *speed;      ///< [nwheel] of --speeds, or between two rows of --encoders
    double *steer_rate; ///< [nwheel] between two rows of --encoders; null: they rest
    table encoders;
    bool has_encoders;
} driving;

// Squares of speeds and of what is held against them must be numbers.
static bool is_possible(double speed)
{
    return isnan(speed) || fabs(speed) <= 1e100;
}

static int read_speeds(job *work)
{
    driving *own = work->context;
    int count;
    char **part = memory_split(work->pool, args_value(work->args, OPT_SPEEDS), ',', &count);
    if (count != work->m->nwheel) {
        return complain(EXIT_USAGE, "--speeds takes one for each of the %d wheels, not %d",
                        work->m->nwheel, count);
    }
    own->speed = job_numbers(work, 1, count);
    for (int k = 0; k < count; ++k) {
        if (strcmp(part[k], "none") == 0) {
            own->speed[k] = (double)NAN;
        } else if (!number_parse(part[k], strlen(part[k]), &own->speed[k])) {
            return complain(EXIT_USAGE, "--speeds: \"%s\" is not a finite number", part[k]);
        } else if (!is_possible(own->speed[k])) {
            return complain(EXIT_USAGE, "--speeds: \"%s\" is beyond 1e100 rad/s", part[k]);
        }
    }
    return EXIT_GOOD;
}

// Names the columns that are read by nobody.
static void name_unread(const job *work, const char *file)
{
    const lw_model *m = work->m;
    const table *e = &((const driving *)work->context)->encoders;
    for (int i = 0; i < e->ncolumn; ++i) {
        bool is_read = strcmp(e->name[i], "t") == 0;
        char text[SUGGEST_SIZE];
        lw_nearest near;
        lw_nearest_init(&near, e->name[i]);
        for (int k = 0; k < m->nwheel + m->nv; ++k) {
            const char *name = k < m->nwheel ? m->wheel[k].name : m->velocity_name[k - m->nwheel];
            is_read |= strcmp(e->name[i], name) == 0;
            lw_nearest_offer(&near, name);
        }
        if (!is_read) {
            complain(EXIT_GOOD, "%s:1:1: column \"%s\" is neither a wheel nor a joint: not read%s",
                     file, e->name[i], suggest_text(&near, text));
        }
    }
}

static int read_encoders(job *work)
{
    driving *own = work->context;
    const char *file = args_value(work->args, OPT_ENCODERS);
    const int code = table_read(&own->encoders, work->pool, file);
    own->has_encoders = code == EXIT_GOOD;
    if (code != EXIT_GOOD) {
        return code;
    }
    const int t = table_column(&own->encoders, "t"), n = own->encoders.ncolumn;
    int nwheel = 0;
    for (int k = 0; k < work->m->nwheel; ++k) {
        nwheel += table_column(&own->encoders, work->m->wheel[k].name) >= 0;
    }
    if (t < 0 || nwheel == 0) {
        return complain(EXIT_INPUT, "%s:1:1: there is no column %s", file,
                        t < 0 ? "t" : "with the name of a wheel");
    }
    if (own->encoders.nrow < 2) {
        return complain(EXIT_INPUT, "%s:%d:1: a way needs two rows of angles", file,
                        own->encoders.nrow + 1);
    }
    for (int row = 1; row < own->encoders.nrow; ++row) {
        if (!(own->encoders.value[row * n + t] > own->encoders.value[(row - 1) * n + t])) {
            return complain(EXIT_INPUT, "%s:%d:1: t does not increase", file, row + 2);
        }
    }
    name_unread(work, file);
    own->speed = job_numbers(work, 1, work->m->nwheel);
    own->steer_rate = job_numbers(work, 1, work->m->nwheel);
    return EXIT_GOOD;
}

static int prepare(job *work)
{
    driving *own = work->context;
    double twist[3] = {0.0, 0.0, 0.0};
    if (work->m->nwheel == 0) {
        return complain(EXIT_INPUT,
                        "%s has no wheels: <wheel> puts them on links, those of a URDF file from a "
                        "linkwork file that includes it",
                        work->m->name);
    }
    own->has_encoders = args_has(work->args, OPT_ENCODERS);
    if (args_has(work->args, OPT_PROJECT) && !args_has(work->args, OPT_TWIST)) {
        return complain(EXIT_USAGE, "--project needs --twist, the motion that it brings");
    }
    if (args_has(work->args, OPT_TWIST) + args_has(work->args, OPT_SPEEDS) + own->has_encoders !=
        1) {
        return complain(EXIT_USAGE, "drive takes one of --twist, --speeds and --encoders");
    }
    if (lw_wheels_create(work->m, &own->wheels) != LW_OK) {
        return no_memory();
    }
    const int code = own->has_encoders ? read_encoders(work)
                     : args_has(work->args, OPT_TWIST)
                         ? args_numbers(work->args, OPT_TWIST, 3, twist)
                         : read_speeds(work);
    own->twist = (lw_motion){{0.0, 0.0, twist[2]}, {twist[0], twist[1], 0.0}};
    return code;
}

static const char **wheel_names(const job *work)
{
    const char **name = memory_get(work->pool, (size_t)work->m->nwheel, sizeof *name);
    for (int k = 0; k < work->m->nwheel; ++k) {
        name[k] = work->m->wheel[k].name;
    }
    return name;
}

static void put_twist(output *out, json_t *result, const lw_motion *twist)
{
    output_put(out, result, "linear o, angular o", output_numbers(out, &twist->lin.x, 3),
               output_numbers(out, &twist->ang.x, 3));
}

static void put_pose(output *out, json_t *item, const lw_pose *X)
{
    const lw_quat turn = lw_quat_of(&X->R);
    output_put(out, item, "position o, quaternion o", output_numbers(out, &X->p.x, 3),
               output_numbers(out, (const double[]){turn.w, turn.x, turn.y, turn.z}, 4));
}

static void print_twist(output *out, const lw_motion *twist)
{
    static const char *const name[] = {"linear", "angular"}, *const head[] = {"x", "y", "z"},
                             *const unit[] = {"m/s", "rad/s"};
    const double value[6] = {twist->lin.x, twist->lin.y, twist->lin.z,
                             twist->ang.x, twist->ang.y, twist->ang.z};
    output_unit_table(out, "motion of the base", name, 2, head, 3, value, NULL, unit);
}

static int to_wheels(job *work, int i, json_t *result)
{
    driving *own = work->context;
    output *out = &work->out;
    const int n = work->m->nwheel;
    lw_wheel_command *command = memory_get(work->pool, (size_t)n, sizeof *command);
    const lw_drive_options options = {.projects = args_has(work->args, OPT_PROJECT)};
    lw_drive_result found;
    const lw_status status = lw_drive(work->m, work->d, own->wheels, states_q(&work->states, i),
                                      &own->twist, &options, command, &found);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        json_t *list = output_array(out);
        for (int k = 0; k < n; ++k) {
            output_put(out, output_item(out, list),
                       "name s, steer f, speed f, slip f, reversed o, at_limit o, held o",
                       work->m->wheel[k].name, command[k].steer, command[k].speed,
                       command[k].side_slip, json_boolean(command[k].is_reversed),
                       json_boolean(command[k].is_at_limit), json_boolean(command[k].is_held));
        }
        output_put(out, result, "wheels o, scale f, slip f", list, found.scale, found.slip);
        put_twist(out, result, &found.twist);
        return EXIT_GOOD;
    }
    static const char *const head[] = {"steer", "speed", "side slip"}, *const unit[] = {
                                                                           "rad", "rad/s", "m/s"};
    double *value = job_numbers(work, n, 3);
    for (int k = 0; k < n; ++k) {
        value[3 * k] = work->m->wheel[k].steer < 0 ? OUTPUT_NONE : command[k].steer;
        value[3 * k + 1] = command[k].speed;
        value[3 * k + 2] = command[k].side_slip;
    }
    output_unit_table(out, "wheels", wheel_names(work), n, head, 3, value, unit, NULL);
    if (found.limiting >= 0) {
        fprintf(out->text, "reduced to %.6g of the motion: %s is at its limit of speed\n",
                found.scale, work->m->wheel[found.limiting].name);
    }
    for (int k = 0; k < n; ++k) {
        if (command[k].is_at_limit) {
            fprintf(out->text, "%s is at a limit of its steering joint\n", work->m->wheel[k].name);
        }
    }
    return EXIT_GOOD;
}

static lw_status measure(job *work, const double *q, double *rate, lw_wheel_slip *slip,
                         lw_odometry_result *found)
{
    driving *own = work->context;
    // Wheels hold the ground to 2 % of the fastest.
    double fastest = 1e-6;
    for (int k = 0; k < work->m->nwheel; ++k) {
        const double speed = isnan(own->speed[k]) ? 0.0 : fabs(own->speed[k]);
        fastest = fmax(fastest, speed * work->m->wheel[k].radius);
    }
    const lw_odometry_options options = {
        .rolling = 0.02 * fastest, .side = 0.02 * fastest, .height = 0.02 * fastest};
    return lw_odometry(work->m, work->d, own->wheels, q, own->speed, own->steer_rate, &options,
                       rate, slip, found);
}

// Joints of the table in the middle between two rows, and speeds of the wheels there; those of
// steered joints turn wheels that are beside their axes.
static double take_step(job *work, int row, double *q)
{
    driving *own = work->context;
    const table *e = &own->encoders;
    const double *last = &e->value[(row - 1) * e->ncolumn], *next = last + e->ncolumn;
    const int t = table_column(e, "t");
    const double dt = next[t] - last[t];
    for (int k = 0; k < work->m->nwheel; ++k) {
        const int at = table_column(e, work->m->wheel[k].name);
        own->speed[k] = at < 0 ? (double)NAN : (next[at] - last[at]) / dt;
    }
    for (int k = 0; k < work->m->nv; ++k) {
        const int at = table_column(e, work->m->velocity_name[k]);
        const int place = lw_position_of_dof(work->m, k);
        if (at >= 0 && place >= 0) {
            q[place] = 0.5 * (last[at] + next[at]);
        }
        for (int i = 0; i < work->m->nwheel && at >= 0; ++i) {
            if (work->m->wheel[i].steer == work->m->v_tree[k]) {
                own->steer_rate[i] = (next[at] - last[at]) / dt;
            }
        }
    }
    return dt;
}

// From the pose at which it starts, along the twists of all steps.
static int to_way(job *work, int i, json_t *result)
{
    driving *own = work->context;
    output *out = &work->out;
    const int n = work->m->nwheel;
    double *q = job_numbers(work, 1, work->m->nq);
    int *slips = memory_get(work->pool, (size_t)n, sizeof *slips);
    lw_pose X = lw_pose_identity();
    memset(slips, 0, (size_t)n * sizeof *slips);
    memcpy(q, states_q(&work->states, i), (size_t)work->m->nq * sizeof *q);
    json_t *way = result ? output_array(out) : NULL;
    for (int row = 1; row < own->encoders.nrow; ++row) {
        const double dt = take_step(work, row, q);
        lw_odometry_result found;
        for (int k = 0; k < n; ++k) {
            if (!is_possible(own->speed[k]) || !is_possible(own->steer_rate[k])) {
                return complain(EXIT_INPUT, "%s: %s turns by more than 1e100 rad/s up to row %d",
                                args_value(work->args, OPT_ENCODERS), work->m->wheel[k].name,
                                row + 1);
            }
        }
        const lw_status status = measure(work, q, NULL, NULL, &found);
        if (status != LW_OK) {
            return job_failure(work, i, status);
        }
        X = lw_pose_advance(&X, &found.twist, dt);
        if (found.slipping >= 0) {
            ++slips[found.slipping];
        }
        if (way) {
            const char *slipping = found.slipping >= 0 ? work->m->wheel[found.slipping].name : NULL;
            json_t *item = output_item(out, way);
            put_pose(out, item, &X);
            put_twist(out, item, &found.twist);
            output_set(out, item, "slipping", slipping ? output_text(out, slipping) : json_null());
        }
    }
    if (result) {
        json_t *pose = output_object(out);
        put_pose(out, pose, &X);
        output_set(out, result, "pose", pose);
        output_set(out, result, "way", way);
        return EXIT_GOOD;
    }
    fprintf(out->text, "%d steps to x %.6g m, y %.6g m, z %.6g m, heading %.6g rad\n",
            own->encoders.nrow > 0 ? own->encoders.nrow - 1 : 0, X.p.x, X.p.y, X.p.z,
            atan2(X.R.row[1].x, X.R.row[0].x));
    for (int k = 0; k < n; ++k) {
        if (slips[k] > 0) {
            fprintf(out->text, "%s slips in %d of them\n", work->m->wheel[k].name, slips[k]);
        }
    }
    return EXIT_GOOD;
}

static int to_motion(job *work, int i, json_t *result)
{
    driving *own = work->context;
    output *out = &work->out;
    const int n = work->m->nwheel;
    const lw_wheels_info info = lw_wheels_describe(own->wheels);
    lw_wheel_slip *slip = memory_get(work->pool, (size_t)n, sizeof *slip);
    double *rate = job_numbers(work, 1, info.npassive);
    lw_odometry_result found;
    const lw_status status = measure(work, states_q(&work->states, i), rate, slip, &found);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    const char *slipping = found.slipping >= 0 ? work->m->wheel[found.slipping].name : NULL;
    if (result) {
        json_t *list = output_array(out), *joints = output_object(out);
        for (int k = 0; k < n; ++k) {
            output_put(out, output_item(out, list), "name s, slip f, side_slip f, score f",
                       work->m->wheel[k].name, slip[k].slip, slip[k].side_slip, slip[k].score);
        }
        for (int k = 0; k < info.npassive; ++k) {
            output_set(out, joints, work->m->velocity_name[info.passive[k]],
                       output_number(out, rate[k]));
        }
        put_twist(out, result, &found.twist);
        output_put(out, result, "wheels o, joints o, rank d, redundancy d, chi_square f, limit f",
                   list, joints, found.rank, found.redundancy, found.chi_square, found.limit);
        output_set(out, result, "slipping", slipping ? output_text(out, slipping) : json_null());
        return EXIT_GOOD;
    }
    static const char *const head[] = {"slip", "side slip", "score"}, *const unit[] = {"m/s", "m/s",
                                                                                       ""};
    double *value = job_numbers(work, n, 3);
    for (int k = 0; k < n; ++k) {
        value[3 * k] = slip[k].slip;
        value[3 * k + 1] = slip[k].side_slip;
        value[3 * k + 2] = slip[k].score;
    }
    print_twist(out, &found.twist);
    output_unit_table(out, "wheels", wheel_names(work), n, head, 3, value, unit, NULL);
    if (found.rank < 6 + info.npassive) {
        fprintf(out->text,
                "these speeds determine %d of %d unknowns; what they leave open is zero\n",
                found.rank, 6 + info.npassive);
    }
    if (slipping) {
        fprintf(out->text, "%s slips: chi-square %.4g is above %.4g\n", slipping, found.chi_square,
                found.limit);
    }
    return EXIT_GOOD;
}

static int evaluate(job *work, int i, json_t *result)
{
    const driving *own = work->context;
    return own->has_encoders                 ? to_way(work, i, result)
           : args_has(work->args, OPT_TWIST) ? to_wheels(work, i, result)
                                             : to_motion(work, i, result);
}

static void end(job *work)
{
    driving *own = work->context;
    lw_wheels_destroy(own->wheels);
    if (own->has_encoders) {
        table_free(&own->encoders);
    }
}

const command_def command_drive = {
    .name = "drive",
    .operands = "MODEL",
    .options =
        OPTIONS(OPT_TWIST, OPT_SPEEDS, OPT_ENCODERS, OPT_PROJECT, OPTIONS_POSITION, OPTIONS_RESULT),
    .summary = "wheels for a motion of the base, and the motion of wheels",
    .about =
        "With --twist: steering angles and speeds of all wheels for a motion of the base, on "
        "level ground. The axle of a steered wheel goes through the axis that the base turns "
        "about; of the two angles the nearer within the limits is taken. What wheels that are not "
        "steered slip sideways is printed. Where a speed is beyond its limit all are reduced "
        "alike.\n\n"
        "With --speeds: the motion of the base, and the rates of joints between it and the "
        "wheels, that fit turning wheels best; what each wheel slips then, and which one does not "
        "fit the others, where wheels hold the ground to 2 % of the fastest.\n\n"
        "With --encoders: the same from row to row of a file, and the pose of the base, which is "
        "at the origin in the first row.",
    .keys = "with --twist: wheels (name, steer, speed, slip, reversed, at_limit, held), scale, "
            "slip, linear, angular; with --speeds: linear, angular, wheels (name, slip, side_slip, "
            "score), joints, rank, redundancy, chi_square, limit, slipping; with --encoders: pose "
            "(position, quaternion) and way: position, quaternion, linear, angular and slipping "
            "after each row but the first",
    .example = "drive rover.xml --twist 0.04,0,0.02\n"
               "drive rover.xml --speeds 0.3,0.3,0.3,0.3,0.3,0.45\n"
               "drive rover.xml --encoders log.csv",
    .context_size = sizeof(driving),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
