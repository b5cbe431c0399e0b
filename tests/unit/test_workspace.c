// The points that a frame reaches, ratios of gears and drives, and numbers as text.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two parallel joints: the tip reaches a ring between 0.5 and 1.5 m, and the slide lifts it.
static const char arm[] =
    "<linkwork version=\"1\" name=\"arm\"><ground/>"
    "<joint name=\"a\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"upper\"/>"
    "<link name=\"upper\" mass=\"1\"><frame name=\"end\" xyz=\"1 0 0\"/></link>"
    "<joint name=\"b\" type=\"revolute\" axis=\"0 0 1\" from=\"upper.end\" to=\"lower\"/>"
    "<link name=\"lower\" mass=\"1\"><frame name=\"end\" xyz=\"0.5 0 0\"/></link>"
    "<joint name=\"c\" type=\"prismatic\" axis=\"0 0 1\" from=\"lower.end\" to=\"hand\"%s/>"
    "<link name=\"hand\" mass=\"1\"><frame name=\"tip\"/></link></linkwork>";

static lw_model *make_arm(bool has_limits)
{
    char text[sizeof arm + 40];
    snprintf(text, sizeof text, arm, has_limits ? " lower=\"-0.1\" upper=\"0.3\"" : "");
    return compile_text("arm.xml", text, NULL);
}

TEST(points_fill_the_ring_that_two_links_reach)
{
    lw_model *m = make_arm(true);
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    lw_workspace_options o = lw_default_workspace_options(lw_find_frame(m, "hand.tip"));
    lw_workspace w, again;
    o.samples = 20000;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_OK);
    CHECK_INT(w.count, o.samples);
    CHECK_INT(w.nopen, 0);
    CHECK(w.farthest <= 1.5 + 1e-12 && w.farthest > 1.499);
    CHECK(w.nearest >= 0.5 - 1e-12 && w.nearest < 0.501);
    CHECK_NEAR(w.low.z, -0.1, 1e-12); // limits are sampled themselves
    CHECK_NEAR(w.high.z, 0.3, 1e-12);
    CHECK(w.high.x > 1.49 && w.low.x < -1.49 && w.high.y > 1.49 && w.low.y < -1.49);
    CHECK_INT(lw_workspace_sample(m, d, &o, &again), LW_OK); // the same seed, the same points
    CHECK_INT(memcmp(w.point, again.point, (size_t)w.count * sizeof *w.point), 0);
    lw_workspace_free(&w);
    lw_workspace_free(&again);
    const double q[3] = {0.3, acos(0), 0.2};
    const bool is_held[3] = {true, true, false};
    o.q = q;
    o.is_held = is_held;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_OK);
    CHECK_NEAR(w.nearest, sqrt(1.25), 1e-12);
    CHECK_NEAR(w.farthest, sqrt(1.25), 1e-12);
    lw_workspace_free(&w);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static bool after_ten(void *context)
{
    return ++*(int *)context > 10;
}

