// Derived equations against the numeric engine, in every function that both have, on every model
// that is shipped and every robot of the shared folder that has twelve degrees of freedom at most.
#include "arrays.h"
#include "check.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/engine.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOFS = 12, STATES = 3 };

// Relative to the largest number of a result; both sides round some thousand times.
static const double tolerance = 1e-11;

typedef struct pair {
    const lw_model *m;
    lw_engine *numeric, *symbolic;
    double *want, *got;
    double *state;  ///< q, v, a, tau
    double inertia; ///< largest entry of the mass matrix, which comes before what is made of it
} pair;

static int models, comparisons;

static bool open_pair(pair *p, const lw_model *m, lw_report *report)
{
    *p = (pair){.m = m};
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = ((1u << LW_FUNCTION_INVERSE_KINEMATICS) - 1u) |
                        1u << LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES |
                        1u << LW_FUNCTION_JACOBIAN_RATE | 1u << LW_FUNCTION_INVERSE_MASS_MATRIX;
    int largest = 1;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        const int size = lw_function_size(m, (lw_function)f);
        largest = size > largest ? size : largest;
    }
    p->want = calloc((size_t)largest, sizeof *p->want);
    p->got = calloc((size_t)largest, sizeof *p->got);
    p->state = calloc((size_t)(m->nq + 3 * m->nv), sizeof *p->state);
    return CHECK(p->want && p->got && p->state) &&
           CHECK_INT(lw_engine_numeric(m, &options, &p->numeric), LW_OK) &&
           CHECK_INT(lw_engine_symbolic(m, &options, &p->symbolic, report), LW_OK);
}

static void close_pair(pair *p)
{
    lw_engine_destroy(p->numeric);
    lw_engine_destroy(p->symbolic);
    free(p->want);
    free(p->got);
    free(p->state);
}

static void compare(pair *p, lw_function f, const lw_engine_state *state)
{
    const int n = lw_function_size(p->m, f);
    const lw_status one = lw_engine_run(p->numeric, f, state, p->want);
    check_case("%s, %s", p->m->name, lw_function_name(f));
    if (!lw_engine_has(p->symbolic, f)) {
        // What cannot be derived cannot be computed either: a degree of freedom without inertia.
        CHECK(f == LW_FUNCTION_FORWARD_DYNAMICS && one == LW_ERR_SINGULAR);
        return;
    }
    const lw_status other = lw_engine_run(p->symbolic, f, state, p->got);
    if (one != LW_OK || other != LW_OK) {
        CHECK_INT(other, one);
        return;
    }
    ++comparisons;
    double worst = 0.0, size = fmax(largest(p->want, n), largest(p->got, n));
    if (f == LW_FUNCTION_CORIOLIS_MATRIX || f == LW_FUNCTION_CHRISTOFFEL) {
        // Made of the mass matrix: where they vanish, its roundings are left.
        size = fmax(size, p->inertia);
    } else if (f == LW_FUNCTION_MASS_MATRIX) {
        p->inertia = size;
    }
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(p->want[i] - p->got[i]));
    }
    if (!CHECK(worst <= tolerance * size)) {
        printf("worst %g of %g\n", worst, size);
    }
}

// Accelerations of light parts are as uncertain as the mass matrix is ill conditioned; lw_verify()
// compares the forces that they need. The inverse itself loses two digits at most.
static void compare_accelerations(pair *p)
{
    lw_engine *const both[2] = {p->numeric, p->symbolic};
    const lw_verify_options how = {.nstate = STATES, .seed = 4, .tolerance = tolerance};
    lw_verification *v = NULL;
    CHECK_INT(lw_verify(2, both, &how, &v), LW_OK);
    for (int i = 0; i < lw_verification_count(v); ++i) {
        const lw_verify_pair own = lw_verification_pair(v, i);
        const bool is_inverse = own.function == LW_FUNCTION_INVERSE_MASS_MATRIX;
        if (own.function == LW_FUNCTION_FORWARD_DYNAMICS || is_inverse) {
            check_case("%s, %s", p->m->name, lw_function_name(own.function));
            CHECK(own.worst <= (is_inverse ? 100 : 1) * own.tolerance);
            ++comparisons;
        }
    }
    lw_verification_destroy(v);
}

// How far from the reference configuration: near singular configurations both sides lose digits.
static double reach_of(const lw_model *m)
{
    double reach = m->nloop > 0 ? 0.5 : 1.0;
    for (int i = 0; i < m->nstep; ++i) {
        reach = m->step[i].kind == LW_STEP_BLOCK ? 0.1 : reach;
    }
    return reach;
}

static void visit(const lw_model *m, const char *name)
{
    pair p = {0};
    lw_report *report = new_report();
    lw_data *d = m ? new_data(m) : NULL;
    check_case("%s", name);
    if (d && m->nv > 0 && m->nv <= MOST_DOFS && open_pair(&p, m, report)) {
        double *q = p.state, *v = q + m->nq, *a = v + m->nv, *tau = a + m->nv;
        const lw_engine_state state = {m->nq, m->nv, q, v, a, tau};
        unsigned long long seed = 7;
        for (int k = 0; k < STATES; ++k) {
            lw_random_state(m, d, &seed, reach_of(m), q, v, a, tau);
            for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
                if (lw_engine_has(p.numeric, (lw_function)f) && f != LW_FUNCTION_FORWARD_DYNAMICS &&
                    f != LW_FUNCTION_INVERSE_MASS_MATRIX &&
                    f != LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES) {
                    compare(&p, (lw_function)f, &state);
                }
            }
            if (!lw_engine_has(p.symbolic, LW_FUNCTION_FORWARD_DYNAMICS)) {
                compare(&p, LW_FUNCTION_FORWARD_DYNAMICS, &state);
            }
        }
        compare_accelerations(&p);
        printf("%s%s", models++ ? ", " : "", name);
    }
    close_pair(&p);
    lw_data_destroy(d);
    lw_report_destroy(report);
}

static void visit_folder(const char *pattern)
{
    glob_t found;
    if (!CHECK_INT(glob(pattern, 0, NULL, &found), 0)) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        lw_model *m = compile_file(found.gl_pathv[i], false);
        visit(m, found.gl_pathv[i] + strlen(LINKWORK_SOURCE_DIR "/models/"));
        lw_model_destroy(m);
    }
    globfree(&found);
}

TEST(V01_K19_every_shipped_model)
{
    models = comparisons = 0;
    visit_folder(LINKWORK_SOURCE_DIR "/models/*.xml");
    visit_folder(LINKWORK_SOURCE_DIR "/models/*/*.xml");
    printf("\n%d models, %d comparisons\n", models, comparisons);
    CHECK(models >= 30 && comparisons > 30 * models);
}

TEST(V01_K19_every_shared_robot)
{
    char **names = shared_names("models/urdf", ".urdf");
    models = comparisons = 0;
    for (int k = 0; names && names[k]; ++k) {
        for (int is_free = 0; is_free < 2; ++is_free) {
            char relative[512], text[512];
            snprintf(relative, sizeof relative, "models/urdf/%s", names[k]);
            snprintf(text, sizeof text, "%s%s", names[k], is_free ? " on a free base" : "");
            lw_model *m = shared_model(relative, is_free != 0);
            visit(m, text);
            lw_model_destroy(m);
        }
    }
    if (names) {
        printf("\n%d models, %d comparisons\n", models, comparisons);
        CHECK(models >= 15 && comparisons > 30 * models);
    }
    names_free(names);
}

int main(void)
{
    RUN(V01_K19_every_shipped_model);
    RUN(V01_K19_every_shared_robot);
    return REPORT();
}
