// linkwork demo: on one screen, what an embedded robot is and what can be asked of it.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "report/demo_equations.h"
#include "report/explain.h"
#include "report/output.h"
#include "support/demo_model.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"
#include "support/timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <stdlib.h>

static const double MEASURING = 0.05; // seconds, for each function

static void tell_what_it_is(output *out, const lw_model *m, const char *file)
{
    char number[NUMBER_ROOM];
    fprintf(out->text,
            "%s: %d bodies, %d degrees of freedom, %s kg, from models/%s, built into the program\n",
            m->name, m->nbody, m->nv, number_text(m->mass, number), file);
}

// --- A robot without loops --------------------------------------------------------------------

static void tell_time(output *out, timing_bench *bench, const timing_case *what, const char *text)
{
    double ns;
    long long calls;
    if (timing_measure(bench, what, MEASURING, &ns, &calls) == LW_OK) {
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

// Its poses, and the Jacobian of its tip.
static lw_status tell_open(output *out, const robot *r, const double *q, timing_bench *bench)
{
    const lw_model *m = r->model;
    char text[128], number[NUMBER_ROOM];
    fputs("at its reference configuration, q =", out->text);
    for (int i = 0; i < m->nq; ++i) {
        fprintf(out->text, "%s %s", i > 0 ? "," : "", number_text(q[i], number));
    }
    fputs("\n\n", out->text);
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

// --- The palletiser ---------------------------------------------------------------------------

static bool is_dependent(const lw_model *m, const lw_joint_info *joint)
{
    for (int k = 0; k < m->nv; ++k) {
        if (m->v_tree[k] >= joint->v && m->v_tree[k] < joint->v + joint->nv) {
            return false;
        }
    }
    return joint->nv > 0;
}

static void tell_parts(output *out, const lw_model *m)
{
    static const char *const what[2] = {"\njoints     ", "\n           "};
    static const char *const which[2] = {"with a drive: ", "that depend on others: "};
    fputs("\nlinks      ", out->text);
    for (int i = 0; i < m->nlink; ++i) {
        fprintf(out->text, "%s%s", i > 0 ? ", " : "", m->link[i].name);
    }
    for (int dependent = 0; dependent < 2; ++dependent) {
        int count = 0;
        fprintf(out->text, "%s%s", what[dependent], which[dependent]);
        for (int j = 0; j < m->njoint; ++j) {
            if (is_dependent(m, &m->joints[j]) == (dependent == 1) && m->joints[j].nv > 0) {
                fprintf(out->text, "%s%s", count++ > 0 ? ", " : "", m->joints[j].name);
            }
        }
    }
    fputc('\n', out->text);
}

static void tell_loops(output *out, const lw_model *m)
{
    for (int i = 0; i < m->nloop; ++i) {
        fprintf(out->text, "%-10s %s: ", i == 0 ? "loops" : "", m->loop[i].name);
        explain_loop(out->text, m, &m->loop[i]);
        fputc('\n', out->text);
    }
    for (int i = 0; i < m->nstep; ++i) {
        fprintf(out->text, "%-10s %d. ", i == 0 ? "solved by" : "", i + 1);
        explain_step(out->text, m, &m->step[i]);
        fputc('\n', out->text);
    }
}

// The motion that torques are told for: some of everything.
typedef struct motion {
    double *q, *v, *a, *tau, *tension; ///< slices of one block
    double *block;
} motion;

static bool motion_init(motion *at, const lw_model *m)
{
    static const double step[4] = {0.4, 0.3, -0.2, 0.5}, speed[4] = {0.5, 0.8, -0.6, 1};
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    at->block = calloc(nq + 3 * nv + (size_t)m->nloop + 1, sizeof *at->block);
    if (!at->block) {
        return false;
    }
    at->q = at->block;
    at->v = at->q + nq;
    at->a = at->v + nv;
    at->tau = at->a + nv;
    at->tension = at->tau + nv;
    for (size_t i = 0; i < nv; ++i) {
        at->v[i] = step[i % 4];
    }
    lw_integrate(m, m->q_reference, at->v, 1, at->q);
    for (size_t i = 0; i < nv; ++i) {
        at->v[i] = speed[i % 4];
        at->a[i] = 2 * speed[(i + 1) % 4];
    }
    return true;
}

static lw_status tell_torques(output *out, const robot *r, int tip, motion *at)
{
    const lw_model *m = r->model;
    lw_status status = lw_inverse_dynamics(m, r->data, at->q, at->v, at->a, NULL, at->tau);
    if (status == LW_OK) {
        status = lw_loop_forces(m, r->data, at->q, at->v, at->a, NULL, NULL, at->tension, NULL);
    }
    lw_pose X;
    if (status == LW_OK) {
        status = lw_pose_of_frame(m, r->data, at->q, tip, &X);
    }
    if (status != LW_OK) {
        return status;
    }
    fprintf(out->text, "\njoint            q (rad)    v (rad/s)  a (rad/s^2)  tau (N m)\n");
    for (int i = 0; i < m->nv; ++i) {
        fprintf(out->text, "%-12s %11.3f  %11.3f  %11.3f  %9.2f\n", m->velocity_name[i], at->q[i],
                at->v[i], at->a[i], at->tau[i]);
    }
    for (int i = 0; i < m->nloop; ++i) {
        fprintf(out->text, "%s%s is %s with %.1f N", i == 0 ? "rod " : "; rod ", m->loop[i].name,
                at->tension[i] < 0 ? "pressed" : "pulled", fabs(at->tension[i]));
    }
    fprintf(out->text, "\n%s is at (%.4f, %.4f, %.4f) m, and leans from the vertical by %.0e rad\n",
            m->frame[tip].name, X.p.x, X.p.y, X.p.z, hypot(X.R.row[0].z, X.R.row[1].z));
    return LW_OK;
}

// The functions of the paper's Table 1.
static void tell_times(output *out, timing_bench *bench)
{
    static const struct {
        const timing_case *what;
        const char *name;
        double paper; ///< microseconds on a Pentium of 200 MHz
    } row[3] = {{&timing_position, "all positions", 17},
                {&timing_jacobian, "Jacobian of the flange", 58},
                {&timing_inverse, "inverse dynamics", 75}};
    const double cycles = timing_cycles();
    fputs("\ntimes                      here                  paper (Höpler and Otter), Pentium "
          "200 MHz\n",
          out->text);
    for (int i = 0; i < 3; ++i) {
        double ns;
        long long calls;
        if (timing_measure(bench, row[i].what, MEASURING, &ns, &calls) != LW_OK) {
            continue;
        }
        const double paper = 200 * row[i].paper;
        fprintf(out->text, "%-22s %6.0f ns", row[i].name, ns);
        if (cycles > 0) {
            fprintf(out->text, "  %6.0f cycles     %3.0f us  %6.0f cycles   %5.1f times as many\n",
                    cycles * ns, row[i].paper, paper, paper / (cycles * ns));
        } else {
            fprintf(out->text, "  %3.0f us  %6.0f cycles\n", row[i].paper, paper);
        }
    }
}

static lw_status tell_closed(output *out, const robot *r, motion *at, timing_bench *bench)
{
    tell_parts(out, r->model);
    tell_loops(out, r->model);
    const lw_status status = tell_torques(out, r, bench->frame, at);
    if (status == LW_OK) {
        tell_times(out, bench);
    }
    return status;
}

// --- Together ---------------------------------------------------------------------------------

static int run_demo(const command_line *args)
{
    static const char *const word[] = {"palletiser", "ur5", NULL};
    const int choice = args_choice(args, OPT_ROBOT, word);
    if (choice < 0) {
        return EXIT_USAGE;
    }
    const demo_model *model = choice == 0 ? &demo_palletiser : &demo_ur5;
    const char *path = args_value(args, OPT_OUTPUT);
    path = path ? path : "linkwork-demo.svg";
    robot r;
    output out = {0};
    timing_bench bench = {0};
    motion at = {0};
    int code = robot_open_text(&r, args, model->name, model->text, model->size);
    if (code != EXIT_GOOD) {
        goto done;
    }
    const int tip = robot_tip(r.model);
    if (tip < 0 || !output_begin(&out, false) || !motion_init(&at, r.model) ||
        !timing_init(&bench, r.model, r.data, tip)) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        goto done;
    }
    const bool is_closed = r.model->nloop > 0;
    const double *q = is_closed ? at.q : r.model->q_reference;
    tell_what_it_is(&out, r.model, model->name);
    const lw_status status =
        is_closed ? tell_closed(&out, &r, &at, &bench) : tell_open(&out, &r, q, &bench);
    if (status != LW_OK) {
        char why[ROBOT_WHY_ROOM];
        code = complain(exit_code_of(status), "%s", robot_why(r.model, r.data, status, why));
        goto done;
    }
    code = tell_equations(&out, args, &r, &bench, MEASURING);
    if (code != EXIT_GOOD) {
        goto done;
    }
    const draw_options look = {.width = 900,
                               .height = 720,
                               .show = LW_SCENE_SHOW_TIPS,
                               .what = is_closed ? "configuration" : "reference configuration"};
    code = draw_model(r.model, r.data, q, &look, path);
    fprintf(out.text, "\nits picture is in %s; your own robot: linkwork info MODEL\n", path);
done:
    code = output_finish(&out, code);
    free(at.block);
    timing_free(&bench);
    robot_close(&r);
    return code;
}

const command_def command_demo = {
    .name = "demo",
    .operands = "",
    .options = OPTIONS(OPT_OUTPUT, OPT_ROBOT),
    .is_picture = true,
    .summary = "a first look, with a robot that is built in",
    .about =
        "Shows what the program does on one screen, with a palletising robot that is built in: "
        "its parts, its two loops and how each is solved, the torques of a motion, and the "
        "time that this takes beside the times that the robot's authors published (Höpler and "
        "Otter, on a processor of 200 MHz); and draws it to linkwork-demo.svg or the file "
        "given. Cycles are those of the processor's clock, as it runs. --robot ur5 shows an "
        "arm without "
        "loops: its poses and the Jacobian of its tip. Either way it derives the robot's "
        "equations, tells what they cost beside general methods, writes them as C, compiles "
        "and loads that, compares and times it.",
    .example = "demo\ndemo -o picture.svg\ndemo --robot ur5",
    .run = run_demo,
};
