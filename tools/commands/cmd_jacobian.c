// linkwork jacobian: of a frame by the velocities, or by kinematic parameters.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/derivatives.h>
#include <linkwork/kinematics.h>
#include <linkwork/parameters.h>

#include <string.h>

typedef struct jacobian {
    int frame;
    lw_axes axes;
    int ncolumn;
    const char *const *name; ///< [ncolumn] of the columns
    lw_parameters *all;      ///< NULL where columns are velocities
    int *list;               ///< [ncolumn] parameters requested
} jacobian;

// --- Parameters -------------------------------------------------------------------------------

static bool is_inertial(const char *name)
{
    const char *dot = strchr(name, '.');
    for (int k = 0; dot && k < LW_LINK_PARAMETER_COUNT; ++k) {
        if (strcmp(dot + 1, lw_link_parameter_name((lw_link_parameter)k)) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_parameter(lw_mech *mech, const lw_parameters *all, const char *name)
{
    double value;
    lw_nearest near;
    lw_nearest_init(&near, name);
    char text[SUGGEST_SIZE];
    if (is_inertial(name) || lw_get_parameter(mech, name, &value) == LW_OK) {
        return complain(EXIT_USAGE, "\"%s\" moves no frame; 'linkwork sensitivity' takes it", name);
    }
    for (int i = 0; i < lw_parameters_count(all); ++i) {
        lw_nearest_offer(&near, lw_parameters_name(all, i));
    }
    char part[SUGGEST_SIZE] = "";
    const size_t length = strcspn(name, ".");
    if (!near.best && length < sizeof part) {
        memcpy(part, name, length);
    }
    if (part[0] && lw_parameters_find(all, part, NULL, 0) > 0) {
        return complain(EXIT_USAGE,
                        "there is no parameter \"%s\"; --parameters %s gives all that it has", name,
                        part);
    }
    return complain(EXIT_USAGE, "there is no parameter \"%s\"%s", name, suggest_text(&near, text));
}

// Adds the parameters that one name means: one, those of a part, or all.
static int add_parameters(job *work, const char *name)
{
    jacobian *own = work->context;
    const bool is_all = strcmp(name, "all") == 0;
    const int found =
        is_all ? lw_parameters_count(own->all) : lw_parameters_find(own->all, name, NULL, 0);
    if (found == 0 && !is_all) {
        return unknown_parameter(work->robot.mech, own->all, name);
    }
    int *list = memory_get(work->pool, (size_t)(own->ncolumn + found), sizeof *list);
    for (int i = 0; i < own->ncolumn + found; ++i) {
        list[i] = i < own->ncolumn ? own->list[i] : i - own->ncolumn;
    }
    if (!is_all) {
        lw_parameters_find(own->all, name, list + own->ncolumn, found);
    }
    own->list = list;
    own->ncolumn += found;
    return EXIT_GOOD;
}

static int read_parameters(job *work)
{
    jacobian *own = work->context;
    const lw_compile_options options = robot_options(&work->robot, work->args);
    const lw_status status = lw_parameters_create(work->robot.mech, &options, work->m, &own->all);
    int code =
        status == LW_OK ? EXIT_GOOD : complain(exit_code_of(status), "%s", lw_status_text(status));
    for (int i = 0; i < args_count(work->args, OPT_PARAMETERS); ++i) {
        int count;
        char **name =
            memory_split(work->pool, args_value_at(work->args, OPT_PARAMETERS, i), ',', &count);
        for (int k = 0; k < count && code == EXIT_GOOD; ++k) {
            code = add_parameters(work, name[k]);
        }
    }
    const char **name = memory_get(work->pool, (size_t)own->ncolumn, sizeof *name);
    for (int i = 0; i < own->ncolumn && code == EXIT_GOOD; ++i) {
        name[i] = lw_parameters_name(own->all, own->list[i]);
    }
    own->name = name;
    return code;
}

// --- Command ----------------------------------------------------------------------------------

static int prepare(job *work)
{
    static const char *const axes[] = {"world", "frame", NULL};
    jacobian *own = work->context;
    const int choice = args_choice(work->args, OPT_EXPRESSED_IN, axes);
    if (choice < 0) {
        return EXIT_USAGE;
    }
    own->axes = choice == 0 ? LW_IN_WORLD : LW_IN_FRAME;
    if (args_count(work->args, OPT_FRAME) != 1) {
        return complain(EXIT_USAGE, "jacobian needs one --frame; 'linkwork info' lists them");
    }
    own->frame = robot_find_frame(work->m, args_value(work->args, OPT_FRAME));
    own->ncolumn = 0;
    if (own->frame < 0) {
        return EXIT_USAGE;
    }
    if (args_has(work->args, OPT_PARAMETERS)) {
        return read_parameters(work);
    }
    own->ncolumn = work->m->nv;
    own->name = work->m->velocity_name;
    return EXIT_GOOD;
}

static void print_jacobian(job *work, const double *J, const double *opening)
{
    static const char *const head[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
    const jacobian *own = work->context;
    output *out = &work->out;
    const int n = own->ncolumn;
    const char *what = own->all ? "parameter" : "velocity";
    double *transpose = job_numbers(work, n, 6); // for people: one line per column
    for (int k = 0; k < 6 * n; ++k) {
        transpose[k] = J[(k % 6) * n + k / 6];
    }
    fprintf(out->text, "Jacobian of %s in %s axes; each line is the column of one %s\n",
            work->m->frame[own->frame].name, own->axes == LW_IN_WORLD ? "world" : "its own", what);
    output_table(out, what, own->name, n, head, 6, transpose);
    for (int k = 0; k < n && own->all; ++k) {
        if (opening[k] > 1e-9) { // rounding leaves a little of loops that stay closed
            fprintf(out->text, "%s opens loops: %.6g m (rad) per unit\n", own->name[k], opening[k]);
        }
    }
}

static int evaluate(job *work, int i, json_t *result)
{
    const jacobian *own = work->context;
    const double *q = states_q(&work->states, i);
    output *out = &work->out;
    const int n = own->ncolumn;
    double *J = job_numbers(work, 6, n), *opening = job_numbers(work, n, 1);
    const lw_status status =
        own->all ? lw_parameter_jacobian(work->m, work->d, own->all, q, own->frame, own->axes, n,
                                         own->list, J, opening)
                 : lw_frame_jacobian(work->m, work->d, q, own->frame, own->axes, NULL, J);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (!result) {
        print_jacobian(work, J, opening);
        return EXIT_GOOD;
    }
    output_put(out, result, "J o, columns o", output_matrix(out, J, 6, n),
               output_names(out, own->name, n));
    if (own->all) {
        output_set(out, result, "opening", output_numbers(out, opening, n));
    }
    return EXIT_GOOD;
}

static void end(job *work)
{
    lw_parameters_destroy(((jacobian *)work->context)->all);
}

const command_def command_jacobian = {
    .name = "jacobian",
    .options =
        OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_EXPRESSED_IN, OPT_PARAMETERS),
    .summary = "Jacobian of a frame",
    .about = "Computes the Jacobian of a frame, 6 by nv: J v is the angular velocity of the frame "
             "(the first three rows) and the velocity of its origin.\n\nWith --parameters its "
             "columns are derivatives by numbers of the description, through loops and gears as "
             "well: LINK.b.x, LINK.FRAME.roll, JOINT.axis.x, JOINT.before.y, ROD.length, "
             "GEAR.ratio and so on; a part for all that it has, or all. For a parameter that "
             "cannot vary without opening loops, the rate at which they open is printed.",
    .keys = "J (six rows), columns (names of the velocities, or of the parameters); with "
            "--parameters opening (of loops, by each parameter)",
    .example = "jacobian arm.urdf --frame tool0\n"
               "jacobian arm.urdf --frame tool0 --expressed-in frame -q 0,0.5,-0.5 --json\n"
               "jacobian palletiser.xml --frame flange --parameters LAB.length,L23",
    .notes = NOTES({OPT_PARAMETERS, "Numbers that place parts, as above."}),
    .context_size = sizeof(jacobian),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
