// Tree coordinates as functions of the independent ones, up to third derivatives.
//
// Every simple closure step is a polynomial of one earlier coordinate, so each tree coordinate is a
// function of one independent coordinate alone. Derivatives of inverse dynamics by q need three of
// its derivatives: tree accelerations contain the second, and they are differentiated once more.

#include "lift.h"

#include "../model/kernel.h"

static void derivatives(const double *c, int n, double x, double f[4])
{
    f[0] = f[1] = f[2] = f[3] = 0.0;
    for (int k = n - 1; k >= 0; --k) {
        for (int order = 3; order > 0; --order) {
            f[order] = f[order] * x + (double)order * f[order - 1];
        }
        f[0] = f[0] * x + c[k];
    }
}

void lwi_lift_coordinates(const lw_model *m, lw_data *d)
{
    for (int k = 0; k < m->nv; ++k) {
        d->lift[m->v_tree[k]] = (lwi_lift){k, 1.0, 0.0, 0.0};
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const lwi_lift x = d->lift[step->source[0]];
        const double at = d->tree_q[m->kernel->program->step[s].source_q[0]];
        double f[4]; // value and derivatives, by Horner
        derivatives(step->coefficient, step->ncoefficient, at, f);
        const double f1 = f[1], f2 = f[2], f3 = f[3];
        // The chain rule for f(x(y)), three times.
        lwi_lift *lift = &d->lift[step->target[0]];
        lift->index = x.index;
        lift->first = f1 * x.first;
        lift->second = f2 * x.first * x.first + f1 * x.second;
        lift->third =
            f3 * x.first * x.first * x.first + 3.0 * f2 * x.first * x.second + f1 * x.third;
    }
}
