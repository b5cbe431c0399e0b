// Tree coordinates as functions of the independent ones, up to third derivatives.
//
// Every closure step is a polynomial of one earlier coordinate, so each tree coordinate is a
// function of one independent coordinate alone. Derivatives of inverse dynamics by q need three of
// its derivatives: tree accelerations contain the second, and they are differentiated once more.

#include "lift.h"

static double third_derivative(const double *c, int n, double x)
{
    double sum = 0.0;
    for (int k = n - 1; k >= 3; --k) {
        sum = sum * x + (double)k * (double)(k - 1) * (double)(k - 2) * c[k];
    }
    return sum;
}

void lwi_lift_coordinates(const lw_model *m, lw_data *d)
{
    for (int k = 0; k < m->nv; ++k) {
        d->lift[m->v_tree[k]] = (lwi_lift){k, 1.0, 0.0, 0.0};
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const lwi_lift x = d->lift[step->source];
        const double f1 = d->slope[s], f2 = d->curve[s];
        const double f3 = third_derivative(&m->coefficient[step->coefficient], step->ncoefficient,
                                           d->tree_q[step->source_q]);
        // The chain rule for f(x(y)), three times.
        lwi_lift *lift = &d->lift[step->target];
        lift->index = x.index;
        lift->first = f1 * x.first;
        lift->second = f2 * x.first * x.first + f1 * x.second;
        lift->third =
            f3 * x.first * x.first * x.first + 3.0 * f2 * x.first * x.second + f1 * x.third;
    }
}
