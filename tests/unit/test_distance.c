// Distances of convex solids: against an independent program with 113 bits, and by laws (C13, C28,
// C30).
#include "check.h"
#include "random_mech.h"
#include "reference.h"

#include <linkwork/geometry.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 128 };

typedef struct posed_solid {
    lw_solid solid;
    lw_pose X;
    lw_vec3 point[MOST_POINTS];
} posed_solid;

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static lw_vec3 vector(const json_t *object, const char *key)
{
    double x[3] = {0, 0, 0};
    reference_numbers(json_object_get(object, key), x, 3);
    return lw_vec3_of(x[0], x[1], x[2]);
}

static bool read_solid(const json_t *shape, const json_t *pose, posed_solid *p)
{
    const char *type = json_string_value(json_object_get(shape, "type"));
    const double r = number(shape, "radius"), l = number(shape, "length");
    double x[7] = {0};
    if (strcmp(type, "sphere") == 0) {
        p->solid = lw_sphere(r);
    } else if (strcmp(type, "capsule") == 0) {
        p->solid = lw_capsule(r, l);
    } else if (strcmp(type, "box") == 0) {
        p->solid = lw_box(vector(shape, "size"));
    } else if (strcmp(type, "cylinder") == 0) {
        p->solid = lw_cylinder(r, l);
    } else if (strcmp(type, "cone") == 0) {
        p->solid = lw_cone(r, l);
    } else if (strcmp(type, "ellipsoid") == 0) {
        p->solid = lw_ellipsoid(vector(shape, "radii"));
    } else if (strcmp(type, "plane") == 0) {
        p->solid = lw_half_space();
    } else if (strcmp(type, "convex") == 0) {
        const json_t *points = json_object_get(shape, "points");
        double y[3 * MOST_POINTS];
        const int n = reference_numbers(points, y, 3 * MOST_POINTS) / 3;
        for (int i = 0; i < n; ++i) {
            p->point[i] = lw_vec3_of(y[3 * i], y[3 * i + 1], y[3 * i + 2]);
        }
        p->solid = lw_hull(n, p->point);
    } else {
        return CHECK_TEXT(type, "a known type");
    }
    reference_numbers(pose, x, 7);
    p->X = (lw_pose){lw_rotation_quat((lw_quat){x[3], x[4], x[5], x[6]}),
                     lw_vec3_of(x[0], x[1], x[2])};
    return true;
}

// The diameter of what is finite.
static double size_of(const posed_solid *p)
{
    double size = lw_norm3(p->solid.half);
    for (int i = 0; i < p->solid.npoint; ++i) {
        size = fmax(size, lw_norm3(p->solid.point[i]));
    }
    return 2.0 * (size + p->solid.radius);
}

static double worst_width;
static lw_distance_work work;

static void check_case_of_file(const json_t *row, const char *name, size_t k, double tolerance)
{
    static posed_solid a, b;
    check_case("%s %zu (%s)", name, k, json_string_value(json_object_get(row, "category")));
    if (!read_solid(json_object_get(row, "a"), json_object_get(row, "pose_a"), &a) ||
        !read_solid(json_object_get(row, "b"), json_object_get(row, "pose_b"), &b)) {
        return;
    }
    const double want = number(row, "distance"), size = size_of(&a) + size_of(&b);
    lw_distance d, e;
    CHECK_INT(lw_find_distance(&a.solid, &a.X, &b.solid, &b.X, &work, &d), LW_OK);
    // The file has rotations as quaternions; their matrices have rounding errors of their own.
    const double error = 4.0 * DBL_EPSILON * (size + fabs(want));
    CHECK_NEAR(d.distance, want, tolerance * (size + fabs(want)));
    CHECK(d.lower - error <= want && want <= d.upper + error);
    CHECK(d.lower <= d.distance && d.distance <= d.upper);
    worst_width = fmax(worst_width, (d.upper - d.lower) / (size + fabs(want)));
    const lw_vec3 step = lw_sub3(d.point[1], d.point[0]);
    const double far = lw_norm3(a.X.p) + lw_norm3(b.X.p);
    CHECK(lw_norm3(lw_sub3(step, lw_scale3(d.distance, d.normal))) <=
          1e-9 * (size + fabs(want)) + 8.0 * DBL_EPSILON * far);
    CHECK_NEAR(lw_norm3(d.normal), 1.0, 1e-12);
    CHECK_INT(lw_find_distance(&b.solid, &b.X, &a.solid, &a.X, &work, &e), LW_OK);
    CHECK(e.distance == d.distance && e.lower == d.lower && e.upper == d.upper);
}

