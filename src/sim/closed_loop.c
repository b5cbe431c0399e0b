// Linearized motion of a mechanism that a controller holds.
//
// A controller is u = u(q, v); with its slope K about rest the closed loop is dx/dt = (A + B K) x.
// The slope is exact: controllers are made of linear maps and of inverse dynamics, whose
// derivatives there are. Coulomb friction, which computed torque contains, is left out of these: at
// rest its slope is that of the smoothing.

#include "controller.h"

#include "../math/largest.h"
#include "../model/data.h"
#include "../statics/equilibrium.h"

#include <linkwork/kinematics.h>
#include <linkwork/linearize.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50 };

/// Workspace for one state.
typedef struct small_loop {
    double *block;
    double *A, *B;                ///< [2nv*2nv], [2nv*nv]
    double *by_q, *by_v, *M, *K;  ///< [nv*nv], and K [nv*2nv]
    double *zero, *held, *a;      ///< [nv] forces at rest, and accelerations
    double *dq, *dv, *more, *tau; ///< [nq], [nv] a column
} small_loop;

static lw_status reserve(const lw_model *m, small_loop *s)
{
    const size_t n = (size_t)m->nv, n2 = n * n;
    s->block = calloc(11 * n2 + 6 * n + (size_t)m->nq, sizeof *s->block);
    if (!s->block) {
        return LW_ERR_MEMORY;
    }
    s->A = s->block;
    s->B = s->A + 4 * n2;
    s->by_q = s->B + 2 * n2;
    s->by_v = s->by_q + n2;
    s->M = s->by_v + n2;
    s->K = s->M + n2;
    s->zero = s->K + 2 * n2;
    s->tau = s->zero + n;
    s->a = s->tau + n;
    s->dv = s->a + n;
    s->more = s->dv + n;
    s->held = s->more + n;
    s->dq = s->held + n;
    return LW_OK;
}

// What gravity at rest changes by, [nv*nv]: the difference that gravity makes.
static lw_status find_gravity_slope(const lw_model *m, lw_data *d, const double *q, small_loop *s)
{
    const lw_dynamics_options options = lw_get_dynamics_options(d);
    lw_dynamics_options weightless = options;
    weightless.gravity = (lw_vec3){0.0, 0.0, 0.0};
    lw_status status =
        lw_inverse_dynamics_derivatives(m, d, q, s->zero, s->zero, NULL, s->by_q, NULL, NULL);
    if (status == LW_OK) {
        status = lw_set_dynamics_options(d, &weightless);
    }
    if (status == LW_OK) {
        status = lw_inverse_dynamics_derivatives(m, d, q, s->zero, s->zero, NULL, s->M, NULL, NULL);
        lw_set_dynamics_options(d, &options);
    }
    for (int i = 0; i < m->nv * m->nv; ++i) {
        s->by_q[i] -= s->M[i];
        s->by_v[i] = s->M[i] = 0.0;
    }
    return status;
}

static void add_product(int n, const double *matrix, const double *x, double *sum)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            sum[i] += matrix[i * n + k] * x[k];
        }
    }
}

