#include "laws.h"

#include "check.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>

static double *room(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

bool law_make(const lw_model *m, lw_data *d, law_state *s)
{
    const int n = m->nv;
    *s = (law_state){.nq = m->nq, .nv = n};
    s->q = room(m->nq);
    s->q2 = room(m->nq);
    s->v = room(n);
    s->a = room(n);
    s->x = room(n);
    s->y = room(n);
    s->z = room(n);
    s->M = room(n * n);
    s->C = room(n * n);
    s->f_ext = calloc((size_t)m->nbody + 1, sizeof *s->f_ext);
    zoo_state(m, s->q, s->v, s->a);
    for (int i = 0; i < m->nbody; ++i) {
        double *f = &s->f_ext[i].ang.x;
        for (int k = 0; k < 3; ++k) {
            f[k] = check_random(-1, 1);
        }
        f = &s->f_ext[i].lin.x;
        for (int k = 0; k < 3; ++k) {
            f[k] = check_random(-3, 3);
        }
    }
    const lw_status status = lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, s->x);
    if (status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR) {
        return false;
    }
    CHECK_INT(status, LW_OK);
    return true;
}

void law_free(law_state *s)
{
    free(s->q);
    free(s->q2);
    free(s->v);
    free(s->a);
    free(s->x);
    free(s->y);
    free(s->z);
    free(s->M);
    free(s->C);
    free(s->f_ext);
    *s = (law_state){0};
}

double inner(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += x[k] * y[k];
    }
    return sum;
}

void times(const double *A, const double *x, int n, double *y)
{
    for (int k = 0; k < n; ++k) {
        y[k] = inner(A + (size_t)k * (size_t)n, x, n);
    }
}

void check_close(const char *file, int line, const double *got, const double *want, int n,
                 double tolerance, const char *text)
{
    int worst = 0;
    double most = -1.0;
    for (int k = 0; k < n; ++k) {
        const double error = fabs(got[k] - want[k]);
        if (!(error <= most)) { // true for what is not a number
            most = error;
            worst = k;
        }
    }
    if (n > 0) {
        check_near(file, line, got[worst], want[worst], tolerance, text);
    }
}