TEST(C30_distances_are_those_of_an_independent_program)
{
    json_t *file = reference_read("collision_oracles.json");
    const char *name;
    const json_t *rows, *row;
    size_t k;
    json_object_foreach(json_object_get(file, "pairs"), name, rows)
    {
        worst_width = 0.0;
        json_array_foreach(rows, k, row)
        {
            check_case_of_file(row, name, k, 1e-9);
        }
        printf("%-22s widest interval %.1e\n", name, worst_width);
    }
    json_array_foreach(json_object_get(file, "special"), k, row)
    {
        check_case_of_file(row, json_string_value(json_object_get(row, "name")), k, 1e-9);
    }
    json_decref(file);
}

// --- Laws -------------------------------------------------------------------------------------

static double pick(const double *from, int n)
{
    return from[(int)check_random(0, n)];
}

// Sizes and gaps over many decades, with zero among them.
static double any_size(void)
{
    static const double scale[] = {1.0, 1.0, 1.0, 0.3, 1e-2, 1e-4, 1e-6, 1e3, 0.0};
    return pick(scale, 9) * check_random(0.5, 1.0);
}

static lw_vec3 any_vector(double size)
{
    const double x = check_random(-size, size), y = check_random(-size, size);
    return lw_vec3_of(x, y, check_random(-size, size));
}

// Rotations that are parallel, nearly so, or any.
static lw_mat3 any_rotation(void)
{
    static const double tilt[] = {0.0, 1e-12, 1e-8, 1e-4};
    const lw_mat3 turn = lw_rotation(random_unit(), pick(tilt, 4));
    const double angle = 1.57079632679489662 * (int)check_random(0, 4);
    const lw_mat3 quarter = lw_rotation_rpy(angle, angle, 0.0);
    return check_random(0, 1) < 0.5 ? random_rotation() : lw_mul3(&turn, &quarter);
}

static lw_pose any_pose(double size)
{
    static const double far[] = {0.0, 1e-9, 0.1, 1.0, 1.0, 3.0};
    return (lw_pose){any_rotation(), any_vector(size * pick(far, 6))};
}

// A box, a segment or a ball, and the same solid by another core.
static void same_solids(posed_solid *a, posed_solid *b)
{
    const lw_vec3 half = {any_size(), any_size(), any_size()};
    const double radius = check_random(0, 1) < 0.5 ? 0.0 : any_size();
    switch ((int)check_random(0, 4)) {
    case 0:
        a->solid = lw_box(lw_scale3(2.0, half));
        for (int i = 0; i < 8; ++i) {
            b->point[i] = lw_vec3_of(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                     i & 4 ? half.z : -half.z);
        }
        b->solid = lw_hull(8, b->point);
        break;
    case 1:
        a->solid = lw_capsule(0.0, 2.0 * half.z);
        b->solid = lw_cylinder(0.0, 2.0 * half.z);
        break;
    case 2:
        a->solid = lw_sphere(half.x);
        b->solid = lw_ellipsoid(lw_vec3_of(half.x, half.x, half.x));
        break;
    default: // a flat cone and a flat cylinder are both a disc
        a->solid = lw_cylinder(half.x, 0.0);
        b->solid = lw_cone(half.x, 0.0);
        break;
    }
    a->solid.radius += radius;
    b->solid.radius += radius;
}

static void any_solid(posed_solid *p)
{
    const double r = any_size(), l = any_size();
    const int n = (int)check_random(1, 12);
    switch ((int)check_random(0, 7)) {
    case 0:
        p->solid = lw_sphere(r);
        break;
    case 1:
        p->solid = lw_capsule(r, l);
        break;
    case 2:
        p->solid = lw_box(lw_vec3_of(r, l, any_size()));
        break;
    case 3:
        p->solid = lw_cylinder(r, l);
        break;
    case 4:
        p->solid = lw_cone(r, l);
        break;
    case 5:
        p->solid = lw_ellipsoid(lw_vec3_of(r, l, any_size()));
        break;
    default:
        for (int i = 0; i < n; ++i) {
            p->point[i] = any_vector(r);
        }
        p->solid = lw_hull(n, p->point);
        break;
    }
    p->X = any_pose(1.0);
}

// Moves b along the normal so that the two nearly touch, now and then.
static void perhaps_touch(const posed_solid *a, posed_solid *b)
{
    static const double gap[] = {0.0, 1e-15, -1e-15, 1e-12, -1e-9, 1e-9, 1e-6, -1e-6};
    lw_distance d;
    if (check_random(0, 1) < 0.3 &&
        CHECK_INT(lw_find_distance(&a->solid, &a->X, &b->solid, &b->X, &work, &d), LW_OK)) {
        b->X.p = lw_add3(b->X.p, lw_scale3(pick(gap, 8) - d.distance, d.normal));
    }
}