// One column of the slope: forces for a unit change of a position (column < nv) or a velocity.
static void find_column(const lw_controller *c, small_loop *s, int column)
{
    const lw_model *m = c->model;
    const int nv = m->nv, k = column % nv, location = lw_position_of_dof(m, k);
    const double change = column < nv ? 1.0 : 0.0;
    memcpy(s->dq, m->q_reference, (size_t)m->nq * sizeof *s->dq);
    memset(s->dv, 0, (size_t)nv * sizeof *s->dv);
    memset(s->more, 0, (size_t)nv * sizeof *s->more);
    memset(s->tau, 0, (size_t)nv * sizeof *s->tau);
    if (location >= 0) {
        s->dq[location] += change;
    }
    s->dv[k] = 1.0 - change;
    s->more[k] = -change; // of the error, and then of the feedback
    const double *seen = lwi_shafts_look(&c->shafts, s->dq, s->dv, s->more, c->seen);
    for (int i = 0; i < nv; ++i) {
        s->more[i] = c->kp[i] * s->more[i] - c->kd[i] * seen[i];
    }
    for (int i = 0; i < nv; ++i) {
        s->tau[i] = s->by_q[i * nv + k] * change + s->by_v[i * nv + k] * s->dv[k];
    }
    if (c->law == LW_CONTROL_COMPUTED_TORQUE) {
        lw_shafts_follow(&c->shafts, s->more);
        add_product(nv, s->M, s->more, s->tau);
    }
    lw_shafts_gather(&c->shafts, s->tau);
    for (int i = 0; i < nv && c->law != LW_CONTROL_COMPUTED_TORQUE; ++i) {
        s->tau[i] += s->more[i];
    }
    for (int i = 0; i < c->shafts.nfollower; ++i) {
        s->tau[c->shafts.follower[i]] = 0.0;
    }
    lwi_shafts_hand_over(&c->shafts, s->tau);
    for (int i = 0; i < nv; ++i) {
        s->K[i * 2 * nv + column] = s->tau[i];
    }
}

static lw_status find_slope(lw_controller *c, lw_data *d, const double *q, small_loop *s)
{
    const lw_model *m = c->model;
    lw_status status = c->law < LW_CONTROL_IMPEDANCE ? LW_OK : LW_ERR_UNSUPPORTED;
    if (status != LW_OK) {
        return status;
    }
    if (c->law == LW_CONTROL_COMPUTED_TORQUE) {
        const bool is_frictionless = d->settings.is_frictionless;
        d->settings.is_frictionless = true;
        status =
            lw_inverse_dynamics_derivatives(m, d, q, s->zero, c->a, NULL, s->by_q, s->by_v, s->M);
        d->settings.is_frictionless = is_frictionless;
    } else if (c->law == LW_CONTROL_PD_GRAVITY) {
        status = find_gravity_slope(m, d, q, s);
    } else {
        memset(s->by_q, 0, 3 * (size_t)m->nv * (size_t)m->nv * sizeof *s->by_q);
    }
    for (int column = 0; column < 2 * m->nv && status == LW_OK; ++column) {
        find_column(c, s, column);
    }
    return status;
}

// Forces at rest; LW_ERR_MOTION where a limit holds them back, because their slope has no meaning
// then.
static lw_status find_forces(lw_controller *c, lw_data *d, double t, const double *q, small_loop *s)
{
    const lw_model *m = c->model;
    double size = 0.0, kept = 0.0;
    lw_status status = lw_controller_forces(c, d, t, q, s->zero, s->held);
    if (status == LW_OK) {
        status = lwi_controller_ask(c, d, t, q, s->zero, s->more);
    }
    if (status == LW_OK) {
        lwi_shafts_hand_over(&c->shafts, s->more);
        for (int k = 0; k < m->nv; ++k) {
            size = fmax(size, fabs(s->more[k]));
            kept = fmax(kept, fabs(s->more[k] - s->held[k]));
        }
        status = kept > 1e-9 * size ? LW_ERR_MOTION : LW_OK;
    }
    return status;
}

// s->A of the closed loop, and accelerations.
static lw_status close_loop(lw_controller *c, lw_data *d, double t, const double *q, small_loop *s)
{
    const lw_model *m = c->model;
    const int nv = m->nv, row = 2 * nv;
    lw_status status = find_forces(c, d, t, q, s);
    if (status == LW_OK) {
        status = lw_forward_dynamics(m, d, q, s->zero, s->held, NULL, s->a);
    }
    if (status == LW_OK) {
        status = lw_linearize(m, d, q, s->held, NULL, s->A, s->B);
    }
    if (status == LW_OK) {
        status = find_slope(c, d, q, s);
    }
    for (int i = nv; i < row && status == LW_OK; ++i) {
        for (int k = 0; k < row; ++k) {
            double sum = 0.0;
            for (int j = 0; j < nv; ++j) {
                sum += s->B[i * nv + j] * s->K[j * row + k];
            }
            s->A[i * row + k] += sum;
        }
    }
    return status;
}

