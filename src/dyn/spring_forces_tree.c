// A spring whose length is x(q) needs the generalised forces F dx/dq. For a line between two points
// p_0 and p_1, dx/dq_i = u . (s_1 - s_0), where u is the direction from the first to the second and
// s the velocities of the points for unit rate of degree of freedom i; for a torsion it is 1 at
// `in` and -1 at `out`. For a height above a plane u is the normal, and both velocities are those
// at the second point, of the one body and of the other.
#include "spring_forces_tree.h"

#include "../kin/closure.h"
#include "../kin/finite.h"
#include "../kin/tree.h"
#include "../kin/unit.h"
#include "../loop/law.h"
#include "kernel_spring.h"

#include <linkwork/dynamics.h>

#include <string.h>

// What its law gives for x and its rate.
static lwi_spring_at spring_law(const lw_spring_info *spring, double x, double rate)
{
    const spring_response r = spring_responds(spring, x, rate);
    lwi_spring_at at = {.x = x,
                        .rate = rate,
                        .force = r.force,
                        .by_x = r.by_x,
                        .by_rate = r.by_rate,
                        .elastic = r.elastic};
    if (r.acts) {
        at.energy =
            spring->preload * r.stretch +
            lwi_curve_integral(spring->law, spring->coefficient, spring->ncoefficient, r.stretch);
    }
    return at;
}

static lw_vec3 end_of(const lw_data *d, const lw_spring_info *spring, int side)
{
    const int body = spring->body[side];
    return body < 0 ? spring->p[side] : lw_pose_apply(&d->X_WB[body], spring->p[side]);
}

// The line of a spring. Needs d->X_WB.
static lwi_spring_line spring_line_at(const lw_model *m, const lw_data *d, int k)
{
    lwi_spring_line line = {.u = {0.0, 0.0, 0.0}};
    for (int side = 0; side < 2; ++side) {
        line.p[side] = end_of(d, &m->spring[k], side);
    }
    const lw_spring_info *spring = &m->spring[k];
    const lw_vec3 way = lw_sub3(line.p[1], line.p[0]);
    if (spring->along == LW_SPRING_NORMAL) {
        const int body = spring->body[0];
        line.u = body < 0 ? spring->normal : lw_rotate(&d->X_WB[body].R, spring->normal);
        line.length = lw_dot3(line.u, way);
        line.p[0] = line.p[1];
        return line;
    }
    line.length = lw_norm3(way);
    if (line.length > 0.0) {
        line.u = lw_scale3(1.0 / line.length, way);
    }
    return line;
}

// Velocities of the ends for unit rates [2*tree_nv], and behind them the axes of rotation.
static void find_ends(const lw_model *m, lw_data *d, int k, const double *tree_q,
                      const lwi_spring_line *line)
{
    const int n = m->tree_nv;
    memset(d->spring_s, 0, 4 * (size_t)n * sizeof *d->spring_s);
    for (int side = 0; side < 2; ++side) {
        lw_vec3 *s = d->spring_s + side * n, *w = s + 2 * n;
        for (int i = m->spring[k].body[side]; i >= 0; i = m->parent[i]) {
            lw_motion S[LW_MAX_DOF];
            const int nv = unit_motions(m, d, tree_q, i, S);
            const lw_vec3 arm = lw_sub3(line->p[side], d->X_WB[i].p);
            for (int j = 0; j < nv; ++j) {
                s[m->v_start[i] + j] = lw_add3(S[j].lin, lw_cross3(S[j].ang, arm));
                w[m->v_start[i] + j] = S[j].ang;
            }
        }
    }
}

static lwi_spring_at line_state(const lw_model *m, lw_data *d, int k, const double *tree_q,
                                const double *tree_v, lwi_spring_line *line)
{
    const int n = m->tree_nv;
    *line = spring_line_at(m, d, k);
    find_ends(m, d, k, tree_q, line);
    double rate = 0.0;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 apart = lw_sub3(d->spring_s[n + i], d->spring_s[i]);
        d->spring_row[i] = lw_dot3(line->u, apart);
        rate += d->spring_row[i] * tree_v[i];
    }
    return spring_law(&m->spring[k], line->length, rate);
}

static double twist(const lw_spring_info *spring, const double *tree_q)
{
    const int in = spring->position[0], out = spring->position[1];
    return (in < 0 ? 0.0 : tree_q[in]) - (out < 0 ? 0.0 : tree_q[out]);
}

static lwi_spring_at torsion_state(const lw_model *m, lw_data *d, int k, const double *tree_q,
                                   const double *tree_v)
{
    const lw_spring_info *spring = &m->spring[k];
    const int in = spring->dof[0], out = spring->dof[1];
    const double speed = out < 0 ? 0.0 : tree_v[out];
    memset(d->spring_row, 0, (size_t)m->tree_nv * sizeof *d->spring_row);
    if (in >= 0) {
        d->spring_row[in] += 1.0;
    }
    if (out >= 0) {
        d->spring_row[out] -= 1.0;
    }
    lwi_spring_at at =
        spring_law(spring, twist(spring, tree_q), (in < 0 ? 0.0 : tree_v[in]) - speed);
    if (spring->loss > 0.0 && out >= 0) {
        const double share = tanh(speed / spring->loss_speed), size = spring->loss * fabs(at.force);
        at.friction = size * share;
        at.friction_by_out = size * (1.0 - share * share) / spring->loss_speed;
    }
    return at;
}

