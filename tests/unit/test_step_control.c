// How long steps that adapt are: not for roundings, and where stability limits them that is told.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/run.h>

#include <stdlib.h>
#include <string.h>

// An arm that turns freely, with its motor, which makes a hundred turns for one.
static const char shaft[] =
    "<linkwork version=\"1\" name=\"one\"><ground/>"
    "<joint name=\"arm\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"arm\"/>"
    "<link name=\"arm\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
    "<drive name=\"motor\" inertia=\"1e-3\"/>"
    "<torsion name=\"shaft\" in=\"motor\" out=\"box.in\" stiffness=\"400\"/>"
    "<gearbox name=\"box\" out=\"arm\" ratio=\"100\"/></linkwork>";

static long steps_at(const lw_model *m, double accuracy)
{
    lw_sim_def def = lw_default_sim_def();
    def.relative = accuracy;
    def.absolute = 0.1 * accuracy;
    lw_sim *sim = new_sim(m, &def);
    const int arm = lw_find_position(m, "arm");
    double q[2], v[2];
    q[arm] = 1.0, q[1 - arm] = 100.0;
    v[arm] = 2.0, v[1 - arm] = 200.0;
    CHECK_INT(lw_sim_reset(sim, 0.0, q, v), LW_OK);
    CHECK_INT(lw_sim_advance(sim, 2.0), LW_OK);
    CHECK_NEAR(lw_sim_position(sim)[arm], 5.0, 1e-11);
    const long steps = lw_sim_get_info(sim).steps;
    lw_sim_destroy(sim);
    return steps;
}

// The shaft sees what is left of two positions of a hundred turns: accelerations have roundings of
// 1e-11 of their size, in proportion to which no step can be short enough. A hundred times the
// accuracy needs 100^(1/8), 1.8 times the steps.
TEST(steps_are_not_made_shorter_for_roundings_of_the_state)
{
    lw_model *m = compile_text("machine.xml", shaft, NULL);
    if (CHECK(m)) {
        const long coarse = steps_at(m, 1e-11), fine = steps_at(m, lw_default_sim_def().relative);
        CHECK(fine < 3 * coarse);
    }
    lw_model_destroy(m);
}

static double stiffness_of(const lw_model *m, lw_method method)
{
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.relative = def.absolute = 1e-9;
    lw_sim *sim = new_sim(m, &def);
    CHECK_INT(lw_sim_advance(sim, 0.1), LW_OK);
    const double stiff = lw_sim_get_info(sim).stiff;
    lw_sim_destroy(sim);
    return stiff;
}

TEST(steps_that_stability_limits_are_told)
{
    // Friction of 0.5 N m over 1e-3 rad/s at 2e-3 kg m^2: a time of 4 us.
    static const char light[] =
        "<linkwork version=\"1\" name=\"light\"><ground/>"
        "<joint name=\"arm\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"arm\" "
        "friction=\"0.5\"/>"
        "<link name=\"arm\" mass=\"0.1\" center=\"0.1 0 0\" inertia=\"1e-4 1e-3 "
        "1e-3\"/></linkwork>";
    lw_model *m = compile_text("machine.xml", light, NULL), *arm = shipped_model("ur5_class.xml");
    for (int method = LW_METHOD_DOPRI5; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        CHECK(stiffness_of(m, (lw_method)method) > 0.9);
        CHECK(stiffness_of(arm, (lw_method)method) == 0.0);
    }
    CHECK(stiffness_of(m, LW_METHOD_RK4) == 0.0); // whose steps nobody chooses
    lw_model_destroy(m);
    lw_model_destroy(arm);
}

TEST(runs_with_a_controller_need_not_be_as_exact_as_free_motion)
{
    static const char *const text[] = {
        "<run version=\"1\" duration=\"1\"/>",
        "<run version=\"1\" duration=\"1\"><controller/></run>",
        "<run version=\"1\" duration=\"1\" method=\"cvode\"/>",
        "<run version=\"1\" duration=\"1\" accuracy=\"1e-12\"><controller/></run>",
    };
    const double want[] = {lw_default_sim_def().relative, 1e-9, 1e-9, 1e-12};
    lw_model *m = shipped_model("ur5_class.xml");
    for (int i = 0; i < 4; ++i) {
        lw_run *run = NULL;
        check_case("%s", text[i]);
        if (CHECK_INT(lw_run_load_text("run.xml", text[i], strlen(text[i]), m, &run, NULL),
                      LW_OK)) {
            CHECK_NEAR(run->sim.relative, want[i], 0.0);
        }
        lw_run_destroy(run);
    }
    lw_model_destroy(m);
}

int main(void)
{
    RUN(steps_are_not_made_shorter_for_roundings_of_the_state);
    RUN(steps_that_stability_limits_are_told);
    RUN(runs_with_a_controller_need_not_be_as_exact_as_free_motion);
    return REPORT();
}
