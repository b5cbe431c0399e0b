// Sweeps: random numbers by counting, plans, blocks, measures (V22).
#include "check.h"
#include "objects.h"
#include "reference.h"

#include "base/philox.h"
#include "sweep/plan.h"
#include "sweep/variate.h"

#include <linkwork/kinematics.h>
#include <linkwork/sweep.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Random numbers ---------------------------------------------------------------------------

// Known answers of the authors' library Random123 (kat_vectors, philox4x32 10).
TEST(philox_has_the_published_answers)
{
    static const uint32_t vector[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; ++i) {
        uint32_t x[4];
        memcpy(x, vector[i], sizeof x);
        lwi_philox(x, vector[i][4], vector[i][5]);
        CHECK(memcmp(x, vector[i] + 6, sizeof x) == 0);
    }
}

// Chi-square over 64 cells and lag-1 correlation of cases, which are the counter.
TEST(cases_are_uniform_and_uncorrelated)
{
    enum { CELLS = 64, N = 200000 };
    int cell[CELLS] = {0};
    double sum = 0.0, before = 0.5;
    for (int i = 0; i < N; ++i) {
        double u[2];
        lwi_philox_pair(7, (uint64_t)i, 0, 0, u);
        CHECK(u[0] >= 0.0 && u[0] < 1.0);
        ++cell[(int)(u[0] * CELLS)];
        sum += (u[0] - 0.5) * (before - 0.5);
        before = u[0];
    }
    double chi = 0.0;
    for (int k = 0; k < CELLS; ++k) {
        const double want = (double)N / CELLS;
        chi += (cell[k] - want) * (cell[k] - want) / want;
    }
    CHECK(chi < 63.0 + 5.0 * sqrt(2.0 * 63.0));          // five deviations
    CHECK(fabs(sum / N) < 5.0 / 12.0 / sqrt((double)N)); // likewise
}

// Phi(x) from the C library; quantiles of it must return.
TEST(normal_quantile_inverts_the_distribution)
{
    for (double x = -8.0; x <= 5.0; x += 0.01) {
        const double u = 0.5 * erfc(-x / sqrt(2.0));
        const double density = exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
        // u itself is rounded, which counts for x / density in the upper tail.
        CHECK_NEAR(lwi_normal_quantile(u), x, 4e-15 * (1.0 + fabs(x)) + 2.3e-16 * u / density);
    }
    CHECK(isfinite(lwi_normal_quantile(0x1p-54)));
    CHECK(isfinite(lwi_normal_quantile(1.0 - 0x1p-54)));
}

TEST(random_order_has_every_number_once)
{
    static const uint64_t size[] = {1, 2, 3, 10, 64, 65, 1000};
    for (int k = 0; k < 7; ++k) {
        bool is_there[1000] = {false};
        int moved = 0;
        for (uint64_t i = 0; i < size[k]; ++i) {
            const uint64_t at = lwi_permuted(i, size[k], 5);
            CHECK(at < size[k] && !is_there[at]);
            is_there[at % 1000] = true;
            moved += at != i;
        }
        CHECK(size[k] < 10 || moved > (int)size[k] / 2);
    }
}

// --- Plans and blocks -------------------------------------------------------------------------

static lw_sweep *plan_of(const char *text)
{
    char name[512];
    lw_sweep *s = NULL;
    lw_report *report = NULL;
    snprintf(name, sizeof name, "%s/models/plan.xml", LINKWORK_SOURCE_DIR);
    lw_report_create(&report);
    const lw_status status = lw_sweep_load_text(name, text, strlen(text), &s, report);
    if (status != LW_OK && lw_report_count(report) > 0) {
        char line[400];
        const lw_diagnostic d = lw_report_diagnostic(report, 0);
        lw_diagnostic_format(&d, line, sizeof line);
        printf("%s\n", line);
    }
    CHECK_INT(status, LW_OK);
    lw_report_destroy(report);
    return s;
}

static const char *const plans[] = {
    "<sweep model='ur5_class.xml' cases='700' block='300' seed='3'><vary q='*'/>"
    "<measure of='q'/><measure of='tool.pose'/><measure of='tool.sigma_min.scaled'/>"
    "<measure of='tau_gravity'/></sweep>",
    "<sweep model='ur5_class.xml' cases='300' block='100' mode='fast'><vary q='*'/>"
    "<measure of='tool.position'/></sweep>",
    // Newton blocks begin where they were last: a case must not depend on the one before.
    "<sweep model='closed/hexapod.xml' cases='40' block='16'><vary q='*'/>"
    "<measure of='inputs'/><measure of='potential'/></sweep>",
    "<sweep model='closed/palletiser.xml' cases='60' block='16'><vary q='*'/>"
    "<vary parameter='L23.b.z' normal='1.2 0.01'/><vary parameter='LAB.length' lhs='1.19 1.21'/>"
    "<measure of='inputs'/><measure of='flange.position'/></sweep>",
    "<sweep cases='3' block='5'><structure model='scara.xml'/><structure model='stanford.xml'/>"
    "<measure of='inputs'/><measure of='mass'/></sweep>",
};
enum { PLANS = sizeof plans / sizeof *plans };

