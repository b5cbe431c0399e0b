// Closure steps of several states side by side: linear ones, polynomials and planar closed forms
// (batch.c selects).
#ifndef LWI_KERNEL_CLOSURE_LANES_H
#define LWI_KERNEL_CLOSURE_LANES_H

#include "../base/arena.h"
#include "../loop/kernel_plane.h"
#include "../math/kernel_sincos.h"
#include "kernel_closure.h"

typedef struct closure_lanes {
    real *K, *bias;   ///< as lw_data.rate and lw_data.rate_bias
    plane_work plane; ///< with sines and cosines, where the program has planes
} closure_lanes;

static inline size_t closure_lane_reals(const lw_model *m)
{
    const lwi_program *p = m->kernel->program;
    return (size_t)(p->nrate + p->nbias + 2 * m->tree_nq + 4 * p->nplane_record +
                    4 * p->nplane_solve + p->matrix);
}

static inline void lay_out_closure(const lw_model *m, char **next, closure_lanes *c)
{
    const lwi_program *p = m->kernel->program;
    c->K = lwi_take(next, p->nrate, sizeof(real));
    c->bias = lwi_take(next, p->nbias, sizeof(real));
    c->plane.sine = lwi_take(next, m->tree_nq, sizeof(real));
    c->plane.cosine = lwi_take(next, m->tree_nq, sizeof(real));
    c->plane.plane = lwi_take(next, p->nplane_record, sizeof(plane_record));
    c->plane.plane_solve = lwi_take(next, 4 * p->nplane_solve, sizeof(real));
    c->plane.matrix = lwi_take(next, p->matrix, sizeof(real));
    c->plane.failed = (bits){0};
}

static inline bool has_planes(const lw_model *m)
{
    return m->kernel->program->nplane_record > 0;
}

static inline void set_sines(const closure_lanes *c, int at, const real *q)
{
    sincos_real(q[at], &c->plane.sine[at], &c->plane.cosine[at]);
}

/// Dependent positions and K, from the independent positions that are in q already. Lanes that
/// cannot be closed are marked.
static inline void close_positions(const lw_model *m, real *q, closure_lanes *c)
{
    const lwi_program *program = m->kernel->program;
    c->plane.failed = (bits){0};
    for (int k = 0; k < m->nq && has_planes(m); ++k) {
        set_sines(c, m->q_tree[k], q);
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        const lwi_plane *plane = plane_of(program->loop, step);
        real *K = &c->K[step->rate];
        if (!plane) {
            close_step(step, &program->coefficient[step->first_coefficient], q, K,
                       &c->bias[step->bias]);
            for (int t = 0; t < step->ntarget && has_planes(m); ++t) {
                set_sines(c, step->target_q[t], q);
            }
            continue;
        }
        lwi_closure_fault none; // marks have to do
        if (step->kind == LW_STEP_PLANAR) {
            plane_three(plane, step, &c->plane, q, &none);
        } else {
            plane_rod(plane, step, &c->plane, q, &none);
        }
        plane_rates(plane, step, &c->plane, K, &none);
        plane_angles(m, step, &c->plane, q);
    }
}

/// Dependent velocities and b.
static inline void close_velocities(const lw_model *m, real *v, closure_lanes *c)
{
    const lwi_program *program = m->kernel->program;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        const lwi_plane *plane = plane_of(program->loop, step);
        cross_step(step, &c->K[step->rate], NULL, v);
        if (plane) {
            plane_bias(plane, step, &c->plane, v, &c->bias[step->bias]);
        } else {
            close_bias(step, v, &c->bias[step->bias]);
        }
    }
}

#endif
