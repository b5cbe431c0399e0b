// Symbolic against numeric: two derivations that share nothing but the model.
#include "check.h"
#include "closed_zoo.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "zoo.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>
#include <linkwork/symbolic.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Both sides round; the longest chains here have twelve joints. Relative to the largest number of
// the result.
static const double tolerance = 1e-11;

typedef struct pair {
    const lw_model *m;
    lw_data *d;
    lw_derivation *s;
    law_state *state;
    double *want, *got;
} pair;

static lw_status numeric(const pair *p, lw_function f)
{
    const law_state *x = p->state;
    switch (f) {
    case LW_FUNCTION_INVERSE_DYNAMICS:
        return lw_inverse_dynamics(p->m, p->d, x->q, x->v, x->a, NULL, p->want);
    case LW_FUNCTION_MASS_MATRIX:
        return lw_mass_matrix(p->m, p->d, x->q, p->want);
    case LW_FUNCTION_CORIOLIS_MATRIX:
        return lw_coriolis_matrix(p->m, p->d, x->q, x->v, p->want);
    case LW_FUNCTION_GRAVITY:
        return lw_gravity_forces(p->m, p->d, x->q, p->want);
    case LW_FUNCTION_FORWARD_DYNAMICS:
        memcpy(p->want, x->a, (size_t)p->m->nv * sizeof *p->want);
        return lw_forward_dynamics(p->m, p->d, x->q, x->v, x->a, NULL, p->got);
    case LW_FUNCTION_REGRESSOR:
        return lw_regressor(p->m, p->d, x->q, x->v, x->a, p->want);
    case LW_FUNCTION_ENERGY: {
        const lw_status status = lw_kinetic_energy(p->m, p->d, x->q, x->v, &p->want[0]);
        return status == LW_OK ? lw_potential_energy(p->m, p->d, x->q, &p->want[1]) : status;
    }
    case LW_FUNCTION_JACOBIAN:
        return lw_frame_jacobian(p->m, p->d, x->q, p->m->nframe - 1, LW_IN_WORLD, NULL, p->want);
    default:
        return LW_ERR_ARGUMENT;
    }
}

static int comparisons;

// The forces that balance within the result of forward dynamics.
static double force_scale(const pair *p, lw_function f)
{
    const int n = p->m->nv;
    const law_state *x = p->state;
    if (f != LW_FUNCTION_FORWARD_DYNAMICS || lw_mass_matrix(p->m, p->d, x->q, x->M) != LW_OK ||
        lw_bias_forces(p->m, p->d, x->q, x->v, x->x) != LW_OK ||
        lw_forward_dynamics(p->m, p->d, x->q, x->v, x->a, NULL, x->y) != LW_OK) {
        return 1.0;
    }
    return fmax(largest(x->x, n), n * largest(x->M, n * n) * largest(x->y, n));
}

static void compare(pair *p, lw_function f)
{
    const int n = lw_function_size(p->m, f);
    p->want = calloc((size_t)n + 1, sizeof *p->want);
    p->got = calloc((size_t)n + 1, sizeof *p->got);
    const law_state *x = p->state;
    const lw_status status = numeric(p, f);
    if (status == LW_OK) {
        CHECK_INT(lw_derivation_run(p->s, f, x->q, x->v, x->a, 0.0, NULL, p->got), LW_OK);
        ++comparisons;
        if (f == LW_FUNCTION_FORWARD_DYNAMICS) {
            // Accelerations of light parts are as uncertain as the mass matrix is ill conditioned;
            // the forces that they need are not.
            lw_inverse_dynamics(p->m, p->d, x->q, x->v, p->got, NULL, p->got);
        }
        const double scale = fmax(largest(p->want, n), force_scale(p, f));
        check_close(__FILE__, __LINE__, p->got, p->want, n, tolerance * scale, lw_function_name(f));
    }
    free(p->want);
    free(p->got);
}

static const lw_function compared[] = {
    LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX, LW_FUNCTION_CORIOLIS_MATRIX,
    LW_FUNCTION_GRAVITY,          LW_FUNCTION_ENERGY,      LW_FUNCTION_JACOBIAN,
    LW_FUNCTION_FORWARD_DYNAMICS, LW_FUNCTION_REGRESSOR,
};

enum { MOST_JOINTS = 12, STATES = 2 };

static bool (*make_state)(const lw_model *, lw_data *, law_state *) = law_make;

// One function in one form at random states.
static void visit_form(const lw_model *m, lw_data *d, lw_function f, const lw_derive_options *o)
{
    pair p = {.m = m, .d = d};
    lw_report *report = new_report();
    const lw_status status = lw_derive(m, o, &p.s, report);
    if (status != LW_ERR_UNSUPPORTED && status != LW_ERR_SINGULAR && !CHECK_INT(status, LW_OK)) {
        check_case("%s: %s", lw_function_name(f), lw_report_diagnostic(report, 0).message);
    }
    CHECK(status == LW_OK || lw_report_errors(report) > 0);
    lw_report_destroy(report);
    for (int k = 0; k < STATES && p.s; ++k) {
        law_state state;
        if (make_state(m, d, &state)) {
            p.state = &state;
            compare(&p, f);
        }
        law_free(&state);
    }
    lw_derivation_destroy(p.s);
}

