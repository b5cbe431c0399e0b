// Leaps of dependent joints: a step that goes over a singular configuration would go on in another
// assembly of a loop, and no state within it would show it. So where a dependent joint is at the
// end of a step is compared with where its rates lead it: both ends of a resolved step agree to a
// fraction of what the rates give.
//
// At a singular configuration both assemblies of a loop meet, so one may change there without a
// leap: a parallelogram that goes on folds into its mirror image, because a closed form keeps to
// its branch, and only its rates jump. Where these bend much, the other assembly is tested too:
// a motion that leads there, or back from there, has gone over.

#include "sim.h"

#include <linkwork/kinematics.h>

#include "../kin/closure.h"
#include "../kin/held_state.h"
#include "../loop/loop.h"
#include "../math/pi.h"
#include "../model/kernel.h"
#include "../model/program.h"

#include <math.h>
#include <string.h>

static const double SMALL_ANGLE = 1e-2, SMALL_WAY = 1e-3; // rad, m: no leap to another assembly

static int step_of(const lw_model *m, int body)
{
    return m->kernel->program->step_of[m->v_start[body]];
}

// A joint of one degree of freedom that a loop gives, not a gear or a coupling.
static bool can_change_assembly(const lw_model *m, int body)
{
    const int i = m->v_start[body];
    if (m->v_start[body + 1] - i != 1 || m->q_start[body + 1] - m->q_start[body] != 1 ||
        m->nstep == 0) {
        return false;
    }
    const int step = step_of(m, body);
    return step >= 0 && m->step[step].kind != LW_STEP_FUNCTION &&
           m->step[step].kind != LW_STEP_LINEAR;
}

int lwi_assembly_find(const lw_model *m, int *bodies)
{
    int count = 0;
    for (int body = 0; body < m->nbody; ++body) {
        if (can_change_assembly(m, body)) {
            if (bodies) {
                bodies[count] = body;
            }
            ++count;
        }
    }
    return count;
}

// Positions and rates [2*nassembly] of these joints at y, which the data holds from then on: the
// next step begins with its dynamics.
static lw_status find_state(lw_sim *sim, const double *y, double *state)
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    const lw_status status = lw_set_state(m, d, y, y + m->nq);
    if (status != LW_OK) {
        return status;
    }
    lwi_closure_angles(m, d);
    const double *q = d->tree_q, *v = d->tree_v;
    for (int n = 0; n < sim->nassembly; ++n) {
        state[2 * n] = q[m->q_start[sim->assembly_body[n]]];
        state[2 * n + 1] = v[m->v_start[sim->assembly_body[n]]];
    }
    return LW_OK;
}

static bool assembly_changes(const double *from, const double *to, double h, bool is_angle)
{
    const double way = h * 0.5 * (from[1] + to[1]);
    const double off = to[0] - from[0] - way;
    const double margin = 2.0 * h * (fabs(from[1]) + fabs(to[1]));
    const double most = margin + (is_angle ? SMALL_ANGLE : SMALL_WAY);
    return fabs(off) > most && (!is_angle || fabs(remainder(off, LWI_TWO_PI)) > most);
}

// Where joints are at y in the other assembly of the closed form of a step, into q [tree_nq]. False
// where there is none. What the data holds of y is used up.
static bool find_other(lw_sim *sim, const double *y, int step_at, double *q)
{
    const lw_model *m = sim->model;
    lw_data *d = sim->data;
    const lwi_program *program = m->kernel->program;
    lwi_step step = program->step[step_at];
    const double *held = lwi_holds_numbers(m, d, y, y + m->nq) ? d->held.q : y;
    const double *tree_q = step.branch != 0 ? lwi_closure_position(m, d, held) : NULL;
    if (!tree_q) {
        return false;
    }
    lwi_closure_fault fault = LWI_NO_FAULT;
    step.branch = -step.branch;
    memcpy(q, tree_q, (size_t)m->tree_nq * sizeof *q);
    const lw_status status = lwi_step_position(m, program, &step, &d->loop_work, q, &fault);
    lwi_drop_results(d); // whose sines are those of the other assembly now
    return status == LW_OK;
}

