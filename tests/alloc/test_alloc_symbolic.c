// Every allocation made to fail in turn while equations are derived and written down.
#include "alloc.h"
#include "check.h"

#include <linkwork/compile.h>
#include <linkwork/io.h>
#include <linkwork/symbolic.h>

#include <stdio.h>
#include <string.h>

typedef struct request {
    const lw_model *m;
    lw_derive_options options;
} request;

// A number that depends on every byte of the document.
static lw_status derive(const request *r, unsigned long long *hash)
{
    lw_derivation *d = NULL;
    char *text = NULL;
    lw_status status = lw_derive(r->m, &r->options, &d, NULL);
    if (status == LW_OK) {
        status = lw_derivation_document(d, LW_DOCUMENT_MARKDOWN, &text);
        if (status == LW_OK) {
            lw_text_free(text);
            status = lw_derivation_document(d, LW_DOCUMENT_LATEX, &text);
        }
    }
    *hash = 0;
    for (const char *at = text; status == LW_OK && *at; ++at) {
        *hash = *hash * 31 + (unsigned char)*at;
    }
    lw_text_free(text);
    lw_derivation_destroy(d);
    return status;
}

static void fail_every_allocation(const request *r)
{
    // Enough to meet every place, few enough to be quick: all of the first, then every seventeenth.
    enum { FIRST = 150, STRIDE = 17 };
    unsigned long long wanted = 0;
    alloc_begin(0, ALLOC_ONCE);
    const lw_status status = derive(r, &wanted);
    alloc_end();
    const long count = alloc_asked();
    if (!CHECK_INT(status, LW_OK) || !CHECK(count > 20)) {
        return;
    }
    for (long n = 1; n <= count; n += n < FIRST ? 1 : STRIDE) {
        unsigned long long hash = 0;
        alloc_begin(n, ALLOC_ONCE);
        const lw_status failed = derive(r, &hash);
        alloc_end();
        if (!CHECK(failed == LW_ERR_MEMORY || (failed == LW_OK && hash == wanted)) ||
            !CHECK(!alloc_sees_all() || alloc_live() == 0)) {
            printf("allocation %ld of %ld failed: %s\n", n, count, lw_status_text(failed));
        }
    }
}

static void visit(const char *name, bool is_symbolic, unsigned functions)
{
    char path[512];
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    check_case("%s", name);
    if (CHECK_INT(lw_load_file(path, NULL, &mech, NULL), LW_OK) &&
        CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK)) {
        request r = {m, lw_default_derive_options()};
        r.options.functions = functions;
        r.options.is_symbolic = is_symbolic;
        r.options.effort = 0;
        fail_every_allocation(&r);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(open_trees_in_all_forms)
{
    visit("scara.xml", true,
          1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS |
              1u << LW_FUNCTION_POSES);
}

TEST(loops)
{
    visit("closed/four_bar.xml", false,
          1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_ENERGY);
    visit("closed/palletiser.xml", true, 1u << LW_FUNCTION_ELEMENTS);
    visit("closed/rssr.xml", false, 1u << LW_FUNCTION_GRAVITY);
    visit("closed/four_bar.xml", false, 1u << LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES);
    visit("closed/rssr.xml", false, 1u << LW_FUNCTION_JACOBIAN_RATE);
}

TEST(springs)
{
    visit("hr120/hr120.xml", false, 1u << LW_FUNCTION_INVERSE_DYNAMICS);
}

int main(void)
{
    RUN(open_trees_in_all_forms);
    RUN(loops);
    RUN(springs);
    return REPORT();
}
