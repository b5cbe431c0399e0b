// Vehicles on rough ground.
#include "check.h"
#include "fractal.h"
#include "load_text.h"
#include "reference.h"
#include "vehicle.h"

#include "../../src/contact/wheel_touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

typedef struct vehicle_on {
    lw_model *m;
    lw_data *d;
    lw_wheels *w;
    double q[64];
    lw_wheel_stand wheel[MOST];
    lw_stand_result result;
} vehicle_on;

static vehicle_on begin(lw_model *m)
{
    vehicle_on v = {.m = m};
    if (CHECK(m != NULL) && CHECK_INT(lw_data_create(m, &v.d), LW_OK) &&
        CHECK_INT(lw_wheels_create(m, &v.w), LW_OK)) {
        memcpy(v.q, m->q_reference, (size_t)m->nq * sizeof *v.q);
    }
    return v;
}

static void end(vehicle_on *v)
{
    lw_wheels_destroy(v->w);
    lw_data_destroy(v->d);
    lw_model_destroy(v->m);
}

static lw_status stand(vehicle_on *v, const lw_terrain *t, double x, double y, double heading)
{
    return lw_stand(v->m, v->d, v->w, t, x, y, heading, NULL, v->q, v->wheel, &v->result);
}

static lw_vec3 rpy_of(const vehicle_on *v)
{
    const lw_quat quat = {v->q[3], v->q[4], v->q[5], v->q[6]};
    const lw_mat3 R = lw_rotation_quat(quat);
    return lw_rpy_of(&R);
}

// With its wheels below it, however steep the ground is.
TEST(steep_ground_is_stood_on_upright)
{
    vehicle_on v = begin(shipped_model("rover/rover.xml"));
    for (int i = 0; i < 60; ++i) {
        const double slope = 0.1 * i, way = check_random(-3, 3);
        const bool is_along = i % 2; // up or down the slope
        const lw_vec3 normal = lw_unit3(lw_vec3_of(-slope * cos(way), -slope * sin(way), 1));
        const double heading = is_along ? way + (i % 4 > 1 ? 3.141592653589793 : 0) : 0;
        const lw_stand_options cold = {.is_cold = true};
        lw_terrain *t = NULL;
        CHECK_INT(lw_terrain_create_plane(lw_vec3_of(0, 0, 0), normal, &t), LW_OK);
        check_case("slope %g, heading %g from its rise", slope, heading - way);
        CHECK_INT(lw_stand(v.m, v.d, v.w, t, 1, 2, heading, &cold, v.q, v.wheel, &v.result), LW_OK);
        const lw_mat3 R = lw_rotation_quat((lw_quat){v.q[3], v.q[4], v.q[5], v.q[6]});
        CHECK(R.row[2].z > 0);
        if (is_along) {
            CHECK_INT(v.result.nlost, 0);
            CHECK_NEAR(R.row[2].z, normal.z, 1e-9);
        }
        lw_terrain_destroy(t);
    }
    end(&v);
}

