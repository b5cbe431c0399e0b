// Events of a simulation: found where they happen, acted on once, told where they have no end.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "simulated.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double height_above(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                           const double *v)
{
    (void)m;
    (void)d;
    (void)t;
    (void)v;
    return q[0] - *(const double *)context;
}

TEST(events_are_found_where_they_happen)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    double level = 0.25;
    lw_event event = {height_above, -1, true, NULL, &level};
    for (int method = LW_METHOD_RK4; method <= LW_METHOD_DOPRI853; ++method) {
        check_case("method %d", method);
        lw_sim_def def = lw_default_sim_def();
        def.method = (lw_method)method;
        def.nevent = 1;
        def.event = &event;
        def.step = method == LW_METHOD_RK4 ? 0.01 : 0.0;
        lw_sim *sim = new_sim(m, &def);
        const double v0[1] = {2.0};
        lw_sim_reset(sim, 0.0, NULL, v0);
        CHECK(lw_sim_advance(sim, 10.0) == LW_OK);
        CHECK_INT(lw_sim_get_info(sim).event, 0);
        // Free fall is a polynomial of degree two, which every method solves exactly.
        const double g = 9.81, want = (2.0 + sqrt(4.0 + 2.0 * g * 0.75)) / g;
        CHECK_NEAR(lw_sim_time(sim), want, 1e-12);
        CHECK_NEAR(lw_sim_position(sim)[0], 0.25, 1e-12);
        // It goes on from there, and does not meet the same event again.
        CHECK(lw_sim_advance(sim, want + 0.1) == LW_OK);
        CHECK_INT(lw_sim_get_info(sim).event, -1);
        CHECK_INT(lw_sim_get_info(sim).events, 1);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Value of an event that is a polynomial of the time: with roots close to each other, a whole step
// may go over two of them.
typedef struct roots {
    double first, second, seen[4];
    int count;
} roots;

static double between_roots(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                            const double *v)
{
    const roots *r = context;
    (void)m, (void)d, (void)q, (void)v;
    return (t - r->first) * (t - r->second);
}

static lw_status note(void *context, const lw_model *m, lw_data *d, double t, double *q, double *v)
{
    roots *r = context;
    (void)m, (void)d, (void)q, (void)v;
    if (r->count < 4) {
        r->seen[r->count] = t;
    }
    ++r->count;
    return LW_OK;
}

TEST(two_roots_within_one_step_are_both_found)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    static const double width[] = {0.05, 1e-3, 1e-5, 1e-8};
    for (int method = LW_METHOD_EULER; method <= LW_METHOD_DOPRI853; ++method) {
        for (int k = 0; k < 12; ++k) {
            const int direction = k / 4 - 1;
            check_case("method %d, direction %d, width %g", method, direction, width[k % 4]);
            roots r = {.first = 0.6137, .second = 0.6137 + width[k % 4]};
            const lw_event event = {between_roots, direction, false, note, &r};
            lw_sim_def def = lw_default_sim_def();
            def.method = (lw_method)method;
            def.step = 0.25;
            def.nevent = 1;
            def.event = &event;
            lw_sim *sim = new_sim(m, &def);
            CHECK(lw_sim_advance(sim, 2.0) == LW_OK);
            CHECK_INT(r.count, direction == 0 ? 2 : 1);
            // The roots of a product are as good as its rounding, over their distance.
            const double good = 1e-15 + 1e-16 / width[k % 4];
            CHECK_NEAR(r.seen[0], direction > 0 ? r.second : r.first, good);
            CHECK_NEAR(r.seen[1], direction == 0 ? r.second : 0.0, good);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
}

// A ball that bounces as high as it fell, with an event at its wall that only turns its speed: it
// stays within, although its way from the wall and back is shorter than a step.
static lw_status turn(void *context, const lw_model *m, lw_data *d, double t, double *q, double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)q;
    v[0] = fabs(v[0]);
    return LW_OK;
}

TEST(short_hops_do_not_end_behind_the_wall)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    double ground = 0.0;
    const lw_event event = {height_above, -1, false, turn, &ground};
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    def.step = 0.5; // a hop takes 0.2 s
    def.nevent = 1;
    def.event = &event;
    lw_sim *sim = new_sim(m, &def);
    const double q0[1] = {0.0}, v0[1] = {9.81 * 0.1};
    CHECK(lw_sim_reset(sim, 0.0, q0, v0) == LW_OK);
    CHECK(lw_sim_advance(sim, 10.1) == LW_OK);
    CHECK_INT(lw_sim_get_info(sim).events, 50);
    CHECK_NEAR(lw_sim_position(sim)[0], 0.5 * 9.81 * 0.01, 1e-10);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static double above(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                    const double *v)
{
    (void)m, (void)d, (void)t, (void)v;
    return q[0] - *(const double *)context;
}

static lw_status throw_back(void *context, const lw_model *m, lw_data *d, double t, double *q,
                            double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)q;
    v[0] *= -0.5;
    return LW_OK;
}

