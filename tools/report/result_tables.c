#include "report/result_tables.h"

void print_joint_vector(job *work, json_t *result, const char *key, const double *value,
                        unit_of unit)
{
    const lw_model *m = work->m;
    output *out = &work->out;
    if (result) {
        output_set(out, result, key, output_numbers(out, value, m->nv));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    } else {
        output_unit_table(out, "velocity", m->velocity_name, m->nv, &key, 1, value, NULL,
                          unit_list(work->pool, m, m->v_tree, m->nv, unit));
    }
}

const char *const pose_head[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

void print_poses(output *out, json_t *result, const char *const *name, int count, const lw_pose *X)
{
    double *value = memory_numbers(out->pool, count, 7);
    json_t *frames = result ? output_object(out) : NULL;
    for (int i = 0; i < count; ++i) {
        const lw_quat quat = lw_quat_of(&X[i].R);
        const double pose[7] = {X[i].p.x, X[i].p.y, X[i].p.z, quat.w, quat.x, quat.y, quat.z};
        for (int k = 0; k < 7; ++k) {
            value[7 * i + k] = pose[k];
        }
        if (result) {
            json_t *frame = output_object(out);
            output_put(out, frame, "position o, quaternion o", output_numbers(out, pose, 3),
                       output_numbers(out, pose + 3, 4));
            output_set(out, frames, name[i], frame);
        }
    }
    if (result) {
        output_set(out, result, "frames", frames);
    } else {
        output_table(out, "frame", name, count, pose_head, 7, value);
    }
}