// Four wheels without suspension: of all loads that carry the vehicle the least ones, N = m g / 4
// (1 +- x / a +- y / b) with the centre of mass at x, y. With that near an edge one would pull, and
// three wheels are enough.
TEST(C19_loads_of_four_wheels_are_the_least)
{
    for (int i = 0; i < 20; ++i) {
        const double x = check_random(-0.2, 0.2), y = check_random(-0.2, 0.2), a = 0.3, b = 0.25;
        char text[2000];
        int at = snprintf(text, sizeof text,
                          "<linkwork version='1' name='cart'><ground/>"
                          "<joint name='root' type='free' from='ground' to='body'/>"
                          "<link name='body' mass='40' center='%.17g %.17g 0.1' inertia='1 1 1'/>",
                          x, y);
        for (int k = 0; k < 4; ++k) {
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "<joint name='a%d' type='revolute' axis='0 1 0' xyz='%g %g 0' from='body' "
                         "to='h%d'/><link name='h%d'/><wheel name='w%d' at='h%d' radius='0.1'/>",
                         k, k < 2 ? a : -a, k % 2 ? b : -b, k, k, k, k);
        }
        snprintf(text + at, sizeof text - (size_t)at, "</linkwork>");
        vehicle_on v = begin(compile_text("cart.xml", text, NULL));
        lw_terrain *t = NULL;
        double sum = 0, pitch = 0, wanted[4], least = HUGE_VAL;
        CHECK_INT(lw_terrain_create_plane(lw_vec3_of(0, 0, 0), lw_vec3_of(0, 0, 1), &t), LW_OK);
        CHECK_INT(stand(&v, t, 1, 2, 0.5), LW_OK);
        for (int k = 0; k < 4; ++k) {
            wanted[k] = 0.25 * 40 * 9.81 * (1 + (k < 2 ? x : -x) / a + (k % 2 ? y : -y) / b);
            least = fmin(least, wanted[k]);
            CHECK(v.wheel[k].load >= 0 && !v.wheel[k].is_lost);
            sum += v.wheel[k].load;
            pitch += v.wheel[k].load * (k < 2 ? a : -a);
        }
        for (int k = 0; k < 4 && least >= 0; ++k) {
            CHECK_NEAR(v.wheel[k].load, wanted[k], 1e-9);
        }
        CHECK_NEAR(sum, 40 * 9.81, 1e-9);
        CHECK_NEAR(pitch, 40 * 9.81 * x, 1e-9);
        lw_terrain_destroy(t);
        end(&v);
    }
}

// A grid of cells of 5 cm from -2 m to 2 m.
static lw_terrain *terrain_of(double (*height)(double x, double y, double a), double a)
{
    enum { N = 81 };
    double *z = malloc((size_t)N * N * sizeof *z);
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < N; ++i) {
            z[k * N + i] = height(-2 + 0.05 * i, -2 + 0.05 * k, a);
        }
    }
    lw_terrain *t = NULL;
    const lw_terrain_def def = {N, N, -2, -2, 0.05, z};
    CHECK_INT(lw_terrain_create(&def, &t, NULL), LW_OK);
    free(z);
    return t;
}

// --- Height fields ----------------------------------------------------------------------------

static double wave(double x, double y, double a)
{
    return a * sin(2 * x) * cos(1.5 * y);
}

TEST(slopes_and_curvatures_are_differences_of_heights)
{
    lw_terrain *t = terrain_of(wave, 0.3);
    for (int i = 0; i < 200; ++i) {
        const double x = check_random(-1.9, 1.9), y = check_random(-1.9, 1.9), h = 1e-5;
        lw_ground_point at, x0, x1, y0, y1;
        CHECK(lw_terrain_at(t, x, y, &at) && lw_terrain_at(t, x - h, y, &x0) &&
              lw_terrain_at(t, x + h, y, &x1) && lw_terrain_at(t, x, y - h, &y0) &&
              lw_terrain_at(t, x, y + h, &y1));
        CHECK_NEAR(at.slope[0], (x1.height - x0.height) / (2 * h), 1e-8);
        CHECK_NEAR(at.slope[1], (y1.height - y0.height) / (2 * h), 1e-8);
        // Second derivatives jump at the lines of the grid, by the third ones times the cell.
        CHECK_NEAR(at.curvature[0], (x1.slope[0] - x0.slope[0]) / (2 * h), 0.2);
        CHECK_NEAR(at.curvature[1], (y1.slope[0] - y0.slope[0]) / (2 * h), 0.2);
        CHECK_NEAR(at.height, wave(x, y, 0.3), 2e-4);
        CHECK_NEAR(lw_norm3(at.normal), 1, 1e-15);
    }
    lw_ground_point at;
    CHECK(!lw_terrain_at(t, 2.01, 0, &at));
    CHECK(!lw_terrain_at(t, (double)NAN, 0, &at));
    lw_terrain_destroy(t);
}

static double saddle(double x, double y, double a)
{
    return a * x * y;
}

