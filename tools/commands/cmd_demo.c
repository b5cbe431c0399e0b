// linkwork demo: on one screen, a built-in robot and what can be computed for it.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "report/demo_equations.h"
#include "report/explain.h"
#include "report/ik_table.h"
#include "report/result_tables.h"
#include "support/demo_model.h"
#include "support/ik_target.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/timing.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>

static const double MEASURING = 0.05; // seconds, for each function

static void print_summary(output *out, const lw_model *m, const char *file)
{
    char number[NUMBER_SIZE];
    fprintf(out->text,
            "%s: %d bodies, %d degrees of freedom, %s kg, from models/%s, built into the program\n",
            m->name, m->nbody, m->nv, number_text(m->mass, number), file);
}

// --- Inverse kinematics -----------------------------------------------------------------------

// The least time of one solution, ns.
static double time_of_ik(lw_ik *ik, const lw_ik_target *target, const double *seed)
{
    enum { CALLS = 200, BLOCKS = 20 };
    double least = HUGE_VAL;
    for (int block = 0; block < BLOCKS; ++block) {
        const double begin = timing_now();
        for (int i = 0; i < CALLS; ++i) {
            lw_ik_result found;
            lw_ik_solve(ik, target, seed, &found);
        }
        least = fmin(least, 1e9 / CALLS * (timing_now() - begin));
    }
    return least;
}

// Back from the pose that a frame has at q, from the reference configuration.
static lw_status print_inverse(output *out, const robot *r, const double *q, int frame)
{
    const lw_model *m = r->model;
    const lw_ik_def def = lw_default_ik_def(-1, frame);
    lw_ik_target target = {.has_redundancy = false};
    lw_ik *ik = NULL;
    lw_ik_result found = {.nsolution = 0};
    lw_status status = lw_pose_of_frame(m, r->data, q, frame, &target.X_BT);
    if (status == LW_OK) {
        status = lw_ik_create(m, &def, &ik, NULL);
    }
    if (status == LW_OK) {
        const double ns = time_of_ik(ik, &target, m->q_reference);
        status = lw_ik_solve(ik, &target, m->q_reference, &found);
        fprintf(out->text,
                "\ninverse kinematics: all joint positions that give %s this pose, in %.0f ns\n",
                m->frame[frame].name, ns);
        ik_table_heads(out, m, lw_ik_describe(ik));
    }
    const int *order = ik_target_order(out->pool, &found);
    for (int i = 0; i < found.nsolution; ++i) {
        const lw_ik_solution *s = &found.solution[order[i]];
        ik_table_row(out, m, lw_ik_describe(ik), i, s, s->q);
    }
    lw_ik_destroy(ik);
    return status;
}

// --- A robot without loops --------------------------------------------------------------------

static void print_time(output *out, timing_bench *bench, timing_function what, const char *text)
{
    double ns;
    long long calls;
    if (timing_measure(bench, what, MEASURING, &ns, &calls) == LW_OK) {
        fprintf(out->text, "%s in %.0f ns\n", text, ns);
    } else {
        fprintf(out->text, "%s\n", text);
    }
}

static lw_status print_frames(output *out, const robot *r, const double *q)
{
    const lw_model *m = r->model;
    lw_pose *X = memory_get(out->pool, (size_t)m->nframe, sizeof *X);
    const char **name = memory_get(out->pool, (size_t)m->nframe, sizeof *name);
    lw_status status = lw_forward_position(m, r->data, q);
    if (status == LW_OK) {
        status = lw_frame_poses(m, r->data, X);
    }
    for (int i = 0; i < m->nframe; ++i) {
        name[i] = m->frame[i].name;
    }
    if (status == LW_OK) {
        print_poses(out, NULL, name, m->nframe, X);
    }
    return status;
}

static lw_status print_jacobian(output *out, const robot *r, const double *q, int frame)
{
    const lw_model *m = r->model;
    static const char *const row[6] = {"wx", "wy", "wz", "vx", "vy", "vz"};
    double *J = memory_numbers(out->pool, 6, m->nv);
    const lw_status status = lw_frame_jacobian(m, r->data, q, frame, LW_IN_WORLD, NULL, J);
    if (status == LW_OK) {
        output_table(out, "", row, 6, m->velocity_name, m->nv, J);
    }
    return status;
}

