// Residual forces of a loaded mechanism at rest, and their slopes.
//
// Inverse dynamics takes forces in body coordinates, and its derivatives hold them there: that is a
// follower load. A dead load f, m keeps its direction instead, and what inverse dynamics takes for
// its rotation with the body is taken back: with the columns s_i, w_i of the Jacobian where it
// acts, s_i . (w_k x f) + w_i . (w_k x m).

#include "static_forces.h"

#include "../model/data.h"

#include <linkwork/derivatives.h>
#include <linkwork/kinematics.h>

#include <string.h>

bool lwi_statics_fits(const lw_statics *s, const lw_data *d)
{
    return s && d && d->model == s->model;
}

// Factor of load i that comes to what the model has of it: its own loads act in any case.
static double share_of(const lw_statics *s, int i)
{
    return i < s->nown              ? s->own - 1.0
           : i < s->nown + s->nload ? s->applied
           : s->has_payload         ? 1.0
                                    : 0.0;
}

static lw_status find_body_forces(lw_statics *s, lw_data *d, const double *q, bool *has_any)
{
    const lw_model *m = s->model;
    lw_status status = LW_OK;
    *has_any = false;
    for (int i = 0; i <= s->nown + s->nload && status == LW_OK; ++i) {
        const lwi_wrench_at *load = &s->load[i];
        const double share = share_of(s, i);
        if (share == 0.0 || load->body < 0) {
            continue;
        }
        if (!*has_any) {
            memset(s->f_ext, 0, (size_t)m->nbody * sizeof *s->f_ext);
            status = lw_forward_position(m, d, q);
            *has_any = true;
        }
        const lw_mat3 *R = &d->X_WB[load->body].R;
        const bool turns = load->axes == LW_IN_FRAME;
        const lw_vec3 force = lw_scale3(share, load->wrench.lin),
                      moment = lw_scale3(share, load->wrench.ang);
        const lw_vec3 f = turns ? lw_rotate(&load->X_BF.R, force) : lw_rotate_back(R, force);
        const lw_vec3 n = turns ? lw_rotate(&load->X_BF.R, moment) : lw_rotate_back(R, moment);
        lw_force *own = &s->f_ext[load->body];
        own->lin = lw_add3(own->lin, f);
        own->ang = lw_add3(own->ang, lw_add3(n, lw_cross3(load->X_BF.p, f)));
    }
    return status;
}

// Gravity times s->own while a call lasts.
static lw_vec3 scale_gravity(const lw_statics *s, lw_data *d)
{
    const lw_vec3 gravity = d->settings.gravity;
    d->settings.gravity = lw_scale3(s->own, gravity);
    return gravity;
}

lw_status lwi_static_forces(lw_statics *s, lw_data *d, const double *q)
{
    bool has_any = false;
    lw_status status = find_body_forces(s, d, q, &has_any);
    if (status == LW_OK) {
        const lw_vec3 gravity = scale_gravity(s, d);
        status = lw_inverse_dynamics(s->model, d, q, s->zero, s->zero, has_any ? s->f_ext : NULL,
                                     s->tau);
        d->settings.gravity = gravity;
    }
    return status;
}

static lw_vec3 column_of(const double *J, int nv, int k)
{
    return lw_vec3_of(J[k], J[nv + k], J[2 * nv + k]);
}

// What dead loads change in slopes that take them for follower loads.
static lw_status add_dead_loads(lw_statics *s, lw_data *d, const double *q)
{
    const int nv = s->model->nv;
    lw_status status = LW_OK;
    for (int i = 0; i <= s->nown + s->nload && status == LW_OK; ++i) {
        const lwi_wrench_at *load = &s->load[i];
        const double share = share_of(s, i);
        if (share == 0.0 || load->body < 0 || load->axes == LW_IN_FRAME) {
            continue;
        }
        status = lw_frame_jacobian(s->model, d, q, load->frame, LW_IN_WORLD, &load->point, s->J);
        const lw_vec3 f = lw_scale3(share, load->wrench.lin),
                      n = lw_scale3(share, load->wrench.ang);
        for (int k = 0; k < nv && status == LW_OK; ++k) {
            const lw_vec3 w_k = column_of(s->J, nv, k);
            const lw_vec3 df = lw_cross3(w_k, f), dn = lw_cross3(w_k, n);
            for (int r = 0; r < nv; ++r) {
                s->by_q[r * nv + k] += lw_dot3(column_of(s->J + 3 * nv, nv, r), df) +
                                       lw_dot3(column_of(s->J, nv, r), dn);
            }
        }
    }
    return status;
}