static double apart(double one, double other, bool is_angle)
{
    return fabs(is_angle ? remainder(one - other, LWI_TWO_PI) : one - other);
}

// What folds over turns back, and its velocity changes by far more.
static bool is_steady(const double *from, const double *to)
{
    return fabs(to[1] - from[1]) <= 0.05 * (fabs(to[1]) + fabs(from[1]));
}

// Both ends of a step in the other assembly of one closed form.
typedef struct other_assembly {
    int step; ///< -1: none yet
    bool is_there;
    const double *before, *behind; ///< [tree_nq]
} other_assembly;

static void find_ends(lw_sim *sim, const double *y, int step, other_assembly *other)
{
    if (step != other->step) {
        double *behind = sim->assembly_q, *before = behind + sim->model->tree_nq;
        *other = (other_assembly){
            step, find_other(sim, y, step, behind) && find_other(sim, sim->y, step, before), before,
            behind};
    }
}

// Whether a step of length h to y leads a joint into the other assembly, or out of it.
static bool goes_over(lw_sim *sim, const double *y, double h, int body, const double *from,
                      const double *to, other_assembly *other)
{
    const lw_model *m = sim->model;
    const bool is_angle = m->carrier[body] != LW_TREE_PRISMATIC;
    if (is_steady(from, to)) {
        return false;
    }
    find_ends(sim, y, step_of(m, body), other);
    if (!other->is_there) {
        return false;
    }
    const double before = other->before[m->q_start[body]];
    const double behind = other->behind[m->q_start[body]];
    const double on = from[0] + h * from[1], back = to[0] - h * to[1];
    return apart(on, behind, is_angle) < apart(on, to[0], is_angle) ||
           apart(back, before, is_angle) < apart(back, from[0], is_angle);
}

static lw_status blame(lw_sim *sim, int body)
{
    const lw_model *m = sim->model;
    const int loop = m->step[step_of(m, body)].loop[0];
    sim->data->closure_status = LW_ERR_SINGULAR;
    sim->data->fault = (lwi_closure_fault){loop, m->v_start[body], 0.0, 1.0};
    return LW_ERR_SINGULAR;
}

lw_status lwi_assembly_blame(lw_sim *sim)
{
    const lw_model *m = sim->model;
    for (int n = 0; n < sim->nassembly; ++n) {
        const int body = sim->assembly_body[n];
        if (find_other(sim, sim->y, step_of(m, body), sim->assembly_q)) {
            const bool is_angle = m->carrier[body] != LW_TREE_PRISMATIC;
            const int at = m->q_start[body];
            if (apart(sim->data->tree_q[at], sim->assembly_q[at], is_angle) <
                (is_angle ? SMALL_ANGLE : SMALL_WAY)) {
                return blame(sim, body);
            }
        }
    }
    return LW_ERR_NO_CONVERGENCE;
}

lw_status lwi_assembly_check(lw_sim *sim, const double *y, double h)
{
    const lw_model *m = sim->model;
    double *from = sim->assembly_change, *to = from + 2 * sim->nassembly;
    other_assembly other = {.step = -1};
    if (sim->nassembly == 0) {
        return LW_OK;
    }
    lw_status status = sim->has_assembly_change ? LW_OK : find_state(sim, sim->y, from);
    sim->has_assembly_change = status == LW_OK;
    if (status == LW_OK) {
        status = find_state(sim, y, to);
    }
    for (int n = 0; n < sim->nassembly && status == LW_OK; ++n) {
        const int body = sim->assembly_body[n];
        const double *begin = from + 2 * n, *end = to + 2 * n;
        if (assembly_changes(begin, end, h, m->carrier[body] != LW_TREE_PRISMATIC) ||
            goes_over(sim, y, h, body, begin, end, &other)) {
            status = blame(sim, body);
        }
    }
    return status;
}

void lwi_assembly_accept(lw_sim *sim)
{
    memcpy(sim->assembly_change, sim->assembly_change + 2 * sim->nassembly,
           2 * (size_t)sim->nassembly * sizeof *sim->assembly_change);
}