static bool is_sound(const lw_distance *d)
{
    return isfinite(d->distance) && d->lower <= d->distance && d->distance <= d->upper &&
           fabs(lw_norm3(d->normal) - 1.0) < 1e-9 && isfinite(lw_norm3(d->point[0])) &&
           isfinite(lw_norm3(d->point[1]));
}

TEST(C28_two_descriptions_of_one_solid_have_one_distance)
{
    static posed_solid a, b, c;
    for (int n = 0; n < 40000; ++n) {
        check_case("pair %d", n);
        same_solids(&a, &b);
        any_solid(&c);
        a.X = any_pose(1.0);
        perhaps_touch(&a, &c);
        lw_distance d, e;
        CHECK_INT(lw_find_distance(&a.solid, &a.X, &c.solid, &c.X, &work, &d), LW_OK);
        CHECK_INT(lw_find_distance(&b.solid, &a.X, &c.solid, &c.X, &work, &e), LW_OK);
        CHECK(is_sound(&d) && is_sound(&e));
        CHECK(d.lower <= e.upper && e.lower <= d.upper);
    }
}

TEST(C28_distances_do_not_change_with_the_frame_and_the_order)
{
    static posed_solid a, b;
    double widest = 0.0;
    int uncertain = 0;
    for (int n = 0; n < 100000; ++n) {
        check_case("pair %d", n);
        any_solid(&a);
        any_solid(&b);
        perhaps_touch(&a, &b);
        lw_distance d, e, f;
        CHECK_INT(lw_find_distance(&a.solid, &a.X, &b.solid, &b.X, &work, &d), LW_OK);
        CHECK_INT(lw_find_distance(&b.solid, &b.X, &a.solid, &a.X, &work, &e), LW_OK);
        CHECK(is_sound(&d));
        CHECK(e.distance == d.distance && e.lower == d.lower && e.upper == d.upper);
        // A motion of both: rotation matrices and points have rounding errors of their own.
        const lw_pose move = {random_rotation(), any_vector(1.0)};
        const lw_pose X = lw_pose_mul(&move, &a.X), Y = lw_pose_mul(&move, &b.X);
        CHECK_INT(lw_find_distance(&a.solid, &X, &b.solid, &Y, &work, &f), LW_OK);
        const double size = size_of(&a) + size_of(&b) + lw_norm3(lw_sub3(a.X.p, b.X.p));
        const double error = 16.0 * DBL_EPSILON * (size + lw_norm3(X.p) + lw_norm3(Y.p));
        CHECK(d.lower - error <= f.upper && f.lower - error <= d.upper);
        widest = fmax(widest, (d.upper - d.lower) / size);
        uncertain += d.upper - d.lower > 1e-9 * size;
    }
    printf("widest interval %.1e of the size; %d of 100000 wider than 1e-9\n", widest, uncertain);
    CHECK(uncertain < 1000);
}

