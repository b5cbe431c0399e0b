// Forward through the steps of the closure program, for the table of kernels (model/kernels.h).
//
// Each step gives its positions, its rates K, the velocities of its targets, its bias and their
// accelerations before the next one begins: what one waits for, a root or a quotient, overlaps with
// what the next one needs not wait for. Sines and cosines of all angles are left in the work space.
#ifndef LWI_KERNEL_CLOSURE_SWEEP_H
#define LWI_KERNEL_CLOSURE_SWEEP_H

#include "../loop/kernel_plane.h"
#include "../math/kernel_sincos.h"
#include "../model/kernel.h"
#include "closure.h"

/// What a sweep finds; what comes before it on this list it needs.
typedef enum depth {
    ROTATIONS, ///< positions, of joints in planar closed forms their sines and cosines only
    POSITIONS,
    RATES,
    VELOCITIES,
    ACCELERATIONS
} depth;

// One joint that follows another, as most couplings are: y = c + K x.
static inline bool is_follower(const lwi_step *step)
{
    return step->kind == LW_STEP_LINEAR && step->ntarget == 1 && step->nsource == 1;
}

static inline void follow_position(const lwi_step *step, lw_data *d)
{
    const int at = step->target_q[0];
    const double *c = step->coefficient;
    d->tree_q[at] = c[0] + c[1] * d->tree_q[step->source_q[0]];
    sincos_real(d->tree_q[at], &d->loop_work.sine[at], &d->loop_work.cosine[at]);
}

static inline void follow_rates(const lwi_step *step, lw_data *d, depth to)
{
    const double K = step->coefficient[1];
    const int target = step->target[0], source = step->source[0];
    if (to >= VELOCITIES) {
        d->tree_v[target] = K * d->tree_v[source];
    }
    if (to >= ACCELERATIONS) {
        d->tree_a[target] = K * d->tree_a[source];
    }
}

// A step without sines.
static inline lw_status other_position(const lw_model *m, const lwi_step *step, lw_data *d,
                                       lwi_closure_fault *fault)
{
    const lwi_loop_work *work = &d->loop_work;
    const lw_status status = lwi_step_position(m, m->kernel->program, step, work, d->tree_q, fault);
    for (int t = 0; t < step->ntarget && !step->reduced; ++t) { // which leaves them itself
        const int at = step->target_q[t];
        if (at >= 0) {
            sincos_real(d->tree_q[at], &work->sine[at], &work->cosine[at]);
        }
    }
    return status;
}

static inline lw_status step_position(const lw_model *m, const lwi_step *step,
                                      const lwi_plane *plane, lw_data *d, lwi_closure_fault *fault)
{
    if (!plane) {
        return other_position(m, step, d, fault);
    }
    const lw_status status = step->kind == LW_STEP_PLANAR
                                 ? plane_three(plane, step, &d->loop_work, d->tree_q, fault)
                                 : plane_rod(plane, step, &d->loop_work, d->tree_q, fault);
    if (status != LW_OK) {
        fault->loop = step->loop[0];
    }
    return status;
}

static inline lw_status step_rates(const lw_model *m, const lwi_step *step, const lwi_plane *plane,
                                   lw_data *d, depth to, lwi_closure_fault *fault)
{
    const lwi_program *program = m->kernel->program;
    const lwi_loop_work *work = &d->loop_work;
    double *K = &d->rate[step->rate], *bias = &d->rate_bias[step->bias];
    const bool is_constant = step->kind == LW_STEP_LINEAR; // they are there from the beginning
    lw_status status = plane         ? plane_rates(plane, step, work, K, fault)
                       : is_constant ? LW_OK
                                     : lwi_step_rates(m, program, step, work, d->tree_q, K, fault);
    if (to >= VELOCITIES && status == LW_OK) {
        step_across(step, K, NULL, d->tree_v);
        if (plane) {
            plane_bias(plane, step, work, d->tree_v, bias);
        } else if (!is_constant) {
            lwi_step_bias(m, program, step, work, d->tree_q, d->tree_v, bias);
        }
    }
    if (to >= ACCELERATIONS && status == LW_OK) {
        step_across(step, K, bias, d->tree_a);
    }
    return status;
}

// Angles of planar steps, up to but without step `end`: all at once, after what waits for their
// sines.
static inline void find_angles(const lw_model *m, lw_data *d, const bool *needed, int *known,
                               int end)
{
    const lwi_program *program = m->kernel->program;
    for (; *known < end; ++*known) {
        const lwi_step *step = &program->step[*known];
        if (plane_of(program->loop, step) && (!needed || needed[*known])) {
            plane_angles(m, step, &d->loop_work, d->tree_q);
        }
    }
}