// What an event throws back has not passed it, whichever way it looks.
TEST(events_that_throw_back_happen_once)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double g = 9.81, ceiling = 2.0, up[1] = {6.0};
    static const lw_method methods[] = {LW_METHOD_EULER, LW_METHOD_RK4, LW_METHOD_DOPRI5,
                                        LW_METHOD_DOPRI853};
    for (int i = 0; i < 4; ++i) {
        const lw_event event = {above, 0, false, throw_back, (void *)&ceiling};
        lw_sim_def def = lw_default_sim_def();
        def.method = methods[i];
        def.nevent = 1;
        def.event = &event;
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_reset(sim, 0.0, NULL, up), LW_OK);
        const double speed = sqrt(36.0 - 2.0 * g), meets = (6.0 - speed) / g, rest = 0.2;
        CHECK_INT(lw_sim_advance(sim, meets + rest), LW_OK);
        CHECK_INT((int)lw_sim_get_info(sim).events, 1);
        CHECK_NEAR(lw_sim_velocity(sim)[0], -0.5 * speed - g * rest, i == 0 ? 2e-2 : 1e-8);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

// Hops that become ever shorter: their times are a geometric series with an end. Behind it there is
// no motion that events could describe, and the simulation says so instead of standing still.
TEST(events_without_end_are_told)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double floor_at = 0.0, g = 9.81, fall = sqrt(2.0 / g);
    const lw_event event = {above, -1, true, throw_back, (void *)&floor_at};
    lw_sim_def def = lw_default_sim_def();
    def.nevent = 1;
    def.event = &event;
    lw_sim *sim = new_sim(m, &def);
    double t = fall, speed = g * fall;
    for (int bounce = 0; bounce < 12; ++bounce) {
        CHECK_INT(lw_sim_advance(sim, 5.0), LW_OK);
        CHECK_NEAR(lw_sim_time(sim), t, 1e-12);
        speed *= 0.5;
        t += 2.0 * speed / g;
    }
    lw_status status = LW_OK;
    for (int i = 0; i < 20000 && status == LW_OK && lw_sim_time(sim) < 5.0; ++i) {
        status = lw_sim_advance(sim, 5.0);
    }
    CHECK_INT(status, LW_ERR_NO_CONVERGENCE);
    CHECK_NEAR(lw_sim_time(sim), 3.0 * fall, 1e-6);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

static double value_of_nothing(void *context, const lw_model *m, lw_data *d, double t,
                               const double *q, const double *v)
{
    (void)context, (void)m, (void)d, (void)q, (void)v;
    return t > 0.1 ? (double)NAN : 1.0;
}

static lw_status lose_state(void *context, const lw_model *m, lw_data *d, double t, double *q,
                            double *v)
{
    (void)context, (void)m, (void)d, (void)t, (void)v;
    q[0] = (double)NAN;
    return LW_OK;
}

TEST(events_that_are_no_numbers_are_told)
{
    lw_model *m = compile_text("hopper", hopper, NULL);
    const double floor_at = 0.0;
    const lw_event events[2] = {{value_of_nothing, 0, false, NULL, NULL},
                                {above, 0, false, lose_state, (void *)&floor_at}};
    for (int i = 0; i < 2; ++i) {
        lw_sim_def def = lw_default_sim_def();
        def.nevent = 1;
        def.event = &events[i];
        lw_sim *sim = new_sim(m, &def);
        CHECK_INT(lw_sim_advance(sim, 1.0), LW_ERR_NUMBER);
        CHECK(isfinite(lw_sim_position(sim)[0]) && lw_sim_time(sim) > 0.1);
        lw_sim_destroy(sim);
    }
    lw_model_destroy(m);
}

int main(void)
{
    RUN(events_are_found_where_they_happen);
    RUN(two_roots_within_one_step_are_both_found);
    RUN(short_hops_do_not_end_behind_the_wall);
    RUN(events_that_throw_back_happen_once);
    RUN(events_without_end_are_told);
    RUN(events_that_are_no_numbers_are_told);
    return REPORT();
}