// Where a closed form has a case of its own: beside a disc in its plane, on the planes of
// ellipsoids with equal radii, and lengths whose products vanish.
TEST(C28_distances_in_special_places)
{
    const lw_solid point = lw_sphere(0.0), disc = lw_cylinder(1.0, 0.0), flat = lw_cone(1.0, 0.0);
    const lw_solid oblate = lw_ellipsoid(lw_vec3_of(2.0, 1.0, 1.0));
    const lw_solid oblong = lw_ellipsoid(lw_vec3_of(1.0, 1.0, 2.0));
    const lw_solid round = lw_ellipsoid(lw_vec3_of(1.0, 1.0, 1.0));
    lw_solid measured = lw_sphere(0.5); // a ball is one, whatever its half lengths are
    measured.half = lw_vec3_of(0.0, 0.0, 5.0);
    const struct {
        const lw_solid *a, *b;
        lw_vec3 at;
        double distance;
    } row[] = {{&point, &disc, {3, 0, 0}, 2.0},         {&point, &flat, {0, 3, 0}, 2.0},
               {&point, &oblate, {0, 0, 0.25}, -0.75},  {&point, &oblate, {0, 0.25, 0}, -0.75},
               {&point, &oblate, {0, 0, 3}, 2.0},       {&point, &oblong, {0, 0.25, 0}, -0.75},
               {&point, &oblong, {0, 1, 0}, 0.0},       {&point, &oblong, {0, 0, 3}, 1.0},
               {&point, &round, {0, 0, 0.5}, -0.5},     {&point, &round, {0, 0, 0}, -1.0},
               {&point, &oblong, {1e-320, 0, 0}, -1.0}, {&measured, &point, {0, 0, 3}, 2.5}};
    const lw_pose origin = lw_pose_identity();
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        check_case("place %zu", i);
        const lw_pose X = {lw_mat3_identity(), row[i].at};
        lw_distance d;
        CHECK_INT(lw_find_distance(row[i].a, &X, row[i].b, &origin, &work, &d), LW_OK);
        CHECK(is_sound(&d) && d.lower <= row[i].distance && row[i].distance <= d.upper);
        CHECK_NEAR(d.distance, row[i].distance, 1e-14);
    }
    // Touching, up to rounding: the normal is that of the side, whatever the last digits are.
    const lw_solid cone = lw_cone(0.7, 2.0);
    for (int i = 0; i < 1000; ++i) {
        check_case("touching %d", i);
        const double share = check_random(0.2, 0.8), angle = check_random(-3.0, 3.0);
        const double c = cos(angle), s = sin(angle);
        const lw_vec3 side = lw_unit3(lw_vec3_of(2.0 * c, 2.0 * s, 0.7));
        const lw_pose X = {random_rotation(), lw_vec3_of(0.3, 0.2, 0.1)};
        const lw_vec3 at = {0.7 * share * c, 0.7 * share * s, 1.0 - 2.0 * share};
        const lw_pose Y = {random_rotation(), lw_pose_apply(&X, at)};
        lw_distance d;
        CHECK_INT(lw_find_distance(&cone, &X, &point, &Y, &work, &d), LW_OK);
        CHECK(is_sound(&d) && lw_dot3(d.normal, lw_rotate(&X.R, side)) > 1.0 - 1e-9);
    }
    for (double s = 1e-20; s > 1e-300; s *= 1e-10) {
        check_case("size %g", s);
        const lw_solid a = lw_cylinder(s, s), b = lw_ellipsoid(lw_vec3_of(s, 2.0 * s, s));
        const lw_pose X = {lw_mat3_identity(), lw_vec3_of(0.5 * s, s, 0.3 * s)};
        lw_distance d;
        CHECK_INT(lw_find_distance(&a, &origin, &b, &X, &work, &d), LW_OK);
        CHECK(is_sound(&d) && d.lower <= -1.1967 * s && -1.1968 * s <= d.upper);
        const lw_solid dot = lw_sphere(0.0);
        CHECK_INT(lw_find_distance(&dot, &X, &b, &X, &work, &d), LW_OK);
        CHECK(is_sound(&d) && d.lower <= -s && -s <= d.upper);
    }
}

// A matrix that is not quite a rotation: the interval has the distances of all that may be meant.
// Points are compared several at a time, and what is left over apart. Each is the lowest in turn.
TEST(C28_a_hull_of_any_number_of_points_stands_on_its_lowest)
{
    const lw_solid floor = lw_half_space();
    const lw_pose here = lw_pose_identity();
    lw_vec3 point[21];
    lw_distance d;
    for (int n = 1; n <= 21; ++n) {
        for (int lowest = 0; lowest < n; ++lowest) {
            check_case("point %d of %d", lowest, n);
            for (int i = 0; i < n; ++i) {
                point[i] = any_vector(1.0);
                point[i].z = i == lowest ? 1.0 : check_random(1.0, 2.0);
            }
            const lw_solid hull = lw_hull(n, point);
            CHECK_INT(lw_find_distance(&hull, &here, &floor, &here, &work, &d), LW_OK);
            CHECK_NEAR(d.distance, 1.0, 1e-15);
            CHECK_NEAR(d.point[0].x, point[lowest].x, 1e-15);
            point[lowest].y = (double)NAN;
            CHECK_INT(lw_find_distance(&hull, &here, &floor, &here, &work, &d), LW_ERR_NUMBER);
        }
    }
}

TEST(C30_skewed_rotations_widen_the_interval_or_are_refused)
{
    const lw_solid box = lw_box(lw_vec3_of(1.0, 1.0, 1.0));
    const lw_pose at = lw_pose_identity();
    lw_pose beside = {lw_mat3_identity(), lw_vec3_of(3.0, 0.0, 0.0)};
    lw_distance d;
    beside.R.row[0].x = 1.0 + 1e-9;
    CHECK_INT(lw_find_distance(&box, &at, &box, &beside, &work, &d), LW_OK);
    CHECK(is_sound(&d) && d.lower <= 2.0 - 0.5e-9 && d.upper >= 2.0 && d.upper < 2.0 + 1e-7);
    beside.R.row[0].x = 2.0;
    CHECK_INT(lw_find_distance(&box, &at, &box, &beside, &work, &d), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_distance(&box, &beside, &box, &at, &work, &d), LW_ERR_ARGUMENT);
    beside.R = (lw_mat3){0};
    CHECK_INT(lw_find_distance(&box, &at, &box, &beside, &work, &d), LW_ERR_ARGUMENT);
}