LWI_INLINE lw_status closure_sweep(const lw_model *m, lw_data *d, const bool *needed, depth from,
                                   depth to)
{
    const lwi_program *program = m->kernel->program;
    lwi_closure_fault fault = LWI_NO_FAULT;
    lw_status status = LW_OK;
    int known = 0; // steps whose angles are known, not only their sines
    for (int s = 0; s < m->nstep && status == LW_OK; ++s) {
        const lwi_step *step = &program->step[s];
        if (needed && !needed[s]) {
            continue;
        }
        const lwi_plane *plane = plane_of(program->loop, step);
        if (from <= POSITIONS && !plane) {
            find_angles(m, d, needed, &known, s);
        }
        if (is_follower(step)) {
            if (from <= POSITIONS) {
                follow_position(step, d);
            }
            follow_rates(step, d, to);
            continue;
        }
        if (from <= POSITIONS) {
            status = step_position(m, step, plane, d, &fault);
        }
        if (to >= RATES && status == LW_OK) {
            status = step_rates(m, step, plane, d, to, &fault);
        }
    }
    if (from == POSITIONS && status == LW_OK) {
        find_angles(m, d, needed, &known, m->nstep);
    }
    if (from <= POSITIONS) {
        d->angles_are_due = from == ROTATIONS && status == LW_OK && !needed;
    }
    d->closure_status = status;
    d->fault = fault;
    if (status != LW_OK) {
        d->singular_dof = -1; // that is for degrees of freedom without inertia
    }
    return status;
}

static inline void set_positions(const lw_model *m, lw_data *d, const double *q)
{
    d->iterations.used = 0;
    d->held.stage = LW_STAGE_NONE;
    double *s = d->sine, *c = d->cosine;
    LWI_SINCOS(m->nq, q, s, c);
    for (int i = 0; i < m->nq; ++i) {
        const int at = m->q_tree[i];
        d->tree_q[at] = q[i];
        d->loop_work.sine[at] = s[i];
        d->loop_work.cosine[at] = c[i];
    }
}

static lw_status sweep_positions(const lw_model *m, lw_data *d, const double *q, const bool *needed)
{
    set_positions(m, d, q);
    return closure_sweep(m, d, needed, POSITIONS, POSITIONS);
}

static lw_status sweep_rotations(const lw_model *m, lw_data *d, const double *q, const bool *needed)
{
    set_positions(m, d, q);
    return closure_sweep(m, d, needed, ROTATIONS, ROTATIONS);
}

static void sweep_angles(const lw_model *m, lw_data *d)
{
    int known = 0;
    find_angles(m, d, NULL, &known, m->nstep);
    d->angles_are_due = false;
}

static lw_status sweep_rates(const lw_model *m, lw_data *d, const bool *needed)
{
    return closure_sweep(m, d, needed, RATES, RATES);
}

static lw_status sweep_velocities(const lw_model *m, lw_data *d, const double *v)
{
    if (d->held.stage > LW_STAGE_POSITION) {
        d->held.stage = LW_STAGE_POSITION;
    }
    for (int i = 0; i < m->nv; ++i) {
        d->tree_v[m->v_tree[i]] = v[i];
    }
    return closure_sweep(m, d, NULL, RATES, VELOCITIES);
}

// After sweep_velocities() or sweep_motion(), for other accelerations.
static void sweep_accelerations(const lw_model *m, lw_data *d, const double *a)
{
    for (int i = 0; i < m->nv; ++i) {
        d->tree_a[m->v_tree[i]] = a ? a[i] : 0.0;
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &m->kernel->program->step[s];
        if (is_follower(step)) {
            d->tree_a[step->target[0]] = step->coefficient[1] * d->tree_a[step->source[0]];
        } else {
            step_across(step, &d->rate[step->rate], &d->rate_bias[step->bias], d->tree_a);
        }
    }
}

static lw_status sweep_motion(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *a)
{
    set_positions(m, d, q);
    for (int i = 0; i < m->nv; ++i) {
        d->tree_v[m->v_tree[i]] = v ? v[i] : 0.0;
        d->tree_a[m->v_tree[i]] = a ? a[i] : 0.0;
    }
    const lw_status status = closure_sweep(m, d, NULL, ROTATIONS, ROTATIONS);
    return status == LW_OK ? closure_sweep(m, d, NULL, RATES, ACCELERATIONS) : status;
}

// Backward: each step hands the forces on its targets to its sources, transposed.
static void sweep_forces(const lw_model *m, const lw_data *d, double *tree, double *out)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const double *K = &d->rate[step->rate];
        for (int t = 0; t < step->ntarget; ++t) {
            const double force = tree[step->target[t]];
            for (int k = 0; k < step->nsource; ++k) {
                tree[step->source[k]] += *K++ * force;
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        out[i] = tree[m->v_tree[i]];
    }
}

#endif
