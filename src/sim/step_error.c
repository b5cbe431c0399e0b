// How large the error of a step is, and which part of it no step can take away.
//
// A state has roundings, and the derivative shows them: where a hard spring lies between two
// positions of a hundred turns, what is left of their difference has fewer digits than either. The
// estimate of the error contains them, in proportion to the step, whatever the order of the method.
// Steps that are made shorter for that only become more, so the scale of the error has a share for
// it. It is found by evaluating a state that differs by roundings.
//
// And where the mechanism is stiff, steps are as long as the method stays stable, and their errors
// far smaller than allowed: Hairer and Wanner, Solving Ordinary Differential Equations II (1996),
// section IV.2, detect that from the last two stages, which are both at the end of the step.

#include "sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDING_TEST_EVERY = 16 }; ///< steps between two tests for roundings

// Above this accuracy roundings do not matter.
static const double coarse = 1e-9;

// The estimates weigh the stages with up to this, as a root of squares; twice that is kept off.
static const double noise_share = 5.0;

static double scale_of(const lw_sim *sim, double a, double b)
{
    return sim->def.absolute + sim->def.relative * fmax(fabs(a), fabs(b));
}

// The work does not count: it has no effect on the motion.
double lwi_error_of_step(const lw_sim *sim, double h)
{
    const lwi_tableau *T = sim->tableau;
    const int n = sim->model->nq + sim->model->nv;
    double sum = 0.0, sum2 = 0.0;
    for (int i = 0; i < n; ++i) {
        double e = 0.0, e2 = 0.0;
        for (int j = 0; j <= T->nstage; ++j) {
            const double k = lwi_sim_stage(sim, j)[i];
            e += T->error[j] * k;
            e2 += T->error2[j] * k;
        }
        const double scale =
            scale_of(sim, sim->y[i], sim->y_stage[i]) + noise_share * fabs(h) * sim->noise[i];
        sum += (e / scale) * (e / scale);
        sum2 += (e2 / scale) * (e2 / scale);
    }
    if (n == 0 || sum == 0.0) {
        return 0.0;
    }
    if (T->order == 8) {
        return fabs(h) * sum / sqrt((sum + 0.01 * sum2) * n);
    }
    return fabs(h) * sqrt(sum / n);
}

// An explicit step of Euler changes the state by about one part in a hundred of its scale.
double lwi_error_first_step(const lw_sim *sim)
{
    double size = 0.0, rate = 0.0;
    const int n = sim->model->nq + sim->model->nv;
    for (int i = 0; i < n; ++i) {
        const double scale = scale_of(sim, sim->y[i], sim->y[i]);
        const double y = sim->y[i] / scale, dy = lwi_sim_stage(sim, 0)[i] / scale;
        size += y * y;
        rate += dy * dy;
    }
    const double h = size > 1e-10 && rate > 1e-10 ? 0.01 * sqrt(size / rate) : 1e-6;
    return fmin(fmax(h, 1e-12), 1e-2);
}

// Signs that change from one number to the next and from one test to another, so that what cancels
// in one does not in the next.
static double sign_of(long look, int i)
{
    const unsigned long mixed = ((unsigned long)look * 31 + (unsigned long)i) * 2654435761ul;
    return (mixed >> 13) % 2 == 0 ? 1.0 : -1.0;
}

lw_status lwi_error_find_noise(lw_sim *sim)
{
    if (sim->def.relative > coarse || --sim->noise_age > 0) {
        return LW_OK;
    }
    const double *dy = lwi_sim_stage(sim, 0);
    double *y = sim->y_stage;
    memcpy(y, sim->y, (size_t)sim->ny * sizeof *y);
    for (int i = 0; i < sim->model->nq + sim->model->nv; ++i) {
        y[i] *= 1.0 + sign_of(sim->info.steps, i) * DBL_EPSILON;
    }
    // Beyond a singular configuration there is no such state, and nothing to report.
    if (lwi_sim_rate(sim, sim->t, y, sim->dy_try) == LW_OK) {
        for (int i = 0; i < sim->ny; ++i) {
            sim->noise[i] = fmax(0.7 * sim->noise[i], fabs(sim->dy_try[i] - dy[i]));
        }
    }
    sim->noise_age = ROUNDING_TEST_EVERY;
    return LW_OK;
}

// How far a method is stable on the negative real axis, in units of 1 / |eigenvalue|.
static double stable_reach(const lwi_tableau *T)
{
    return T->order == 8 ? 6.1 : 3.25;
}

void lwi_error_note_stiffness(lw_sim *sim, double h)
{
    const lwi_tableau *T = sim->tableau;
    if (sim->info.steps % ROUNDING_TEST_EVERY != ROUNDING_TEST_EVERY - 1) {
        return;
    }
    const int last = T->nstage;
    const double *k1 = lwi_sim_stage(sim, last), *k0 = lwi_sim_stage(sim, last - 1);
    double *y0 = sim->dy_try, rate = 0.0, way = 0.0;
    lwi_sim_combine(sim, sim->y, h, T->a[last - 1], last - 1, y0);
    for (int i = 0; i < sim->model->nq + sim->model->nv; ++i) {
        const double scale = scale_of(sim, sim->y[i], sim->y_stage[i]);
        const double dk = (k1[i] - k0[i]) / scale, dy = (sim->y_stage[i] - y0[i]) / scale;
        rate += dk * dk;
        way += dy * dy;
    }
    ++sim->nstiffness_test;
    sim->nstiff += h * sqrt(rate) > stable_reach(T) * sqrt(way);
}
