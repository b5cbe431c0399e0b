// The algorithms of kin and dyn as an engine.

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include "engine_inverse.h"

#include <stdlib.h>

typedef struct numeric {
    const lw_model *m;
    lw_data *d;
    int frame;
    lw_pose *pose;        ///< [nframe]
    double *unit;         ///< [nv] a velocity
    lwi_inverse *inverse; ///< null unless asked for
    double *matrix;       ///< [nv*nv*nv] Coriolis matrices of unit velocities; null until asked for
} numeric;

static lw_status poses(void *self, const lw_engine_state *s, double *X)
{
    const numeric *n = self;
    lw_status status = lw_forward_position(n->m, n->d, s->q);
    if (status == LW_OK) {
        status = lw_frame_poses(n->m, n->d, n->pose);
    }
    for (int i = 0; i < n->m->nframe && status == LW_OK; ++i) {
        const lw_pose *pose = &n->pose[i];
        double *to = X + (size_t)i * 12;
        for (int k = 0; k < 3; ++k) {
            to[3 * k] = pose->R.row[k].x;
            to[3 * k + 1] = pose->R.row[k].y;
            to[3 * k + 2] = pose->R.row[k].z;
        }
        to[9] = pose->p.x;
        to[10] = pose->p.y;
        to[11] = pose->p.z;
    }
    return status;
}

static lw_status jacobian(void *self, const lw_engine_state *s, double *J)
{
    const numeric *n = self;
    return lw_frame_jacobian(n->m, n->d, s->q, n->frame, LW_IN_WORLD, NULL, J);
}

static lw_status jacobian_rate(void *self, const lw_engine_state *s, double *dJ)
{
    const numeric *n = self;
    return lw_frame_jacobian_rate(n->m, n->d, s->q, s->v, n->frame, LW_IN_WORLD, NULL, dJ);
}

static lw_status inverse_dynamics(void *self, const lw_engine_state *s, double *tau)
{
    const numeric *n = self;
    return lw_inverse_dynamics(n->m, n->d, s->q, s->v, s->a, NULL, tau);
}

static lw_status mass_matrix(void *self, const lw_engine_state *s, double *M)
{
    const numeric *n = self;
    return lw_mass_matrix(n->m, n->d, s->q, M);
}

static lw_status inverse_mass_matrix(void *self, const lw_engine_state *s, double *inverse)
{
    const numeric *n = self;
    return lw_inverse_mass_matrix(n->m, n->d, s->q, inverse);
}

static lw_status coriolis_matrix(void *self, const lw_engine_state *s, double *C)
{
    const numeric *n = self;
    return lw_coriolis_matrix(n->m, n->d, s->q, s->v, C);
}

static lw_status gravity(void *self, const lw_engine_state *s, double *tau)
{
    const numeric *n = self;
    return lw_gravity_forces(n->m, n->d, s->q, tau);
}

static lw_status forward_dynamics(void *self, const lw_engine_state *s, double *a)
{
    const numeric *n = self;
    return lw_forward_dynamics(n->m, n->d, s->q, s->v, s->tau, NULL, a);
}

static lw_status inverse_derivatives(void *self, const lw_engine_state *s, double *D)
{
    const numeric *n = self;
    const size_t block = (size_t)n->m->nv * (size_t)n->m->nv;
    return lw_inverse_dynamics_derivatives(n->m, n->d, s->q, s->v, s->a, NULL, D, D + block,
                                           D + 2 * block);
}

static lw_status forward_derivatives(void *self, const lw_engine_state *s, double *D)
{
    const numeric *n = self;
    const size_t block = (size_t)n->m->nv * (size_t)n->m->nv;
    return lw_forward_dynamics_derivatives(n->m, n->d, s->q, s->v, s->tau, NULL, NULL, D, D + block,
                                           D + 2 * block);
}

static lw_status energy(void *self, const lw_engine_state *s, double *E)
{
    const numeric *n = self;
    const lw_status status = lw_kinetic_energy(n->m, n->d, s->q, s->v, &E[0]);
    return status == LW_OK ? lw_potential_energy(n->m, n->d, s->q, &E[1]) : status;
}

static lw_status regressor(void *self, const lw_engine_state *s, double *Y)
{
    const numeric *n = self;
    return lw_regressor(n->m, n->d, s->q, s->v, s->a, Y);
}

// The Coriolis matrix is linear in v: those of the unit velocities hold all products of two.
static lw_status unit_matrices(numeric *n, const double *q)
{
    const size_t nv = (size_t)n->m->nv;
    lw_status status = LW_OK;
    for (size_t k = 0; k < nv && status == LW_OK; ++k) {
        n->unit[k] = 1;
        status = lw_coriolis_matrix(n->m, n->d, q, n->unit, n->matrix + k * nv * nv);
        n->unit[k] = 0;
    }
    return status;
}

// What v[k] v[l] and v[l] v[k] contribute to force i, half each.
static double christoffel_of(const numeric *n, size_t i, size_t k, size_t l)
{
    const size_t nv = (size_t)n->m->nv;
    return 0.5 * (n->matrix[(k * nv + i) * nv + l] + n->matrix[(l * nv + i) * nv + k]);
}

static lw_status christoffel(void *self, const lw_engine_state *s, double *B)
{
    numeric *n = self;
    const size_t nv = (size_t)n->m->nv;
    const lw_status status = unit_matrices(n, s->q);
    for (size_t i = 0; i < nv && status == LW_OK; ++i) {
        for (size_t k = 0; k < nv; ++k) {
            for (size_t l = 0; l < nv; ++l) {
                B[(i * nv + k) * nv + l] = christoffel_of(n, i, k, l);
            }
        }
    }
    return status;
}

