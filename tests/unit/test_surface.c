// Meshes, height fields and clouds of points: trees against every triangle, and against solids of
// the same form (C29, C30, C31, C32).
#include "check.h"

#include <linkwork/surface.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

static lw_distance_work work;
static unsigned long long seed = 7;

static double uniform(double low, double high)
{
    return low + (high - low) * lwi_random_share(&seed);
}

static lw_vec3 vector(double size)
{
    const double x = uniform(-size, size), y = uniform(-size, size);
    return lw_vec3_of(x, y, uniform(-size, size));
}

static lw_pose pose(double turn, double size)
{
    return (lw_pose){lw_exp3(vector(turn)), vector(size)};
}

static const int box_triangle[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static lw_surface *box_surface(lw_vec3 size, lw_vec3 *vertex, double radius)
{
    for (int i = 0; i < 8; ++i) {
        vertex[i] = lw_vec3_of(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    }
    const lw_mesh mesh = {8, 12, vertex, box_triangle, false};
    const lw_surface_options o = {.scale = size, .radius = radius};
    lw_surface *surface = NULL;
    CHECK_INT(lw_surface_create(&mesh, &o, &surface), LW_OK);
    return surface;
}

static bool find(const lw_surface *a, const lw_pose *X, const lw_surface *b, const lw_pose *Y,
                 bool is_exhaustive, lw_search *search, lw_distance *d)
{
    bool is_found = false;
    search->is_exhaustive = is_exhaustive;
    CHECK_INT(lw_find_surface_distance(a, X, b, Y, search, &work, d, &is_found), LW_OK);
    return is_found;
}

// A mesh of a box is as far from anything as the box.
TEST(C30_meshes_of_boxes_are_as_far_apart_as_boxes)
{
    int hits = 0, inside = 0;
    for (int n = 0; n < 2000; ++n) {
        const lw_vec3 size[2] = {{uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1)},
                                 {uniform(0.1, 1), uniform(0.1, 1), uniform(0.1, 1)}};
        const double small = n % 5 == 0 ? 0.05 : 1.0; // inside, without touching
        const lw_vec3 second = lw_scale3(small, size[1]);
        const double radius = n % 3 == 0 ? 0.05 : 0.0;
        const lw_pose X = pose(2.0, 0.6), Y = n % 5 == 0 ? X : pose(2.0, 0.6);
        lw_vec3 vertex[8];
        lw_surface *a = box_surface(size[0], vertex, radius);
        lw_surface *b = box_surface(second, vertex, 0.0);
        lw_solid box[2] = {lw_box(size[0]), lw_box(second)};
        lw_distance exact, d, e, other_d;
        box[0].radius = radius;
        CHECK_INT(lw_find_distance(&box[0], &X, &box[1], &Y, &work, &exact), LW_OK);
        lw_search search = lw_default_search(), other = search;
        check_case("box %d", n);
        CHECK(find(a, &X, b, &Y, false, &search, &d));
        CHECK(d.lower <= exact.upper && exact.lower <= d.upper);
        bool is_found = false;
        CHECK_INT(lw_find_surface_solid_distance(a, &X, &box[1], &Y, &other, &work, &e, &is_found),
                  LW_OK);
        CHECK(is_found && e.lower <= exact.upper && exact.lower <= e.upper);
        CHECK(lw_verdict_of(&d, 0.0) == lw_verdict_of(&exact, 0.0));
        CHECK(lw_verdict_of(&e, 0.0) == lw_verdict_of(&exact, 0.0));
        // Triangles in touch say nothing about how deep the whole is: it is not proven to be less
        // deep than any cut-off by a search that finds no deeper two of them.
        search.cutoff = search.stop = -uniform(0.0, 0.3);
        is_found = find(a, &X, b, &Y, n % 2, &search, &other_d);
        CHECK(is_found ? other_d.lower <= exact.upper && exact.lower <= other_d.upper
                       : exact.upper > search.cutoff);
        if (exact.lower > 0.0) {
            CHECK_NEAR(d.distance, exact.distance, 1e-12);
            CHECK_NEAR(e.distance, exact.distance, 1e-9);
            const lw_vec3 apart = lw_sub3(d.point[1], d.point[0]);
            CHECK_NEAR(lw_norm3(lw_sub3(apart, lw_scale3(d.distance, d.normal))), 0.0, 1e-12);
        } else {
            ++hits;
            inside += n % 5 == 0;
        }
        lw_surface_destroy(a);
        lw_surface_destroy(b);
    }
    CHECK(hits > 300 && inside > 100);
}

enum { NX = 21, NY = 17 };

static lw_surface *terrain(double rough)
{
    static double height[NX * NY];
    for (int i = 0; i < NX * NY; ++i) {
        height[i] = uniform(0.0, rough);
    }
    const lw_surface_options o = {.scale = {0.1, 0.1, 1.0}, .side = LW_SIDE_BELOW};
    lw_surface *surface = NULL;
    CHECK_INT(lw_surface_create_heights(NX, NY, height, &o, &surface), LW_OK);
    return surface;
}

// The two algorithms, on one surface.
TEST(C31_C32_trees_find_what_comparing_every_triangle_finds)
{
    lw_surface *ground = terrain(0.3), *rock = terrain(0.5);
    long long boxes = 0, items[2] = {0, 0};
    for (int n = 0; n < 80; ++n) {
        const lw_pose X = lw_pose_identity(), Y = pose(1.0, 1.2);
        const lw_solid solid[3] = {lw_capsule(0.05, 0.4), lw_box(lw_vec3_of(0.2, 0.3, 0.1)),
                                   lw_half_space()};
        check_case("pose %d", n);
        for (int k = 0; k < 4; ++k) {
            lw_search search[2] = {lw_default_search(), lw_default_search()};
            lw_distance d[2];
            bool is_found[2] = {false, false};
            if (k == 3 && n % 10 != 0) {
                continue;
            }
            for (int way = 0; way < 2; ++way) {
                search[way].is_exhaustive = way == 1;
                search[way].cutoff = n % 2 ? 0.1 : HUGE_VAL;
                search[way].stop = -HUGE_VAL;
                CHECK_INT(k == 3 ? lw_find_surface_distance(ground, &X, rock, &Y, &search[way],
                                                            &work, &d[way], &is_found[way])
                                 : lw_find_surface_solid_distance(ground, &X, &solid[k], &Y,
                                                                  &search[way], &work, &d[way],
                                                                  &is_found[way]),
                          LW_OK);
            }
            CHECK_INT(is_found[0], is_found[1]);
            if (is_found[0] && is_found[1]) {
                CHECK_NEAR(d[0].upper, d[1].upper, 1e-12);
                CHECK_NEAR(d[0].lower, d[1].lower, 1e-12);
            }
            if (k == 0) {
                boxes += search[0].boxes;
                items[0] += search[0].items;
                items[1] += search[1].items;
            }
        }
    }
    CHECK(10 * items[0] < items[1]);
    CHECK(boxes > 0);
    lw_surface_destroy(ground);
    lw_surface_destroy(rock);
}

// Bounds of boxes are floats, counted from the middle of a surface.
TEST(C31_C32_trees_hold_at_any_size_and_place)
{
    enum { SIDE = 8 };
    static const double scale[] = {1e-20, 1e-6, 1.0, 1e6, 1e20};
    int found = 0;
    for (int n = 0; n < 200; ++n) {
        const double unit = scale[n % 5], far = n % 3 == 0 ? 1e4 : 0.0;
        lw_vec3 vertex[2][SIDE * SIDE];
        int triangle[6 * (SIDE - 1) * (SIDE - 1)], m = 0;
        lw_surface *sheet[2] = {NULL, NULL};
        for (int i = 0; i + 1 < SIDE; ++i) {
            for (int j = 0; j + 1 < SIDE; ++j) {
                const int a = i * SIDE + j,
                          corner[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
                for (int k = 0; k < 6; ++k) {
                    triangle[m++] = corner[k];
                }
            }
        }
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < SIDE * SIDE; ++i) {
                const double z = uniform(0.0, 0.2);
                vertex[side][i] =
                    lw_scale3(unit, lw_vec3_of(0.1 * (i % SIDE) + far, 0.1 * (i / SIDE), z - far));
            }
            const lw_mesh mesh = {SIDE * SIDE, m / 3, vertex[side], triangle, false};
            CHECK_INT(lw_surface_create(&mesh, NULL, &sheet[side]), LW_OK);
        }
        const lw_mat3 R = lw_exp3(vector(0.3));
        const lw_vec3 at = lw_add3(vertex[0][20], lw_scale3(unit, vector(0.4)));
        const lw_pose X = lw_pose_identity(), Y = {R, lw_sub3(at, lw_rotate(&R, vertex[1][30]))};
        lw_search search[2] = {lw_default_search(), lw_default_search()};
        lw_distance d[2];
        check_case("sheets %d of size %g", n, unit);
        search[0].cutoff = search[1].cutoff = n % 2 ? 0.05 * unit : HUGE_VAL;
        search[0].stop = search[1].stop = -HUGE_VAL;
        const bool is_found = find(sheet[0], &X, sheet[1], &Y, false, &search[0], &d[0]);
        CHECK_INT(find(sheet[0], &X, sheet[1], &Y, true, &search[1], &d[1]), is_found);
        if (is_found) {
            CHECK(d[0].upper == d[1].upper && d[0].lower == d[1].lower);
            CHECK(fabs(log10(unit)) > 12.0 || 2 * search[0].items < search[1].items);
            // What ends sooner knows less, and nothing that is wrong.
            search[0].stop = d[0].upper + uniform(0.0, 0.3) * unit;
            CHECK(find(sheet[0], &X, sheet[1], &Y, false, &search[0], &d[0]));
            CHECK(d[0].lower <= d[1].upper && d[1].lower <= d[0].upper);
            CHECK(d[0].upper <= search[0].stop);
        }
        found += is_found;
        lw_surface_destroy(sheet[0]);
        lw_surface_destroy(sheet[1]);
    }
    CHECK(found > 100);
}