lw_status lwi_static_slopes(lw_statics *s, lw_data *d, const double *q)
{
    const lw_model *m = s->model;
    bool has_any = false;
    lw_status status = find_body_forces(s, d, q, &has_any);
    if (status == LW_OK) {
        const lw_vec3 gravity = scale_gravity(s, d);
        status = lw_inverse_dynamics_derivatives(m, d, q, s->zero, s->zero,
                                                 has_any ? s->f_ext : NULL, s->by_q, NULL, NULL);
        d->settings.gravity = gravity;
    }
    if (status == LW_OK && has_any) {
        status = add_dead_loads(s, d, q);
    }
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        s->by_q[k * m->nv + k] += s->stiffness[k];
    }
    return status;
}

/// What the callbacks of the solver see.
typedef struct call {
    lw_statics *s;
    lw_data *d;
} call;

static lw_status forces_at(void *context, const double *q, double *r)
{
    lw_statics *s = ((call *)context)->s;
    const lw_status status = lwi_static_forces(s, ((call *)context)->d, q);
    for (int i = 0; i < s->nrows && status == LW_OK; ++i) {
        const int k = s->rows[i];
        r[i] = s->tau[k];
        s->solver.size = fmax(s->solver.size, fabs(r[i]));
        if (s->stiffness[k] > 0.0 && s->command) {
            const int at = lw_position_of_dof(s->model, k);
            r[i] += s->stiffness[k] * (q[at] - s->command[at]);
        }
    }
    return status;
}

static lw_status slopes_at(void *context, const double *q, double *S)
{
    lw_statics *s = ((call *)context)->s;
    const lw_status status = lwi_static_slopes(s, ((call *)context)->d, q);
    for (int i = 0; i < s->nrows && status == LW_OK; ++i) {
        for (int k = 0; k < s->ncolumns; ++k) {
            S[i * s->ncolumns + k] = s->by_q[s->rows[i] * s->model->nv + s->columns[k]];
        }
    }
    return status;
}

// Loads that are the slope of an energy: forces that keep their direction.
static bool has_potential(const lw_statics *s)
{
    bool has = true;
    for (int i = 0; i < s->nown + s->nload && has; ++i) {
        const lwi_wrench_at *load = &s->load[i];
        has = load->body < 0 || (load->axes == LW_IN_WORLD && lw_norm3(load->wrench.ang) == 0.0) ||
              (lw_norm3(load->wrench.ang) == 0.0 && lw_norm3(load->wrench.lin) == 0.0);
    }
    return has;
}

lw_status lwi_static_solve(lw_statics *s, lw_data *d, int nrow, const int *rows, int ncolumn,
                           const int *columns, double *q)
{
    call context = {s, d};
    s->rows = rows;
    s->nrows = nrow;
    s->columns = columns;
    s->ncolumns = ncolumn;
    s->solver = (lwi_equilibrium){.model = s->model,
                                  .nrow = nrow,
                                  .n = ncolumn,
                                  .dof = columns,
                                  .is_potential = rows == columns && has_potential(s),
                                  .forces = forces_at,
                                  .slopes = slopes_at,
                                  .context = &context,
                                  .most_steps = 200};
    lwi_equilibrium_lay(&s->solver, s->block);
    if (ncolumn == 0) {
        s->solver.is_stable = true;
        return LW_OK;
    }
    // Of what balances at rest only the sum may be seen: gravity alone gives its size.
    const lw_vec3 gravity = scale_gravity(s, d);
    lw_status status = lw_gravity_forces(s->model, d, q, s->tau);
    d->settings.gravity = gravity;
    for (int i = 0; i < nrow && status == LW_OK; ++i) {
        s->solver.size = fmax(s->solver.size, fabs(s->tau[rows[i]]));
        const double own = s->model->dof[s->model->v_tree[rows[i]]].stiffness;
        s->solver.stiffest = fmax(s->solver.stiffest, fmax(own, s->stiffness[rows[i]]));
    }
    return status == LW_OK ? lwi_find_equilibrium(&s->solver, q) : status;
}