static double *all_blocks(const lw_sweep *s)
{
    const lw_sweep_info info = lw_sweep_describe(s);
    double *rows = calloc((size_t)info.cases * (size_t)info.ncolumn, sizeof *rows);
    lw_sweep_worker *w = NULL;
    CHECK_INT(lw_sweep_worker_create(s, &w), LW_OK);
    for (long long b = 0; b < info.blocks && w; ++b) {
        CHECK_INT(lw_sweep_block(s, w, b, rows + b * info.block * info.ncolumn), LW_OK);
    }
    lw_sweep_worker_destroy(w);
    return rows;
}

// P4, P7: backwards, one by one, with another worker for each: the same bits.
TEST(a_case_is_a_function_of_its_number_alone)
{
    for (int i = 0; i < PLANS; ++i) {
        lw_sweep *s = plan_of(plans[i]);
        if (!s) {
            continue;
        }
        const lw_sweep_info info = lw_sweep_describe(s);
        double *rows = all_blocks(s), *row = calloc((size_t)info.ncolumn, sizeof *row);
        const size_t bytes = (size_t)info.ncolumn * sizeof *row;
        lw_sweep_worker *w = NULL;
        CHECK_INT(lw_sweep_worker_create(s, &w), LW_OK);
        for (long long k = info.cases - 1; k >= 0; k -= 7) {
            lw_sweep_case(s, w, k, NULL, row, NULL);
            CHECK(memcmp(row, rows + k * info.ncolumn, bytes) == 0);
        }
        lw_sweep_worker_destroy(w);
        lw_sweep_destroy(s);
        free(rows);
        free(row);
    }
}

// Rows against the functions of the library at the same q.
TEST(rows_have_what_the_library_computes)
{
    lw_sweep *s = plan_of(plans[0]);
    if (!s) {
        return;
    }
    const lw_sweep_info info = lw_sweep_describe(s);
    const lw_model *m = lw_sweep_model(s, 0);
    lw_data *d = new_data(m);
    double *rows = all_blocks(s), tau[6];
    CHECK_INT(info.ncolumn, 1 + 6 + 7 + 1 + 6);
    CHECK(strcmp(info.column[7], "wrist_3.tool.x") == 0);
    for (long long k = 0; k < info.cases; ++k) {
        const double *row = rows + k * info.ncolumn;
        lw_pose X;
        lw_pose_of_frame(m, d, row + 1, lw_find_frame(m, "tool"), &X);
        CHECK_NEAR(row[7], X.p.x, 1e-14);
        CHECK_NEAR(row[9], X.p.z, 1e-14);
        lw_gravity_forces(m, d, row + 1, tau);
        CHECK_NEAR(row[15], tau[0], 1e-12);
        CHECK_NEAR(row[16], tau[1], 1e-12);
        CHECK(row[0] == 0.0 && row[1] >= -6.2831853071795866 && row[1] <= 6.2831853071795866);
    }
    lw_data_destroy(d);
    free(rows);
    lw_sweep_destroy(s);
}

// A Latin hypercube has one case in each stratum.
TEST(latin_hypercube_fills_every_stratum)
{
    lw_sweep *s = plan_of("<sweep model='scara.xml' cases='64'><vary q='joint1' lhs='0 1'/>"
                          "<vary q='joint2' lhs='-1 1'/><measure of='inputs'/></sweep>");
    if (!s) {
        return;
    }
    double *rows = all_blocks(s);
    int count[2][64] = {{0}};
    for (int k = 0; k < 64; ++k) {
        ++count[0][(int)(rows[3 * k + 1] * 64.0)];
        ++count[1][(int)((rows[3 * k + 2] + 1.0) * 32.0)];
    }
    for (int k = 0; k < 64; ++k) {
        CHECK_INT(count[0][k], 1);
        CHECK_INT(count[1][k], 1);
    }
    free(rows);
    lw_sweep_destroy(s);
}

