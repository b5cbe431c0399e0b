// Float arithmetic against double on closed mechanisms: every shipped one with loops, and those
// with springs between parts. Double sees the state that float sees, so that what is left is the
// rounding of float within.
//
// The environment variable LINKWORK_FLOAT_STATES is the number of states per mechanism.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static long states_asked(void)
{
    const char *text = getenv("LINKWORK_FLOAT_STATES");
    const long n = text ? atol(text) : 0;
    return n > 0 ? n : 60;
}

/// The largest difference of a result over all states, and its largest number.
typedef struct error {
    double worst, size;
} error;

/// A state in both scalars.
typedef struct pair {
    const lw_model *m;
    lw_data *d;
    lw_model32 *f;
    lw_data32 *e;
    double q[MOST], v[MOST], a[MOST];
    float q32[MOST], v32[MOST], a32[MOST];
    error pose, inverse, mass, forward;
    long states, open, refused; ///< that double does not close, and float alone
} pair;

static int body_of(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return i;
}

// As in test_closed_laws.c.
static void random_state(pair *s)
{
    for (int i = 0; i < s->m->nv; ++i) {
        const lw_dof *f = &s->m->dof[s->m->v_tree[i]];
        const bool is_slide = s->m->carrier[body_of(s->m, s->m->v_tree[i])] == LW_TREE_PRISMATIC;
        const double reach = is_slide ? 0.03 : 0.3, at = s->m->q_reference[i];
        s->q32[i] = (float)check_random(fmax(f->lower, at - reach), fmin(f->upper, at + reach));
        s->v32[i] = (float)((is_slide ? 0.2 : 1.0) * check_random(-1.0, 1.0));
        s->a32[i] = (float)((is_slide ? 0.5 : 3.0) * check_random(-1.0, 1.0));
        s->q[i] = (double)s->q32[i];
        s->v[i] = (double)s->v32[i];
        s->a[i] = (double)s->a32[i];
    }
}

static void add_error(const float *x, const double *y, int n, error *e)
{
    for (int k = 0; k < n; ++k) {
        e->worst = fmax(e->worst, fabs((double)x[k] - y[k]));
        e->size = fmax(e->size, fabs(y[k]));
    }
}

static double relative(error e)
{
    return e.worst / e.size;
}

static void compare_poses(pair *s)
{
    const int n = s->m->nframe;
    lw_pose32 *X = calloc((size_t)n + 1, sizeof *X);
    CHECK_INT(lw_forward_position32(s->f, s->e, s->q32, n, NULL, X), LW_OK);
    CHECK_INT(lw_forward_position(s->m, s->d, s->q), LW_OK);
    for (int k = 0; k < n; ++k) {
        lw_pose want;
        lw_frame_pose(s->m, s->d, k, &want);
        add_error(X[k].p, &want.p.x, 3, &s->pose);
        add_error(X[k].R, &want.R.row[0].x, 9, &s->pose);
    }
    free(X);
}

// Accelerations are asked for the forces that they need: a mass matrix may magnify any rounding.
static void compare_dynamics(pair *s)
{
    const int n = s->m->nv;
    double tau[MOST], needed[MOST], back[MOST], M[MOST * MOST];
    float tau32[MOST], a32[MOST], M32[MOST * MOST];
    CHECK_INT(lw_inverse_dynamics(s->m, s->d, s->q, s->v, s->a, NULL, tau), LW_OK);
    CHECK_INT(lw_inverse_dynamics32(s->f, s->e, s->q32, s->v32, s->a32, NULL, tau32), LW_OK);
    add_error(tau32, tau, n, &s->inverse);
    CHECK_INT(lw_mass_matrix(s->m, s->d, s->q, M), LW_OK);
    CHECK_INT(lw_mass_matrix32(s->f, s->e, s->q32, M32), LW_OK);
    add_error(M32, M, n * n, &s->mass);
    for (int k = 0; k < n; ++k) {
        tau32[k] = (float)tau[k];
    }
    CHECK_INT(lw_forward_dynamics32(s->f, s->e, s->q32, s->v32, tau32, NULL, a32), LW_OK);
    for (int k = 0; k < n; ++k) {
        back[k] = (double)a32[k];
    }
    CHECK_INT(lw_inverse_dynamics(s->m, s->d, s->q, s->v, back, NULL, needed), LW_OK);
    add_error(tau32, needed, n, &s->forward);
}

static void compare(pair *s)
{
    double tau[MOST];
    float tau32[MOST];
    random_state(s);
    ++s->states;
    if (lw_inverse_dynamics(s->m, s->d, s->q, s->v, s->a, NULL, tau) != LW_OK) {
        ++s->open;
        return;
    }
    if (lw_inverse_dynamics32(s->f, s->e, s->q32, s->v32, s->a32, NULL, tau32) != LW_OK) {
        ++s->refused;
        return;
    }
    compare_poses(s);
    compare_dynamics(s);
}

static void compare_model(lw_model *m, double allowed)
{
    pair s = {.m = m, .d = m ? new_data(m) : NULL, .f = m ? new_model32(m) : NULL};
    s.e = s.f ? new_data32(s.f) : NULL;
    check_seed(7);
    for (long i = states_asked(); i > 0 && CHECK(s.d && s.e) && m->nv <= MOST; --i) {
        compare(&s);
    }
    if (m) {
        printf("| %s | %ld | %ld | %ld | %.1e | %.1e | %.1e | %.1e |\n", m->name, s.states, s.open,
               s.refused, relative(s.pose), relative(s.inverse), relative(s.mass),
               relative(s.forward));
    }
    CHECK_INT(s.refused, 0);
    CHECK_NEAR(relative(s.pose), 0.0, allowed);
    CHECK_NEAR(relative(s.inverse), 0.0, allowed);
    CHECK_NEAR(relative(s.mass), 0.0, allowed);
    CHECK_NEAR(relative(s.forward), 0.0, allowed);
    lw_data32_destroy(s.e);
    lw_model32_destroy(s.f);
    lw_data_destroy(s.d);
    lw_model_destroy(m);
}

TEST(D52_float_agrees_on_every_closed_mechanism)
{
    glob_t found;
    glob(LINKWORK_SOURCE_DIR "/models/closed/*.xml", 0, NULL, &found);
    CHECK(found.gl_pathc > 20);
    printf("| Mechanism | States | Do not close | In float only | Poses | Inverse dynamics | Mass "
           "matrix | Forward dynamics |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        check_case("%s", strrchr(found.gl_pathv[k], '/') + 1);
        compare_model(compile_file(found.gl_pathv[k], false), 1e-5);
    }
    globfree(&found);
}

// Torsions of elastic gears, and couplings that a simplified wrist keeps.
TEST(D52_float_agrees_where_there_are_torsions)
{
    static const char *const name[] = {"hr120/wrist.xml", "hr120/base.xml", "hr120/hr120.xml"};
    for (int k = 0; k < 3; ++k) {
        check_case("%s", name[k]);
        compare_model(shipped_model(name[k]), 1e-5);
    }
}

int main(void)
{
    RUN(D52_float_agrees_on_every_closed_mechanism);
    RUN(D52_float_agrees_where_there_are_torsions);
    return REPORT();
}
