#include "tangent.h"

#include "../model/joint.h"
#include "closure.h"

void lwi_closure_column(const lw_model *m, const lw_data *d, int k, double *column)
{
    memset(column, 0, (size_t)m->tree_nv * sizeof *column);
    column[m->v_tree[k]] = 1.0;
    lwi_closure_spread(m, d, column);
}

// A quaternion rotates by w in body coordinates: its rate is half its product with w.
static void move_quaternion(const double *q, const double *w, lwi_complex *moved)
{
    const double rate[4] = {
        -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]), q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
        q[0] * w[1] + q[3] * w[0] - q[1] * w[2], q[0] * w[2] + q[1] * w[1] - q[2] * w[0]};
    for (int k = 0; k < 4; ++k) {
        moved[k] = lwi_complex_of(q[k], 0.5 * LWI_TANGENT_STEP * rate[k]);
    }
}

static void move_positions(const lw_model *m, const lw_data *d, const double *along, lwi_complex *q)
{
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *body = &m->kernel->segment[i];
        const double *at = &d->tree_q[body->q], *rate = &along[body->v];
        lwi_complex *moved = &q[body->q];
        if (body->carrier == LW_TREE_SPHERICAL) {
            move_quaternion(at, rate, moved);
        } else if (body->carrier == LW_TREE_FREE) {
            const lw_mat3 R = quat_rotation(at + 3);
            const lw_vec3 v = lw_rotate(&R, lw_vec3_of(rate[3], rate[4], rate[5]));
            moved[0] = lwi_complex_of(at[0], LWI_TANGENT_STEP * v.x);
            moved[1] = lwi_complex_of(at[1], LWI_TANGENT_STEP * v.y);
            moved[2] = lwi_complex_of(at[2], LWI_TANGENT_STEP * v.z);
            move_quaternion(at + 3, rate, moved + 3);
        } else {
            for (int k = 0; k < body->nv; ++k) {
                moved[k] = lwi_complex_of(at[k], LWI_TANGENT_STEP * rate[k]);
            }
        }
    }
}

// tree[targets] = K tree[sources] + bias; bias may be NULL.
static void sweep_step(const lwi_step *step, const lwi_complex *K, const lwi_complex *bias,
                       lwi_complex *tree)
{
    for (int t = 0; t < step->ntarget; ++t) {
        lwi_complex sum = bias ? bias[t] : lwi_complex_of(0.0, 0.0);
        for (int k = 0; k < step->nsource; ++k) {
            sum += K[t * step->nsource + k] * tree[step->source[k]];
        }
        tree[step->target[t]] = sum;
    }
}

// Whether a step depends on coordinate k. All its targets depend on the same ones.
static bool depends_on(const lw_model *m, const lwi_step *step, int k)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    const int first = p->row[step->target[0]], end = first + p->nrow[step->target[0]];
    int e = first;
    while (e < end && p->column[e] != k) {
        ++e;
    }
    return e < end;
}

// A step that nothing changes.
static void hold_step(const lw_data *d, const lwi_step *step)
{
    const lwi_tangent *t = &d->tangent;
    for (int k = 0; k < step->ntarget * step->nsource; ++k) {
        t->rate[step->rate + k] = lwi_complex_of(d->rate[step->rate + k], 0.0);
    }
    for (int k = 0; k < step->ntarget; ++k) {
        t->v[step->target[k]] = lwi_complex_of(d->tree_v[step->target[k]], 0.0);
        t->a[step->target[k]] = lwi_complex_of(d->tree_a[step->target[k]], 0.0);
    }
}

static bool find_rates(const lw_model *m, lw_data *d, int coordinate, const double *v,
                       const double *a)
{
    const lwi_program *program = m->kernel->program;
    const lwi_tangent *t = &d->tangent;
    for (int k = 0; k < m->nv; ++k) {
        t->v[m->v_tree[k]] = lwi_complex_of(v[k], 0.0);
        t->a[m->v_tree[k]] = lwi_complex_of(a[k], 0.0);
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        lwi_complex *K = &t->rate[step->rate], *bias = &t->rate_bias[step->bias];
        if (!depends_on(m, step, coordinate)) {
            hold_step(d, step);
            continue;
        }
        if (!lwi_step_rates_complex(m, program, step, &t->work, t->q, NULL, K, NULL)) {
            return false;
        }
        sweep_step(step, K, NULL, t->v);
        if (!lwi_step_rates_complex(m, program, step, &t->work, t->q, t->v, K, bias)) {
            return false;
        }
        sweep_step(step, K, bias, t->a);
    }
    return true;
}

bool lwi_tangent_along_position(const lw_model *m, lw_data *d, int k, const double *along,
                                const double *v, const double *a)
{
    move_positions(m, d, along, d->tangent.q);
    return find_rates(m, d, k, v, a);
}

bool lwi_tangent_along_velocity(const lw_model *m, lw_data *d, int k, const double *along,
                                const double *a)
{
    const lwi_program *program = m->kernel->program;
    const lwi_tangent *t = &d->tangent;
    for (int i = 0; i < m->tree_nq; ++i) {
        t->q[i] = lwi_complex_of(d->tree_q[i], 0.0);
    }
    for (int i = 0; i < m->tree_nv; ++i) {
        t->v[i] = lwi_complex_of(d->tree_v[i], LWI_TANGENT_STEP * along[i]);
    }
    for (int i = 0; i < m->nv; ++i) {
        t->a[m->v_tree[i]] = lwi_complex_of(a[i], 0.0);
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program->step[s];
        lwi_complex *K = &t->rate[step->rate], *bias = &t->rate_bias[step->bias];
        if (!depends_on(m, step, k)) {
            hold_step(d, step);
            continue;
        }
        if (!lwi_step_rates_complex(m, program, step, &t->work, t->q, t->v, K, bias)) {
            return false;
        }
        sweep_step(step, K, bias, t->a);
    }
    return true;
}

void lwi_tangent_transpose(const lw_model *m, const lw_data *d, lwi_complex *tree)
{
    for (int s = m->nstep - 1; s >= 0; --s) {
        const lwi_step *step = &m->kernel->program->step[s];
        const lwi_complex *K = &d->tangent.rate[step->rate];
        for (int t = 0; t < step->ntarget; ++t) {
            for (int k = 0; k < step->nsource; ++k) {
                tree[step->source[k]] += K[t * step->nsource + k] * tree[step->target[t]];
            }
        }
    }
}