TEST(C30_what_is_below_terrain_is_in_contact)
{
    lw_surface *ground = terrain(0.2);
    const lw_pose X = lw_pose_identity();
    const lw_solid ball = lw_sphere(0.02);
    for (int n = 0; n < 300; ++n) {
        // A ball beside a wall touches it.
        const lw_vec3 at = {uniform(-0.5, 2.5), uniform(-0.5, 2.0), uniform(-2.0, -0.1)};
        const double x = fmax(fmax(-at.x, at.x - 0.1 * (NX - 1)), 0.0);
        const double y = fmax(fmax(-at.y, at.y - 0.1 * (NY - 1)), 0.0);
        const bool is_covered = x * x + y * y < 0.02 * 0.02;
        const lw_pose Y = {lw_mat3_identity(), at};
        for (int k = 0; k < 2; ++k) {
            lw_search search = lw_default_search();
            lw_distance d = {0};
            bool is_found = false;
            search.cutoff = k == 0 ? HUGE_VAL : 0.0;
            check_case("ball %d at %g %g %g", n, at.x, at.y, at.z);
            CHECK_INT(lw_find_surface_solid_distance(ground, &X, &ball, &Y, &search, &work, &d,
                                                     &is_found),
                      LW_OK);
            CHECK_INT(is_found && lw_verdict_of(&d, 0.0) == LW_VERDICT_HIT, is_covered);
            CHECK(k == 1 || is_found);
        }
    }
    lw_surface_destroy(ground);
}

