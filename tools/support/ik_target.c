#include "support/ik_target.h"

#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"

#include <math.h>
#include <string.h>

static int read_pose(const command_line *args, lw_pose *X)
{
    double value[7];
    const int code = args_numbers(args, OPT_POSE, 7, value);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_quat quat = {value[3], value[4], value[5], value[6]};
    const double norm = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    if (!(fabs(norm - 1.0) < 1e-3)) {
        return complain(EXIT_USAGE,
                        "--pose is not a rotation: its quaternion has length %g, not 1; the order "
                        "is x,y,z,qw,qx,qy,qz",
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
    const int code = args_numbers(args, OPT_DIRECTION, 3, value);
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
        return complain(EXIT_USAGE, "--frame needs a target: one of --pose and --position");
    }
    if (!has_position) {
        *task = LW_IK_POSE;
        return args_has(args, OPT_DIRECTION)
                   ? complain(EXIT_USAGE, "--direction goes with --position")
                   : read_pose(args, X);
    }
    double p[3];
    int code = args_numbers(args, OPT_POSITION, 3, p);
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
                    : args_numbers(args, OPT_SWIVEL, 1, &target->redundancy);
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

int ik_target_open(const command_line *args, const lw_model *m, lw_report *report, ik_target *out)
{
    static const char *const limits[] = {"on", "off", NULL};
    if (args_count(args, OPT_FRAME) != 1) {
        return complain(EXIT_USAGE, "%s needs one --frame; 'linkwork info' lists them",
                        args->command->name);
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
    int code = read_target(args, &def.task, &out->target.X_BT);
    if (code == EXIT_GOOD) {
        code = read_redundancy(args, m, &def, &out->target);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    const int first = lw_report_count(report);
    const lw_status status = lw_ik_create(m, &def, &out->ik, report);
    print_diagnostics(report, first);
    return status == LW_ERR_MEMORY ? EXIT_FILE : status != LW_OK ? EXIT_USAGE : EXIT_GOOD;
}

int ik_target_solve(const ik_target *in, const double *seed, memory *pool, lw_ik_result *found,
                    const char **why)
{
    char text[400];
    const lw_status status = lw_ik_solve(in->ik, &in->target, seed, found);
    const int length = lw_ik_message(in->ik, text, sizeof text);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", length > 0 ? text : lw_status_text(status));
    }
    *why = memory_text(pool, "%s", length > 0 ? text : "");
    return EXIT_GOOD;
}

static int rank_of(const lw_ik_branch *branch)
{
    return 9 * branch->shoulder + 3 * branch->elbow + branch->wrist;
}

const int *ik_target_order(memory *pool, const lw_ik_result *found)
{
    int *order = memory_get(pool, (size_t)found->nsolution, sizeof *order);
    for (int i = 0; i < found->nsolution; ++i) {
        const int rank = rank_of(&found->solution[i].branch);
        int k = i;
        while (k > 0 && rank_of(&found->solution[order[k - 1]].branch) < rank) {
            order[k] = order[k - 1];
            --k;
        }
        order[k] = i;
    }
    return order;
}
