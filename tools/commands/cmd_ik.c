// linkwork ik: all joint positions that bring a frame to a target.

#include "commands/commands.h"
#include "report/explain_ik.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>

typedef struct ik_context {
    lw_ik *ik;
    lw_ik_target target;
} ik_context;

// --- Options ----------------------------------------------------------------------------------

// Reads `count` numbers with commas between them.
static int read_numbers(const command_line *args, option_id id, int count, double *out)
{
    const char *text = args_value(args, id);
    int given, n = 0;
    char **part = memory_split(args->pool, text, ',', &given);
    while (given == count && n < count && number_parse(part[n], strlen(part[n]), &out[n])) {
        ++n;
    }
    return n == count ? EXIT_GOOD
                      : complain(EXIT_USAGE,
                                 "%s takes %d finite numbers with commas between them, not \"%s\"",
                                 option_name(id), count, text);
}

static int read_pose(const command_line *args, lw_pose *X)
{
    double value[7];
    const int code = read_numbers(args, OPT_POSE, 7, value);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_quat quat = {value[3], value[4], value[5], value[6]};
    const double norm = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    if (!(fabs(norm - 1.0) < 1e-3)) {
        return complain(EXIT_USAGE,
                        "--pose: the quaternion has length %g, not 1; the order is "
                        "x,y,z,qw,qx,qy,qz",
                        norm);
    }
    X->R = lw_rotation_quat(quat);
    X->p = lw_vec3_of(value[0], value[1], value[2]);
    return EXIT_GOOD;
}

// A rotation whose third column is this direction; the other two do not matter.
static int read_direction(const command_line *args, lw_mat3 *R)
{
    double value[3];
    const int code = read_numbers(args, OPT_DIRECTION, 3, value);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_vec3 z = lw_vec3_of(value[0], value[1], value[2]);
    if (!(lw_norm3(z) > 0.0)) {
        return complain(EXIT_USAGE, "--direction is zero; it needs a length");
    }
    *R = lw_rotation_to_z(lw_unit3(z));
    return EXIT_GOOD;
}

static int read_target(const command_line *args, lw_ik_task *task, lw_pose *X)
{
    *X = lw_pose_identity();
    const bool has_position = args_has(args, OPT_POSITION);
    if (args_has(args, OPT_POSE) == has_position) {
        return complain(EXIT_USAGE, "ik needs a target: --pose, or --position");
    }
    if (!has_position) {
        *task = LW_IK_POSE;
        return args_has(args, OPT_DIRECTION)
                   ? complain(EXIT_USAGE, "--direction goes with --position")
                   : read_pose(args, X);
    }
    double p[3];
    int code = read_numbers(args, OPT_POSITION, 3, p);
    X->p = code == EXIT_GOOD ? lw_vec3_of(p[0], p[1], p[2]) : X->p;
    *task = args_has(args, OPT_DIRECTION) ? LW_IK_DIRECTION : LW_IK_POSITION;
    if (code == EXIT_GOOD && *task == LW_IK_DIRECTION) {
        code = read_direction(args, &X->R);
    }
    return code;
}

static int unknown_joint(const lw_model *m, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < m->nq; ++i) {
        lw_nearest_offer(&near, m->position_name[i]);
    }
    char text[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "--hold: there is no position \"%s\"%s", name,
                    suggest_text(&near, text));
}

static int read_redundancy(const command_line *args, const lw_model *m, lw_ik_def *def,
                           lw_ik_target *target)
{
    const char *hold = args_value(args, OPT_HOLD);
    if (args_has(args, OPT_SWIVEL)) {
        def->redundancy = LW_IK_SWIVEL;
        target->has_redundancy = true;
        return hold ? complain(EXIT_USAGE, "--swivel and --hold exclude each other")
                    : read_numbers(args, OPT_SWIVEL, 1, &target->redundancy);
    }
    if (!hold) {
        return EXIT_GOOD;
    }
    const char *equals = strchr(hold, '=');
    const char *name = memory_text(args->pool, "%.*s", (int)strcspn(hold, "="), hold);
    if (args_count(args, OPT_HOLD) > 1) {
        return complain(EXIT_USAGE, "--hold takes one joint: JOINT, or JOINT=VALUE");
    }
    def->redundancy = LW_IK_HOLD;
    def->hold = lw_find_position(m, name);
    if (def->hold < 0) {
        return unknown_joint(m, name);
    }
    target->has_redundancy = equals != NULL;
    if (equals && !number_parse(equals + 1, strlen(equals + 1), &target->redundancy)) {
        return complain(EXIT_USAGE, "--hold: \"%s\" is not a finite number", equals + 1);
    }
    return EXIT_GOOD;
}

