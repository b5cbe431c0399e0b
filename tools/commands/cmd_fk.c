// linkwork fk: forward kinematics.

#include "commands/commands.h"
#include "report/result_tables.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/kinematics.h>

typedef struct fk_context {
    int *frame; ///< [nframe] what is requested
    int nframe;
    int base; ///< the frame to express them in, or -1 for the world
    const char **name;
    int ndependent;
    const char **dependent; ///< [ndependent] names of positions that follow from others
    int *at;                ///< [ndependent] their tree positions
} fk_context;

static bool is_independent(const lw_model *m, int q)
{
    for (int k = 0; k < m->nq; ++k) {
        if (m->q_tree[k] == q) {
            return true;
        }
    }
    return false;
}

static void find_dependents(fk_context *fk, const job *work)
{
    const lw_model *m = work->m;
    fk->dependent = memory_get(work->pool, (size_t)m->tree_nq, sizeof *fk->dependent);
    fk->at = memory_get(work->pool, (size_t)m->tree_nq, sizeof *fk->at);
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        for (int k = 0; k < joint->nq; ++k) {
            if (is_independent(m, joint->q + k)) {
                continue;
            }
            // A quaternion, and the position of a free joint before it, have names of their own.
            fk->at[fk->ndependent] = joint->q + k;
            fk->dependent[fk->ndependent++] =
                joint->nq == joint->nv
                    ? m->tree_velocity_name[joint->v + k]
                    : memory_text(work->pool, "%s.%s", joint->name, pose_head[7 - joint->nq + k]);
        }
    }
}

static int prepare(job *work)
{
    fk_context *fk = work->context;
    const lw_model *m = work->m;
    const int asked = args_count(work->args, OPT_FRAME);
    const char *base = args_value(work->args, OPT_RELATIVE_TO);
    fk->nframe = asked > 0 ? asked : m->nframe;
    fk->frame = memory_get(work->pool, (size_t)fk->nframe, sizeof *fk->frame);
    fk->name = memory_get(work->pool, (size_t)fk->nframe, sizeof *fk->name);
    if (args_has(work->args, OPT_DEPENDENT)) {
        find_dependents(fk, work);
    }
    for (int i = 0; i < fk->nframe; ++i) {
        fk->frame[i] = asked > 0 ? robot_find_frame(m, args_value_at(work->args, OPT_FRAME, i)) : i;
        if (fk->frame[i] < 0) {
            return EXIT_USAGE;
        }
        fk->name[i] = m->frame[fk->frame[i]].name;
    }
    fk->base = base ? robot_find_frame(m, base) : -1;
    return base && fk->base < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static lw_status print_dependents(job *work, const double *q, json_t *result)
{
    static const char *const head = "position";
    const fk_context *fk = work->context;
    output *out = &work->out;
    double *tree_q = job_numbers(work, work->m->tree_nq, 1);
    double *position = job_numbers(work, fk->ndependent, 1);
    const lw_status status = lw_tree_state(work->m, work->d, q, NULL, NULL, tree_q, NULL, NULL);
    if (status != LW_OK) {
        return status;
    }
    json_t *dependent = result ? output_object(out) : NULL;
    for (int k = 0; k < fk->ndependent; ++k) {
        position[k] = tree_q[fk->at[k]];
        if (result) {
            output_set(out, dependent, fk->dependent[k], output_number(out, position[k]));
        }
    }
    if (result) {
        output_set(out, result, "dependent", dependent);
    } else {
        fputc('\n', out->text);
        output_table(out, "dependent", fk->dependent, fk->ndependent, &head, 1, position);
    }
    return LW_OK;
}

static int evaluate(job *work, int i, json_t *result)
{
    fk_context *fk = work->context;
    const double *q = states_q(&work->states, i);
    lw_pose *X = memory_get(work->pool, (size_t)fk->nframe, sizeof *X);
    lw_status status = lw_forward_position(work->m, work->d, q);
    for (int k = 0; k < fk->nframe && status == LW_OK; ++k) {
        status = fk->base < 0 ? lw_frame_pose(work->m, work->d, fk->frame[k], &X[k])
                              : lw_relative_pose(work->m, work->d, fk->base, fk->frame[k], &X[k]);
    }
    if (status == LW_OK) {
        print_poses(&work->out, result, fk->name, fk->nframe, X);
    }
    if (status == LW_OK && args_has(work->args, OPT_DEPENDENT)) {
        status = print_dependents(work, q, result);
    }
    return status == LW_OK ? EXIT_GOOD : job_failure(work, i, status);
}

const command_def command_fk = {
    .name = "fk",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_RELATIVE_TO, OPT_DEPENDENT),
    .summary = "forward kinematics: poses of frames",
    .about = "Computes the pose of every frame in the world, or of the given frames, at the given "
             "positions.",
    .keys = "frames: name to position [3] (m) and quaternion [w, x, y, z]; with "
            "--dependent also dependent: name to position",
    .example = "fk arm.urdf -q 0,0.5,-0.5\nfk arm.urdf -q elbow=1.2 --frame tool0 "
               "--relative-to base_link\nfk arm.urdf --state states.json --json\n"
               "fk palletiser.xml --dependent",
    .context_size = sizeof(fk_context),
    .run = prepare,
    .evaluate = evaluate,
};
