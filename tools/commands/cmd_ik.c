// linkwork ik: all joint positions that bring a frame to a target.

#include "commands/commands.h"
#include "report/constraint_report.h"
#include "report/explain_ik.h"
#include "report/ik_path.h"
#include "report/ik_table.h"
#include "support/constraint_set_file.h"
#include "support/ik_target.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

/// A target, a path, or constraints.
typedef struct ik_context {
    ik_target target;                ///< without --constraints
    constraint_set_file constraints; ///< with
    ik_path path;
    bool is_path;
} ik_context;

static int prepare(job *work)
{
    ik_context *c = work->context;
    if (args_has(work->args, OPT_CONSTRAINTS)) {
        return constraint_set_open(&work->robot, work->args, &c->constraints);
    }
    const char *path = ik_path_file(work->args);
    c->is_path = path != NULL;
    if (!path && (args_has(work->args, OPT_SPEED) || args_has(work->args, OPT_OUTPUT) ||
                  args_has(work->args, OPT_EVERY))) {
        return complain(EXIT_USAGE, "--speed, --every and -o go with a --path FILE");
    }
    return path ? ik_path_open(work, path, &c->path)
                : ik_target_open(work->args, work->m, work->robot.report, &c->target);
}

// --- Results ----------------------------------------------------------------------------------

static void solution_json(output *out, json_t *item, const lw_model *m, long windings,
                          const lw_ik_solution *s, const double *q)
{
    json_t *branch = output_object(out);
    output_put(out, branch, "shoulder d, elbow d, wrist d, index d", s->branch.shoulder,
               s->branch.elbow, s->branch.wrist, s->branch.index);
    output_put(out, item, "q o, residual f, branch o, in_limits o, exact o, windings l",
               output_numbers(out, q, m->nq), s->residual, branch, json_boolean(s->in_limits),
               json_boolean(s->is_exact), windings);
}

// Which of the endless solutions of a redundant chain these are.
static void redundancy(output *out, json_t *result, const lw_model *m, const lw_ik_info *info,
                       double value)
{
    const char *name =
        info->redundancy == LW_IK_HOLD ? ik_joint_name(m, info, info->held) : "swivel angle";
    if (result) {
        json_t *item = output_object(out);
        output_put(out, item, "name s, value f", name, value);
        output_set(out, result, "redundancy", item);
    } else {
        char number[NUMBER_SIZE];
        fprintf(out->text, "redundancy: %s = %s\n", name, number_text(value, number));
    }
}

static int evaluate_constraints(job *work, int i, json_t *result)
{
    const ik_context *c = work->context;
    lw_constraint_result found;
    const double *q = work->states.is_given ? states_q(&work->states, i) : NULL;
    const int code = constraint_set_solve(&c->constraints, q, &found);
    if (code == EXIT_GOOD) {
        constraint_report(&work->out, result, work->m, &found);
        work->code = found.status == LW_CONSTRAINTS_SOLVED ? work->code : EXIT_NUMERIC;
    }
    return code;
}

static int evaluate(job *work, int i, json_t *result)
{
    const ik_context *c = work->context;
    if (args_has(work->args, OPT_CONSTRAINTS)) {
        return evaluate_constraints(work, i, result);
    }
    if (c->is_path) {
        return ik_path_evaluate(work, &c->path, states_q(&work->states, i), result);
    }
    const ik_target *target = &c->target;
    lw_ik *ik = target->ik;
    const lw_model *m = work->m;
    output *out = &work->out;
    const double *seed = states_q(&work->states, i);
    const lw_ik_info *info = lw_ik_describe(ik);
    lw_ik_result found;
    const char *why;
    const int code = ik_target_solve(target, seed, work->pool, &found, &why);
    if (code != EXIT_GOOD) {
        return code;
    }
    double *nearest = job_numbers(work, m->nq, 1);
    const int only = args_has(work->args, OPT_NEAR)
                         ? lw_ik_nearest(ik, seed, LW_IK_LARGEST_CHANGE, NULL, nearest)
                         : -1;
    json_t *solutions = result ? output_array(out) : NULL;
    if (result) {
        output_put(out, result, "class s, solutions o, distance f, lost d", info->class_name,
                   solutions, found.distance, found.nlost);
    } else {
        ik_class_text(info, out->text);
    }
    if (info->redundancy != LW_IK_FREE) {
        redundancy(out, result, m, info, found.redundancy);
    }
    if (!result) {
        ik_table_heads(out, m, info);
    }
    const int *order = ik_target_order(work->pool, &found);
    for (int row = 0; row < found.nsolution; ++row) {
        const int k = order[row];
        const lw_ik_solution *s = &found.solution[k];
        const double *q = k == only ? nearest : s->q;
        if (only >= 0 && k != only) {
            continue;
        }
        if (result) {
            solution_json(out, output_item(out, solutions), m, lw_ik_winding_count(ik, k), s, q);
        } else {
            ik_table_row(out, m, info, row, s, q);
        }
    }
    if (args_has(work->args, OPT_EXPLAIN) && result) {
        output_set(out, result, "derivation", ik_derivation_json(out, m, info));
    } else if (args_has(work->args, OPT_EXPLAIN)) {
        ik_derivation_text(m, info, out->text);
    }
    if (why[0] != '\0') {
        complain(EXIT_NUMERIC, "%s", why);
    }
    if (found.nwithin == 0) {
        work->code = EXIT_NUMERIC; // what is printed is not exact, or excluded by limits
    }
    return EXIT_GOOD;
}