static int prepare(job *work)
{
    static const char *const limits[] = {"on", "off", NULL};
    ik_context *context = work->context;
    const command_line *args = work->args;
    const lw_model *m = work->m;
    if (args_count(args, OPT_FRAME) != 1) {
        return complain(EXIT_USAGE, "ik needs one --frame; 'linkwork info' lists them");
    }
    if (args_has(args, OPT_NEAR) && args_has(args, OPT_Q)) {
        return complain(EXIT_USAGE, "--near gives the positions that -q would give");
    }
    const int tip = robot_find_frame(m, args_value(args, OPT_FRAME));
    const int base =
        args_has(args, OPT_FROM) ? robot_find_frame(m, args_value(args, OPT_FROM)) : -1;
    const int choice = args_choice(args, OPT_LIMITS, limits);
    if (tip < 0 || (base < 0 && args_has(args, OPT_FROM)) || choice < 0) {
        return EXIT_USAGE;
    }
    lw_ik_def def = lw_default_ik_def(base, tip);
    def.ignores_limits = choice == 1;
    def.is_certain = args_has(args, OPT_CERTAIN);
    int code = read_target(args, &def.task, &context->target.X_BT);
    if (code == EXIT_GOOD) {
        code = read_redundancy(args, m, &def, &context->target);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    const int first = lw_report_count(work->robot.report);
    const lw_status status = lw_ik_create(m, &def, &context->ik, work->robot.report);
    print_diagnostics(work->robot.report, first);
    return status == LW_OK ? EXIT_GOOD : status == LW_ERR_MEMORY ? EXIT_FILE : EXIT_USAGE;
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

static int column_width(const lw_model *m, int k)
{
    const int width = output_width(m->position_name[k]);
    return width > 10 ? width : 10;
}

static void solution_text(output *out, const lw_model *m, int i, const lw_ik_solution *s,
                          const double *q)
{
    char branch[64], number[NUMBER_SIZE];
    branch_text(&s->branch, branch);
    fprintf(out->text, "%3d ", i + 1);
    for (int k = 0; k < m->nq; ++k) {
        fprintf(out->text, " %*s", column_width(m, k),
                number_text(fabs(q[k]) < 1e-12 ? 0.0 : q[k], number));
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

static void print_heads(output *out, const lw_model *m)
{
    fputs("    ", out->text);
    for (int k = 0; k < m->nq; ++k) {
        fprintf(out->text, " %*s", column_width(m, k), m->position_name[k]);
    }
    fputc('\n', out->text);
}

static int evaluate(job *work, int i, json_t *result)
{
    const ik_context *context = work->context;
    lw_ik *ik = context->ik;
    const lw_model *m = work->m;
    output *out = &work->out;
    const double *seed = states_q(&work->states, i);
    const lw_ik_info *info = lw_ik_describe(ik);
    lw_ik_result found;
    const lw_status status = lw_ik_solve(ik, &context->target, seed, &found);
    char why[400];
    const int length = lw_ik_message(ik, why, sizeof why);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", length > 0 ? why : lw_status_text(status));
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
        print_heads(out, m);
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
            solution_text(out, m, k, s, q);
        }
    }
    if (args_has(work->args, OPT_EXPLAIN) && result) {
        output_set(out, result, "derivation", ik_derivation_json(out, m, info));
    } else if (args_has(work->args, OPT_EXPLAIN)) {
        ik_derivation_text(m, info, out->text);
    }
    if (length > 0) {
        complain(EXIT_NUMERIC, "%s", why);
    }
    if (found.nsolution == 0 || !found.solution[0].is_exact) {
        work->code = EXIT_NUMERIC; // the nearest configuration is printed
    }
    return EXIT_GOOD;
}

static void end(job *work)
{
    lw_ik_destroy(((ik_context *)work->context)->ik);
}

const command_def command_ik = {
    .name = "ik",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_FROM, OPT_POSE,
                       OPT_POSITION, OPT_DIRECTION, OPT_HOLD, OPT_SWIVEL, OPT_NEAR, OPT_LIMITS,
                       OPT_CERTAIN, OPT_EXPLAIN),
    .summary = "inverse kinematics: all solutions of a chain",
    .about =
        "Computes all joint positions that bring a frame to a target: in closed form where the "
        "geometry of the chain has one, by elimination for six revolute joints of any "
        "geometry, and by damped least squares otherwise. Chains through loops, gears and "
        "couplings, and parallel robots, are solved likewise. Every solution is verified by "
        "forward kinematics. Joints outside the chain, and those that the target does not "
        "determine, keep the values of -q.\n\n"
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
    .context_size = sizeof(ik_context),
    .run = prepare,
    .evaluate = evaluate,
    .end = end,
};
