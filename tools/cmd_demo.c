// linkwork demo: on one screen, what the embedded robot is and what can be asked of it.

#include "commands.h"
#include "demo_model.h"
#include "draw_model.h"
#include "message.h"
#include "model.h"
#include "number.h"
#include "output.h"
#include "timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <stdlib.h>

static void tell_what_it_is(output *out, const lw_model *m, const double *q)
{
    char number[NUMBER_ROOM];
    fprintf(out->text,
            "%s: %d bodies, %d freedoms, %s kg, from models/%s, built into the program\n", m->name,
            m->nbody, m->nv, number_text(m->mass, number), demo_model_name);
    fputs("at its reference configuration, q =", out->text);
    for (int i = 0; i < m->nq; ++i) {
        fprintf(out->text, "%s %s", i > 0 ? "," : "", number_text(q[i], number));
    }
    fputc('\n', out->text);
}

static void tell_time(output *out, timing_bench *bench, const timing_case *what, const char *text)
{
    double ns;
    long long calls;
    if (timing_measure(bench, what, 0.05, &ns, &calls) == LW_OK) {
        fprintf(out->text, "%s in %.0f ns\n", text, ns);
    } else {
        fprintf(out->text, "%s\n", text);
    }
}

static lw_status tell_poses(output *out, const robot *r, const double *q)
{
    const lw_model *m = r->model;
    static const char *const head[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    double *pose = calloc(7 * (size_t)m->nframe + 1, sizeof *pose);
    const char **name = calloc((size_t)m->nframe + 1, sizeof *name);
    lw_status status = pose && name ? lw_forward_position(m, r->data, q) : LW_ERR_MEMORY;
    for (int i = 0; i < m->nframe && status == LW_OK; ++i) {
        lw_pose X;
        status = lw_frame_pose(m, r->data, i, &X);
        if (status == LW_OK) {
            const lw_quat quat = lw_quat_of(&X.R);
            const double value[7] = {X.p.x, X.p.y, X.p.z, quat.w, quat.x, quat.y, quat.z};
            for (int k = 0; k < 7; ++k) {
                pose[7 * i + k] = value[k];
            }
            name[i] = m->frame[i].name;
        }
    }
    if (status == LW_OK) {
        output_table(out, "frame", name, m->nframe, head, 7, pose);
    }
    free(pose);
    free(name);
    return status;
}

static lw_status tell_jacobian(output *out, const robot *r, const double *q, int frame)
{
    const lw_model *m = r->model;
    static const char *const row[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
    double *J = calloc(6 * (size_t)m->nv + 1, sizeof *J);
    const lw_status status =
        J ? lw_frame_jacobian(m, r->data, q, frame, LW_IN_WORLD, NULL, J) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        output_table(out, "", row, 6, m->velocity_name, m->nv, J);
    }
    free(J);
    return status;
}

static lw_status tell_all(output *out, const robot *r, const double *q, timing_bench *bench)
{
    const lw_model *m = r->model;
    char text[128];
    tell_what_it_is(out, m, q);
    fputc('\n', out->text);
    tell_time(out, bench, &timing_poses, "poses of all frames,");
    lw_status status = tell_poses(out, r, q);
    if (status == LW_OK) {
        snprintf(text, sizeof text, "\nJacobian of %.60s, world axes,",
                 m->frame[bench->frame].name);
        tell_time(out, bench, &timing_jacobian, text);
        status = tell_jacobian(out, r, q, bench->frame);
    }
    return status;
}

int command_demo(const command_line *args)
{
    const char *path = args_value(args, OPT_OUTPUT);
    path = path ? path : "linkwork-demo.svg";
    robot r;
    output out = {0};
    timing_bench bench = {0};
    int code =
        robot_open_text(&r, args, demo_model_name, (const char *)demo_model_text, demo_model_size);
    if (code != EXIT_GOOD) {
        goto done;
    }
    const double *q = r.model->q_reference;
    const int tip = robot_tip(r.model);
    if (tip < 0 || !output_begin(&out, false) || !timing_init(&bench, r.model, r.data, tip)) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        goto done;
    }
    const lw_status status = tell_all(&out, &r, q, &bench);
    if (status != LW_OK) {
        code = complain(exit_code_of(status), "%s", lw_status_text(status));
        goto done;
    }
    code = draw_model(r.model, r.data, q, "reference configuration", VIEW_ISO, 900, 720, path);
    fprintf(out.text, "\nits picture is in %s; your own robot: linkwork info MODEL\n", path);
done:
    code = output_finish(&out, code);
    timing_free(&bench);
    robot_close(&r);
    return code;
}