// A bound that is too small would hide the second contact of a wheel. It is no more than a few
// times what it bounds.
static void check_bends(lw_terrain *t)
{
    double most = 0, bound = 0, steepest = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = check_random(0, 2), y = check_random(0, 2);
        lw_ground_point at;
        CHECK(lw_terrain_at(t, x, y, &at));
        const double *c = at.curvature, half = 0.5 * (c[0] - c[2]);
        const double upward = 0.5 * (c[0] + c[2]) + hypot(half, c[1]);
        CHECK(upward <= lwi_terrain_bend(t, x, y, 0));
        CHECK(hypot(at.slope[0], at.slope[1]) <= t->steep);
        steepest = fmax(steepest, hypot(at.slope[0], at.slope[1]));
        most = fmax(most, upward);
        bound = fmax(bound, lwi_terrain_bend(t, x, y, 0.05));
    }
    CHECK(bound < 3 * most && t->steep < 4 * steepest);
    CHECK(isinf(lwi_terrain_bend(t, 1, 1, 1)) && lwi_terrain_bend(t, -9, 9, 0.1) >= 0);
    lw_terrain_destroy(t);
}

TEST(curvatures_are_within_their_bounds)
{
    check_bends(fractal_terrain(5, 0.1, 2.0, 0.6, 3));
    check_bends(terrain_of(saddle, 3));
}

// --- Poses ------------------------------------------------------------------------------------

// The bogie of the oracle on both sides: wheels of 5 cm, pivots at the origin of the body.
#define SIDE(side, more)                                                                           \
    "<joint name='" side "_rocker' type='revolute' axis='0 1 0' from='body." side "' to='" side    \
    "_rocker'" more "/><link name='" side "_rocker' mass='1' inertia='0.1 0.1 0.1'/>"              \
    "<joint name='" side "_bogie' type='revolute' axis='0 1 0' from='" side "_rocker' to='" side   \
    "_bogie'/><link name='" side                                                                   \
    "_bogie' mass='1' inertia='0.1 0.1 0.1'/>" WHEEL(side "_rear", side "_rocker", "-0.6")         \
        WHEEL(side "_middle", side "_bogie", "-0.2") WHEEL(side "_front", side "_bogie", "0.3")
#define WHEEL(name, on, x)                                                                         \
    "<joint name='" name "' type='revolute' axis='0 1 0' from='" on "' to='" name "' xyz='" x      \
    " 0 -0.2'/><link name='" name "' mass='1' inertia='0.1 0.1 0.1'/>"                             \
    "<wheel name='" name "' at='link:" name "' radius='0.05' section='0.02'/>"

static const char rocker_bogie[] =
    "<linkwork version='1' name='rocker_bogie'><ground/>"
    "<joint name='root' type='free' from='ground' to='body'>"
    "<dof name='vz' reference='0.25'/></joint><link name='body' mass='20' inertia='1 1 1'>"
    "<frame name='left' xyz='0 0.3 0'/><frame name='right' xyz='0 -0.3 0'/></link>" SIDE("left", "")
        SIDE("right", " dependent='true'") "<coupling name='differential' joint='right_rocker' "
                                           "of='left_rocker' polynomial='0 -1'/>"
                                           "</linkwork>";

static double high_ahead(double x, double y, double a)
{
    (void)y;
    return x > 0.09 ? a : 0;
}

static double high_ahead_left(double x, double y, double a)
{
    return y > 0.02 ? high_ahead(x, y, a) : 0;
}

TEST(C17_bogies_on_a_step)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "bogie_on_step"), i, row)
    {
        double front[2];
        reference_numbers(json_object_get(row, "front"), front, 2);
        if (front[0] != 0.3) {
            continue;
        }
#define NUMBER(key) json_number_value(json_object_get(row, key))
        for (int side = 0; side < 2; ++side) {
            vehicle_on v = begin(compile_text("rocker_bogie.xml", rocker_bogie, NULL));
            lw_terrain *t = terrain_of(side ? high_ahead_left : high_ahead, NUMBER("front_raised"));
            const lw_stand_options exact = {.tolerance = 1e-14};
            CHECK_INT(lw_stand(v.m, v.d, v.w, t, 0, 0, 0, &exact, v.q, v.wheel, &v.result), LW_OK);
            const double pitch = -rpy_of(&v).y; // nose up
            const double wanted = side ? NUMBER("body_pitch_step_on_one_side")
                                       : NUMBER("body_pitch_step_on_both_sides");
            if (side == 0) {
                CHECK_NEAR(pitch, wanted, 1e-12);
                CHECK_NEAR(v.q[2], NUMBER("z_B") + 0.05, 1e-12);
                CHECK_NEAR(rpy_of(&v).x, 0, 1e-12);
                const int bogie = lw_find_position(v.m, "left_bogie");
                CHECK_NEAR(-v.q[bogie], NUMBER("bogie_relative_to_rocker"), 1e-12);
            } else { // a little off the half, because the body rolls
                CHECK_NEAR(pitch, wanted, 1e-3);
            }
            CHECK_INT(v.result.nlost, 0);
            CHECK(v.result.gap <= 1e-11);
            double sum = 0;
            for (int k = 0; k < 6; ++k) {
                CHECK(v.wheel[k].load > 0);
                sum += v.wheel[k].load;
            }
            CHECK_NEAR(sum, v.m->mass * 9.81, 1e-6);
            lw_terrain_destroy(t);
            end(&v);
        }
    }
    json_decref(file);
}

