// Forces within loops, by one sweep back through the closure program.
//
// The recursion over the tree gives the force tau that every degree of freedom needs. A dependent
// degree of freedom has no drive, so the constraints of its step must give all of it: with the rows
// J = (J_y J_x) of a step for its targets y and sources x, the multipliers satisfy J_y' lambda =
// tau_y, and the sources must bear what they do there, tau_x - J_x' lambda = tau_x + K' tau_y,
// which is the sweep of forces itself. Where a step has more rows than targets, lambda is the
// shortest of all that do, in N and N m.
#include "loop_forces.h"

#include "../loop/loop.h"
#include "../math/spatial.h"

#include <linkwork/dynamics.h>

#include "../math/least_norm.h"
#include "../model/kernel.h"
#include "arguments.h"
#include "rods.h"

#include <string.h>

// From the end frame X of a body to the body's coordinates, about its origin.
static lw_force force_in_body(const lw_pose *X, const lw_force *f)
{
    const lw_vec3 lin = lw_rotate(&X->R, f->lin);
    return (lw_force){lw_add3(lw_rotate(&X->R, f->ang), lw_cross3(X->p, lin)), lin};
}

static lw_force force_in_frame(const lw_pose *X, const lw_force *f)
{
    const lw_vec3 ang = lw_sub3(f->ang, lw_cross3(X->p, f->lin));
    return (lw_force){lw_rotate_back(&X->R, ang), lw_rotate_back(&X->R, f->lin)};
}

// Multipliers of a step's rows into the last column of its matrix. Rows of rods are divided by the
// rod's length before, so that their multipliers are forces.
static void find_multipliers(const lw_model *m, lw_data *d, const lwi_step *step)
{
    const lwi_program *program = m->kernel->program;
    const int ncolumn = step->ntarget + step->nsource + 1;
    double *matrix = d->loop_work.matrix, *tau_y = d->v_work;
    lwi_step_matrix(m, program, step, &d->loop_work, d->tree_q, NULL);
    int row = 0;
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_loop *loop = &program->loop[step->loop[k]];
        for (int c = 0; c < ncolumn && loop->is_rod; ++c) {
            matrix[row * ncolumn + c] /= loop->length;
        }
        row += loop->nrow;
    }
    for (int t = 0; t < step->ntarget; ++t) {
        tau_y[t] = d->tree_tau[step->target[t]];
    }
    lwi_least_norm(step->nrow, step->ntarget, ncolumn, matrix, tau_y, matrix + ncolumn - 1,
                   ncolumn);
}

static void set_loop_force(const lw_model *m, lw_data *d, int k, double *lambda)
{
    const lwi_loop *loop = &m->kernel->program->loop[k];
    if (loop->is_rod) {
        d->tension[k] = -lambda[0]; // a multiplier pushes the ends apart
        lambda[0] /= loop->length;
    }
    lw_force at_end[2];
    lwi_loop_forces_at_ends(m, loop, d->tree_q, lambda, at_end);
    for (int side = 0; side < 2; ++side) {
        d->loop_force[2 * k + side] = force_in_body(&loop->X[side], &at_end[side]);
    }
}

// Rods and closing joints of a step, and gears that are solved together with them.
static void loops_of_step(const lw_model *m, lw_data *d, const lwi_step *step, double *coupling,
                          double *gear)
{
    const int ncolumn = step->ntarget + step->nsource + 1;
    find_multipliers(m, d, step);
    const double *lambda = d->loop_work.matrix + ncolumn - 1;
    for (int k = 0; k < step->nloop; ++k) {
        double own[LWI_MOST_ROWS];
        const int nrow = m->kernel->program->loop[step->loop[k]].nrow;
        for (int r = 0; r < nrow; ++r, lambda += ncolumn) {
            own[r] = *lambda;
        }
        set_loop_force(m, d, step->loop[k], own);
    }
    for (int g = 0; g < step->ngear; ++g, lambda += ncolumn) {
        const double *share = step->gear_row + g * ncolumn;
        if (gear) {
            gear[step->gear[g]] = *lambda;
        }
        for (int t = 0; t < step->ntarget && coupling; ++t) {
            coupling[step->target[t]] += share[t] * *lambda;
        }
        for (int k = 0; k < step->nsource && coupling; ++k) {
            coupling[step->source[k]] += share[step->ntarget + k] * *lambda;
        }
    }
}