static void visit(const lw_model *m, lw_data *d, bool is_symbolic, bool is_ideal)
{
    if (m->nv == 0 || m->nv > MOST_JOINTS || m->tree_nv > 30) {
        return;
    }
    lw_dynamics_options dynamics = lw_default_dynamics_options(m);
    dynamics.is_ideal = is_ideal;
    lw_set_dynamics_options(d, &dynamics);
    for (size_t i = 0; i < sizeof compared / sizeof *compared; ++i) {
        const lw_function f = compared[i];
        if (f == LW_FUNCTION_REGRESSOR && m->nbody > 8) {
            continue; // large, and the same for each body
        }
        lw_derive_options o = lw_default_derive_options();
        o.functions = 1u << f;
        o.form = LW_FORM_RECURSIVE;
        o.effort = 0;
        o.is_symbolic = is_symbolic;
        o.is_ideal = is_ideal;
        o.frame = m->nframe - 1;
        visit_form(m, d, f, &o);
    }
    dynamics.is_ideal = false;
    lw_set_dynamics_options(d, &dynamics);
}

static void visit_numbers(const lw_model *m, lw_data *d)
{
    visit(m, d, false, false);
}

static void visit_symbols(const lw_model *m, lw_data *d)
{
    visit(m, d, true, true);
}

TEST(V01_numbers_folded_in_agree_with_the_numeric_engine)
{
    check_seed(11);
    comparisons = 0;
    every_machine(visit_numbers);
    CHECK(comparisons > 250); // the project's own models alone
    printf("%d comparisons\n", comparisons);
}

TEST(K19_symbols_agree_with_the_numeric_engine)
{
    check_seed(12);
    every_machine(visit_symbols);
}

// Short chains: long ones take their time to expand.
static void visit_closed_forms(const lw_model *m, lw_data *d)
{
    enum { MOST_BODIES = 5 };
    static const lw_function with_forms[] = {LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX,
                                             LW_FUNCTION_CORIOLIS_MATRIX, LW_FUNCTION_GRAVITY};
    if (m->nv == 0 || m->nbody > MOST_BODIES) {
        return;
    }
    for (int form = LW_FORM_LAGRANGE; form <= LW_FORM_UICKER; ++form) {
        for (size_t i = 0; i < sizeof with_forms / sizeof *with_forms; ++i) {
            lw_derive_options o = lw_default_derive_options();
            o.functions = 1u << with_forms[i];
            o.form = (lw_form)form;
            o.effort = 0;
            visit_form(m, d, with_forms[i], &o);
        }
    }
}

TEST(V02_closed_forms_agree_with_the_numeric_engine)
{
    check_seed(15);
    comparisons = 0;
    every_machine(visit_closed_forms);
    CHECK(comparisons > 70); // the project's own models alone
    printf("%d comparisons\n", comparisons);
}

// --- Closed machines ---------------------------------------------------------------------------

static double reach;

// A state near the reference, where loops close.
static bool closed_make(const lw_model *m, lw_data *d, law_state *s)
{
    const bool is_made = law_make(m, d, s);
    closed_state(m, reach, s->q, s->v, s->a);
    (void)is_made;
    return s->q && lw_forward_position(m, d, s->q) == LW_OK;
}

TEST(D16_loops_gears_and_couplings_agree_with_the_numeric_engine)
{
    check_seed(13);
    comparisons = 0;
    make_state = closed_make;
    for (int i = 0; i < closed_zoo_count; ++i) {
        const closed_machine *machine = &closed_zoo[i];
        lw_mech *mech = machine->build(false);
        lw_model *m = compile_checked(mech, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        check_case("%s", machine->name);
        reach = 0.5 * machine->reach;
        if (CHECK(d != NULL)) {
            visit(m, d, false, false);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
    make_state = law_make;
    CHECK(comparisons > 100);
    printf("%d comparisons\n", comparisons);
}

TEST(D16_shipped_closed_machines_agree_with_the_numeric_engine)
{
    glob_t found;
    check_seed(14);
    make_state = closed_make;
    reach = 0.05;
    glob(LINKWORK_SOURCE_DIR "/models/closed/*.xml", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        lw_model *m = compile_file(found.gl_pathv[i], false);
        lw_data *d = m ? new_data(m) : NULL;
        check_case("%s", strrchr(found.gl_pathv[i], '/') + 1);
        if (CHECK(d != NULL)) {
            visit(m, d, false, false);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    globfree(&found);
    make_state = law_make;
}

int main(void)
{
    RUN(V01_numbers_folded_in_agree_with_the_numeric_engine);
    RUN(K19_symbols_agree_with_the_numeric_engine);
    RUN(V02_closed_forms_agree_with_the_numeric_engine);
    RUN(D16_loops_gears_and_couplings_agree_with_the_numeric_engine);
    RUN(D16_shipped_closed_machines_agree_with_the_numeric_engine);
    return REPORT();
}