static void end(job *work)
{
    ik_context *c = work->context;
    lw_ik_destroy(c->target.ik);
    constraint_set_close(&c->constraints);
}

const command_def command_ik = {
    .name = "ik",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPTIONS_IK, OPT_CONSTRAINTS, OPT_SCENE,
                       OPT_ATTACH, OPT_EXPLAIN, OPT_SPEED, OPT_OUTPUT, OPT_EVERY),
    .summary = "inverse kinematics: all solutions of a chain",
    .about =
        "Computes all joint positions that bring a frame to a target: in closed form where the "
        "geometry of the chain has one, by elimination for six revolute joints of any "
        "geometry, and by damped least squares otherwise. Chains through loops, gears and "
        "couplings, and parallel robots, are solved likewise. Every solution is verified by "
        "forward kinematics. Joints outside the chain, and those that the target does not "
        "determine, keep the values of -q; text leaves the former out.\n\n"
        "Where no solution is exact it prints the nearest configuration and its distance, and "
        "ends with exit code 4. So it does where the limits exclude every solution: it prints "
        "them, and the limits.\n\n"
        "With --constraints it solves a set of constraints on the whole mechanism instead, with "
        "priorities, and prints the residual of each, which conflict, and which limits are in the "
        "way; exit code 4 where not all are met. A <clearance> of theirs looks at the pairs of "
        "links that 'linkwork collide' checks, those of --scene and --attach too; "
        "<disable_collisions> of --srdf leaves pairs out.\n\n"
        "With --path FILE.csv the frame follows a path through the poses of the file, on a branch "
        "on which all of it is feasible, and slower where limits of joints ask for it; -o writes "
        "set points. A path that cannot be followed is refused with exit code 4, and how far it "
        "can be.",
    .keys =
        "class; solutions: q (independent coordinates), residual, branch (shoulder, elbow, "
        "wrist: -1, 0, 1; index), in_limits, exact, windings; distance (out of reach), lost; "
        "of a redundant chain redundancy (name, value); with --explain derivation (method, "
        "axes, steps); with --constraints q, status (solved, best, stopped), constraints (name, "
        "level, residual, met, at_bound), conflicts (constraints, limits), active_limits "
        "(joint, side, multiplier), kkt, iterations, starts; of a path path: end (complete, "
        "reach, limit, singular, force), position, length, joint, branch, branches, points, "
        "deviation, slowed, duration, first, last",
    .example = "ik arm.urdf --frame tool0 --pose 0.4,0.1,0.5,0,1,0,0\n"
               "ik arm.urdf --frame tool0 --pose 0.4,0.1,0.5,0,1,0,0 --near 0,0.5,-0.5,0,0,0\n"
               "ik palletiser.xml --frame flange --position 1.7,0,1.5 --explain\n"
               "ik robot.xml --constraints reach.xml\n"
               "ik arm.urdf --frame tool0 --path seam.csv --speed 0.02 -o seam_joints.csv",
    .notes = NOTES(
        {OPT_PATH, "DIR: as for other commands. FILE.csv: a path of the frame, a pose per row; "
                   "its first row names the columns x, y, z, qw, qx, qy, qz, or x, y, z "
                   "alone, and t for times."},
        {OPT_OUTPUT, "With a --path FILE: where to write set points: time, position, "
                     "velocity, acceleration and force of each joint; .npy or CSV."},
        {OPT_EVERY, "With a --path FILE: time between two set points. Default: 500 rows."},
        {OPT_HOLD, "JOINT or JOINT=VALUE: of a redundant arm, this joint keeps the value, "
                   "or that of -q."},
        {OPT_Q, "Start of numeric solutions, and values of the joints that the target "
                "does not determine; as for other commands."}),
    .context_size = sizeof(ik_context),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