lw_status lw_linearize_controlled(lw_controller *controller, lw_data *d, double t, const double *q,
                                  double *residual, double *A)
{
    if (!controller || !d || !q || !A || controller->model->nv == 0) {
        return LW_ERR_ARGUMENT;
    }
    const int nv = controller->model->nv;
    small_loop s;
    lw_status status = reserve(controller->model, &s);
    if (status == LW_OK) {
        status = close_loop(controller, d, t, q, &s);
    }
    if (status == LW_OK) {
        memcpy(A, s.A, 4 * (size_t)nv * (size_t)nv * sizeof *A);
        if (residual) {
            *residual = lwi_largest(s.a, nv);
        }
    }
    free(s.block);
    return status;
}

/// What the solver of equilibria sees of a controlled mechanism.
typedef struct held_rest {
    lw_controller *controller;
    lw_data *d;
    double t;
    small_loop *s;
    lwi_equilibrium solver;
} held_rest;

// What inverse dynamics needs at rest, less what the controller gives.
static lw_status forces_left(void *context, const double *q, double *r)
{
    held_rest *h = context;
    small_loop *s = h->s;
    const lw_model *m = h->controller->model;
    lw_status status = find_forces(h->controller, h->d, h->t, q, s);
    if (status == LW_OK) {
        status = lw_inverse_dynamics(m, h->d, q, s->zero, s->zero, NULL, r);
    }
    for (int i = 0; i < m->nv && status == LW_OK; ++i) {
        h->solver.size = fmax(h->solver.size, fabs(r[i]));
        r[i] -= s->held[i];
    }
    return status;
}

static lw_status slopes_left(void *context, const double *q, double *S)
{
    held_rest *h = context;
    small_loop *s = h->s;
    const lw_model *m = h->controller->model;
    const int nv = m->nv;
    lw_status status = find_slope(h->controller, h->d, q, s);
    if (status == LW_OK) {
        status = lw_inverse_dynamics_derivatives(m, h->d, q, s->zero, s->zero, NULL, S, NULL, NULL);
    }
    for (int i = 0; i < nv * nv && status == LW_OK; ++i) {
        S[i] -= s->K[i / nv * 2 * nv + i % nv];
    }
    return status;
}

lw_status lw_controlled_equilibrium(lw_controller *controller, lw_data *d, double t, double *q)
{
    if (!controller || !d || !q) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = controller->model;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    small_loop s;
    double *block = malloc((lwi_equilibrium_doubles(m, m->nv) + nq + 1) * sizeof *block);
    int *dof = malloc((nv + 1) * sizeof *dof);
    lw_status status = reserve(m, &s);
    if (status == LW_OK && block && dof) {
        held_rest h = {.controller = controller, .d = d, .t = t, .s = &s};
        h.solver = (lwi_equilibrium){.model = m,
                                     .nrow = m->nv,
                                     .n = m->nv,
                                     .dof = dof,
                                     .forces = forces_left,
                                     .slopes = slopes_left,
                                     .context = &h,
                                     .most_steps = ROUNDS};
        double *found = block + lwi_equilibrium_doubles(m, m->nv);
        lwi_equilibrium_lay(&h.solver, block);
        for (int k = 0; k < m->nv; ++k) {
            dof[k] = k;
        }
        memcpy(found, q, nq * sizeof *q);
        status = lwi_find_equilibrium(&h.solver, found);
        if (status == LW_OK) {
            memcpy(q, found, nq * sizeof *q);
        }
    } else {
        status = LW_ERR_MEMORY;
    }
    free(dof);
    free(block);
    free(s.block);
    return status;
}