lwi_spring_at lwi_spring_state(const lw_model *m, lw_data *d, int k, const double *tree_q,
                               const double *tree_v, lwi_spring_line *line)
{
    return m->spring[k].is_torsion ? torsion_state(m, d, k, tree_q, tree_v)
                                   : line_state(m, d, k, tree_q, tree_v, line);
}

bool lwi_find_spring_forces(const lw_model *m, lw_data *d, const double *tree_q,
                            const double *tree_v)
{
    if (m->nspring == 0 || d->settings.is_ideal) {
        return false;
    }
    d->kernels->tree_poses(m, d, tree_q);
    memset(d->spring_tau, 0, (size_t)m->tree_nv * sizeof *d->spring_tau);
    for (int k = 0; k < m->nspring; ++k) {
        lwi_spring_line line;
        const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
        for (int i = 0; i < m->tree_nv; ++i) {
            d->spring_tau[i] += at.force * d->spring_row[i];
        }
        if (m->spring[k].dof[1] >= 0) {
            d->spring_tau[m->spring[k].dof[1]] += at.friction;
        }
    }
    return true;
}

void lwi_add_spring_forces(const lw_model *m, const lw_data *d, double *tau)
{
    for (int i = 0; i < m->tree_nv; ++i) {
        tau[i] += d->spring_tau[i];
    }
}

lw_status lwi_apply_springs(const lw_model *m, lw_data *d, const double *q, const double *v,
                            const lw_force *f_ext, const lw_force **sum)
{
    const double *tree_q = lwi_closure_position(m, d, q);
    const double *tree_v = tree_q ? lwi_closure_velocity(m, d, v) : NULL;
    if (!tree_v) {
        return lwi_closure_status(d);
    }
    *sum = f_ext;
    if (d->settings.is_ideal) {
        return LW_OK;
    }
    lwi_closure_angles(m, d);
    d->kernels->tree_poses(m, d, tree_q);
    for (int i = 0; i < m->nbody; ++i) {
        d->spring_force[i] = f_ext ? f_ext[i] : (lw_force){{0, 0, 0}, {0, 0, 0}};
    }
    for (int k = 0; k < m->nspring; ++k) {
        const lw_spring_info *spring = &m->spring[k];
        lwi_spring_line line;
        const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
        for (int side = 0; side < 2 && !spring->is_torsion; ++side) {
            const int body = spring->body[side];
            if (body < 0) {
                continue;
            }
            const lw_pose *X = &d->X_WB[body];
            const lw_vec3 f = lw_rotate_back(&X->R, lw_scale3(side ? -at.force : at.force, line.u));
            const lw_vec3 arm = lw_rotate_back(&X->R, lw_sub3(line.p[side], X->p));
            lw_force *own = &d->spring_force[body];
            own->lin = lw_add3(own->lin, f);
            own->ang = lw_add3(own->ang, lw_cross3(arm, f));
        }
    }
    *sum = d->spring_force;
    return LW_OK;
}

double lwi_spring_energy(const lw_model *m, const lw_data *d, const double *tree_q)
{
    double sum = 0.0;
    for (int k = 0; k < m->nspring && !d->settings.is_ideal; ++k) {
        const lw_spring_info *spring = &m->spring[k];
        const double x =
            spring->is_torsion ? twist(spring, tree_q) : spring_line_at(m, d, k).length;
        sum += spring_law(spring, x, 0.0).energy;
    }
    return sum;
}

static double loss_of(const lw_spring_info *spring, const lwi_spring_at *at, const double *tree_v)
{
    const int out = spring->dof[1];
    return (at->force - at->elastic) * at->rate + (out < 0 ? 0.0 : at->friction * tree_v[out]);
}

double lwi_spring_losses(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v)
{
    if (m->nspring == 0 || d->settings.is_ideal) {
        return 0.0;
    }
    double sum = 0.0;
    d->kernels->tree_poses(m, d, tree_q);
    for (int k = 0; k < m->nspring; ++k) {
        lwi_spring_line line;
        const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
        sum += loss_of(&m->spring[k], &at, tree_v);
    }
    return sum;
}

lw_status lw_spring_states(const lw_model *m, lw_data *d, const double *q, const double *v,
                           lw_spring_state *state)
{
    if (!m || !d || d->model != m || (!q && m->nq > 0) || (!v && m->nv > 0) ||
        (!state && m->nspring > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    if (lwi_check_position(m, q) != LW_OK || !lwi_all_finite(v, m->nv)) {
        return LW_ERR_NUMBER;
    }
    const double *tree_q = lwi_closure_position(m, d, q);
    const double *tree_v = tree_q ? lwi_closure_velocity(m, d, v) : NULL;
    if (!tree_v) {
        return lwi_closure_status(d);
    }
    lwi_closure_angles(m, d);
    d->kernels->tree_poses(m, d, tree_q);
    for (int k = 0; k < m->nspring; ++k) {
        lwi_spring_line line;
        const lwi_spring_at at = lwi_spring_state(m, d, k, tree_q, tree_v, &line);
        state[k] = (lw_spring_state){.x = at.x,
                                     .rate = at.rate,
                                     .force = at.force,
                                     .energy = at.energy,
                                     .loss = loss_of(&m->spring[k], &at, tree_v)};
    }
    return LW_OK;
}