static double tilted(double x, double y, double a)
{
    return a * x + 0.5 * a * y + 0.2;
}

TEST(a_plane_a_tilted_grid_and_a_mesh_are_one_ground)
{
    vehicle_on v = begin(shipped_model("rover/rover.xml")),
               u = begin(shipped_model("rover/rover.xml"));
    lw_terrain *grid = terrain_of(tilted, 0.2), *plane = NULL;
    CHECK_INT(lw_terrain_create_plane(lw_vec3_of(0, 0, 0.2), lw_vec3_of(-0.2, -0.1, 1), &plane),
              LW_OK);
    CHECK_INT(stand(&v, grid, 0.1, -0.2, 0.7), LW_OK);
    CHECK_INT(stand(&u, plane, 0.1, -0.2, 0.7), LW_OK);
    for (int k = 0; k < v.m->nq; ++k) {
        CHECK_NEAR(v.q[k], u.q[k], 1e-10);
    }
    // Suspension and differential are as on level ground.
    CHECK_NEAR(v.q[lw_find_position(v.m, "left_rocker")], 0, 1e-10);
    CHECK_NEAR(v.q[lw_find_position(v.m, "left_bogie")], 0, 1e-10);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(v.wheel[k].contact.normal.x, -0.2 / sqrt(1.05), 1e-12);
        CHECK(!v.wheel[k].is_lost);
    }
    // Normal forces carry the part of the weight along the normal.
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
        sum += v.wheel[k].load * v.wheel[k].contact.normal.z;
    }
    CHECK_NEAR(sum, v.m->mass * 3.71, 1e-6);
    lw_terrain_destroy(grid);
    lw_terrain_destroy(plane);
    end(&v);
    end(&u);
}

// A torus on z = a sin(k x): the contact is where the normals agree.
TEST(a_wheel_on_a_wave_touches_where_the_normals_agree)
{
    vehicle_on v = begin(compile_text("rocker_bogie.xml", rocker_bogie, NULL));
    lw_terrain *t = terrain_of(wave, 0.1);
    for (int i = 0; i < 50; ++i) {
        const double x = check_random(-0.8, 0.8), y = check_random(-0.8, 0.8);
        if (!CHECK_INT(stand(&v, t, x, y, check_random(-3, 3)), LW_OK)) {
            break;
        }
        for (int k = 0; k < 6; ++k) {
            const lw_wheel_contact *at = &v.wheel[k].contact;
            lw_ground_point g;
            CHECK(lw_terrain_at(t, at->point.x, at->point.y, &g));
            CHECK_NEAR(g.height, at->point.z, 1e-10);
            CHECK_NEAR(lw_norm3(lw_cross3(g.normal, at->normal)), 0, 1e-7);
            CHECK_NEAR(lw_dot3(at->side, at->normal), 0, 1e-12);
        }
        CHECK(v.result.gap <= 1e-10);
    }
    lw_terrain_destroy(t);
    end(&v);
}

static double sine(double x, double y, double a)
{
    (void)y;
    return a * sin(2 * x);
}

