// linkwork fk.

#include "commands.h"
#include "job.h"
#include "message.h"

#include <linkwork/kinematics.h>

#include <stdlib.h>

enum { POSE_SIZE = 7 }; // x y z qw qx qy qz

typedef struct fk_context {
    int *frame; ///< [nframe] what is asked for
    int nframe;
    int base; ///< the frame to express them in, or -1 for the world
    const char **name;
    double *pose; ///< [nframe*POSE_SIZE]
} fk_context;

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

static int evaluate_fk(job *work, int i, json_t *result)
{
    fk_context *fk = work->context;
    output *out = &work->out;
    lw_status status =
        lw_forward_position(work->robot.model, work->robot.data, states_q(&work->states, i));
    for (int k = 0; k < fk->nframe && status == LW_OK; ++k) {
        status = frame_pose(work, fk->frame[k], fk->base, fk->pose + POSE_SIZE * (size_t)k);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (!result) {
        static const char *const head[POSE_SIZE] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
        output_table(out, "frame", fk->name, fk->nframe, head, POSE_SIZE, fk->pose);
        return EXIT_GOOD;
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
    return EXIT_GOOD;
}

int command_fk(const command_line *args)
{
    fk_context fk = {0};
    const job_steps steps = {prepare_fk, evaluate_fk};
    const int code = job_run(args, &steps, &fk);
    free(fk.frame);
    free(fk.name);
    free(fk.pose);
    return code;
}
