// Contact patches (C30): polygons of faces that touch.
#include "check.h"
#include "random_mech.h"

#include <linkwork/geometry.h>

#include <math.h>

static lw_distance_work work;

static lw_contact_patch patch_of(const lw_solid *a, const lw_pose *X, const lw_solid *b,
                                 const lw_pose *Y)
{
    lw_distance d;
    lw_contact_patch patch = {0};
    CHECK_INT(lw_find_distance(a, X, b, Y, &work, &d), LW_OK);
    CHECK_INT(lw_find_patch(a, X, b, Y, &d, 1e-7, &patch), LW_OK);
    // All points lie in the plane, and in both solids up to the gap and the slack.
    for (int i = 0; i < patch.npoint; ++i) {
        const lw_pose at = {lw_mat3_identity(), patch.point[i]};
        const lw_solid dot = lw_sphere(0.0);
        const double far = 0.5 * fabs(d.distance) + 1e-6;
        lw_distance e;
        CHECK_INT(lw_find_distance(a, X, &dot, &at, &work, &e), LW_OK);
        CHECK(e.lower <= far);
        CHECK_INT(lw_find_distance(b, Y, &dot, &at, &work, &e), LW_OK);
        CHECK(e.lower <= far);
    }
    return patch;
}

// A box on a box, shifted and turned: the area by hand.
TEST(C30_boxes_on_boxes_have_the_area_that_they_share)
{
    const lw_solid a = lw_box(lw_vec3_of(1, 1, 0.2)), b = lw_box(lw_vec3_of(0.6, 0.4, 0.2));
    const lw_solid plane = lw_half_space();
    for (int n = 0; n < 300; ++n) {
        check_case("%d", n);
        const lw_pose X = {random_rotation(), lw_vec3_of(check_random(-2, 2), 1, 0)};
        const double x = check_random(0, 0.7), y = check_random(0, 0.6);
        const double gap = n % 3 == 0 ? 0.0 : n % 3 == 1 ? 0.01 : -0.01;
        const lw_pose Z = {lw_mat3_identity(), lw_vec3_of(x, y, 0.2 + gap)};
        const lw_pose Y = lw_pose_mul(&X, &Z);
        const double wide = fmin(0.5, x + 0.3) - fmax(-0.5, x - 0.3);
        const double deep = fmin(0.5, y + 0.2) - fmax(-0.5, y - 0.2);
        const lw_contact_patch p = patch_of(&a, &X, &b, &Y);
        CHECK_INT(p.npoint, 4);
        CHECK_NEAR(p.area, wide * deep, 1e-9);
        const lw_contact_patch q = patch_of(&b, &Y, &a, &X); // the other way round
        CHECK_NEAR(q.area, p.area, 1e-12);
        // On a half-space, with a side of the first: the whole face.
        const lw_pose H = {X.R, lw_pose_apply(&X, lw_vec3_of(0, 0, -0.1 - gap))};
        CHECK_NEAR(patch_of(&a, &X, &plane, &H).area, 1.0, 1e-9);
    }
}

TEST(C30_turned_boxes_and_hulls_share_an_octagon)
{
    const lw_vec3 corner[8] = {{-.5, -.5, -.1}, {.5, -.5, -.1}, {-.5, .5, -.1}, {.5, .5, -.1},
                               {-.5, -.5, .1},  {.5, -.5, .1},  {-.5, .5, .1},  {.5, .5, .1}};
    const lw_solid a = lw_box(lw_vec3_of(1, 1, 0.2)), hull = lw_hull(8, corner);
    const lw_pose X = lw_pose_identity();
    const lw_pose Y = {lw_rotation(lw_vec3_of(0, 0, 1), 0.785398163397448), {0, 0, 0.2}};
    const double octagon = 2.0 * (sqrt(2.0) - 1.0); // of two unit squares at 45 degrees
    CHECK_NEAR(patch_of(&a, &X, &a, &Y).area, octagon, 1e-9);
    CHECK_NEAR(patch_of(&a, &X, &hull, &Y).area, octagon, 1e-9);
    CHECK_INT(patch_of(&hull, &X, &hull, &Y).npoint, 8);
    // A disc: between the polygon inside and the circle.
    const lw_solid disc = lw_cylinder(0.3, 0.2);
    const double area = patch_of(&a, &X, &disc, &Y).area, circle = 3.14159265358979 * 0.09;
    CHECK(area <= circle && area > 0.99 * circle);
}

TEST(C30_edges_and_corners_have_no_area)
{
    const lw_solid a = lw_box(lw_vec3_of(1, 1, 0.2)), ball = lw_sphere(0.1);
    const lw_solid rod = lw_capsule(0.1, 0.4);
    const lw_pose X = lw_pose_identity(), Y = {X.R, {0.1, 0.2, 0.2}};
    const lw_pose lying = {lw_rotation(lw_vec3_of(0, 1, 0), 1.5707963267948966), {0.4, 0, 0.2}};
    CHECK_INT(patch_of(&a, &X, &ball, &Y).npoint, 1);
    const lw_contact_patch edge = patch_of(&a, &X, &rod, &lying);
    CHECK_INT(edge.npoint, 2);
    CHECK_NEAR(lw_norm3(lw_sub3(edge.point[0], edge.point[1])), 0.3, 1e-6); // of it on the box
    CHECK(edge.area == 0.0);
    lw_distance d = {.normal = {0, 0, 1}};
    lw_contact_patch patch;
    CHECK_INT(lw_find_patch(&a, &X, NULL, &Y, &d, 1e-6, &patch), LW_ERR_ARGUMENT);
    CHECK_INT(lw_find_patch(&a, &X, &a, &Y, &d, 0.0, &patch), LW_ERR_ARGUMENT);
}

int main(void)
{
    RUN(C30_boxes_on_boxes_have_the_area_that_they_share);
    RUN(C30_turned_boxes_and_hulls_share_an_octagon);
    RUN(C30_edges_and_corners_have_no_area);
    return REPORT();
}
