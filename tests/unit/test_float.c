// Float arithmetic against double, on every machine that float can take.
//
// Tolerances: each step of a recursion rounds to 6e-8, and a chain of some tens of bodies with
// lever arms of metres multiplies that by some hundreds: 1e-4 of the largest number. Forward
// dynamics is asked for the forces that its accelerations need, because a light tip makes
// accelerations uncertain, with ten times as much.
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float *to_float(const double *x, int n)
{
    float *y = calloc((size_t)n + 1, sizeof *y);
    for (int k = 0; k < n; ++k) {
        y[k] = (float)x[k];
    }
    return y;
}

static void check_float(const float *got, const double *want, int n, double tolerance)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; ++k) {
        x[k] = (double)got[k];
    }
    CHECK_CLOSE(x, want, n, tolerance);
    free(x);
}

// The state that float sees, for double: both then compute the same thing.
static void round_state(law_state *s, int nbody)
{
    double *part[] = {s->q, s->v, s->a};
    const int n[] = {s->nq, s->nv, s->nv};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < n[k]; ++i) {
            part[k][i] = (double)(float)part[k][i];
        }
    }
    for (int i = 0; i < nbody; ++i) {
        const lw_vec3 t = s->f_ext[i].ang, f = s->f_ext[i].lin;
        s->f_ext[i].ang = lw_vec3_of((double)(float)t.x, (double)(float)t.y, (double)(float)t.z);
        s->f_ext[i].lin = lw_vec3_of((double)(float)f.x, (double)(float)f.y, (double)(float)f.z);
    }
}

static void compare(const lw_model *m, lw_data *d, const lw_model32 *f, lw_data32 *e, law_state *s)
{
    const int n = m->nv;
    round_state(s, m->nbody);
    float *q = to_float(s->q, m->nq), *v = to_float(s->v, n), *a = to_float(s->a, n);
    lw_force32 *force = calloc((size_t)m->nbody + 1, sizeof *force);
    for (int i = 0; i < m->nbody; ++i) {
        const lw_vec3 t = s->f_ext[i].ang, l = s->f_ext[i].lin;
        force[i] = (lw_force32){{(float)t.x, (float)t.y, (float)t.z},
                                {(float)l.x, (float)l.y, (float)l.z}};
    }
    float *x = calloc((size_t)n + 1, sizeof *x);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, s->f_ext, s->x), LW_OK);
    CHECK_INT(lw_inverse_dynamics32(f, e, q, v, a, force, x), LW_OK);
    const double size = largest(s->x, n);
    check_float(x, s->x, n, 1e-4 * (size + 1e-3));

    float *M = calloc((size_t)(n * n) + 1, sizeof *M);
    CHECK_INT(lw_mass_matrix(m, d, s->q, s->M), LW_OK);
    CHECK_INT(lw_mass_matrix32(f, e, q, M), LW_OK);
    check_float(M, s->M, n * n, 1e-4 * largest(s->M, n * n));

    const lw_status status = lw_forward_dynamics32(f, e, q, v, x, force, x); // in place
    if (status == LW_OK) {
        for (int k = 0; k < n; ++k) {
            s->y[k] = (double)x[k];
        }
        CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->y, s->f_ext, s->z), LW_OK);
        CHECK_CLOSE(s->z, s->x, n, 1e-3 * (size + 1e-3));
        CHECK_INT(lw_data32_failure(e, LW_ERR_SINGULAR).dof, -1);
    } else {
        CHECK_INT(status, LW_ERR_SINGULAR);
        CHECK(lw_data32_failure(e, LW_ERR_SINGULAR).dof >= 0);
    }

    lw_pose32 *X = calloc((size_t)m->nframe_all + 1, sizeof *X);
    CHECK_INT(lw_forward_position32(f, e, q, m->nframe_all, NULL, X), LW_OK);
    CHECK_INT(lw_forward_position(m, d, s->q), LW_OK);
    for (int k = 0; k < m->nframe_all; ++k) {
        lw_pose want;
        CHECK_INT(lw_frame_pose(m, d, k, &want), LW_OK);
        const double p[3] = {want.p.x, want.p.y, want.p.z};
        check_float(X[k].p, p, 3, 1e-5 * (1 + lw_norm3(want.p)));
        for (int r = 0; r < 3; ++r) {
            const lw_vec3 row = want.R.row[r];
            const double R[3] = {row.x, row.y, row.z};
            check_float(&X[k].R[3 * r], R, 3, 1e-5);
        }
    }
    free(X);
    free(M);
    free(x);
    free(force);
    free(q);
    free(v);
    free(a);
}

static int nconverted;

static void visit_float(const lw_model *m, lw_data *d)
{
    lw_model32 *f = new_model32(m);
    CHECK_INT(f != NULL, lw_model32_size(m) > 0);
    lw_data32 *e = f ? new_data32(f) : NULL;
    law_state s;
    if (law_make(m, d, &s) && e) {
        CHECK_INT(lw_model32_nq(f), m->nq);
        CHECK_INT(lw_model32_nv(f), m->nv);
        CHECK_INT(lw_model32_nbody(f), m->nbody);
        compare(m, d, f, e, &s);
        ++nconverted;
    }
    law_free(&s);
    lw_data32_destroy(e);
    lw_model32_destroy(f);
}

