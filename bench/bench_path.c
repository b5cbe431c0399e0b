// bench_path: a straight line of 1 m as a joint motion of an arm like the UR5, 1000 points: how
// long it takes, limits and torques included, and how far the tool is from its line.
#include "measure.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>

typedef struct problem {
    lw_model *m;
    lw_tool_motion_def def;
    lw_tool_motion_info info;
    lw_trajectory *t;
} problem;

static void plan(void *context, int state)
{
    problem *p = context;
    (void)state;
    lw_trajectory_destroy(p->t);
    lw_tool_motion_create(p->m, &p->def, &p->t, &p->info, NULL);
}

// The largest distance of the tool from its line at `count` times.
static double deviation(const problem *p, const lw_pose *from, int count)
{
    lw_data *d = NULL;
    double worst = 0.0, q[6];
    lw_pose X;
    if (lw_data_create(p->m, &d) != LW_OK) {
        return (double)INFINITY;
    }
    const double T = lw_trajectory_duration(p->t);
    for (int i = 0; i <= count; ++i) {
        lw_trajectory_evaluate(p->t, T * i / count, q, NULL, NULL, NULL);
        lw_pose_of_frame(p->m, d, q, p->def.tool, &X);
        worst = fmax(worst, hypot(X.p.x - from->p.x, X.p.z - from->p.z));
    }
    lw_data_destroy(d);
    return worst;
}

static void evaluate(void *context, int state)
{
    const problem *p = context;
    double q[6], v[6], a[6];
    lw_trajectory_evaluate(p->t, 1e-3 * state * lw_trajectory_duration(p->t), q, v, a, NULL);
    bench_keep(a);
}

int main(int argc, char **argv)
{
    lw_mech *mech = NULL;
    problem p = {0};
    if (lw_load_file(argc > 1 ? argv[1] : "models/ur5_class.xml", NULL, &mech, NULL) != LW_OK ||
        lw_compile(mech, NULL, &p.m, NULL) != LW_OK || p.m->nv != 6) {
        fprintf(stderr, "bench_path: run it from the top folder\n");
        return 1;
    }
    const lw_mat3 down = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    const lw_pose from = {down, {0.4, -0.5, 0.3}}, to = {down, {0.4, 0.5, 0.3}};
    const lw_tool_move move[] = {{.type = LW_TOOL_TO, .npose = 1, .pose = &from},
                                 {.type = LW_TOOL_LINE, .npose = 1, .pose = &to}};
    lw_axis_limits limits[6];
    double force[6];
    for (int k = 0; k < 6; ++k) { // far enough not to slow it, near enough to be looked at
        limits[k] = lw_dof_limits(p.m, k);
        limits[k].velocity = 3.2;
        limits[k].acceleration = 20.0;
        force[k] = k < 3 ? 150.0 : 28.0;
    }
    p.def = lw_default_tool_motion_def(lw_find_frame(p.m, "tool"));
    p.def.begins_anywhere = true;
    p.def.limits = limits;
    p.def.force = force;
    p.def.nmove = 2;
    p.def.move = move;
    double ns = (double)INFINITY;
    for (int i = 0; i < 10; ++i) { // the least of medians: what the computer does else is not ours
        ns = fmin(ns, bench_time(plan, &p, 1));
    }
    if (!p.t) {
        fprintf(stderr, "bench_path: the line is refused\n");
        return 1;
    }
    printf("line of 1 m: %d points in %.3f ms, within %.2g m of it at 10000 times\n", p.info.npoint,
           1e-6 * ns, deviation(&p, &from, 10000));
    printf("evaluation: %.0f ns\n", bench_time(evaluate, &p, 1000));
    lw_trajectory_destroy(p.t);
    lw_model_destroy(p.m);
    lw_mech_destroy(mech);
    return 0;
}