// A coupling gives its targets what they need, and takes it from its sources.
static void add_coupling(const lw_data *d, const lwi_step *step, double *coupling)
{
    const double *K = &d->rate[step->rate];
    for (int t = 0; t < step->ntarget; ++t) {
        const double force = d->tree_tau[step->target[t]];
        coupling[step->target[t]] += force;
        for (int k = 0; k < step->nsource; ++k) {
            coupling[step->source[k]] -= K[t * step->nsource + k] * force;
        }
    }
}

static void sweep_back(const lw_model *m, lw_data *d, double *coupling, double *gear)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        if (step->nloop > 0 || (gear && step->ngear > 0)) {
            loops_of_step(m, d, step, coupling, gear);
        } else if (coupling) {
            add_coupling(d, step, coupling);
        }
        const double *K = &d->rate[step->rate];
        for (int t = 0; t < step->ntarget; ++t) {
            for (int k = 0; k < step->nsource; ++k) {
                d->tree_tau[step->source[k]] +=
                    K[t * step->nsource + k] * d->tree_tau[step->target[t]];
            }
        }
    }
}

lw_status lwi_find_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *a, const lw_force *f_ext, double *coupling,
                               double *gear)
{
    const lw_status status = lwi_sweep_and_tree_forces(m, d, q, v, a, f_ext, d->tree_tau);
    if (status != LW_OK) {
        return status;
    }
    if (m->nloop > 0) {
        memset(d->loop_force, 0, 2 * (size_t)m->nloop * sizeof *d->loop_force);
        memset(d->tension, 0, (size_t)m->nloop * sizeof *d->tension);
    }
    for (int k = 0; k < m->tree_nv && coupling; ++k) {
        coupling[k] = 0.0;
    }
    for (int g = 0; g < m->ngear && gear; ++g) {
        gear[g] = 0.0;
    }
    sweep_back(m, d, coupling, gear);
    if (d->nrod_mass > 0) {
        const bool is_closed = m->nstep > 0;
        lwi_tree_motion(m, d, is_closed ? d->tree_q : q, is_closed ? d->tree_v : v,
                        lwi_closure_acceleration(m, d, a));
    }
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        lw_force own[2];
        if (lwi_has_rod_mass(m, k)) {
            lwi_rod_end_forces(m, d, k, own);
            d->loop_force[2 * k] = lwi_force_add(d->loop_force[2 * k], own[0]);
            d->loop_force[2 * k + 1] = lwi_force_add(d->loop_force[2 * k + 1], own[1]);
        }
    }
    return LW_OK;
}

void lwi_apply_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                           const double *a, const lw_force *f_ext)
{
    for (int i = 0; i < m->nbody; ++i) {
        d->applied[i] = f_ext ? f_ext[i] : (lw_force){{0, 0, 0}, {0, 0, 0}};
    }
    for (int k = 0; k < 2 * m->nloop; ++k) {
        const int body = m->frame[m->loop[k / 2].frame[k % 2]].body;
        if (body >= 0) {
            d->applied[body] = lwi_force_add(d->applied[body], d->loop_force[k]);
        }
    }
    const bool is_closed = m->nstep > 0;
    d->kernels->inverse_dynamics(m, d, is_closed ? d->tree_q : q, is_closed ? d->tree_v : v,
                                 lwi_closure_acceleration(m, d, a), d->applied, false, d->tree_tau);
}

lw_status lw_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, const lw_force *f_ext, lw_force *force, double *tension,
                         double *coupling)
{
    lw_status status = check_state(m, d, q, v, a);
    if (status == LW_OK) {
        status = lwi_find_loop_forces(m, d, q, v, a, f_ext, coupling, NULL);
    }
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < 2 * m->nloop && force; ++k) {
        const lw_frame_info *frame = &m->frame[m->loop[k / 2].frame[k % 2]];
        force[k] = force_in_frame(&frame->X_BF, &d->loop_force[k]);
    }
    for (int k = 0; k < m->nloop && tension; ++k) {
        tension[k] = d->tension[k];
    }
    return LW_OK;
}

lw_status lw_gear_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, const lw_force *f_ext, double *moment, double *force)
{
    lw_status status = check_state(m, d, q, v, a);
    if (status == LW_OK && m->ngear > 0 && !moment) {
        status = LW_ERR_ARGUMENT;
    }
    if (status == LW_OK) {
        status = lwi_find_loop_forces(m, d, q, v, a, f_ext, NULL, moment);
    }
    for (int g = 0; status == LW_OK && g < m->ngear; ++g) {
        moment[g] *= m->gear[g].turn[0];
        if (force) {
            force[g] = m->gear[g].radius[0] > 0.0 ? moment[g] / m->gear[g].radius[0] : 0.0;
        }
    }
    return status;
}
