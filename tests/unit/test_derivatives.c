// Derivatives of inverse and forward dynamics, on every machine there is: against a complex step
// through an independent implementation, against differences of the library's own functions, and by
// the laws that hold between them.
#include <linkwork/linkwork.h>

#include "check.h"
#include "complex_dynamics.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

// A state with everything: external forces, a world in motion, a weight of its own.
typedef struct situation {
    double *q, *v, *a, *tau;
    lw_force *f_ext;
    double *by_q, *by_v, *by_a;
    lw_dynamics_options options;
} situation;

static lw_vec3 random3(double size)
{
    const double x = check_random(-size, size), y = check_random(-size, size);
    return lw_vec3_of(x, y, check_random(-size, size));
}

static situation make_situation(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = {numbers(m->nq),
                   numbers(n),
                   numbers(n),
                   numbers(n),
                   calloc((size_t)m->nbody + 1, sizeof(lw_force)),
                   numbers(n * n),
                   numbers(n * n),
                   numbers(n * n),
                   lw_default_dynamics_options(m)};
    zoo_state(m, s.q, s.v, s.a);
    for (int i = 0; i < m->nbody; ++i) {
        s.f_ext[i] = (lw_force){random3(1.0), random3(5.0)};
    }
    s.options.base_velocity = (lw_motion){random3(0.5), random3(1.0)};
    s.options.base_acceleration = (lw_motion){random3(0.5), random3(1.0)};
    CHECK_INT(lw_set_dynamics_options(d, &s.options), LW_OK);
    return s;
}

static void free_situation(situation *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->tau);
    free(s->f_ext);
    free(s->by_q);
    free(s->by_v);
    free(s->by_a);
}

// Each row is one force, with a size of its own; rows that are zero by cancellation keep the
// rounding of what cancels, some epsilon of the whole matrix and of the external forces, which are
// of the size of 1.
static void check_rows(int n, const double *actual, const double *wanted, double tolerance)
{
    const double floor = 1e-14 * (1.0 + largest(wanted, n * n));
    for (int i = 0; i < n; ++i) {
        const double margin = tolerance * largest(wanted + i * n, n) + floor;
        for (int j = 0; j < n; ++j) {
            if (!CHECK_NEAR(actual[i * n + j], wanted[i * n + j], margin)) {
                return; // one line a matrix is enough
            }
        }
    }
}

static void complex_column(const lw_model *m, const situation *s, int k, int which, double *column)
{
    const double h = 1e-80; // its square vanishes beside 1, so nothing is cut off
    double complex *q = calloc((size_t)(m->nq + 3 * m->nv), sizeof *q);
    double complex *v = q + m->nq, *a = v + m->nv, *tau = a + m->nv;
    complex_move(m, s->q, k, which == 0 ? h : 0.0, q);
    for (int j = 0; j < m->nv; ++j) {
        v[j] = s->v[j];
        a[j] = s->a[j];
    }
    v[k] += which == 1 ? h * (double complex)_Complex_I : 0.0;
    a[k] += which == 2 ? h * (double complex)_Complex_I : 0.0;
    complex_inverse_dynamics(m, &s->options, q, v, a, s->f_ext, tau);
    for (int j = 0; j < m->nv; ++j) {
        column[j * m->nv] = cimag(tau[j]) / h;
    }
    free(q);
}

// Both sides round their sums of forces and levers, a few hundred epsilon of the largest of them;
// 1e-11 of the largest entry of the row leaves room for rows that are small by cancellation.
static void visit_complex(const lw_model *m, lw_data *d)
{
    if (!complex_can(m)) {
        return;
    }
    const int n = m->nv;
    situation s = make_situation(m, d);
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, s.by_q, s.by_v, s.by_a),
              LW_OK);
    double *wanted = numbers(n * n);
    const double *const actual[] = {s.by_q, s.by_v, s.by_a};
    for (int which = 0; which < 3; ++which) {
        for (int k = 0; k < n; ++k) {
            complex_column(m, &s, k, which, wanted + k);
        }
        check_rows(n, actual[which], wanted, 1e-11);
    }
    free(wanted);
    free_situation(&s);
}

TEST(derivatives_of_inverse_dynamics_match_a_complex_step)
{
    every_machine(visit_complex);
}

int main(void)
{
    RUN(derivatives_of_inverse_dynamics_match_a_complex_step);
    return REPORT();
}