// Flat ground is a box as deep as it is long from corner to corner: what is partly below it is in
// contact, and what is below and beside it has a distance from its wall.
TEST(C30_terrain_is_a_block_with_walls)
{
    const double height[4] = {0.0, 0.0, 0.0, 0.0}, deep = sqrt(1.25);
    const lw_surface_options o = {.scale = {1.0, 0.5, 1.0}, .radius = 0.01, .side = LW_SIDE_BELOW};
    lw_surface *ground = NULL;
    CHECK_INT(lw_surface_create_heights(2, 2, height, &o, &ground), LW_OK);
    lw_solid block = lw_box(lw_vec3_of(1.0, 0.5, deep));
    block.radius = o.radius;
    int hits = 0, beside = 0;
    for (int n = 0; n < 1000; ++n) {
        const lw_pose X = pose(2.0, 1.0), Y = {lw_exp3(vector(2.0)), lw_add3(X.p, vector(1.3))};
        const lw_pose Z = {X.R, lw_pose_apply(&X, lw_vec3_of(0.5, 0.25, -0.5 * deep))};
        const lw_solid solid[3] = {lw_capsule(0.05, 1.0), lw_box(lw_vec3_of(1.0, 0.1, 0.1)),
                                   lw_sphere(0.2)};
        lw_search search = lw_default_search();
        lw_distance d, exact;
        bool is_found = false;
        check_case("pose %d", n);
        CHECK_INT(lw_find_distance(&block, &Z, &solid[n % 3], &Y, &work, &exact), LW_OK);
        CHECK_INT(lw_find_surface_solid_distance(ground, &X, &solid[n % 3], &Y, &search, &work, &d,
                                                 &is_found),
                  LW_OK);
        CHECK(is_found && d.lower <= exact.upper && exact.lower <= d.upper);
        CHECK(lw_verdict_of(&d, 0.0) == lw_verdict_of(&exact, 0.0));
        hits += exact.upper < 0.0;
        beside += exact.lower > 0.0 && lw_dot3(lw_sub3(exact.point[0], X.p),
                                               lw_rotate(&X.R, lw_vec3_of(0.0, 0.0, 1.0))) < -0.1;
    }
    CHECK(hits > 100 && beside > 100);
    lw_surface_destroy(ground);
}

