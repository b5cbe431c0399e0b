// K30: elements of matrices in closed form are computed by several threads, with the same bits.
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/symbolic.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

typedef struct worker {
    lw_shares *shares;
    int number;
    double *out;
    lw_status status;
    pthread_t thread;
} worker;

static void *run(void *argument)
{
    worker *w = argument;
    w->status = lw_shares_run(w->shares, w->number, w->out);
    return NULL;
}

static void check_shares(lw_derivation *d, lw_function function, const law_state *x, int nthread)
{
    const size_t bytes = (size_t)lw_derivation_size(d, function) * sizeof(double);
    double *want = malloc(bytes), *got = malloc(bytes);
    worker work[MOST] = {0};
    lw_shares *shares = NULL;
    CHECK_INT(lw_derivation_run(d, function, x->q, x->v, x->a, 0.0, NULL, want), LW_OK);
    CHECK_INT(lw_shares_create(d, function, nthread, &shares), LW_OK);
    CHECK_INT(lw_shares_begin(shares, x->q, x->v, x->a, 0.0, NULL, got), LW_OK);
    for (int k = 0; k < nthread; ++k) {
        work[k] = (worker){.shares = shares, .number = k, .out = got};
        CHECK_INT(pthread_create(&work[k].thread, NULL, run, &work[k]), 0);
    }
    for (int k = 0; k < nthread; ++k) {
        pthread_join(work[k].thread, NULL);
        CHECK_INT(work[k].status, LW_OK);
    }
    CHECK(memcmp(want, got, bytes) == 0);
    lw_shares_destroy(shares);
    free(want);
    free(got);
}

static void check_function(const char *file, lw_function function, lw_form form)
{
    lw_model *m = shipped_model(file);
    lw_data *data = new_data(m);
    lw_derivation *d = NULL;
    lw_derive_options options = lw_default_derive_options();
    options.functions = 1u << function;
    options.form = form;
    options.effort = 0;
    check_case("%s", file);
    CHECK_INT(lw_derive(m, &options, &d, NULL), LW_OK);
    for (int n = 0; n < 5 && d; ++n) {
        law_state x;
        CHECK(law_make(m, data, &x));
        for (int nthread = 1; nthread <= MOST; nthread *= 2) {
            check_shares(d, function, &x, nthread);
        }
        check_shares(d, function, &x, 3);
        law_free(&x);
    }
    lw_derivation_destroy(d);
    lw_data_destroy(data);
    lw_model_destroy(m);
}

TEST(K30_elements_of_closed_forms_have_the_same_bits_on_any_number_of_threads)
{
    check_function("vibran6.xml", LW_FUNCTION_ELEMENTS, LW_FORM_LAGRANGE);
    check_function("scara.xml", LW_FUNCTION_ELEMENTS, LW_FORM_UICKER);
    check_function("ur5_class.xml", LW_FUNCTION_MASS_MATRIX, LW_FORM_CHEAPEST);
    check_function("closed/palletiser.xml", LW_FUNCTION_MASS_MATRIX, LW_FORM_CHEAPEST);
}

TEST(K30_bad_shares_are_refused)
{
    lw_model *m = shipped_model("scara.xml");
    lw_derive_options options = lw_default_derive_options();
    lw_derivation *d = NULL;
    lw_shares *shares = NULL;
    double out[64], q[8] = {0};
    options.functions = 1u << LW_FUNCTION_MASS_MATRIX;
    options.effort = 0;
    CHECK_INT(lw_derive(m, &options, &d, NULL), LW_OK);
    CHECK_INT(lw_shares_create(d, LW_FUNCTION_GRAVITY, 2, &shares), LW_ERR_ARGUMENT);
    CHECK_INT(lw_shares_create(d, LW_FUNCTION_MASS_MATRIX, 0, &shares), LW_ERR_ARGUMENT);
    CHECK_INT(lw_shares_create(d, LW_FUNCTION_MASS_MATRIX, 1025, &shares), LW_ERR_ARGUMENT);
    CHECK(shares == NULL);
    CHECK_INT(lw_shares_create(d, LW_FUNCTION_MASS_MATRIX, 1024, &shares), LW_OK);
    CHECK_INT(lw_shares_begin(shares, q, NULL, NULL, 0.0, NULL, out), LW_OK);
    CHECK_INT(lw_shares_run(shares, 1023, out), LW_OK);
    CHECK_INT(lw_shares_run(shares, 1024, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_shares_run(shares, -1, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_shares_begin(shares, NULL, NULL, NULL, 0.0, NULL, out), LW_ERR_ARGUMENT);
    q[1] = (double)NAN; // the first joint changes no inertia
    CHECK_INT(lw_shares_begin(shares, q, NULL, NULL, 0.0, NULL, out), LW_ERR_NUMBER);
    lw_shares_destroy(shares);
    lw_shares_destroy(NULL);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K30_elements_of_closed_forms_have_the_same_bits_on_any_number_of_threads);
    RUN(K30_bad_shares_are_refused);
    return REPORT();
}