// The same with the contact known: discs that touch z = A sin(k x), here between points 1 mm apart.
TEST(C19_a_disc_touches_a_sine_where_the_oracle_has_it)
{
    enum { NX = 3001, NY = 4 };
    json_t *file = reference_read("mobility_oracles.json"), *row;
    size_t i;
    json_array_foreach(json_object_get(file, "disc_on_sine_terrain"), i, row)
    {
        static double z[NX * NY];
        for (int k = 0; k < NX * NY; ++k) {
            z[k] = sine(-1.5 + 1e-3 * (k % NX), 0, NUMBER("A"));
        }
        const lw_terrain_def def = {NX, NY, -1.5, -1.5e-3, 1e-3, z};
        const lw_wheel_info disc = {.radius = NUMBER("r")};
        lw_wheel_contact at = {.center = {NUMBER("centre_x"), 0, NUMBER("centre_z")},
                               .axis = {0, 1, 0}};
        lw_terrain *t = NULL;
        double gap = 1;
        CHECK_INT(lw_terrain_create(&def, &t, NULL), LW_OK);
        CHECK_NEAR(NUMBER("k"), 2, 0);
        CHECK_INT(lwi_touch(t, &disc, NULL, &at, &gap), LW_OK);
        CHECK_NEAR(gap, 0, 1e-10);
        CHECK_NEAR(at.point.x, NUMBER("contact_x"), 1e-6);
        CHECK_NEAR(at.angle, NUMBER("contact_slope_angle"), 1e-6);
        lw_terrain_destroy(t);
    }
    json_decref(file);
}

static const vehicle_wheel four[4] = {{"fl", 0.3, 0.25, 0, 0, 0, "none"},
                                      {"fr", 0.3, -0.25, 0, 0, 0, "none"},
                                      {"rl", -0.3, 0.25, 0, 0, 0, "none"},
                                      {"rr", -0.3, -0.25, 0, 0, 0, "none"}};

static double bump(double x, double y, double a)
{
    return x > 0.15 && y > 0.1 ? a : 0;
}

// Four wheels on a rigid body: one is in the air, and which one is a matter of the centre of mass.
TEST(lost_contact_is_reported_by_wheel)
{
    vehicle_on v = begin(vehicle(0.1, 4, four));
    lw_terrain *t = terrain_of(bump, 0.06);
    CHECK_INT(stand(&v, t, 0, 0, 0), LW_OK);
    CHECK_INT(v.result.nlost, 1);
    CHECK(v.wheel[1].is_lost || v.wheel[2].is_lost);
    CHECK(!v.wheel[0].is_lost && !v.wheel[3].is_lost);
    CHECK(v.result.least > -1e-10);
    for (int k = 0; k < 4; ++k) {
        CHECK(v.wheel[k].is_lost ? v.wheel[k].gap > 0.01 : v.wheel[k].load > -1e-9);
    }
    lw_terrain_destroy(t);
    end(&v);
}

// How far the surface of a wheel is below the ground, by points all over its lower half.
static double depth_of(const lw_terrain *t, const lw_wheel_info *wheel, const lw_wheel_contact *at)
{
    const lw_vec3 ahead = lw_unit3(lw_cross3(at->axis, lw_vec3_of(0, 0, 1)));
    const lw_vec3 down = lw_cross3(at->axis, ahead);
    double most = 0;
    for (int i = -40; i <= 40; ++i) {
        const lw_vec3 out =
            lw_add3(lw_scale3(sin(0.04 * i), ahead), lw_scale3(cos(0.04 * i), down));
        for (int k = -20; k <= 20; ++k) {
            const double a = 0.075 * k;
            const lw_vec3 p = lw_add3(
                lw_add3(at->center, lw_scale3(wheel->radius - wheel->section * (1 - cos(a)), out)),
                lw_scale3(wheel->section * sin(a), at->axis));
            lw_ground_point g;
            if (lw_terrain_at(t, p.x, p.y, &g)) {
                most = fmax(most, (g.height - p.z) * g.normal.z);
            }
        }
    }
    return most;
}

/// What became of many steps along a path.
typedef struct journey {
    int steps, failed, median, lost, slow, quiet_slow;
    double gap, least, pull; ///< the largest gap, the deepest contact, the least load
    double deep;             ///< the deepest point of any wheel, m
} journey;

