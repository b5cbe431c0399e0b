// The n-th allocation made to fail, for every n, while a run file is read for a machine with
// elastic shafts, a simulation is made of it, and linearized motion under its controller are found;
// and while a motion of a tool is planned.
#include "check.h"
#include "failing.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>
#include <linkwork/run.h>

#include <string.h>

enum { MOST = 8 };

static const char machine[] =
    "<linkwork version=\"1\" name=\"one\"><ground/>"
    "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"arm\"/>"
    "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
    "<drive name=\"motor\" inertia=\"1e-3\" max_force=\"9\"/>"
    "<torsion name=\"shaft\" in=\"motor\" out=\"box.in\" stiffness=\"40\" damping=\"0.01\" "
    "backlash=\"0.1\"/>"
    "<gearbox name=\"box\" out=\"arm\" ratio=\"50\"/></linkwork>";

static const char task[] =
    "<run version=\"1\" name=\"task\"><start><joint name=\"arm\" q=\"0.3\"/></start>"
    "<limits velocity=\"1\" acceleration=\"3\"/>"
    "<motion><to q=\"0.4\"/><through><point q=\"0.5\"/><point q=\"0.2\"/></through></motion>"
    "<controller law=\"pd+gravity\" period=\"0.001\"><gain joint=\"arm\" kp=\"900\"/></controller>"
    "<force joint=\"arm\" value=\"1\" table=\"0 0 1 1\"/></run>";

// All that follows from a run: a simulation, where it rests, linearized motion, loads of its
// motors.
static lw_status use_run(const lw_run *run, const lw_model *m, unsigned long long *hash)
{
    double q[MOST], A[4 * MOST * MOST];
    lw_motor_load load[MOST];
    lw_data *d = new_data(m);
    lw_sim *sim = d ? new_sim(m, &run->sim) : NULL;
    lw_status status = sim ? LW_OK : LW_ERR_MEMORY;
    memcpy(q, run->q, (size_t)m->nq * sizeof *q);
    if (status == LW_OK) {
        status = lw_controlled_equilibrium(run->controller, d, 0.0, q);
    }
    if (status == LW_OK) {
        status = lw_linearize_controlled(run->controller, d, 0.0, q, NULL, A);
    }
    if (status == LW_OK) {
        status = lw_motor_loads(m, d, run->trajectory, 10, load);
    }
    lw_statics *statics = NULL;
    if (status == LW_OK) {
        status = lw_statics_create(m, NULL, &statics);
        CHECK((statics != NULL) == (status == LW_OK));
        lw_statics_destroy(statics);
    }
    if (status == LW_OK) {
        *hash = digest_bytes(*hash, A, 4 * (size_t)m->nv * (size_t)m->nv * sizeof *A);
        *hash = digest_bytes(*hash, q, (size_t)m->nq * sizeof *q);
    }
    lw_sim_destroy(sim);
    lw_data_destroy(d);
    return status;
}

static lw_status load_run(const void *context, unsigned long long *hash)
{
    const lw_model *m = context;
    lw_run *run = NULL;
    lw_report *report = new_report();
    lw_status status = lw_run_load_text("run.xml", task, sizeof task - 1, m, &run, report);
    CHECK((run != NULL) == (status == LW_OK));
    if (status == LW_OK) {
        status = use_run(run, m, hash);
    }
    lw_run_destroy(run);
    lw_report_destroy(report);
    return status;
}

TEST(runs_and_small_motions_bear_failing_allocations)
{
    lw_model *m = compile_text("machine.xml", machine, NULL);
    if (CHECK(m) && CHECK(m->nv <= MOST && m->ndrive <= MOST)) {
        fail_every_allocation(load_run, m);
    }
    lw_model_destroy(m);
}

// A move of joints, a choice of branches, a blend, a spline and a wait.
static lw_status plan_tool(const void *context, unsigned long long *hash)
{
    const lw_model *m = context;
    const lw_mat3 R = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    const lw_pose X[] = {
        {R, {0.4, -0.1, 0.3}}, {R, {0.4, 0.1, 0.3}}, {R, {0.5, 0.1, 0.3}}, {R, {0.5, -0.1, 0.3}}};
    const double q[] = {0.5, -1.2, 1.4, -1.0, -1.5, 0.2};
    lw_move joints = lw_default_move();
    joints.npoint = 1;
    joints.point = q;
    const lw_tool_move move[] = {
        {.type = LW_TOOL_JOINTS, .joints = &joints},
        {.type = LW_TOOL_TO, .npose = 1, .pose = &X[0]},
        {.type = LW_TOOL_LINE, .npose = 1, .pose = &X[1], .blend = 0.02},
        {.type = LW_TOOL_SPLINE, .npose = 2, .pose = &X[2]},
        {.type = LW_TOOL_WAIT, .duration = 1.0},
    };
    lw_tool_motion_def def = lw_default_tool_motion_def(lw_find_frame(m, "tool"));
    def.spacing = 0.02; // fewer points, the same allocations
    def.tolerance = 1e-3;
    lw_axis_limits limits[MOST];
    for (int k = 0; k < m->nv; ++k) {
        limits[k] = lw_dof_limits(m, k);
        limits[k].velocity = limits[k].acceleration = 1.0;
    }
    def.limits = limits;
    def.nmove = 5;
    def.move = move;
    lw_trajectory *t = NULL;
    lw_report *report = new_report();
    const lw_status status = lw_tool_motion_create(m, &def, &t, NULL, report);
    CHECK((t != NULL) == (status == LW_OK));
    if (status == LW_OK) {
        double at[MOST];
        lw_trajectory_evaluate(t, 0.5 * lw_trajectory_duration(t), at, NULL, NULL, NULL);
        *hash = digest_bytes(*hash, at, (size_t)m->nv * sizeof *at);
    }
    lw_trajectory_destroy(t);
    lw_report_destroy(report);
    return status;
}

TEST(a_motion_of_a_tool_bears_failing_allocations)
{
    lw_model *m = shipped_model("ur5_class.xml");
    if (CHECK(m)) {
        fail_every_allocation(plan_tool, m);
    }
    lw_model_destroy(m);
}

int main(void)
{
    RUN(a_motion_of_a_tool_bears_failing_allocations);
    RUN(runs_and_small_motions_bear_failing_allocations);
    return REPORT();
}