TEST(D52_float_agrees_with_double_on_every_machine)
{
    nconverted = 0;
    every_machine(visit_float);
    CHECK(nconverted >= ZOO_COUNT - 1);
}

// Linear steps of any size: gears and differentials.
TEST(D52_float_agrees_on_coupled_mechanisms)
{
    static const char *const name[] = {"rover/rover.xml", "humanoid/humanoid.xml",
                                       "closed/geared_wrist.xml", "closed/planetary.xml",
                                       "closed/bendix.xml"};
    nconverted = 0;
    for (int k = 0; k < 5; ++k) {
        lw_model *m = shipped_model(name[k]);
        lw_data *d = m ? new_data(m) : NULL;
        if (d) {
            visit_float(m, d);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK_INT(nconverted, 5);
}

TEST(D52_options_in_float)
{
    lw_model *m = zoo_model(ZOO_LOADED);
    lw_model32 *f = new_model32(m);
    lw_data *d = m ? new_data(m) : NULL;
    lw_data32 *e = new_data32(f);
    law_state s = {0};
    if (d && e && law_make(m, d, &s)) {
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.is_ideal = true;
        options.gravity = lw_vec3_of(1, 2, 3);
        options.base_velocity.ang = lw_vec3_of(0.5, -1, 0.25);
        options.base_acceleration = (lw_motion){{1, 2, -1}, {0.5, 0, 3}};
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(lw_set_dynamics_options32(e, &options), LW_OK);
        compare(m, d, f, e, &s);
        CHECK_INT(lw_set_dynamics_options(d, NULL), LW_OK);
        CHECK_INT(lw_set_dynamics_options32(e, NULL), LW_OK);
        compare(m, d, f, e, &s);
        options.gravity.x = (double)NAN;
        CHECK_INT(lw_set_dynamics_options32(e, &options), LW_ERR_NUMBER);
        CHECK_INT(lw_set_dynamics_options32(NULL, NULL), LW_ERR_ARGUMENT);
    }
    law_free(&s);
    lw_data32_destroy(e);
    lw_data_destroy(d);
    lw_model32_destroy(f);
    lw_model_destroy(m);
}

TEST(D51_float_refuses_what_is_not_finite)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_model32 *f = new_model32(m);
    lw_data32 *e = new_data32(f);
    if (e) {
        float *q = to_float(m->q_reference, m->nq);
        float *v = calloc((size_t)m->nv, sizeof *v), *out = calloc((size_t)m->nv, sizeof *out);
        out[0] = 7;
        CHECK_INT(lw_inverse_dynamics32(f, e, q, v, v, NULL, NULL), LW_ERR_ARGUMENT);
        CHECK_INT(lw_inverse_dynamics32(f, e, q, NULL, v, NULL, out), LW_ERR_ARGUMENT);
        CHECK_INT(lw_inverse_dynamics32(NULL, e, q, v, v, NULL, out), LW_ERR_ARGUMENT);
        v[2] = (float)NAN;
        CHECK_INT(lw_inverse_dynamics32(f, e, q, v, v, NULL, out), LW_ERR_NUMBER);
        v[2] = (float)INFINITY;
        CHECK_INT(lw_forward_dynamics32(f, e, q, v, v, NULL, out), LW_ERR_NUMBER);
        memset(&q[3], 0, 4 * sizeof *q);
        CHECK_INT(lw_mass_matrix32(f, e, q, out), LW_ERR_NUMBER);
        lw_pose32 X;
        CHECK_INT(lw_forward_position32(f, e, q, 1, NULL, &X), LW_ERR_NUMBER);
        CHECK(out[0] == 7);
        free(q);
        free(v);
        free(out);
    }
    lw_data32_destroy(e);
    lw_model32_destroy(f);
    lw_model_destroy(m);
}

TEST(D52_what_float_cannot_take_is_refused)
{
    lw_model *m = zoo_model(ZOO_USER);
    lw_model32 *none = (lw_model32 *)(void *)m;
    CHECK_INT(lw_model32_init(m, m, &none, NULL), LW_ERR_UNSUPPORTED);
    CHECK(lw_model32_size(m) == 0 && !none);
    CHECK_INT(lw_model32_create(m, &none, NULL), LW_ERR_UNSUPPORTED);
    CHECK(lw_model32_size(NULL) == 0 && !new_model32(NULL) && !new_data32(NULL));
    CHECK_INT(lw_data32_failure(NULL, LW_ERR_SINGULAR).dof, -1);
    CHECK_INT(lw_model32_create(NULL, &none, NULL), LW_ERR_ARGUMENT);
    lw_model_destroy(m);
    // By name.
    m = zoo_model(ZOO_USER);
    lw_report *report = new_report();
    CHECK_INT(lw_model32_create(m, &none, report), LW_ERR_UNSUPPORTED);
    char *diagnostics = diagnostics_text(report);
    CHECK(strstr(diagnostics, "has no copy for float arithmetic: joint by callbacks \""));
    CHECK(lw_model32_size(m) == 0);
    free(diagnostics);
    lw_report_destroy(report);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D52_float_agrees_with_double_on_every_machine);
    RUN(D52_float_agrees_on_coupled_mechanisms);
    RUN(D52_options_in_float);
    RUN(D51_float_refuses_what_is_not_finite);
    RUN(D52_what_float_cannot_take_is_refused);
    return REPORT();
}