TEST(C28_rounding_takes_its_radius_from_the_distance)
{
    static posed_solid a, b;
    for (int n = 0; n < 20000; ++n) {
        check_case("pair %d", n);
        any_solid(&a);
        any_solid(&b);
        lw_distance d, e;
        CHECK_INT(lw_find_distance(&a.solid, &a.X, &b.solid, &b.X, &work, &d), LW_OK);
        const double more = any_size();
        a.solid.radius += more;
        CHECK_INT(lw_find_distance(&a.solid, &a.X, &b.solid, &b.X, &work, &e), LW_OK);
        const double size = size_of(&a) + size_of(&b) + lw_norm3(lw_sub3(a.X.p, b.X.p));
        CHECK_NEAR(e.distance, d.distance - more, 1e-8 * size);
    }
}

// Curved solids that are apart: Newton's method has the last digits. Answers stay proven where a
// step of it is wrong, so that only their width and the iterations show it.
TEST(C30_curved_solids_apart_need_few_iterations)
{
    enum { PAIRS = 500 };
    int sum = 0, warm = 0;
    for (int n = 0; n < PAIRS; ++n) {
        const double r = check_random(0.05, 0.3), l = check_random(0.05, 0.3);
        const lw_solid a = n % 2 ? lw_cylinder(r, l) : lw_ellipsoid(lw_vec3_of(r, l, 0.2));
        const lw_solid b = lw_ellipsoid(lw_vec3_of(l, 0.1, r));
        const lw_pose X_a = {any_rotation(), lw_vec3_of(0, 0, 0)};
        lw_pose X_b = {any_rotation(), lw_vec3_of(1, check_random(-1, 1), 0.3)};
        lw_distance_start start = {.n = 0};
        lw_distance d;
        check_case("pair %d", n);
        CHECK_INT(lw_find_distance_from(&a, &X_a, &b, &X_b, &start, &work, &d), LW_OK);
        CHECK(d.upper - d.lower <= 1e-13);
        sum += d.iterations;
        X_b.p.z += 0.005;
        CHECK_INT(lw_find_distance_from(&a, &X_a, &b, &X_b, &start, &work, &d), LW_OK);
        CHECK(d.upper - d.lower <= 1e-13);
        warm += d.iterations;
    }
    CHECK(sum < 3 * PAIRS && 10 * warm < 11 * PAIRS);
    printf("%.2f iterations in the mean, %.2f from nearby\n", (double)sum / PAIRS,
           (double)warm / PAIRS);
}

// Curved solids that overlap: a cone of directions about the deepest points proves both ends there,
// and the polytope needs points for the other directions alone.
TEST(C30_curved_solids_that_overlap_need_few_points)
{
    enum { PAIRS = 1000 };
    int sum = 0, warm = 0, most = 0, wide = 0, overlaps = 0;
    for (int n = 0; overlaps < PAIRS; ++n) {
        const double r = check_random(0.1, 0.3), l = check_random(0.1, 0.6);
        const lw_solid a = lw_cylinder(r, l);
        lw_vec3 corner[12];
        for (int i = 0; i < 12; ++i) {
            corner[i] = lw_scale3(l, random_unit());
        }
        const lw_solid b = n % 5 == 0   ? lw_ellipsoid(lw_vec3_of(l, 0.1, r))
                           : n % 5 == 1 ? lw_box(lw_vec3_of(l, r, 0.3))
                           : n % 5 == 2 ? lw_cone(r, l)
                           : n % 5 == 3 ? lw_hull(12, corner)
                                        : lw_cylinder(l, r);
        const lw_pose X_a = {any_rotation(), lw_vec3_of(0, 0, 0)};
        lw_pose X_b = {any_rotation(),
                       lw_vec3_of(check_random(-0.3, 0.3), check_random(-0.3, 0.3), 0.1)};
        lw_distance_start start = {.n = 0};
        lw_distance d, e;
        check_case("pair %d", n);
        CHECK_INT(lw_find_distance_from(&a, &X_a, &b, &X_b, &start, &work, &d), LW_OK);
        X_b.p.z += 0.005;
        CHECK_INT(lw_find_distance_from(&a, &X_a, &b, &X_b, &start, &work, &e), LW_OK);
        CHECK(fabs(e.distance - d.distance) <= 0.005 + 1e-9);
        if (d.distance < 0.0) {
            warm += e.iterations;
            ++overlaps;
            sum += d.iterations;
            most = d.iterations > most ? d.iterations : most;
            wide += d.upper - d.lower > 1e-9;
        }
    }
    CHECK(sum < 15 * PAIRS && 4 * warm < 3 * sum && most < 150);
    CHECK_INT(wide, 0);
    printf("%.2f iterations in the mean, %.2f from nearby, %d at the most, %d of %d intervals "
           "wider than 1e-9\n",
           (double)sum / PAIRS, (double)warm / PAIRS, most, wide, PAIRS);
}