static lw_status elements(void *self, const lw_engine_state *s, double *result)
{
    numeric *n = self;
    const size_t nv = (size_t)n->m->nv;
    // The mass matrix borrows the room of the Coriolis matrices.
    double *M = n->matrix;
    lw_status status = lw_mass_matrix(n->m, n->d, s->q, M);
    for (size_t i = 0; i < nv && status == LW_OK; ++i) {
        for (size_t k = i; k < nv; ++k) {
            *result++ = M[i * nv + k];
        }
    }
    if (status == LW_OK) {
        status = unit_matrices(n, s->q);
    }
    for (size_t i = 0; i < nv && status == LW_OK; ++i) {
        for (size_t k = 0; k < nv; ++k) {
            for (size_t l = k; l < nv; ++l) {
                *result++ = christoffel_of(n, i, k, l);
            }
        }
    }
    return status == LW_OK ? lw_gravity_forces(n->m, n->d, s->q, result) : status;
}

static lw_status inverse_kinematics(void *self, const lw_engine_state *s, double *Q)
{
    const numeric *n = self;
    return lwi_inverse_run(n->inverse, s->q, Q);
}

typedef lw_status numeric_function(void *self, const lw_engine_state *state, double *result);

static lw_status compute(void *self, lw_function which, const lw_engine_state *state,
                         double *result)
{
    static numeric_function *const function[LW_FUNCTION_COUNT] = {
        [LW_FUNCTION_POSES] = poses,
        [LW_FUNCTION_JACOBIAN] = jacobian,
        [LW_FUNCTION_JACOBIAN_RATE] = jacobian_rate,
        [LW_FUNCTION_INVERSE_DYNAMICS] = inverse_dynamics,
        [LW_FUNCTION_MASS_MATRIX] = mass_matrix,
        [LW_FUNCTION_INVERSE_MASS_MATRIX] = inverse_mass_matrix,
        [LW_FUNCTION_CORIOLIS_MATRIX] = coriolis_matrix,
        [LW_FUNCTION_CHRISTOFFEL] = christoffel,
        [LW_FUNCTION_GRAVITY] = gravity,
        [LW_FUNCTION_FORWARD_DYNAMICS] = forward_dynamics,
        [LW_FUNCTION_ENERGY] = energy,
        [LW_FUNCTION_REGRESSOR] = regressor,
        [LW_FUNCTION_ELEMENTS] = elements,
        [LW_FUNCTION_INVERSE_KINEMATICS] = inverse_kinematics,
        [LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES] = inverse_derivatives,
        [LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES] = forward_derivatives,
    };
    return function[which](self, state, result);
}

static void destroy(void *self)
{
    numeric *n = self;
    if (n) {
        lw_data_destroy(n->d);
        lwi_inverse_destroy(n->inverse);
        free(n->pose);
        free(n->unit);
        free(n->matrix);
        free(n);
    }
}

static void restart(void *self)
{
    const numeric *n = self;
    lw_data_restart(n->d);
}

lw_status lw_engine_numeric(const lw_model *m, const lw_engine_options *options, lw_engine **engine)
{
    enum { MOST_CUBED = 60 }; // degrees of freedom whose products of three are kept
    if (!m || !engine) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    const lw_engine_options plain = lw_default_engine_options(m);
    options = options ? options : &plain;
    if (options->frame < 0 || options->frame >= m->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    const size_t nv = (size_t)m->nv;
    const bool has_cubes = m->nv <= MOST_CUBED;
    lw_status status = LW_ERR_MEMORY;
    numeric *n = calloc(1, sizeof *n);
    if (!n) {
        return status;
    }
    n->m = m;
    n->frame = options->frame;
    const bool has_data = lw_data_create(m, &n->d) == LW_OK;
    n->pose = calloc((size_t)m->nframe + 1, sizeof *n->pose);
    n->unit = calloc(nv + 1, sizeof *n->unit);
    n->matrix = calloc(has_cubes ? nv * nv * nv + 1 : 1, sizeof *n->matrix);
    if (has_data && n->pose && n->unit && n->matrix) {
        lw_dynamics_options dynamics = lw_default_dynamics_options(m);
        dynamics.is_ideal = options->is_ideal;
        dynamics.is_frictionless = options->is_frictionless;
        dynamics.friction_speed = options->friction_speed;
        status = lw_set_dynamics_options(n->d, &dynamics);
    }
    if (status == LW_OK && (options->functions & 1u << LW_FUNCTION_INVERSE_KINEMATICS) != 0) {
        status = lwi_inverse_create(m, options->frame, LW_IK_BEST, &n->inverse);
    }
    if (status == LW_OK) {
        // Loads are within the joint forces there, and not to be had alone; derivatives by
        // parameters need the description.
        const unsigned inverse = n->inverse ? 0 : 1u << LW_FUNCTION_INVERSE_KINEMATICS;
        const unsigned none =
            1u << LW_FUNCTION_LOADS | 1u << LW_FUNCTION_PARAMETER_DERIVATIVES | inverse;
        const unsigned all = ((1u << LW_FUNCTION_COUNT) - 1) & ~none;
        const unsigned cubes = 1u << LW_FUNCTION_CHRISTOFFEL | 1u << LW_FUNCTION_ELEMENTS;
        const lw_engine_def def = {.name = "numeric",
                                   .functions = has_cubes ? all : all & ~cubes,
                                   .run = compute,
                                   .self = n,
                                   .destroy = destroy,
                                   .restart = restart};
        status = lw_engine_create(m, options, &def, engine);
    }
    if (status != LW_OK) {
        destroy(n);
    }
    return status;
}
