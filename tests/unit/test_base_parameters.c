// Base parameters by name: the shares of their combinations as polynomials in the lengths.
#include "check.h"
#include "load_text.h"
#include "sym/base_parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double share_at(const lwi_base_shares *b, size_t i, const double *value)
{
    const int degree =
        lwi_share_degree(b->column[i / (size_t)b->nparameter], (int)(i % (size_t)b->nparameter));
    double sum = 0.0;
    for (int t = 0; t < lwi_share_terms(b->nlength, degree); ++t) {
        int length[2];
        lwi_share_term(b->nlength, degree, t, length);
        const double x = length[0] < 0 ? 1.0 : value[b->length[length[0]]];
        const double y = length[1] < 0 ? 1.0 : value[b->length[length[1]]];
        sum += b->factor[i * (size_t)b->nterm + (size_t)t] * x * y;
    }
    return sum;
}

// The names give what the elimination gives for lengths that they were not found from: the model's
// own, and others.
static void check_names(const char *name)
{
    lw_model *m = shipped_model(name);
    lwi_base_shares b = {0};
    check_case("%s", name);
    CHECK_INT(lwi_find_base_shares(m, true, &b), LW_OK);
    const size_t n = (size_t)b.nparameter;
    int rank = 0, *column = calloc(n + 1, sizeof *column);
    double *K = calloc(n * n + 1, sizeof *K);
    double *value = b.d ? calloc((size_t)b.d->nsymbol + 1, sizeof *value) : NULL;
    check_seed(11);
    for (int k = 0; k < 3 && value && CHECK(b.nlength > 0); ++k) {
        for (int i = 0; i < b.d->nsymbol; ++i) {
            value[i] = b.d->symbol[i].value;
        }
        for (int i = 0; i < b.nlength && k > 0; ++i) {
            value[b.length[i]] = check_random(-0.9, 0.9);
        }
        CHECK_INT(lwi_base_rows(b.d, value, &rank, column, K), LW_OK);
        CHECK_INT(rank, b.rank);
        for (size_t i = 0; i < n * (size_t)b.rank; ++i) {
            CHECK(b.is_named[i] || K[i] == 0.0);
            CHECK_NEAR(b.is_named[i] ? share_at(&b, i, value) : 0.0, K[i], 1e-7);
        }
    }
    free(value);
    free(K);
    free(column);
    lwi_base_shares_free(&b);
    lw_model_destroy(m);
}

TEST(base_parameters_by_name_hold_for_other_lengths)
{
    static const char *const name[] = {"scara.xml",    "ur5_class.xml", "puma560.xml",
                                       "stanford.xml", "gantry.xml",    "vibran6.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        check_names(name[i]);
    }
}

static char *document_of(const char *name, bool is_symbolic)
{
    lw_model *m = shipped_model(name);
    lw_derive_options o = lw_default_derive_options();
    lw_derivation *d = NULL;
    char *text = NULL;
    o.functions = 1u << LW_FUNCTION_GRAVITY;
    o.effort = 0;
    o.is_symbolic = is_symbolic;
    CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
    CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_TEXT, &text), LW_OK);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
    return text;
}

// By the rules of Gautier and Khalil (1990) for a revolute joint with twist alpha, distance d and
// offset r, here of joints 3 and 4 of the PUMA 560 (alpha 0 and 90 degrees): the body before gets
// XX += YY + 2 r MZ + r^2 M, XY += d s MZ + d r s M, XZ -= d c MZ + d r c M, MX += d M,
// MY -= s (MZ + r M), with s and c the sine and cosine of alpha, and M all that hangs there.
TEST(documents_name_the_combinations_of_the_literature)
{
    static const char *const line[] = {"Jzz2 + a2^2*(m3 + m4 + m5 + m6)\n",
                                       "Jxx2 - Jyy2 - a2^2*(m3 + m4 + m5 + m6)\n",
                                       "Jxz2 - a2*d3*(m3 + m4 + m5 + m6) - a2*mz3\n",
                                       "mx2 + a2*(m3 + m4 + m5 + m6)\n",
                                       "Jxy3 + a3*d4*(m4 + m5 + m6) + a3*mz4\n",
                                       "mx3 + a3*(m4 + m5 + m6)\n",
                                       "my3 - d4*(m4 + m5 + m6) - mz4\n",
                                       "Jzz4 + Jyy5\n"};
    char *text = document_of("puma560.xml", true);
    for (size_t i = 0; i < sizeof line / sizeof *line && text; ++i) {
        check_case("%s", line[i]);
        CHECK(strstr(text, line[i]) != NULL);
    }
    lw_text_free(text);
}

TEST(numbers_stay_where_there_are_no_symbols)
{
    char *text = document_of("scara.xml", false);
    CHECK(text && strstr(text, "Jzz1 + 0.105625*m2\n"));
    lw_text_free(text);
    text = document_of("closed/palletiser.xml", true);
    CHECK(text && strstr(text, "mx2 + 1.2*m3"));
    lw_text_free(text);
}

int main(void)
{
    RUN(base_parameters_by_name_hold_for_other_lengths);
    RUN(documents_name_the_combinations_of_the_literature);
    RUN(numbers_stay_where_there_are_no_symbols);
    return REPORT();
}