// Pegs in holes: about the common axis all directions are as good.
TEST(C30_cylinders_about_nearly_one_axis_have_a_depth)
{
    static const double tilt[] = {0.0, 1e-15, 1e-12, 1e-8, 1e-6};
    for (int n = 0; n < 5000; ++n) {
        const double turn = tilt[n % 5], r = check_random(0.01, 0.3), l = check_random(0.1, 1.0);
        const double s = check_random(0.01, 0.3), m = check_random(0.1, 1.0),
                     move = check_random(0, 0.02);
        const lw_solid a = lw_cylinder(r, l), b = n % 2 ? lw_cylinder(s, m) : lw_capsule(s, m);
        const lw_mat3 R = any_rotation();
        const lw_mat3 tilted = lw_rotation(lw_vec3_of(cos(n), sin(n), 0.0), turn);
        const lw_vec3 off = {move * 0.6, move * 0.8, 0.0};
        const lw_pose X_a = {R, lw_vec3_of(0.1, 0.2, 0.3)};
        const lw_pose X_b = {lw_mul3(&R, &tilted), lw_add3(X_a.p, lw_rotate(&R, off))};
        lw_distance d;
        check_case("pair %d", n);
        CHECK_INT(lw_find_distance(&a, &X_a, &b, &X_b, &work, &d), LW_OK);
        const double across = r + s - move, along = 0.5 * (l + m) + (n % 2 ? 0.0 : s);
        CHECK_NEAR(d.distance, -fmin(across, along), 1e-12 + 2.0 * turn);
        CHECK(d.upper - d.lower <= 1e-12 + 2.0 * turn);
        CHECK(d.iterations < 400);
    }
}

// Rim beside rim, a hair apart: the way is longer than that between the caps and that between the
// sides, wherever the search begins.
TEST(C30_rims_of_parallel_cylinders_have_the_distance_of_their_corner)
{
    static lw_distance_start start;
    for (int n = 0; n < 20000; ++n) {
        const double r = pow(10.0, check_random(-6, 0)), l = pow(10.0, check_random(-6, 0));
        const double along = 2e-12 * check_random(0, 1), out = 2e-12 * check_random(0, 1);
        const lw_solid a = lw_cylinder(r, l), b = lw_cylinder(0.6, 0.01);
        const lw_mat3 turn = lw_rotation(lw_vec3_of(0, 0, 1), check_random(-3, 3));
        const lw_pose X_a = lw_pose_identity();
        const lw_pose X_b = {
            lw_mat3_identity(),
            lw_rotate(&turn, lw_vec3_of(0.6 + r + out, 0, 0.5 * (0.01 + l) + along))};
        lw_distance d;
        check_case("pair %d", n);
        for (int i = 0; i < 2; ++i) {
            CHECK_INT(lw_find_distance_from(&a, &X_a, &b, &X_b, &start, &work, &d), LW_OK);
            const double gap = hypot(out, along);
            CHECK(d.lower <= gap + 1e-15 && gap - 1e-15 <= d.upper);
        }
    }
}

// Points are on the solids: of rounded ones as far apart as is said, of caps face to face in both.
TEST(C30_points_are_as_far_apart_as_the_interval_says)
{
    for (int n = 0; n < 2000; ++n) {
        const lw_solid a = lw_capsule(800.0, check_random(0.0, 1e-4));
        lw_solid b = lw_cone(check_random(300.0, 800.0), 1e-4);
        b.radius = 0.2;
        const lw_pose X_a = {any_rotation(), random_unit()};
        lw_pose X_b = {any_rotation(), lw_scale3(700.0, random_unit())};
        lw_distance d;
        check_case("pair %d", n);
        CHECK_INT(lw_find_distance(&a, &X_a, &b, &X_b, &work, &d), LW_OK);
        X_b.p = lw_add3(X_b.p, lw_scale3(0.001 - d.distance, d.normal));
        CHECK_INT(lw_find_distance(&a, &X_a, &b, &X_b, &work, &d), LW_OK);
        CHECK(d.distance <= 0.0 || lw_norm3(lw_sub3(d.point[1], d.point[0])) <= d.upper + 1e-11);
    }
    const lw_solid thin = lw_cylinder(1.0, 2e-6), sheet = lw_cylinder(700.0, 0.0);
    for (int n = 0; n < 200; ++n) { // 1e-6 m apart, or as deep
        const lw_mat3 tilt = lw_rotation(random_unit(), 1e-15);
        const lw_pose X_a = {tilt, lw_vec3_of(0.2, 0.5, n % 2 ? 2e-6 : 0.0)};
        const lw_pose X_b = lw_pose_identity();
        lw_distance d;
        CHECK_INT(lw_find_distance(&thin, &X_a, &sheet, &X_b, &work, &d), LW_OK);
        CHECK_NEAR(d.distance, n % 2 ? 1e-6 : -1e-6, 1e-11);
        CHECK(fabs(d.point[0].z) <= 4e-6 && fabs(d.point[1].z) <= 4e-6);
    }
}

