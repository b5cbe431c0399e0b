// Trees of bounding shapes (C29, C31, C32): what they leave out, they leave out rightly, and they
// leave out much.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/collide.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_part ground_of(const lw_mech *mech)
{
    lw_part ground = {-1};
    for (int i = 0; i < lw_get_part_count(mech) && ground.index < 0; ++i) {
        const lw_part part = {i};
        ground = lw_get_part_kind(mech, part) == LW_PART_GROUND ? part : ground;
    }
    return ground;
}

static lw_shape_def any_shape(double size)
{
    static const lw_shape_type type[] = {LW_SHAPE_BOX, LW_SHAPE_SPHERE, LW_SHAPE_CYLINDER,
                                         LW_SHAPE_CAPSULE};
    lw_shape_def def = lw_default_shape_def();
    def.type = type[(int)check_random(0, 3.999)];
    def.size = lw_vec3_of(check_random(0.1, 1) * size, check_random(0.1, 1) * size,
                          check_random(0.1, 1) * size);
    return def;
}

static lw_placement any_turn(double x, double y, double z)
{
    return lw_placement_rpy(
        lw_vec3_of(x, y, z),
        lw_vec3_of(check_random(-3, 3), check_random(-3, 3), check_random(-3, 3)));
}

// An arm among `count` objects on the ground, from 0.4 to 2 m from its axis.
static lw_model *arm_among(int count, double size)
{
    lw_mech *mech = load_checked(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", NULL);
    for (int i = 0; i < count; ++i) {
        lw_shape_def def = any_shape(size);
        const double angle = check_random(-3.1416, 3.1416), out = check_random(0.4, 2.0);
        def.placement = any_turn(out * cos(angle), out * sin(angle), check_random(-0.5, 1.5));
        CHECK(lw_add_shape(mech, ground_of(mech), &def) >= 0);
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// 2000 cells of rough terrain below the arm, whose triangles are 4000.
static lw_model *arm_on_terrain(void)
{
    enum { NX = 51, NY = 41 };
    static lw_vec3 vertex[NX * NY];
    static int triangle[6 * (NX - 1) * (NY - 1)];
    int n = 0;
    for (int i = 0; i < NX * NY; ++i) {
        const double x = 0.08 * (i % NX - NX / 2), y = 0.08 * (i / NX - NY / 2);
        const double out = x * x + y * y > 0.09 ? check_random(0.0, 0.3) : 0.0;
        vertex[i] = lw_vec3_of(x, y, out - 0.4);
    }
    for (int i = 0; i < NX * NY; ++i) {
        if (i % NX < NX - 1 && i / NX < NY - 1) {
            const int corner[6] = {i, i + 1, i + NX + 1, i, i + NX + 1, i + NX};
            memcpy(&triangle[n], corner, sizeof corner);
            n += 6;
        }
    }
    const lw_mesh mesh = {NX * NY, n / 3, vertex, triangle, true};
    lw_mech *mech = load_checked(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", NULL);
    lw_shape_def def = lw_default_shape_def();
    def.type = LW_SHAPE_MESH;
    def.mesh = "terrain";
    def.data = &mesh;
    CHECK(lw_add_shape(mech, ground_of(mech), &def) >= 0);
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

typedef struct tally {
    int hits, free_states, coarse;
    lw_collide_count count[4]; ///< by method
} tally;

static void add_count(lw_collide_count *sum, lw_collide_count more)
{
    sum->shapes += more.shapes;
    sum->bounds += more.bounds;
    sum->boxes += more.boxes;
    sum->triangles += more.triangles;
}

// The foot of this model is inside the bound of the upper arm in every position.
static lw_collide *collide_of(const lw_model *m)
{
    lw_collide *c = NULL;
    CHECK_INT(lw_collide_create(m, &c, NULL), LW_OK);
    const lw_collide_info *info = lw_collide_describe(c);
    for (int i = 0; i < info->npair; ++i) {
        if (strcmp(m->frame[info->pair[i].frame[0]].name, "ground") == 0 &&
            strcmp(m->frame[info->pair[i].frame[1]].name, "upper_arm") == 0) {
            CHECK_INT(lw_collide_allow(c, i, true), LW_OK);
        }
    }
    return c;
}

// All methods at random states.
static void compare_methods(const lw_model *m, int states, tally *sum)
{
    lw_collide *c = collide_of(m);
    lw_data *d = new_data(m);
    double q[16];
    for (int n = 0; n < states; ++n) {
        const double margin = n % 3 ? 0.0 : 0.03;
        lw_verdict verdict[4];
        lw_contact near[4];
        check_case("state %d", n);
        for (int k = 0; k < m->nq; ++k) {
            q[k] = check_random(-3.0, 3.0);
        }
        for (int i = 0; i < 4; ++i) {
            CHECK_INT(lw_collide_use(c, (lw_collide_method)i), LW_OK);
            lw_contact found = {.pair = -1};
            CHECK_INT(lw_collide_check(c, d, q, margin, &verdict[i], &found), LW_OK);
            CHECK((verdict[i] == LW_VERDICT_FREE) == (found.pair < 0));
            CHECK(verdict[i] != LW_VERDICT_HIT || found.distance.lower <= margin);
            add_count(&sum->count[i], lw_collide_take_count(c));
            CHECK_INT(lw_collide_nearest(c, d, q, &near[i]), LW_OK);
            lw_collide_take_count(c);
        }
        CHECK_INT(verdict[1], verdict[0]);
        CHECK_INT(verdict[2], verdict[0]);
        CHECK(verdict[3] == LW_VERDICT_UNCERTAIN || verdict[0] == LW_VERDICT_FREE);
        for (int i = 1; i < 4; ++i) {
            CHECK(near[i].distance.lower <= near[0].distance.upper &&
                  near[0].distance.lower <= near[i].distance.upper);
            CHECK(near[0].distance.lower < 0.0 ||
                  fabs(near[i].distance.distance - near[0].distance.distance) < 1e-9);
        }
        sum->hits += verdict[0] == LW_VERDICT_HIT;
        sum->free_states += verdict[0] == LW_VERDICT_FREE;
        sum->coarse += verdict[3] == LW_VERDICT_FREE;
    }
    lw_collide_destroy(c);
    lw_data_destroy(d);
}

TEST(C29_C32_all_methods_find_the_same)
{
    tally sum = {0};
    for (int n = 0; n < 12; ++n) {
        lw_model *m = arm_among(n * n, 0.3);
        compare_methods(m, 40, &sum);
        lw_model_destroy(m);
    }
    CHECK(sum.hits > 50 && sum.free_states > 50 && sum.coarse > 5);
}

TEST(C31_thousands_of_objects_take_few_tests)
{
    tally sum = {0};
    lw_model *m = arm_among(3000, 0.04);
    compare_methods(m, 40, &sum);
    const lw_collide_count *tree = &sum.count[LW_COLLIDE_TREES], *all = &sum.count[LW_COLLIDE_ALL];
    const double share = (double)(tree->shapes + tree->bounds) / (double)all->shapes;
    check_case("%.4f of the tests", share);
    printf("3000 objects: %lld tests of shapes and %lld of bounds instead of %lld: %.4f\n",
           tree->shapes, tree->bounds, all->shapes, share);
    CHECK(share < 0.02);
    CHECK(sum.hits > 5);
    lw_model_destroy(m);
}

TEST(C31_an_arm_over_terrain_takes_a_tenth_of_the_tests)
{
    tally sum = {0};
    lw_model *m = arm_on_terrain();
    compare_methods(m, 60, &sum);
    const lw_collide_count *tree = &sum.count[LW_COLLIDE_TREES], *all = &sum.count[LW_COLLIDE_ALL];
    const long long some = tree->shapes + tree->bounds + tree->boxes + tree->triangles;
    const double share = (double)some / (double)(all->triangles + all->shapes);
    check_case("%.4f of the tests", share);
    printf("terrain of 2000 cells: %lld tests, boxes included, instead of %lld: %.4f\n", some,
           all->triangles + all->shapes, share);
    CHECK(share < 0.1);
    CHECK(sum.hits > 5 && sum.free_states > 5);
    lw_model_destroy(m);
}

// A bound that is too small is reported, and misses nothing: shapes of random trees reach out of
// their bounds as they like.
TEST(C29_bounds_that_are_too_small_miss_no_contact)
{
    tally sum = {0};
    for (int n = 0; n < 20; ++n) {
        lw_mech *mech = load_checked(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", NULL);
        const lw_part ground = ground_of(mech);
        int first = -1;
        for (int i = 0; i < 30; ++i) {
            lw_shape_def def = any_shape(0.4);
            def.placement =
                any_turn(check_random(0.4, 1.0), check_random(-0.7, 0.7), check_random(-0.3, 1.0));
            def.role = i % 3 == 0 ? LW_SHAPE_BOUND : LW_SHAPE_COLLISION;
            def.bound = i == 0 ? -1 : first + (int)check_random(0, i - 0.001);
            const int number = lw_add_shape(mech, ground, &def);
            CHECK(number >= 0);
            first = i == 0 ? number : first;
        }
        lw_model *m = compile_checked(mech, NULL);
        compare_methods(m, 30, &sum);
        lw_mech_destroy(mech);
        lw_model_destroy(m);
    }
    CHECK(sum.hits > 50 && sum.free_states > 50);
}

TEST(C32_bad_methods_are_refused)
{
    CHECK_INT(lw_collide_use(NULL, LW_COLLIDE_ALL), LW_ERR_ARGUMENT);
    lw_model *m = shipped_model("ur5_class.xml");
    lw_collide *c = collide_of(m);
    CHECK_INT(lw_collide_use(c, (lw_collide_method)4), LW_ERR_ARGUMENT);
    CHECK_INT(lw_collide_take_count(NULL).shapes, 0);
    lw_collide_destroy(c);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C29_C32_all_methods_find_the_same);
    RUN(C31_thousands_of_objects_take_few_tests);
    RUN(C31_an_arm_over_terrain_takes_a_tenth_of_the_tests);
    RUN(C29_bounds_that_are_too_small_miss_no_contact);
    RUN(C32_bad_methods_are_refused);
    return REPORT();
}
