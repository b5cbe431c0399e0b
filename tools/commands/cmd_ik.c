// linkwork ik: all joint positions that bring a frame to a target.

#include "commands/commands.h"
#include "report/explain_ik.h"
#include "support/ik_target.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>

static int prepare(job *work)
{
    return ik_target_open(work->args, work->m, work->robot.report, work->context);
}

// --- Results ----------------------------------------------------------------------------------

static void branch_text(const lw_ik_branch *branch, char text[64])
{
    static const char *const name[] = {"shoulder", "elbow", "wrist"};
    const int sign[] = {branch->shoulder, branch->elbow, branch->wrist};
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i < 3; ++i) {
        if (sign[i] != 0) {
            used += snprintf(text + used, 64 - (size_t)used, "%s%s %c", used > 0 ? ", " : "",
                             name[i], sign[i] > 0 ? '+' : '-');
        }
    }
}

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

// Text has the joints of the chain, and those that its loops and gears determine: others keep the
// values that were given.
static bool is_shown(const lw_ik_info *info, int k)
{
    bool is = false;
    for (int i = 0; i < info->njoint; ++i) {
        is |= info->position[i] == k;
    }
    for (int i = 0; i < info->ndriven; ++i) {
        is |= info->driven[i] == k;
    }
    return is;
}

static int column_width(const lw_model *m, int k)
{
    const int width = output_width(m->position_name[k]);
    return width > 10 ? width : 10;
}

static void solution_text(output *out, const lw_model *m, const lw_ik_info *info, int i,
                          const lw_ik_solution *s, const double *q)
{
    char branch[64], number[NUMBER_SIZE];
    branch_text(&s->branch, branch);
    fprintf(out->text, "%3d ", i + 1);
    for (int k = 0; k < m->nq; ++k) {
        if (is_shown(info, k)) {
            fprintf(out->text, " %*s", column_width(m, k),
                    number_text(fabs(q[k]) < 1e-12 ? 0.0 : q[k], number));
        }
    }
    const char *const remark[] = {branch, s->in_limits ? "" : "outside the limits",
                                  s->is_exact ? "" : "nearest, not exact"};
    const char *between = "  ";
    for (int k = 0; k < 3; ++k) {
        if (remark[k][0] != '\0') {
            fprintf(out->text, "%s%s", between, remark[k]);
            between = "; ";
        }
    }
    fputc('\n', out->text);
}

static void print_heads(output *out, const lw_model *m, const lw_ik_info *info)
{
    fputs("    ", out->text);
    for (int k = 0; k < m->nq; ++k) {
        if (is_shown(info, k)) {
            fprintf(out->text, " %*s", column_width(m, k), m->position_name[k]);
        }
    }
    fputc('\n', out->text);
}

static int evaluate(job *work, int i, json_t *result)
{
    const ik_target *target = work->context;
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
        print_heads(out, m, info);
    }
    for (int k = 0; k < found.nsolution; ++k) {
        const lw_ik_solution *s = &found.solution[k];
        const double *q = k == only ? nearest : s->q;
        if (only >= 0 && k != only) {
            continue;
        }
        if (result) {
            solution_json(out, output_item(out, solutions), m, lw_ik_winding_count(ik, k), s, q);
        } else {
            solution_text(out, m, info, k, s, q);
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
    if (found.nsolution == 0 || !found.solution[0].is_exact) {
        work->code = EXIT_NUMERIC; // the nearest configuration is printed
    }
    return EXIT_GOOD;
}

static void end(job *work)
{
    lw_ik_destroy(((ik_target *)work->context)->ik);
}

const command_def command_ik = {
    .name = "ik",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPTIONS_IK, OPT_EXPLAIN),
    .summary = "inverse kinematics: all solutions of a chain",
    .about =
        "Computes all joint positions that bring a frame to a target: in closed form where the "
        "geometry of the chain has one, by elimination for six revolute joints of any "
        "geometry, and by damped least squares otherwise. Chains through loops, gears and "
        "couplings, and parallel robots, are solved likewise. Every solution is verified by "
        "forward kinematics. Joints outside the chain, and those that the target does not "
        "determine, keep the values of -q; text leaves the former out.\n\n"
        "Where no solution is exact it prints the nearest configuration and its distance, and "
        "ends with exit code 4.",
    .keys = "class; solutions: q (independent coordinates), residual, branch (shoulder, elbow, "
            "wrist: -1, 0, 1; index), in_limits, exact, windings; distance (out of reach), lost; "
            "with --explain derivation (method, axes, steps)",
    .example = "ik arm.urdf --frame tool0 --pose 0.4,0.1,0.5,0,1,0,0\n"
               "ik arm.urdf --frame tool0 --pose 0.4,0.1,0.5,0,1,0,0 --near 0,0.5,-0.5,0,0,0\n"
               "ik palletiser.xml --frame flange --position 1.2,0,0.8 --explain",
    .notes =
        NOTES({OPT_HOLD, "JOINT or JOINT=VALUE: of a redundant arm, this joint keeps the value, "
                         "or that of -q."},
              {OPT_Q, "Start of numeric solutions, and values of the joints that the target "
                      "does not determine; as for other commands."}),
    .context_size = sizeof(ik_target),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
