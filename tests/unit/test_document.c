// What a document says can be computed again: its numbers are those of the numeric engine.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/symbolic.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *document_of(const lw_model *m, unsigned functions, bool is_symbolic)
{
    lw_derive_options o = lw_default_derive_options();
    lw_derivation *d = NULL;
    char *text = NULL;
    o.functions = functions;
    o.effort = 0;
    o.is_symbolic = is_symbolic;
    CHECK_INT(lw_derive(m, &o, &d, NULL), LW_OK);
    CHECK_INT(lw_derivation_document(d, LW_DOCUMENT_TEXT, &text), LW_OK);
    lw_derivation_destroy(d);
    return text;
}

// Reads "name = (1, 2, 3)" at the beginning of a line; whether it has n numbers.
static bool read_numbers(const char *text, const char *name, int n, double *x)
{
    char head[64];
    snprintf(head, sizeof head, "\n%s = (", name);
    const char *at = text ? strstr(text, head) : NULL;
    if (!at) {
        return false;
    }
    at += strlen(head);
    for (int i = 0; i < n; ++i) {
        char *end;
        x[i] = strtod(at, &end);
        if (end == at || *end != (i + 1 < n ? ',' : ')')) {
            return false;
        }
        at = end + 1;
    }
    return true;
}

// Ten digits are printed.
static void check_all(int n, const double *got, const double *want)
{
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(want[i]));
    }
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(got[i], want[i], 2e-9 * size);
    }
}

static void check_model(const char *name, bool is_symbolic)
{
    enum { MOST = 8 };
    const unsigned functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_MASS_MATRIX |
                               1u << LW_FUNCTION_GRAVITY;
    lw_model *m = shipped_model(name);
    lw_data *d = m ? new_data(m) : NULL;
    char *text = m ? document_of(m, functions, is_symbolic) : NULL;
    double q[MOST], v[MOST], a[MOST], got[MOST], want[MOST], M[MOST * MOST];
    check_case("%s, %s", name, is_symbolic ? "symbols" : "numbers");
    if (CHECK(d && text && m->nv <= MOST) && CHECK(read_numbers(text, "q", m->nq, q)) &&
        CHECK(read_numbers(text, "v", m->nv, v)) && CHECK(read_numbers(text, "a", m->nv, a))) {
        CHECK(read_numbers(text, "inverse_dynamics", m->nv, got));
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, want), LW_OK);
        check_all(m->nv, got, want);
        CHECK(read_numbers(text, "gravity", m->nv, got));
        CHECK_INT(lw_gravity_forces(m, d, q, want), LW_OK);
        check_all(m->nv, got, want);
        CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
        for (int r = 0; r < m->nv; ++r) {
            char row[32];
            snprintf(row, sizeof row, "mass_matrix, row %d", r + 1);
            CHECK(read_numbers(text, row, m->nv, got));
            check_all(m->nv, got, M + (size_t)r * (size_t)m->nv);
        }
    }
    lw_text_free(text);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(K26_numbers_of_a_document_are_those_of_the_numeric_engine)
{
    static const char *const name[] = {"scara.xml",           "ur5_class.xml",
                                       "stanford.xml",        "closed/palletiser.xml",
                                       "closed/five_bar.xml", "closed/bennett.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        check_model(name[i], false);
        check_model(name[i], true);
    }
}

// Ends of rods and closing joints stand in the document: the condition of a loop can be written
// down from them.
TEST(K26_documents_tell_what_loops_tie)
{
    lw_model *m = shipped_model("closed/palletiser.xml");
    char *text = m ? document_of(m, 1u << LW_FUNCTION_GRAVITY, false) : NULL;
    CHECK(text && strstr(text, "The rod \"LAB\" ties the point (0, 0, 0.8) of body 1 (L12) to the "
                               "point (0, -0.3, 0) of body 6\n(L6B) and sets 1 condition."));
    CHECK(text && strstr(text, "Jxx, Jyy, Jzz"));
    lw_text_free(text);
    lw_model_destroy(m);
    m = shipped_model("closed/bennett.xml");
    text = m ? document_of(m, 1u << LW_FUNCTION_GRAVITY, false) : NULL;
    CHECK(text && strstr(text, "The closing joint \"fourth\" ties the point"));
    lw_text_free(text);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K26_numbers_of_a_document_are_those_of_the_numeric_engine);
    RUN(K26_documents_tell_what_loops_tie);
    return REPORT();
}
