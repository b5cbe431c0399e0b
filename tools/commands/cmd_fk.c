// linkwork fk.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/kinematics.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSE_SIZE = 7 }; // x y z qw qx qy qz

typedef struct fk_context {
    int *frame; ///< [nframe] what is asked for
    int nframe;
    int base; ///< the frame to express them in, or -1 for the world
    const char **name;
    double *pose; ///< [nframe*POSE_SIZE]
    bool tells_dependents;
    int ndependent;
    const char **dependent; ///< [ndependent] names of positions that follow from others
    char *names;            ///< storage of those that the model has no name for
    int *at;                ///< [ndependent] their tree positions
    double *tree_q;         ///< [tree_nq]
    double *position;       ///< [ndependent]
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

static bool find_dependents(fk_context *fk, const lw_model *m)
{
    static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    size_t letters = 1;
    for (int j = 0; j < m->njoint; ++j) {
        letters += (strlen(m->joints[j].name) + sizeof ".qw") * (size_t)m->joints[j].nq;
    }
    fk->dependent = calloc((size_t)m->tree_nq + 1, sizeof *fk->dependent);
    fk->at = calloc((size_t)m->tree_nq + 1, sizeof *fk->at);
    fk->names = malloc(letters);
    fk->tree_q = job_numbers(m->tree_nq, 1);
    fk->position = job_numbers(m->tree_nq, 1);
    if (!fk->dependent || !fk->at || !fk->names || !fk->tree_q || !fk->position) {
        return false;
    }
    char *name = fk->names;
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        for (int k = 0; k < joint->nq; ++k) {
            if (is_independent(m, joint->q + k)) {
                continue;
            }
            fk->at[fk->ndependent] = joint->q + k;
            fk->dependent[fk->ndependent++] =
                joint->nq == joint->nv ? m->tree_velocity_name[joint->v + k] : name;
            if (joint->nq !=
                joint->nv) { // a quaternion, and the position of a free joint before it
                name += sprintf(name, "%s.%s", joint->name, pose[7 - joint->nq + k]) + 1;
            }
        }
    }
    return true;
}

static int prepare_fk(job *work)
{
    fk_context *fk = work->context;
    const lw_model *m = work->robot.model;
    const int asked = args_count(work->args, OPT_FRAME);
    fk->nframe = asked > 0 ? asked : m->nframe;
    fk->frame = calloc((size_t)fk->nframe + 1, sizeof *fk->frame);
    fk->name = calloc((size_t)fk->nframe + 1, sizeof *fk->name);
    fk->pose = job_numbers(fk->nframe, POSE_SIZE);
    if (!fk->frame || !fk->name || !fk->pose) {
        return EXIT_FILE;
    }
    fk->tells_dependents = args_has(work->args, OPT_DEPENDENT);
    if (fk->tells_dependents && !find_dependents(fk, m)) {
        return EXIT_FILE;
    }
    for (int i = 0; i < fk->nframe; ++i) {
        fk->frame[i] = asked > 0 ? robot_find_frame(m, args_value_at(work->args, OPT_FRAME, i)) : i;
        if (fk->frame[i] < 0) {
            return EXIT_USAGE;
        }
        fk->name[i] = m->frame[fk->frame[i]].name;
    }
    fk->base = -1;
    const char *base = args_value(work->args, OPT_RELATIVE_TO);
    if (base) {
        fk->base = robot_find_frame(m, base);
        return fk->base >= 0 ? EXIT_GOOD : EXIT_USAGE;
    }
    return EXIT_GOOD;
}

static lw_status frame_pose(const job *work, int frame, int base, double out[POSE_SIZE])
{
    lw_pose X;
    const lw_status status =
        base < 0 ? lw_frame_pose(work->robot.model, work->robot.data, frame, &X)
                 : lw_relative_pose(work->robot.model, work->robot.data, base, frame, &X);
    if (status != LW_OK) {
        return status;
    }
    const lw_quat quat = lw_quat_of(&X.R);
    const double pose[POSE_SIZE] = {X.p.x, X.p.y, X.p.z, quat.w, quat.x, quat.y, quat.z};
    for (int k = 0; k < POSE_SIZE; ++k) {
        out[k] = pose[k];
    }
    return LW_OK;
}

static void tell_dependents(const fk_context *fk, output *out, json_t *result)
{
    static const char *const head = "position";
    if (!result) {
        fputc('\n', out->text);
        output_table(out, "dependent", fk->dependent, fk->ndependent, &head, 1, fk->position);
        return;
    }
    json_t *dependent = output_object(out);
    for (int k = 0; k < fk->ndependent; ++k) {
        output_set(out, dependent, fk->dependent[k], output_number(out, fk->position[k]));
    }
    output_set(out, result, "dependent", dependent);
}

static void tell_frames(const fk_context *fk, output *out, json_t *result)
{
    if (!result) {
        static const char *const head[POSE_SIZE] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
        output_table(out, "frame", fk->name, fk->nframe, head, POSE_SIZE, fk->pose);
        return;
    }
    json_t *frames = output_object(out);
    for (int k = 0; k < fk->nframe; ++k) {
        const double *pose = fk->pose + POSE_SIZE * (size_t)k;
        json_t *frame = output_object(out);
        output_set(out, frame, "position", output_numbers(out, pose, 3));
        output_set(out, frame, "quaternion", output_numbers(out, pose + 3, 4));
        output_set(out, frames, fk->name[k], frame);
    }
    output_set(out, result, "frames", frames);
}

static int evaluate_fk(job *work, int i, json_t *result)
{
    fk_context *fk = work->context;
    const double *q = states_q(&work->states, i);
    lw_status status = lw_forward_position(work->robot.model, work->robot.data, q);
    for (int k = 0; k < fk->nframe && status == LW_OK; ++k) {
        status = frame_pose(work, fk->frame[k], fk->base, fk->pose + POSE_SIZE * (size_t)k);
    }
    if (status == LW_OK && fk->tells_dependents) {
        status = lw_tree_state(work->robot.model, work->robot.data, q, NULL, NULL, fk->tree_q, NULL,
                               NULL);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    tell_frames(fk, &work->out, result);
    for (int k = 0; k < fk->ndependent; ++k) {
        fk->position[k] = fk->tree_q[fk->at[k]];
    }
    if (fk->tells_dependents) {
        tell_dependents(fk, &work->out, result);
    }
    return EXIT_GOOD;
}

static int run_fk(const command_line *args)
{
    fk_context fk = {0};
    const job_steps steps = {prepare_fk, evaluate_fk};
    const int code = job_run(args, &steps, &fk);
    free(fk.frame);
    free(fk.name);
    free(fk.pose);
    free(fk.dependent);
    free(fk.names);
    free(fk.at);
    free(fk.tree_q);
    free(fk.position);
    return code;
}

const command_def command_fk = {
    .name = "fk",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_FRAME, OPT_RELATIVE_TO, OPT_DEPENDENT),
    .summary = "forward kinematics: poses of frames",
    .about = "Gives the pose of every frame in the world, or of the frames asked for, at the "
             "given positions.",
    .keys = "frames: name to position [3] (m) and quaternion [w, x, y, z]; with "
            "--dependent also dependent: name to position",
    .example = "fk arm.urdf -q 0,0.5,-0.5\nfk arm.urdf -q elbow=1.2 --frame tool0 "
               "--relative-to base_link\nfk arm.urdf --state states.json --json\n"
               "fk palletiser.xml --dependent",
    .run = run_fk,
};