// A centimetre at a time over a square of 51 m, from step `first` on. LINKWORK_TERRAIN_STEPS is
// their number where that is the start.
static journey roll(lw_terrain *t, int first, int steps)
{
    const char *many = first == 0 ? getenv("LINKWORK_TERRAIN_STEPS") : NULL;
    journey j = {.steps = many ? atoi(many) : steps};
    vehicle_on v = begin(shipped_model("rover/rover.xml"));
    int histogram[41] = {0}, sum = 0;
    double x = 10, y = 25, heading = 0;
    for (int i = 0; i < first + j.steps; ++i) {
        heading += 0.02 * sin(i * 0.004) + 0.002;
        x += 0.01 * cos(heading);
        y += 0.01 * sin(heading);
        if (x < 2 || x > 49 || y < 2 || y > 49) {
            heading += 0.05;
            x = fmin(fmax(x, 2), 49);
            y = fmin(fmax(y, 2), 49);
        }
        if (i < first) {
            continue;
        }
        if (stand(&v, t, x, y, heading) != LW_OK) {
            ++j.failed;
            continue;
        }
        ++histogram[v.result.iterations > 40 ? 40 : v.result.iterations];
        j.gap = fmax(j.gap, v.result.gap);
        j.least = fmin(j.least, v.result.least);
        j.lost += v.result.nlost > 0;
        j.slow += v.result.iterations > 20;
        j.quiet_slow += v.result.iterations > 6 && v.result.changes == 0 && i > first;
        for (int k = 0; k < v.m->nwheel; ++k) {
            if (first > 0 || i % 10 == 0) {
                j.deep = fmax(j.deep, depth_of(t, &v.m->wheel[k], &v.wheel[k].contact));
            }
            j.pull = fmin(j.pull, v.wheel[k].load);
        }
    }
    for (int k = 0; k <= 40 && j.median == 0; ++k) {
        sum += histogram[k];
        j.median = sum * 2 >= j.steps ? k : 0;
    }
    printf("%d steps: %d failed, median %d iterations, %d above 20, %d above 6 without a change, "
           "%d with a wheel in the air, gap %.1e, deepest contact %.1e, deepest point %.1e\n",
           j.steps, j.failed, j.median, j.slow, j.quiet_slow, j.lost, j.gap, -j.least, j.deep);
    lw_terrain_destroy(t);
    end(&v);
    return j;
}

// What holds on any terrain. The points of depth_of() need not include the contact.
static void check_journey(const journey *j)
{
    CHECK_INT(j->failed, 0);
    CHECK_INT(j->quiet_slow, 0);
    CHECK(j->median <= 3);
    CHECK(j->gap <= 1e-10 && j->least >= -1e-10 && j->deep <= 1e-9 && j->pull >= -1e-6);
}

TEST(C17_rolling_along_a_path_over_fractal_terrain)
{
    const journey j = roll(fractal_terrain(9, 0.1, 2.5, 0.9, 7), 0, 1500);
    check_journey(&j);
    CHECK_INT(j.slow, 0);
}

// So rough that wheels rest in two places or climb walls, bogies balance on one wheel, and joints
// are at their limits. Where the vehicle falls from one hollow into the next it takes longer.
TEST(C17_rolling_over_rough_terrain)
{
    const journey j = roll(fractal_terrain(9, 0.1, 2.0, 0.6, 7), 0, 1500);
    check_journey(&j);
    CHECK(j.lost > 0);
    CHECK(1000 * j.slow <= j.steps);
}

// Two places 4 mm apart, and a wheel whose side leans against a wall; a level rover over a steep
// stone, a wheel that hardly touches a second time, and one that touches in three places.
TEST(C17_hard_places_of_rough_terrain)
{
    static const int first[] = {25101, 80590, 4068, 12259, 4293}, steps[] = {2, 31, 6, 6, 8};
    for (size_t i = 0; i < sizeof first / sizeof *first; ++i) {
        const journey j = roll(fractal_terrain(9, 0.1, 2.0, 0.6, 7), first[i], steps[i]);
        CHECK_INT(j.failed, 0);
        CHECK_INT(j.slow, 0);
        CHECK(j.least >= -1e-10 && j.deep <= 1e-9);
    }
}