// Its poses, and the Jacobian of its tip.
static lw_status print_open(output *out, const robot *r, const double *q, timing_bench *bench)
{
    const lw_model *m = r->model;
    char text[128], number[NUMBER_SIZE];
    fputs("at its reference configuration, q =", out->text);
    for (int i = 0; i < m->nq; ++i) {
        fprintf(out->text, "%s %s", i > 0 ? "," : "", number_text(q[i], number));
    }
    fputs("\n\n", out->text);
    print_time(out, bench, TIMING_POSES, "poses of all frames,");
    lw_status status = print_frames(out, r, q);
    if (status == LW_OK) {
        snprintf(text, sizeof text, "\nJacobian of %.60s, world axes,",
                 m->frame[bench->frame].name);
        print_time(out, bench, TIMING_JACOBIAN, text);
        status = print_jacobian(out, r, q, bench->frame);
    }
    return status == LW_OK ? print_inverse(out, r, q, bench->frame) : status;
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

static void print_parts(output *out, const lw_model *m)
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

static void print_loops(output *out, const lw_model *m)
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

// The motion that torques are printed for: some of everything.
typedef struct motion {
    double *q, *v, *a, *tau, *tension;
} motion;

static motion make_motion(memory *pool, const lw_model *m)
{
    static const double step[4] = {0.4, 0.3, -0.2, 0.5}, speed[4] = {0.5, 0.8, -0.6, 1};
    const motion at = {memory_numbers(pool, m->nq, 1), memory_numbers(pool, m->nv, 1),
                       memory_numbers(pool, m->nv, 1), memory_numbers(pool, m->nv, 1),
                       memory_numbers(pool, m->nloop, 1)};
    for (int i = 0; i < m->nv; ++i) {
        at.v[i] = step[i % 4];
    }
    lw_integrate(m, m->q_reference, at.v, 1, at.q);
    for (int i = 0; i < m->nv; ++i) {
        at.v[i] = speed[i % 4];
        at.a[i] = 2 * speed[(i + 1) % 4];
    }
    return at;
}

static lw_status print_torques(output *out, const robot *r, int tip, motion *at)
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
static void print_times(output *out, timing_bench *bench)
{
    static const struct {
        timing_function what;
        const char *name;
        double paper; ///< microseconds on a Pentium of 200 MHz
    } row[3] = {{TIMING_POSITION, "all positions", 17},
                {TIMING_JACOBIAN, "Jacobian of the flange", 58},
                {TIMING_INVERSE, "inverse dynamics", 75}};
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

static lw_status print_closed(output *out, const robot *r, motion *at, timing_bench *bench)
{
    print_parts(out, r->model);
    print_loops(out, r->model);
    lw_status status = print_torques(out, r, bench->frame, at);
    if (status == LW_OK) {
        status = print_inverse(out, r, at->q, bench->frame);
    }
    if (status == LW_OK) {
        print_times(out, bench);
    }
    return status;
}

// --- Together ---------------------------------------------------------------------------------

static int run(job *work)
{
    static const char *const word[] = {"palletiser", "ur5", NULL};
    const int choice = args_choice(work->args, OPT_ROBOT, word);
    if (choice < 0) {
        return EXIT_USAGE;
    }
    const demo_model *model = choice == 0 ? &demo_palletiser : &demo_ur5;
    const char *given = args_value(work->args, OPT_OUTPUT);
    const char *path = given ? given : "linkwork-demo.svg";
    robot *r = &work->robot;
    output *out = &work->out;
    timing_bench bench;
    int code = robot_open_text(r, work->args, model->name, model->text, model->size);
    if (code != EXIT_GOOD) {
        return code;
    }
    motion at = make_motion(work->pool, r->model);
    timing_init(&bench, work->pool, r->model, r->data, robot_tip(r->model));
    const bool is_closed = r->model->nloop > 0;
    const double *q = is_closed ? at.q : r->model->q_reference;
    print_summary(out, r->model, model->name);
    const lw_status status =
        is_closed ? print_closed(out, r, &at, &bench) : print_open(out, r, q, &bench);
    if (status != LW_OK) {
        return complain_of(r->model, r->data, status, "%s", "");
    }
    code = print_equations(out, work->args, r, &bench, MEASURING);
    if (code != EXIT_GOOD) {
        return code;
    }
    const draw_options look = {.width = 900,
                               .height = 720,
                               .show = LW_SCENE_SHOW_TIPS,
                               .what = is_closed ? "configuration" : "reference configuration"};
    fprintf(out->text, "\nits picture is in %s; your own robot: linkwork info MODEL\n", path);
    return draw_model(work->pool, r->model, r->data, q, &look, path);
}

const command_def command_demo = {
    .name = "demo",
    .operands = "",
    .options = OPTIONS(OPT_OUTPUT, OPT_ROBOT),
    .is_picture = true,
    .summary = "a first look, with a built-in robot",
    .about = "Shows what the program does on one screen, with a built-in palletising robot: its "
             "parts, its two loops and how each is solved, the torques of a motion, inverse "
             "kinematics, and the computing times beside those that the robot's authors published "
             "(Höpler and Otter, on a processor of 200 MHz); and draws it to linkwork-demo.svg or "
             "the file given. Cycles are those of the processor's clock, as it runs. --robot ur5 "
             "shows an arm without loops: its poses, the Jacobian of its tip and its inverse "
             "kinematics. In both cases it derives the equations of the robot, prints their "
             "operation counts beside those of general methods, writes them as C, compiles and "
             "loads the code, compares and times it.",
    .example = "demo\ndemo -o picture.svg\ndemo --robot ur5",
    .opens_itself = true,
    .run = run,
};