// The pieces of a mesh are looked for inside of another one by one.
TEST(C30_one_of_two_pieces_inside_is_a_contact)
{
    lw_vec3 vertex[16];
    int triangle[72];
    for (int piece = 0; piece < 2; ++piece) {
        for (int i = 0; i < 8; ++i) {
            vertex[8 * piece + i] = lw_vec3_of((i & 1 ? 0.1 : -0.1) + 3.0 * piece,
                                               i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
        }
        for (int k = 0; k < 36; ++k) {
            triangle[36 * piece + k] = box_triangle[k] + 8 * piece;
        }
    }
    const lw_mesh mesh = {16, 24, vertex, triangle, false};
    lw_surface *two = NULL;
    CHECK_INT(lw_surface_create(&mesh, NULL, &two), LW_OK);
    CHECK(lw_surface_describe(two).is_closed);
    lw_vec3 corner[8];
    lw_surface *room = box_surface(lw_vec3_of(1.0, 1.0, 1.0), corner, 0.0);
    const lw_pose X = lw_pose_identity();
    for (int side = 0; side < 2; ++side) {
        const lw_pose Y = {lw_mat3_identity(), lw_vec3_of(side ? -3.0 : 0.0, 0.0, 0.0)};
        lw_search search = lw_default_search();
        lw_distance d;
        CHECK(find(room, &X, two, &Y, false, &search, &d));
        CHECK(lw_verdict_of(&d, 0.0) == LW_VERDICT_HIT);
        CHECK_NEAR(d.upper, -0.4, 1e-12);
        CHECK(find(two, &Y, room, &X, false, &search, &d));
        CHECK_NEAR(d.upper, -0.4, 1e-12);
    }
    lw_surface_destroy(two);
    lw_surface_destroy(room);
}

TEST(C30_clouds_of_points_are_as_far_as_their_nearest_point)
{
    enum { POINTS = 500 };
    lw_vec3 point[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        point[i] = vector(1.0);
    }
    const lw_mesh mesh = {POINTS, 0, point, NULL, false};
    const lw_surface_options o = {.scale = {1, 1, 1}, .radius = 0.01};
    lw_surface *cloud = NULL;
    CHECK_INT(lw_surface_create(&mesh, &o, &cloud), LW_OK);
    const lw_solid capsule = lw_capsule(0.05, 0.5);
    for (int n = 0; n < 100; ++n) {
        const lw_pose X = pose(2.0, 1.0), Y = pose(2.0, 1.0);
        double least = HUGE_VAL;
        for (int i = 0; i < POINTS; ++i) {
            const lw_solid ball = lw_sphere(0.01);
            const lw_pose at = {X.R, lw_pose_apply(&X, point[i])};
            lw_distance d;
            CHECK_INT(lw_find_distance(&ball, &at, &capsule, &Y, &work, &d), LW_OK);
            least = fmin(least, d.distance);
        }
        lw_search search = lw_default_search();
        lw_distance d;
        bool is_found = false;
        search.stop = -HUGE_VAL;
        CHECK_INT(
            lw_find_surface_solid_distance(cloud, &X, &capsule, &Y, &search, &work, &d, &is_found),
            LW_OK);
        CHECK(is_found);
        CHECK_NEAR(d.distance, least, 1e-12);
    }
    lw_surface_destroy(cloud);
}

TEST(triangles_without_area_are_segments_and_points)
{
    const lw_vec3 vertex[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0.5, 1, 0}};
    const int triangle[9] = {0, 1, 2, 0, 0, 0, 0, 1, 3};
    lw_surface *thin = NULL, *face = NULL;
    const lw_mesh mesh[2] = {{4, 2, vertex, triangle, false}, {4, 1, vertex, triangle + 6, false}};
    CHECK_INT(lw_surface_create(&mesh[0], NULL, &thin), LW_OK);
    CHECK_INT(lw_surface_create(&mesh[1], NULL, &face), LW_OK);
    const lw_pose X = lw_pose_identity(), Y = {lw_mat3_identity(), {0.0, 0.0, 0.3}};
    lw_search search = lw_default_search();
    lw_distance d;
    CHECK(find(thin, &X, face, &Y, false, &search, &d));
    CHECK_NEAR(d.distance, 0.3, 1e-15);
    CHECK(find(thin, &X, thin, &Y, false, &search, &d));
    CHECK_NEAR(d.distance, 0.3, 1e-15);
    lw_surface_destroy(thin);
    lw_surface_destroy(face);
}

