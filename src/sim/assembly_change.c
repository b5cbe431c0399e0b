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
#include "../loop/loop.h"
#include "../math/pi.h"
#include "../model/kernel.h"
#include "../model/program.h"

#include <math.h>
#include <string.h>

static const double SMALL_ANGLE = 1e-2, SMALL_WAY = 1e-3; // rad, m: no leap to another assembly

// A joint of one degree of freedom that a loop gives, not a gear or a coupling.
static bool can_change_assembly(const lw_model *m, int body)
{
    const int i = m->v_start[body];
    if (m->v_start[body + 1] - i != 1 || m->q_start[body + 1] - m->q_start[body] != 1 ||
        m->nstep == 0) {
        return false;
    }
    const int step = m->kernel->program->step_of[i];
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

// Where a joint is at y in the other assembly of its closed form. False where there is none.
static bool find_other(lw_sim *sim, const double *y, int body, double *other)
{
    const lw_model *m = sim->model;
    const lwi_program *program = m->kernel->program;
    lwi_step step = program->step[program->step_of[m->v_start[body]]];
    const double *q = step.branch != 0 ? lwi_closure_position(m, sim->data, y) : NULL;
    if (!q) {
        return false;
    }
    lwi_closure_fault fault = LWI_NO_FAULT;
    step.branch = -step.branch;
    memcpy(sim->assembly_q, q, (size_t)m->tree_nq * sizeof *sim->assembly_q);
    const lw_status status =
        lwi_step_position(m, program, &step, &sim->data->loop_work, sim->assembly_q, &fault);
    *other = sim->assembly_q[m->q_start[body]];
    return status == LW_OK;
}

static double apart(double one, double other, bool is_angle)
{
    return fabs(is_angle ? remainder(one - other, LWI_TWO_PI) : one - other);
}

// Whether a step of length h to y leads a joint into the other assembly, or out of it.
static bool goes_over(lw_sim *sim, const double *y, double h, int body, const double *from,
                      const double *to)
{
    const bool is_angle = sim->model->carrier[body] != LW_TREE_PRISMATIC;
    const double steady = 0.05; // what folds over turns back, and its velocity changes by far more
    double before, behind;
    if (fabs(to[1] - from[1]) <= steady * (fabs(to[1]) + fabs(from[1])) ||
        !find_other(sim, y, body, &behind) || !find_other(sim, sim->y, body, &before)) {
        return false;
    }
    const double on = from[0] + h * from[1], back = to[0] - h * to[1];
    return apart(on, behind, is_angle) < apart(on, to[0], is_angle) ||
           apart(back, before, is_angle) < apart(back, from[0], is_angle);
}

static lw_status blame(lw_sim *sim, int body)
{
    const int dof = sim->model->v_start[body];
    const int step = sim->model->kernel->program->step_of[dof];
    sim->data->closure_status = LW_ERR_SINGULAR;
    sim->data->fault = (lwi_closure_fault){sim->model->step[step].loop[0], dof, 0.0, 1.0};
    return LW_ERR_SINGULAR;
}

lw_status lwi_assembly_blame(lw_sim *sim)
{
    const lw_model *m = sim->model;
    for (int n = 0; n < sim->nassembly; ++n) {
        const int body = sim->assembly_body[n];
        double other;
        if (find_other(sim, sim->y, body, &other)) {
            const bool is_angle = m->carrier[body] != LW_TREE_PRISMATIC;
            const double here = sim->data->tree_q[m->q_start[body]];
            if (apart(here, other, is_angle) < (is_angle ? SMALL_ANGLE : SMALL_WAY)) {
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
            goes_over(sim, y, h, body, begin, end)) {
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
