// linkwork draw: a line picture of the mechanism at a configuration.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/constraint_set_file.h"
#include "support/ik_target.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/kinematics.h>

#include <string.h>

static const char *layer_name(int i)
{
    static const char *const name[] = {"tips",        "frames",   "joints",
                                       "coordinates", "skeleton", "none"};
    return name[i];
}

static int mark_held(const command_line *args, const lw_model *m, bool *is_held)
{
    for (int i = 0; i < args_count(args, OPT_HOLD); ++i) {
        const char *name = args_value_at(args, OPT_HOLD, i);
        const int k = lw_find_position(m, name);
        if (k < 0) {
            return complain(EXIT_USAGE, "--hold: there is no position \"%s\"", name);
        }
        is_held[k] = true;
    }
    return EXIT_GOOD;
}

// Samples as --workspace, --hold and --samples require; nothing without the first.
static int sample_workspace(job *work, lw_workspace *w)
{
    const command_line *args = work->args;
    const lw_model *m = work->m;
    const char *name = args_value(args, OPT_WORKSPACE);
    if (!name) {
        const bool is_held_in_ik = args_has(args, OPT_FRAME);
        return (args_has(args, OPT_HOLD) && !is_held_in_ik) || args_has(args, OPT_SAMPLES)
                   ? complain(EXIT_USAGE, "--hold and --samples need --workspace FRAME")
                   : EXIT_GOOD;
    }
    bool *is_held = memory_get(work->pool, (size_t)m->nq, sizeof *is_held);
    lw_workspace_options o = lw_default_workspace_options(0);
    o.samples = 400000;
    o.q = work->states.q;
    o.is_held = is_held;
    if (args_whole(args, OPT_SAMPLES, 1, 10000000, &o.samples) != EXIT_GOOD ||
        (o.frame = robot_find_frame(m, name)) < 0 || mark_held(args, m, is_held) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    const lw_status status = lw_workspace_sample(m, work->d, &o, w);
    return w->unlimited >= 0 ? complain(EXIT_INPUT, "%s has no limits; give it some, or --hold it",
                                        m->position_name[w->unlimited])
           : status == LW_ERR_LOOP_OPEN
               ? complain(EXIT_NUMERIC, "no sample of the workspace closes all loops")
           : status != LW_OK ? complain_of(m, work->d, status, "%s", "")
                             : EXIT_GOOD;
}

static void print_reach(output *out, const lw_workspace *w, const reach_area *area,
                        const char *frame, picture_view view)
{
    if (w->count == 0) {
        return;
    }
    const double value[] = {w->low.x, w->high.x, w->low.y,   w->high.y,
                            w->low.z, w->high.z, w->nearest, w->farthest};
    static const char *const name[] = {"x", "y", "z", "from the z axis"};
    static const char *const head[] = {"least", "largest"};
    fprintf(out->text, "\nwhere %s can go, m: %d samples", frame, w->count);
    if (w->nopen > 0) {
        fprintf(out->text, "; at %d more a loop does not close", w->nopen);
    }
    fputc('\n', out->text);
    output_table(out, "", name, 4, head, 2, value);
    if (area->has_box) {
        const char *const axis[] = {view == VIEW_FRONT ? "y" : "x", view == VIEW_TOP ? "y" : "z"};
        fprintf(out->text, "\nlargest rectangle within the area, m\n");
        output_table(out, "", axis, 2, head, 2, area->box);
    }
}

// --- Solutions of inverse kinematics ----------------------------------------------------------

typedef struct posture {
    const double *q; ///< that is drawn solid
    const char *what;
    const char *remark; ///< for standard output; NULL for none
    int code;           ///< EXIT_GOOD, or why the command fails although the picture is drawn
} posture;

// The solution in front, as a row of `order`: the nearest, else the first one within the limits,
// else the first.
static int solution_in_front(const job *work, const lw_ik *ik, const lw_ik_result *found,
                             const int *order, double *q)
{
    const int nq = work->m->nq;
    const int front = args_has(work->args, OPT_NEAR)
                          ? lw_ik_nearest(ik, work->states.q, LW_IK_LARGEST_CHANGE, NULL, q)
                          : -1;
    int row = 0;
    while (row < found->nsolution &&
           (front >= 0 ? order[row] != front : !found->solution[order[row]].in_limits)) {
        ++row;
    }
    row = row < found->nsolution ? row : 0;
    if (front < 0) {
        memcpy(q, found->solution[order[row]].q, (size_t)nq * sizeof *q);
    }
    return row;
}

// Whether the loops close at q as they do in front, from where the mechanism was assembled:
// otherwise the frame is elsewhere, or the mechanism must be taken apart.
static bool is_assembled(const job *work, int frame, const double *q, lw_vec3 at)
{
    lw_pose X;
    lw_data_restart(work->d);
    return lw_pose_of_frame(work->m, work->d, q, frame, &X) == LW_OK &&
           lw_norm3(lw_sub3(X.p, at)) < 1e-6 * (1 + lw_norm3(at));
}

static void take_solutions(const job *work, const lw_ik *ik, const lw_ik_result *found,
                           draw_options *o, posture *at)
{
    const int nq = work->m->nq;
    double *q = job_numbers(work, 1, nq), *ghosts = job_numbers(work, found->nsolution, nq);
    const int *order = ik_target_order(work->pool, found);
    const int front = solution_in_front(work, ik, found, order, q);
    const int frame = robot_find_frame(work->m, args_value(work->args, OPT_FRAME));
    lw_pose X = lw_pose_identity();
    lw_pose_of_frame(work->m, work->d, q, frame, &X); // if it fails, so does draw_model()
    for (int i = 0; i < found->nsolution; ++i) {
        if (i != front && is_assembled(work, frame, found->solution[order[i]].q, X.p)) {
            memcpy(ghosts + o->nghost++ * nq, found->solution[order[i]].q, (size_t)nq * sizeof *q);
        }
    }
    o->ghosts = ghosts;
    at->q = q;
    at->what = found->distance > 0
                   ? "nearest configuration, out of reach"
                   : memory_text(work->pool, "solution %d of %d", front + 1, found->nsolution);
    const int nleft = found->nsolution - 1 - o->nghost;
    at->remark = memory_text(work->pool, "%s; %d within the limits", at->what, found->nwithin);
    if (nleft > 0) {
        at->remark =
            memory_text(work->pool, "%s; %d of other assemblies not drawn", at->remark, nleft);
    }
}

// With --constraints: the configuration that meets them, or the best.
static int solve_constraints(job *work, posture *at)
{
    constraint_set_file file = {0};
    lw_constraint_result found;
    int code = constraint_set_open(&work->robot, work->args, &file);
    if (code == EXIT_GOOD) {
        code = constraint_set_solve(&file, work->states.is_given ? work->states.q : NULL, &found);
    }
    if (code == EXIT_GOOD) {
        double *q = job_numbers(work, 1, work->m->nq);
        memcpy(q, found.q, (size_t)work->m->nq * sizeof *q);
        at->q = q;
        at->what =
            memory_text(work->pool, "constraints: %s", lw_constraint_status_name(found.status));
        at->remark = at->what;
        at->code = found.status == LW_CONSTRAINTS_SOLVED ? EXIT_GOOD : EXIT_NUMERIC;
    }
    constraint_set_close(&file);
    return code;
}

// With --frame: the configurations that bring it to its target.
static int solve_target(job *work, draw_options *o, posture *at)
{
    const command_line *args = work->args;
    if (args_has(args, OPT_CONSTRAINTS)) {
        return solve_constraints(work, at);
    }
    if (!args_has(args, OPT_FRAME)) {
        static const option_id with_frame[] = {OPT_FROM,   OPT_POSE, OPT_POSITION, OPT_DIRECTION,
                                               OPT_SWIVEL, OPT_NEAR, OPT_LIMITS,   OPT_CERTAIN};
        for (size_t i = 0; i < sizeof with_frame / sizeof *with_frame; ++i) {
            if (args_has(args, with_frame[i])) {
                return complain(EXIT_USAGE, "%s needs --frame FRAME", option_name(with_frame[i]));
            }
        }
        return EXIT_GOOD;
    }
    ik_target target = {0};
    lw_ik_result found;
    const char *why = "";
    int code = args_has(args, OPT_WORKSPACE)
                   ? complain(EXIT_USAGE, "--frame and --workspace exclude each other")
                   : ik_target_open(args, work->m, work->robot.report, &target);
    if (code == EXIT_GOOD) {
        code = ik_target_solve(&target, work->states.q, work->pool, &found, &why);
    }
    if (code == EXIT_GOOD && found.nsolution == 0) {
        code = complain(EXIT_NUMERIC, "no configuration is found; nothing is drawn");
    }
    if (code == EXIT_GOOD) {
        take_solutions(work, target.ik, &found, o, at);
        at->code = why[0] != '\0' ? complain(EXIT_NUMERIC, "%s", why) : EXIT_GOOD;
        at->code = found.solution[0].is_exact ? EXIT_GOOD : at->code; // as ik does
    }
    lw_ik_destroy(target.ik);
    return code;
}

// --- The command ------------------------------------------------------------------------------

static int read_options(const command_line *args, draw_options *o)
{
    static const char *const word[] = {"iso", "front", "side", "top", NULL};
    const int view = args_choice(args, OPT_VIEW, word);
    *o = (draw_options){
        .view = (picture_view)view, .show = LW_SCENE_SHOW_TIPS, .width = 900, .height = 720};
    return view < 0 || args_size(args, &o->width, &o->height) != EXIT_GOOD ||
                   args_list(args, OPT_SHOW, layer_name, 6, &o->show) != EXIT_GOOD
               ? EXIT_USAGE
               : EXIT_GOOD;
}

static int check(const command_line *args)
{
    draw_options o;
    return args_has(args, OPT_OUTPUT) ? read_options(args, &o)
                                      : complain(EXIT_USAGE, "draw needs -o FILE.svg");
}

static int run(job *work)
{
    const char *path = args_value(work->args, OPT_OUTPUT);
    draw_options o;
    posture at = {0};
    lw_workspace w = {0};
    reach_area area = {0};
    int code = states_read(&work->states, work->args, work->m);
    if (code == EXIT_GOOD && work->states.count != 1) {
        code =
            complain(EXIT_USAGE, "draw takes one state, and --state gives %d", work->states.count);
    }
    if (code == EXIT_GOOD) {
        code = sample_workspace(work, &w);
    }
    if (code == EXIT_GOOD) {
        read_options(work->args, &o);
        at.q = work->states.q;
        at.what = work->states.is_given ? "configuration" : "reference configuration";
        code = solve_target(work, &o, &at);
    }
    if (code == EXIT_GOOD) {
        o.what = at.what;
        o.reach = w.count > 0 ? &w : NULL;
        o.area = &area;
        code = draw_model(work->pool, work->m, work->d, at.q, &o, path);
    }
    if (code == EXIT_GOOD && strcmp(path, "-") != 0) {
        fprintf(work->out.text, "%s: %s is drawn%s%s\n", path, work->m->name, at.remark ? ": " : "",
                at.remark ? at.remark : "");
        print_reach(&work->out, &w, &area, args_value(work->args, OPT_WORKSPACE), o.view);
    }
    lw_workspace_free(&w);
    work->code = at.code;
    return code;
}

const command_def command_draw = {
    .name = "draw",
    .options = OPTIONS(OPT_SCENE, OPT_ATTACH, OPT_FIT, OPTIONS_MODEL, OPTIONS_POSITION, OPT_OUTPUT,
                       OPT_VIEW, OPT_SIZE, OPT_SHOW, OPT_WORKSPACE, OPT_SAMPLES, OPTIONS_IK,
                       OPT_CONSTRAINTS),
    .is_picture = true,
    .summary = "a line picture of the mechanism, as SVG",
    .about = "Draws the mechanism at a configuration: links, joint symbols (a cylinder is a "
             "revolute joint, a box on a rail a prismatic one, a ball a spherical one; pale ones "
             "are dependent, amber ones close loops), rods (slender, with a ball at each end), "
             "gears (pitch circles, with a red point where they mesh), springs (green zigzags; "
             "dampers are boxes), frames (x red, y green, z blue), the ground. Shapes of links are "
             "covers, which hide the joints within them.\n\n"
             "With --frame and a target it draws the solutions of inverse kinematics: the nearest "
             "to --near, or the first within the limits, and the others pale behind it. With "
             "--constraints it draws "
             "the configuration that meets them, or the best.",
    .example = "draw arm.urdf -o arm.svg\ndraw arm.urdf -q elbow=1.2 --view side -o arm.svg\n"
               "draw arm.urdf --show tips,joints,skeleton -o arm.svg\n"
               "draw arm.urdf --workspace tool --hold base --view side -o reach.svg\n"
               "draw arm.urdf --frame tool --pose 0.4,0.1,0.5,0,1,0,0 -o ways.svg",
    .notes = NOTES({OPT_FRAME, "The frame that inverse kinematics brings to a target."},
                   {OPT_NEAR, "Positions as of -q: the solution within the limits that is nearest "
                              "to them is in front."},
                   {OPT_HOLD, "With --workspace: this joint stays where -q has it; may be given "
                              "more than once. With --frame: JOINT or JOINT=VALUE of a redundant "
                              "arm, as of 'linkwork ik'."},
                   {OPT_SAMPLES, "Samples of a workspace, up to 10000000. Default: 400000."},
                   {OPT_OUTPUT, "The picture to write, FILE.svg; '-' is standard output."}),
    .check = check,
    .run = run,
};