// Found in a run of 1.4e8 pairs: flat as paper, in touch at their rims by 2e-12. The origin is
// outside of a face of the polytope there.
TEST(C30_rims_of_flat_ellipsoids_are_no_deeper_than_along_a_direction)
{
    const lw_solid a = lw_ellipsoid(
        lw_vec3_of(0.15159430162207577, 5.9850897423128321e-07, 7.0727604658939267e-05));
    const lw_solid b =
        lw_ellipsoid(lw_vec3_of(7.5543360130644264e-05, 0.91811681943050694, 0.70184111727703424));
    const lw_pose X_a = {{{{-5.2222775446930027e-13, -4.6018108447533188e-13, 1},
                           {1, 7.1798602766941602e-13, 5.2222775446963066e-13},
                           {-7.1798602766965634e-13, 1, 4.6018108447495686e-13}}},
                         {0.36392091401643989, 0.049459848486986591, -0.50875002985755269}};
    const lw_pose X_b = {{{{-0.99999999883812885, -4.1836101186215008e-06, -4.802332500942932e-05},
                           {-4.1878176303972514e-06, 0.99999999615311108, 8.7614154228242622e-05},
                           {4.8022958281226759e-05, 8.7614355239373404e-05, -0.99999999500876013}}},
                         {0.36391965882756505, -1.0116986891340038, -0.6043411996516348}};
    lw_distance d;
    CHECK_INT(lw_find_distance(&a, &X_a, &b, &X_b, &work, &d), LW_OK);
    CHECK(d.lower <= d.distance && d.distance <= d.upper);
    CHECK(d.lower >= -2.2e-12); // so deep along a direction: the upper end is no less
}

TEST(C30_bad_solids_and_poses_are_refused)
{
    const lw_pose at = lw_pose_identity();
    const lw_vec3 bad_point = {0.0, (double)NAN, 0.0};
    const lw_solid good = lw_sphere(1.0);
    lw_distance d;
    const struct {
        lw_solid solid;
        lw_status status;
    } bad[] = {{lw_sphere(-1.0), LW_ERR_ARGUMENT},
               {lw_sphere((double)NAN), LW_ERR_NUMBER},
               {lw_sphere(HUGE_VAL), LW_ERR_NUMBER},
               {lw_box(lw_vec3_of(1.0, -1e-300, 1.0)), LW_ERR_ARGUMENT},
               {lw_cylinder(1e200, 1.0), LW_ERR_NUMBER},
               {lw_hull(0, &bad_point), LW_ERR_ARGUMENT},
               {lw_hull(1, NULL), LW_ERR_ARGUMENT},
               {lw_hull(1, &bad_point), LW_ERR_NUMBER},
               {{.core = LW_CORE_COUNT}, LW_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        check_case("solid %zu", i);
        CHECK_INT(lw_check_solid(&bad[i].solid), bad[i].status);
        CHECK_INT(lw_find_distance(&good, &at, &bad[i].solid, &at, &work, &d), bad[i].status);
    }
    lw_pose away = at;
    away.p.x = (double)NAN;
    CHECK_INT(lw_find_distance(&good, &at, &good, &away, &work, &d), LW_ERR_NUMBER);
    CHECK_INT(lw_find_distance(&good, &at, &good, &at, NULL, &d), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_distance(&good, NULL, &good, &at, &work, &d), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_distance(NULL, &at, &good, &at, &work, &d), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_distance(&good, &at, &good, &at, &work, NULL), LW_ERR_ARGUMENT);
    const lw_solid floor = lw_half_space();
    CHECK_INT(lw_find_distance(&floor, &at, &floor, &at, &work, &d), LW_ERR_ARGUMENT);
}

// Of two solids, from any directions and any points.
static void begin_anywhere(const lw_solid *a, const lw_solid *b)
{
    const lw_vec3 nothing = {0.0, 0.0, 0.0}, bad = {(double)NAN, HUGE_VAL, 1e300};
    const lw_distance_start odd[] = {
        {.n = 0, .direction = {bad}},
        {.n = 1000, .direction = {bad, bad, bad, bad}, .normal = bad},
        {.n = -5},
        {.n = 4, .direction = {nothing, nothing, bad}},
        {.n = 2, .direction = {{1, 0, 0}, {1, 0, 0}}},
        {.n = 1, .direction = {{0, 1, 0}}, .normal = {0, 0, 1}, .nearest = {bad, bad}},
        {.n = 1, .direction = {{0, 1, 0}}, .normal = {0, 0, -1}, .nearest = {{0, 0, 5}}},
        {.n = 1, .direction = {{0, 1, 0}}, .normal = {0, 0, 1}, .nearest = {{1, 1, 0.1}}},
        {.n = 2, .direction = {{1, 0, 0}, {0, 1, 0}}, .point = {{-1, 1000000}, {1, 20}}},
        {.n = 2, .direction = {{1, 0, 0}, {0, 1, 0}}, .point = {{21, 20}, {7, 7}}}};
    for (int k = 0; k < 200; ++k) {
        const lw_pose X = any_pose(0.5), Y = any_pose(0.5);
        lw_distance cold, warm;
        CHECK_INT(lw_find_distance(a, &X, b, &Y, &work, &cold), LW_OK);
        for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
            lw_distance_start start = odd[i];
            for (int again = 0; again < 2; ++again) {
                CHECK_INT(lw_find_distance_from(a, &X, b, &Y, &start, &work, &warm), LW_OK);
                CHECK(is_sound(&warm) && warm.lower <= cold.upper && cold.lower <= warm.upper);
                CHECK(fabs(warm.distance - cold.distance) <= 1e-9);
            }
            CHECK(start.n >= 1 && start.n <= 4);
            // What it ended with saves most of the way.
            CHECK(cold.distance < 0.0 || warm.iterations <= cold.iterations);
        }
    }
}

