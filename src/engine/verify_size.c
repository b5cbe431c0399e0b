// Sizes of results by dimension: mass, length and the rates of random states.

#include "verify_size.h"

#include <math.h>
#include <stdlib.h>

// The longest way from a joint to what it carries, m; 1 for a machine that has none.
static double length_of(const lw_model *m)
{
    double most = 0;
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *I = &m->inertia[i];
        most = fmax(most, lw_norm3(m->X_PJ[i].p));
        most = I->mass > 0 ? fmax(most, lw_norm3(I->first_moment) / I->mass) : most;
    }
    for (int i = 0; i < m->nframe_all; ++i) {
        most = fmax(most, lw_norm3(m->frame[i].X_BF.p));
    }
    return most > 0 ? most : 1;
}

static double moving_mass(const lw_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->nbody; ++i) {
        sum += m->inertia[i].mass;
    }
    for (int i = 0; i < m->nloop; ++i) {
        sum += m->loop[i].mass;
    }
    return sum;
}

static double load_of(const lw_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->nload; ++i) {
        sum += lw_norm3(m->load[i].force) + lw_norm3(m->load[i].torque);
    }
    return sum;
}

double lwi_least_size(const lw_model *m, lw_function which, int part)
{
    static const double share = 1e-3, speed = 2, acceleration = 4; // of the random states
    // A result may hold forces and moments alike: the smaller of the two counts.
    const double mass = moving_mass(m), arm = fmin(1, length_of(m));
    const double inertia = mass * arm * arm, weight = mass * lw_norm3(m->gravity) * arm;
    const double force = weight + inertia * (acceleration + speed * speed);
    switch (which) {
    case LW_FUNCTION_POSES:
        return share;
    case LW_FUNCTION_JACOBIAN:
        return share * arm;
    case LW_FUNCTION_MASS_MATRIX:
    case LW_FUNCTION_CHRISTOFFEL:
        return share * inertia;
    case LW_FUNCTION_CORIOLIS_MATRIX:
        return share * inertia * speed;
    case LW_FUNCTION_GRAVITY:
        return share * weight;
    case LW_FUNCTION_JACOBIAN_RATE:
        return share * arm * speed;
    case LW_FUNCTION_ELEMENTS:
    case LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES:
        return share * fmin(inertia, weight);
    case LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES: // by q, v and tau
        return part < 2 ? share * acceleration * arm : 0;
    case LW_FUNCTION_REGRESSOR:
        return mass > 0 ? share * force / mass : 0;
    case LW_FUNCTION_LOADS:
        return share * load_of(m) * arm;
    case LW_FUNCTION_INVERSE_DYNAMICS:
    case LW_FUNCTION_FORWARD_DYNAMICS:
    case LW_FUNCTION_ENERGY:
        return share * force;
    default:
        return 0;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double lwi_middle(int n, double *x)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n > 0 ? x[n / 2] : 0;
}