// Tops of solids, at points of the grid; rims count. Rotated boxes are planes.
TEST(C17_solids_of_a_scene_are_ground)
{
    lw_model *m = compile_text(
        "solids.xml",
        "<linkwork version='1' name='solids'><ground><box size='4 4 1' xyz='0 0 -0.5'/>"
        "<box size='1 0.5 0.2' xyz='-1 -1 0.2' rpy='0 -0.3 0'/>"
        "<sphere radius='0.3' xyz='0.5 0.5 0.1'/>"
        "<capsule radius='0.1' length='0.6' xyz='-1 0.5 0.1' rpy='0 1.5707963267948966 0'/>"
        "<cylinder radius='0.2' length='0.4' xyz='1 -1 0'/></ground></linkwork>",
        NULL);
    const double points[][3] = {{2, -2, 0}, // corner
                                {0, 0, 0},
                                {-1, -1, 0.2 + 0.1 / cos(0.3)},
                                {-0.8, -0.8, 0.2 + 0.1 / cos(0.3) + 0.2 * tan(0.3)},
                                {-1, -0.7, 0}, // beside it
                                {0.5, 0.5, 0.4},
                                {0.4, 0.6, 0.1 + sqrt(0.07)},
                                {0.5, 0.8, 0.1}, // rim
                                {0.5, 0.9, 0},
                                {-1.3, 0.5, 0.2},
                                {-1.35, 0.5, 0.1 + sqrt(0.0075)},
                                {-0.6, 0.5, 0.1},
                                {1.2, -1, 0.2},
                                {1.15, -1.15, 0}};
    lw_terrain *t = NULL;
    CHECK_INT(lw_terrain_create_of_model(m, 0.05, &t, NULL), LW_OK);
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        lw_ground_point at;
        check_case("x %g, y %g", points[i][0], points[i][1]);
        CHECK(lw_terrain_at(t, points[i][0], points[i][1], &at));
        CHECK_NEAR(at.height, points[i][2], 1e-6);
    }
    lw_terrain_destroy(t);
    lw_model_destroy(m);
}

TEST(bad_terrains_are_named)
{
    double z[9] = {0};
    lw_terrain *t;
    lw_terrain_def def = {3, 3, 0, 0, 1, z};
    lw_report *report;
    lw_report_create(&report);
    z[5] = (double)NAN;
    CHECK_INT(lw_terrain_create(&def, &t, report), LW_ERR_NUMBER);
    CHECK_HAS(diagnostic_with(report, "hole"), "row 2, column 3");
    z[5] = 0;
    def.cell = 0;
    CHECK_INT(lw_terrain_create(&def, &t, report), LW_ERR_ARGUMENT);
    def.cell = 1;
    CHECK_INT(lw_terrain_create_plane(lw_vec3_of(0, 0, 0), lw_vec3_of(1, 0, 0), &t),
              LW_ERR_ARGUMENT);
    CHECK_INT(lw_terrain_create(&def, &t, report), LW_OK);
    vehicle_on v = begin(shipped_model("rover/rover.xml"));
    CHECK_INT(stand(&v, t, 1.9, 1, 0), LW_ERR_ARGUMENT);
    CHECK(v.result.outside >= 0);
    CHECK_INT(stand(&v, t, (double)NAN, 1, 0), LW_ERR_NUMBER);
    CHECK_INT(memcmp(v.q, v.m->q_reference, (size_t)v.m->nq * sizeof *v.q), 0);
    lw_terrain_destroy(t);
    CHECK_INT(lw_terrain_create_of_model(v.m, 0.1, &t, report), LW_ERR_NAME);
    end(&v);
    lw_report_destroy(report);
}

int main(void)
{
    RUN(slopes_and_curvatures_are_differences_of_heights);
    RUN(curvatures_are_within_their_bounds);
    RUN(C17_bogies_on_a_step);
    RUN(steep_ground_is_stood_on_upright);
    RUN(C19_loads_of_four_wheels_are_the_least);
    RUN(a_plane_a_tilted_grid_and_a_mesh_are_one_ground);
    RUN(a_wheel_on_a_wave_touches_where_the_normals_agree);
    RUN(C19_a_disc_touches_a_sine_where_the_oracle_has_it);
    RUN(lost_contact_is_reported_by_wheel);
    RUN(C17_rolling_along_a_path_over_fractal_terrain);
    RUN(C17_rolling_over_rough_terrain);
    RUN(C17_hard_places_of_rough_terrain);
    RUN(C17_solids_of_a_scene_are_ground);
    RUN(bad_terrains_are_named);
    return REPORT();
}
