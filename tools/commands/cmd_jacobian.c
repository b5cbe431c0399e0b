// linkwork jacobian: of a frame by the velocities, or by kinematic parameters.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"
#include "support/suggest.h"

#include <linkwork/derivatives.h>
#include <linkwork/kinematics.h>
#include <linkwork/parameters.h>

#include <stdlib.h>
#include <string.h>

typedef struct jacobian_context {
    int frame;
    lw_axes axes;
    int ncolumn;
    const char *const *name; ///< [ncolumn] of the columns
    double *J;               ///< [6*ncolumn]
    double *transpose;       ///< [ncolumn*6] for people: one line a column
    lw_parameters *all;      ///< null where columns are velocities
    int *list;               ///< [ncolumn] parameters asked for
    const char **list_name;  ///< [ncolumn]
    double *opening;         ///< [ncolumn] how fast each parameter opens loops
} jacobian_context;

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

static int unknown_parameter(const lw_parameters *all, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    char text[SUGGEST_ROOM];
    if (is_inertial(name)) {
        return complain(EXIT_USAGE, "\"%s\" moves no frame; 'linkwork sensitivity' takes it", name);
    }
    for (int i = 0; i < lw_parameters_count(all); ++i) {
        lw_nearest_offer(&near, lw_parameters_name(all, i));
    }
    char part[SUGGEST_ROOM] = "";
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
static int add_parameters(jacobian_context *jacobian, const char *name)
{
    const int total = lw_parameters_count(jacobian->all);
    const bool is_all = strcmp(name, "all") == 0;
    const int found = is_all ? total : lw_parameters_find(jacobian->all, name, NULL, 0);
    if (found == 0 && !is_all) {
        return unknown_parameter(jacobian->all, name);
    }
    const size_t size = (size_t)jacobian->ncolumn + (size_t)found + 1;
    int *list = realloc(jacobian->list, size * sizeof *list);
    if (!list) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    jacobian->list = list;
    int *next = list + jacobian->ncolumn;
    for (int i = 0; i < found && is_all; ++i) {
        next[i] = i;
    }
    if (!is_all) {
        lw_parameters_find(jacobian->all, name, next, found);
    }
    jacobian->ncolumn += found;
    return EXIT_GOOD;
}

static int read_parameters(const job *work, jacobian_context *jacobian)
{
    const lw_compile_options options = robot_options(&work->robot, work->args);
    const lw_status status =
        lw_parameters_create(work->robot.mech, &options, work->robot.model, &jacobian->all);
    int code =
        status == LW_OK ? EXIT_GOOD : complain(exit_code_of(status), "%s", lw_status_text(status));
    for (int i = 0; i < args_count(work->args, OPT_PARAMETERS) && code == EXIT_GOOD; ++i) {
        char *text = strdup(args_value_at(work->args, OPT_PARAMETERS, i));
        char *name = text;
        while (name && code == EXIT_GOOD) {
            char *comma = strchr(name, ',');
            if (comma) {
                *comma = '\0';
            }
            code = add_parameters(jacobian, name);
            name = comma ? comma + 1 : NULL;
        }
        code = text ? code : complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        free(text);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    jacobian->list_name = calloc((size_t)jacobian->ncolumn + 1, sizeof *jacobian->list_name);
    jacobian->opening = job_numbers(jacobian->ncolumn, 1);
    for (int i = 0; i < jacobian->ncolumn && jacobian->list_name; ++i) {
        jacobian->list_name[i] = lw_parameters_name(jacobian->all, jacobian->list[i]);
    }
    jacobian->name = jacobian->list_name;
    return jacobian->list_name && jacobian->opening ? EXIT_GOOD : EXIT_FILE;
}

// --- Command ----------------------------------------------------------------------------------

static int prepare_jacobian(job *work)
{
    static const char *const axes[] = {"world", "frame", NULL};
    jacobian_context *jacobian = work->context;
    const lw_model *m = work->robot.model;
    const int choice = args_choice(work->args, OPT_EXPRESSED_IN, axes);
    if (choice < 0) {
        return EXIT_USAGE;
    }
    jacobian->axes = choice == 0 ? LW_IN_WORLD : LW_IN_FRAME;
    if (args_count(work->args, OPT_FRAME) != 1) {
        return complain(EXIT_USAGE, "jacobian needs one --frame; 'linkwork info' lists them");
    }
    jacobian->frame = robot_find_frame(m, args_value(work->args, OPT_FRAME));
    if (jacobian->frame < 0) {
        return EXIT_USAGE;
    }
    if (args_has(work->args, OPT_PARAMETERS)) {
        const int code = read_parameters(work, jacobian);
        if (code != EXIT_GOOD) {
            return code;
        }
    } else {
        jacobian->ncolumn = m->nv;
        jacobian->name = m->velocity_name;
    }
    jacobian->J = job_numbers(6, jacobian->ncolumn);
    jacobian->transpose = job_numbers(jacobian->ncolumn, 6);
    return jacobian->J && jacobian->transpose ? EXIT_GOOD : EXIT_FILE;
}

static void print_jacobian(output *out, const lw_model *m, const jacobian_context *jacobian)
{
    static const char *const head[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
    const int n = jacobian->ncolumn;
    const char *what = jacobian->all ? "parameter" : "velocity";
    for (int k = 0; k < 6 * n; ++k) {
        jacobian->transpose[k] = jacobian->J[(k % 6) * n + k / 6];
    }
    fprintf(out->text, "Jacobian of %s in %s axes; each line is the column of one %s\n",
            m->frame[jacobian->frame].name, jacobian->axes == LW_IN_WORLD ? "world" : "its own",
            what);
    output_table(out, what, jacobian->name, n, head, 6, jacobian->transpose);
    for (int k = 0; k < n && jacobian->all; ++k) {
        // Rounding leaves a little of loops that stay closed.
        if (jacobian->opening[k] > 1e-9) {
            fprintf(out->text, "%s opens loops: %.6g m (rad) a unit\n", jacobian->name[k],
                    jacobian->opening[k]);
        }
    }
}

static int evaluate_jacobian(job *work, int i, json_t *result)
{
    jacobian_context *jacobian = work->context;
    const lw_model *m = work->robot.model;
    const double *q = states_q(&work->states, i);
    output *out = &work->out;
    const lw_status status =
        jacobian->all ? lw_parameter_jacobian(m, work->robot.data, jacobian->all, q,
                                              jacobian->frame, jacobian->axes, jacobian->ncolumn,
                                              jacobian->list, jacobian->J, jacobian->opening)
                      : lw_frame_jacobian(m, work->robot.data, q, jacobian->frame, jacobian->axes,
                                          NULL, jacobian->J);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (!result) {
        print_jacobian(out, m, jacobian);
        return EXIT_GOOD;
    }
    output_set(out, result, "J", output_matrix(out, jacobian->J, 6, jacobian->ncolumn));
    output_set(out, result, "columns", output_names(out, jacobian->name, jacobian->ncolumn));
    if (jacobian->all) {
        output_set(out, result, "opening",
                   output_numbers(out, jacobian->opening, jacobian->ncolumn));
    }
    return EXIT_GOOD;
}

static int run_jacobian(const command_line *args)
{
    jacobian_context jacobian = {0};
    const job_steps steps = {prepare_jacobian, evaluate_jacobian};
    const int code = job_run(args, &steps, &jacobian);
    lw_parameters_destroy(jacobian.all);
    free(jacobian.list);
    free(jacobian.list_name);
    free(jacobian.opening);
    free(jacobian.J);
    free(jacobian.transpose);
    return code;
}

const command_def command_jacobian = {
    .name = "jacobian",
    .options =
        OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_EXPRESSED_IN, OPT_PARAMETERS),
    .summary = "Jacobian of a frame",
    .about = "Gives the Jacobian of a frame, 6 by nv: J v is the angular velocity of the frame "
             "(the first three rows) and the velocity of its origin.\n\n"
             "With --parameters its columns are derivatives by numbers of the description, through "
             "loops and gears as well: LINK.b.x, LINK.FRAME.roll, JOINT.axis.x, JOINT.before.y, "
             "ROD.length, GEAR.ratio and so on; a part for all that it has, or all. A parameter "
             "that cannot vary without opening loops is said with how fast they open.",
    .keys = "J (six rows), columns (names of the velocities, or of the parameters); with "
            "--parameters opening (of loops, by each parameter)",
    .example = "jacobian arm.urdf --frame tool0\n"
               "jacobian arm.urdf --frame tool0 --expressed-in frame -q 0,0.5,-0.5 --json\n"
               "jacobian palletiser.xml --frame flange --parameters LAB.length,L23",
    .notes = NOTES({OPT_PARAMETERS, "Numbers that place parts, as above."}),
    .run = run_jacobian,
};