// A loop that opens is a row with its status and NaN, and what varied stays known.
TEST(cases_that_fail_are_data)
{
    lw_sweep *s = plan_of("<sweep model='closed/palletiser.xml' cases='200'>"
                          "<vary parameter='LAB.length' uniform='0.1 1.3'/>"
                          "<measure of='inputs'/><measure of='flange.position'/></sweep>");
    if (!s) {
        return;
    }
    double *rows = all_blocks(s);
    int failed = 0;
    for (int k = 0; k < 200; ++k) {
        const double *row = rows + (ptrdiff_t)k * 5;
        failed += row[0] != 0.0;
        CHECK(isfinite(row[1]));
        CHECK((row[0] != 0.0) == (bool)isnan(row[2]));
    }
    CHECK(failed > 10 && failed < 190);
    free(rows);
    lw_sweep_destroy(s);
}

TEST(bad_plans_are_refused_at_their_place)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"<sweep cases='1'/>", "needs a model"},
        {"<sweep model='scara.xml'><vary q='q9'/><measure of='q'/></sweep>", "no position \"q9\""},
        {"<sweep model='closed/palletiser.xml'><vary parameter='L23.bb.z' value='1'/><measure "
         "of='q'/></sweep>",
         "did you mean \"L23.b.z\"?"},
        {"<sweep model='scara.xml'><measure of='tool.speed'/></sweep>", "is no measure"},
        {"<sweep model='ur5_class.xml'><measure of='tol.x'/></sweep>", "no frame \"tol\""},
        {"<sweep model='scara.xml' cases='0'><measure of='q'/></sweep>", "cases is 0"},
        {"<sweep model='scara.xml' mode='quick'><measure of='q'/></sweep>", "none of exact, fast"},
        {"<sweep model='scara.xml'><vary q='joint1' uniform='2 1'/><measure of='q'/></sweep>",
         "is empty"},
        {"<sweep model='scara.xml'><vary q='joint1' normal='2 -1'/><measure of='q'/></sweep>",
         "must not be negative"},
        {"<sweep model='scara.xml'><vary q='joint1' grid='0 1 0'/><measure of='q'/></sweep>",
         "has no points"},
        {"<sweep model='scara.xml'><measure of='max(tau[joint1])'/></sweep>", "needs a run"},
        {"<sweep model='scara.xml'><vary q='joint1'/><vary q='joint1'/><measure of='q'/></sweep>",
         "varies twice"},
        {"<sweep model='scara.xml' cases='1000000000' block='1000'><measure of='mass'/></sweep>",
         "1000000 blocks, more than 262144"},
        {"<plan/>", "begins with <sweep>"},
    };
    char name[512];
    snprintf(name, sizeof name, "%s/models/plan.xml", LINKWORK_SOURCE_DIR);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        lw_sweep *s = NULL;
        lw_report *report = NULL;
        char line[600] = "";
        lw_report_create(&report);
        CHECK(lw_sweep_load_text(name, bad[i].text, strlen(bad[i].text), &s, report) != LW_OK);
        CHECK(s == NULL);
        if (lw_report_count(report) > 0) {
            const lw_diagnostic d = lw_report_diagnostic(report, 0);
            lw_diagnostic_format(&d, line, sizeof line);
        }
        if (!CHECK(strstr(line, bad[i].message) != NULL)) {
            printf("%s: %s\n", bad[i].text, line);
        }
        lw_report_destroy(report);
    }
}

// --- Measures ---------------------------------------------------------------------------------

// R46: singular values and manipulability against numbers of 40-digit arithmetic.
TEST(manipulability_is_that_of_the_reference)
{
    json_t *file = reference_read("workspace_oracles.json");
    lw_model *m = file ? compile_file(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", false) : NULL;
    if (!m) {
        json_decref(file);
        return;
    }
    lw_data *d = new_data(m);
    const json_t *list = json_object_get(file, "manipulability_ur5");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *at = json_array_get(list, i);
        const json_t *part = json_object_get(at, "translation");
        double q[6], want[3], J[36], sigma[6];
        reference_numbers(json_object_get(at, "q"), q, 6);
        reference_numbers(json_object_get(part, "sigma"), want, 3);
        lw_frame_jacobian(m, d, q, lw_find_frame(m, "tool"), LW_IN_WORLD, NULL, J);
        lwi_row_singular_values(3, 6, J + 18, sigma);
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(sigma[k], want[k], 1e-6); // the reference has d1 as 0.089459
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    json_decref(file);
}

int main(void)
{
    RUN(philox_has_the_published_answers);
    RUN(cases_are_uniform_and_uncorrelated);
    RUN(normal_quantile_inverts_the_distribution);
    RUN(random_order_has_every_number_once);
    RUN(a_case_is_a_function_of_its_number_alone);
    RUN(rows_have_what_the_library_computes);
    RUN(latin_hypercube_fills_every_stratum);
    RUN(cases_that_fail_are_data);
    RUN(bad_plans_are_refused_at_their_place);
    RUN(manipulability_is_that_of_the_reference);
    return REPORT();
}