TEST(bad_surfaces_are_refused)
{
    lw_surface *surface = NULL;
    lw_vec3 vertex[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int triangle[3] = {0, 1, 2};
    lw_mesh mesh = {3, 1, vertex, triangle, false};
    lw_surface_options o = lw_default_surface_options();
    triangle[2] = 3;
    CHECK_INT(lw_surface_create(&mesh, NULL, &surface), LW_ERR_ARGUMENT);
    triangle[2] = -1;
    CHECK_INT(lw_surface_create(&mesh, NULL, &surface), LW_ERR_ARGUMENT);
    triangle[2] = 2;
    vertex[1].y = (double)NAN;
    CHECK_INT(lw_surface_create(&mesh, NULL, &surface), LW_ERR_NUMBER);
    vertex[1].y = 0.0;
    o.scale.z = (double)INFINITY;
    CHECK_INT(lw_surface_create(&mesh, &o, &surface), LW_ERR_NUMBER);
    o = lw_default_surface_options();
    o.radius = -1.0;
    CHECK_INT(lw_surface_create(&mesh, &o, &surface), LW_ERR_ARGUMENT);
    mesh.nvertex = 0;
    CHECK_INT(lw_surface_create(&mesh, NULL, &surface), LW_ERR_ARGUMENT);
    const double hole[4] = {0, 0, (double)NAN, 0};
    CHECK_INT(lw_surface_create_heights(2, 2, hole, NULL, &surface), LW_ERR_NUMBER);
    CHECK_INT(lw_surface_create_heights(1, 4, hole, NULL, &surface), LW_ERR_ARGUMENT);
    CHECK_INT(lw_surface_create_heights(1 << 20, 1 << 20, hole, NULL, &surface), LW_ERR_ARGUMENT);
    CHECK(!surface);
}

int main(void)
{
    RUN(C30_meshes_of_boxes_are_as_far_apart_as_boxes);
    RUN(C31_C32_trees_find_what_comparing_every_triangle_finds);
    RUN(C31_C32_trees_hold_at_any_size_and_place);
    RUN(C30_what_is_below_terrain_is_in_contact);
    RUN(C30_terrain_is_a_block_with_walls);
    RUN(C30_one_of_two_pieces_inside_is_a_contact);
    RUN(C30_clouds_of_points_are_as_far_as_their_nearest_point);
    RUN(triangles_without_area_are_segments_and_points);
    RUN(bad_surfaces_are_refused);
    return REPORT();
}