TEST(sampling_refuses_and_ends_cleanly)
{
    lw_model *m = make_arm(false);
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    lw_workspace_options o = lw_default_workspace_options(0);
    lw_workspace w;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_ERR_ARGUMENT);
    CHECK_INT(w.unlimited, lw_find_position(m, "c"));
    lw_workspace_free(&w);
    const bool is_held[3] = {false, false, true};
    int calls = 0;
    o.is_held = is_held;
    o.cancel = after_ten;
    o.context = &calls;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_OK);
    CHECK(w.is_cancelled && w.count == 10);
    lw_workspace_free(&w);
    o.frame = m->nframe_all;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_ERR_ARGUMENT);
    o.frame = 0;
    o.samples = 0;
    CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_ERR_ARGUMENT);
    CHECK_INT(lw_workspace_sample(NULL, d, &o, &w), LW_ERR_ARGUMENT);
    CHECK_INT(lw_workspace_sample(m, d, &o, NULL), LW_ERR_ARGUMENT);
    lw_workspace_free(&w);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(configurations_that_do_not_close_are_counted)
{
    lw_model *m = shipped_model("closed/palletiser.xml");
    lw_data *d = m ? new_data(m) : NULL;
    lw_workspace w = {0};
    if (CHECK(d != NULL)) {
        lw_workspace_options o = lw_default_workspace_options(0);
        o.samples = 2000;
        CHECK_INT(lw_workspace_sample(m, d, &o, &w), LW_OK);
        CHECK_INT(w.count + w.nopen, o.samples);
    }
    lw_workspace_free(&w);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Ratios -----------------------------------------------------------------------------------

TEST(ratios_are_those_of_the_closure_sweep)
{
    static const char *const name[] = {"closed/geared_wrist.xml", "closed/driven_wrist.xml",
                                       "closed/planetary.xml", "closed/bendix.xml",
                                       "hr120/hr120.xml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        check_case("%s", name[i]);
        lw_model *m = shipped_model(name[i]);
        lw_data *d = m ? new_data(m) : NULL;
        lw_gear_ratios r = {0};
        if (!CHECK(d != NULL) || !CHECK_INT(lw_gear_ratios_create(m, &r), LW_OK)) {
            lw_data_destroy(d);
            lw_model_destroy(m);
            continue;
        }
        double *v = calloc((size_t)m->nv + 1, sizeof *v);
        double *tree_v = calloc((size_t)m->tree_nv + 1, sizeof *tree_v);
        CHECK(r.nrow > 0);
        for (int k = 0; k < m->nv; ++k) {
            memset(v, 0, (size_t)m->nv * sizeof *v);
            v[k] = 1;
            CHECK_INT(lw_tree_state(m, d, m->q_reference, v, NULL, NULL, tree_v, NULL), LW_OK);
            for (int row = 0; row < r.nrow; ++row) {
                CHECK_NEAR(r.ratio[row * m->nv + k], tree_v[r.dof[row]], 1e-9);
            }
            for (int j = 0; j < r.njoint; ++j) {
                for (int e = 0; e < r.ndrive && r.joint[j] == k; ++e) {
                    CHECK_NEAR(r.drive_ratio[e * r.njoint + j], tree_v[r.drive[e]], 1e-9);
                }
            }
        }
        for (int a = 0; r.inverse && a < r.njoint; ++a) {
            for (int b = 0; b < r.njoint; ++b) {
                double sum = 0;
                for (int e = 0; e < r.ndrive; ++e) {
                    sum += r.inverse[a * r.ndrive + e] * r.drive_ratio[e * r.njoint + b];
                }
                CHECK_NEAR(sum, a == b, 1e-9);
            }
        }
        free(v);
        free(tree_v);
        lw_gear_ratios_free(&r);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    lw_gear_ratios r;
    CHECK_INT(lw_gear_ratios_create(NULL, &r), LW_ERR_ARGUMENT);
    CHECK_INT(lw_shaft_count(NULL), 0);
}

// --- Numbers ----------------------------------------------------------------------------------

TEST(numbers_are_read_whole_or_not)
{
    double x = 7;
    CHECK(lw_parse_number("-1.5e3", 6, &x) && x == -1500);
    CHECK(lw_parse_number(".5", 2, &x) && x == 0.5);
    CHECK(!lw_parse_number("1.5x", 4, &x) && !lw_parse_number("", 0, &x));
    CHECK(!lw_parse_number("nan", 3, &x) && !lw_parse_number("1e999", 5, &x));
    CHECK(!lw_parse_number(NULL, 1, &x) && !lw_parse_number("1", 1, NULL));
    CHECK(x == 0.5);
}

int main(void)
{
    RUN(points_fill_the_ring_that_two_links_reach);
    RUN(sampling_refuses_and_ends_cleanly);
    RUN(configurations_that_do_not_close_are_counted);
    RUN(ratios_are_those_of_the_closure_sweep);
    RUN(numbers_are_read_whole_or_not);
    return REPORT();
}