TEST(C30_a_search_may_begin_anywhere)
{
    const lw_solid a = lw_cylinder(0.2, 0.6), b = lw_cylinder(0.3, 0.3);
    lw_vec3 point[20];
    for (int i = 0; i < 20; ++i) {
        point[i] = any_vector(0.3);
    }
    const lw_solid hull = lw_hull(20, point);
    begin_anywhere(&a, &b);
    begin_anywhere(&hull, &b);
    begin_anywhere(&hull, &hull);
    CHECK_INT(lw_find_distance_from(&a, NULL, &b, NULL, NULL, &work, NULL), LW_ERR_ARGUMENT);
}

TEST(C30_a_verdict_is_given_only_where_the_interval_proves_it)
{
    const lw_solid ball = lw_sphere(0.5);
    const lw_pose at = lw_pose_identity();
    lw_pose beside = at;
    lw_distance d;
    beside.p.x = 1.25;
    CHECK_INT(lw_find_distance(&ball, &at, &ball, &beside, &work, &d), LW_OK);
    CHECK_INT(lw_verdict_of(&d, 0.0), LW_VERDICT_FREE);
    CHECK_INT(lw_verdict_of(&d, 0.3), LW_VERDICT_HIT);
    CHECK_INT(lw_verdict_of(&d, 0.25), LW_VERDICT_UNCERTAIN);
}

int main(void)
{
    RUN(C30_distances_are_those_of_an_independent_program);
    RUN(C28_two_descriptions_of_one_solid_have_one_distance);
    RUN(C28_distances_do_not_change_with_the_frame_and_the_order);
    RUN(C28_distances_in_special_places);
    RUN(C28_a_hull_of_any_number_of_points_stands_on_its_lowest);
    RUN(C30_skewed_rotations_widen_the_interval_or_are_refused);
    RUN(C28_rounding_takes_its_radius_from_the_distance);
    RUN(C30_curved_solids_apart_need_few_iterations);
    RUN(C30_curved_solids_that_overlap_need_few_points);
    RUN(C30_cylinders_about_nearly_one_axis_have_a_depth);
    RUN(C30_rims_of_parallel_cylinders_have_the_distance_of_their_corner);
    RUN(C30_points_are_as_far_apart_as_the_interval_says);
    RUN(C30_rims_of_flat_ellipsoids_are_no_deeper_than_along_a_direction);
    RUN(C30_bad_solids_and_poses_are_refused);
    RUN(C30_a_search_may_begin_anywhere);
    RUN(C30_a_verdict_is_given_only_where_the_interval_proves_it);
    return REPORT();
}
