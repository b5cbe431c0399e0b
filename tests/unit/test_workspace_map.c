// Workspaces: maps by sampling and by inverse kinematics, boundaries by continuation (R34, R46).
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>
#include <linkwork/workspace_boundary.h>
#include <linkwork/workspace_map.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A planar arm of n revolute joints about z, with links along x; limits of rad, 0 for none.
static lw_model *planar_arm(int n, const double *l, const double *limit)
{
    char text[2000], joint[400], range[80];
    snprintf(text, sizeof text, "<linkwork version=\"1\" name=\"arm\"><ground/>");
    for (int i = 0; i < n; ++i) {
        range[0] = '\0';
        if (limit && limit[i] > 0.0) {
            snprintf(range, sizeof range, " lower=\"%.17g\" upper=\"%.17g\"", -limit[i], limit[i]);
        }
        char from[24] = "ground";
        if (i > 0) {
            snprintf(from, sizeof from, "l%d.end", i - 1);
        }
        snprintf(joint, sizeof joint,
                 "<joint name=\"q%d\" type=\"revolute\" axis=\"0 0 1\" from=\"%s\" to=\"l%d\"%s/>"
                 "<link name=\"l%d\" mass=\"1\"><frame name=\"end\" xyz=\"%.17g 0 0\"/></link>",
                 i, from, i, range, i, l[i]);
        strcat(text, joint);
    }
    strcat(text, "</linkwork>");
    return compile_text("arm.xml", text, NULL);
}

static lw_boundary_def in_plane_of_arm(const lw_model *m, int n)
{
    char name[24];
    snprintf(name, sizeof name, "l%d.end", n - 1);
    lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, name));
    def.v = lw_vec3_of(0.0, 1.0, 0.0);
    return def;
}

// Full turns: the boundary is two circles, or one; every point of it is on one to 1e-10.
static void check_annulus(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *at = json_array_get(list, i);
        double l[3];
        const int n = reference_numbers(json_object_get(at, "l"), l, 3);
        const double low = json_number_value(json_object_get(at, "r_min"));
        const double high = json_number_value(json_object_get(at, "r_max"));
        const double area = json_number_value(json_object_get(at, "area"));
        lw_model *m = planar_arm(n, l, NULL);
        if (!CHECK(m != NULL)) {
            continue;
        }
        const lw_boundary_def def = in_plane_of_arm(m, n);
        lw_boundary b;
        CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
        int nboundary = 0;
        for (int c = 0; c < b.ncurve; ++c) {
            const lw_boundary_curve *curve = &b.curve[c];
            nboundary += !curve->is_barrier;
            for (int k = 0; k < curve->count; ++k) {
                const double *p = b.point + 2 * (ptrdiff_t)(curve->first + k);
                const double r = hypot(p[0], p[1]);
                if (!curve->is_barrier) {
                    CHECK_NEAR(fmin(fabs(r - low), fabs(r - high)), 0.0, 1e-10);
                } else {
                    CHECK(r > low - 1e-10 && r < high + 1e-10);
                }
            }
        }
        CHECK_INT(nboundary, low > 1e-12 ? 2 : 1);
        CHECK_INT(b.nopen, 0);
        CHECK_NEAR(b.area, area, 2e-4 * area); // polygons with steps of 0.01 rad
        lw_boundary_free(&b);
        lw_model_destroy(m);
    }
}

TEST(R34_boundaries_of_planar_arms_are_circles)
{
    json_t *file = reference_read("workspace_oracles.json");
    if (file) {
        check_annulus(json_object_get(file, "planar_2r_full_turns"));
        check_annulus(json_object_get(file, "planar_3r_full_turns"));
    }
    json_decref(file);
}

// With limits the boundary is arcs with corners; the area is known in closed form.
TEST(R34_area_of_a_scara_with_limits)
{
    json_t *file = reference_read("workspace_oracles.json");
    const json_t *list = json_object_get(file, "scara_with_limits");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *at = json_array_get(list, i);
        double l[2], limit[2];
        reference_numbers(json_object_get(at, "l"), l, 2);
        limit[0] = json_number_value(json_object_get(at, "q1_limit"));
        limit[1] = json_number_value(json_object_get(at, "q2_limit"));
        const double area = json_number_value(json_object_get(at, "area"));
        lw_model *m = planar_arm(2, l, limit);
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_boundary_def def = in_plane_of_arm(m, 2);
        lw_boundary b;
        CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
        CHECK_INT(b.nopen, 0);
        CHECK_NEAR(b.area, area, 2e-4 * area);
        lw_boundary_free(&b);
        lw_model_destroy(m);
    }
    json_decref(file);
}

TEST(R34_largest_square_in_an_annulus)
{
    json_t *file = reference_read("workspace_oracles.json");
    const json_t *list = json_object_get(file, "largest_square_in_annulus");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *at = json_array_get(list, i);
        const double low = json_number_value(json_object_get(at, "r_min"));
        const double high = json_number_value(json_object_get(at, "r_max"));
        const double want =
            json_number_value(json_object_get(at, "largest_square_beside_the_hole"));
        const double l[2] = {0.5 * (high + low), 0.5 * (high - low)};
        lw_model *m = low > 0.0 ? planar_arm(2, l, NULL) : NULL;
        if (!m) {
            continue; // without a hole the square is in the middle
        }
        const lw_boundary_def def = in_plane_of_arm(m, 2);
        lw_boundary b;
        CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
        CHECK(b.has_box);
        CHECK_NEAR(b.box[2], want, 1e-3 * want);
        // Between the circles, width along the inner one: x^2 + (low + y)^2 = high^2 with the
        // largest 2 x y, by golden section.
        double y[2] = {0.0, high - low};
        for (int n = 0; n < 80; ++n) {
            const double a = y[0] + 0.382 * (y[1] - y[0]), c = y[0] + 0.618 * (y[1] - y[0]);
            const double left = a * sqrt(high * high - (low + a) * (low + a));
            const double right = c * sqrt(high * high - (low + c) * (low + c));
            y[left > right ? 1 : 0] = left > right ? c : a;
        }
        const double best = 2.0 * y[0] * sqrt(high * high - (low + y[0]) * (low + y[0]));
        CHECK_NEAR(b.rectangle[2] * b.rectangle[3], best, 2e-3 * best);
        lw_boundary_free(&b);
        lw_model_destroy(m);
    }
    json_decref(file);
}

/// Marks the cells of the section that the wrist of an arm such as the PUMA reaches: for a grid
/// over shoulder and elbow, whose sum is within `most`, the waist brings the wrist into the plane
/// normal . p = at, once or twice. `axis` is 0 for the plane y = at with u along x, 1 for x = at
/// with u along y.
enum { SIDE = 120, LOWEST = -30 };
static void mark_cells(const lw_model *m, lw_data *d, int frame, double most, int axis, double at,
                       double cell, unsigned char *mark)
{
    enum { GRID = 700 };
    const lw_dof *range[3] = {&m->dof[m->v_tree[0]], &m->dof[m->v_tree[1]], &m->dof[m->v_tree[2]]};
    const double pi = acos(-1.0);
    double q[6] = {0.0};
    for (int i = 0; i <= GRID; ++i) {
        for (int k = 0; k <= GRID; ++k) {
            lw_pose X;
            q[0] = 0.0;
            q[1] = range[1]->lower + (range[1]->upper - range[1]->lower) * i / GRID;
            q[2] = range[2]->lower + (range[2]->upper - range[2]->lower) * k / GRID;
            lw_pose_of_frame(m, d, q, frame, &X);
            const double r = hypot(X.p.x, X.p.y), azimuth = atan2(X.p.y, X.p.x);
            if (fabs(at) >= r || fabs(q[1] + q[2]) > most) {
                continue;
            }
            for (int side = -1; side <= 1; side += 2) {
                const double u = side * sqrt(r * r - at * at);
                const double wanted = axis == 0 ? atan2(at, u) : atan2(u, at);
                const double waist = remainder(wanted - azimuth, 2.0 * pi);
                const int x = (int)floor(u / cell) + SIDE / 2,
                          z = (int)floor(X.p.z / cell) - LOWEST;
                if (waist >= range[0]->lower && waist <= range[0]->upper && x >= 0 && x < SIDE &&
                    z >= 0 && z < SIDE) {
                    mark[z * SIDE + x] = 1;
                }
            }
        }
    }
}

/// The distance of a point from the boundary, where the larger coordinate counts.
static double distance_from(const lw_boundary *b, double u, double v)
{
    double least = 1e300;
    for (int c = 0; c < b->ncurve; ++c) {
        for (int k = 0; k < b->curve[c].count && !b->curve[c].is_barrier; ++k) {
            const double *p = b->point + 2 * (ptrdiff_t)(b->curve[c].first + k);
            least = fmin(least, fmax(fabs(p[0] - u), fabs(p[1] - v)));
        }
    }
    return least;
}

// Everywhere: a cell that is reached is within the boundary, and one within is reached, but for a
// cell about the boundary itself.
static void compare_with_sampling(const lw_model *m, lw_data *d, double most, int axis, double at)
{
    const double cell = 0.02;
    unsigned char *mark = calloc(SIDE, SIDE);
    lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, "wrist"));
    def.u = axis == 0 ? lw_vec3_of(1.0, 0.0, 0.0) : lw_vec3_of(0.0, 1.0, 0.0);
    def.origin = axis == 0 ? lw_vec3_of(0.0, at, 0.0) : lw_vec3_of(at, 0.0, 0.0);
    lw_boundary b;
    CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
    CHECK_INT(b.nopen, 0);
    if (CHECK(mark != NULL)) {
        mark_cells(m, d, def.frame, most, axis, at, cell, mark);
    }
    int reached = 0, missed = 0, beyond = 0;
    for (int i = 0; i < SIDE * SIDE && mark; ++i) {
        const double u = (i % SIDE - SIDE / 2 + 0.5) * cell;
        const double v = (i / SIDE + LOWEST + 0.5) * cell;
        reached += mark[i];
        if (mark[i] != (int)lw_boundary_contains(&b, u, v) && distance_from(&b, u, v) > cell) {
            missed += !mark[i];
            beyond += mark[i];
        }
    }
    CHECK(reached > 2000);
    CHECK_INT(missed, 0);
    CHECK_INT(beyond, 0);
    lw_boundary_free(&b);
    free(mark);
}

TEST(R34_sections_of_a_puma_agree_with_sampling_within_a_cell)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/puma560.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d != NULL)) {
        compare_with_sampling(m, d, HUGE_VAL, 0, 0.0);
        compare_with_sampling(m, d, HUGE_VAL, 1, 0.0);
        compare_with_sampling(m, d, HUGE_VAL, 1, -0.1);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

/// Boundary pieces that are closed, whose cells all agree.
static int closed_pieces(const lw_boundary *b)
{
    int count = 0;
    CHECK_INT(b->nopen, 0);
    CHECK_INT(b->ndisagree, 0);
    for (int c = 0; c < b->ncurve; ++c) {
        count += !b->curve[c].is_barrier && b->curve[c].is_closed;
    }
    return count;
}

// A motor beside the shoulder drives the forearm by a belt: it is at the sum of both angles, and
// its limits cut the workspace, though it depends on them.
static const char belt_arm[] =
    "<linkwork version=\"1\" name=\"arm\"><ground/>"
    "<joint name=\"waist\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"trunk\""
    " lower=\"%g\" upper=\"%g\"/>"
    "<link name=\"trunk\" mass=\"1\"><frame name=\"top\" xyz=\"0 %g 0\"/></link>"
    "<joint name=\"shoulder\" type=\"revolute\" axis=\"%s\" from=\"trunk.top\" to=\"upper\""
    " lower=\"%g\" upper=\"%g\"/>"
    "<link name=\"upper\" mass=\"1\"><frame name=\"end\" xyz=\"0.5 0 0\"/></link>"
    "<joint name=\"elbow\" type=\"revolute\" axis=\"%s\" from=\"upper.end\" to=\"fore\""
    " lower=\"0.5\" upper=\"2.5\" reference=\"1\"/>"
    "<link name=\"fore\" mass=\"1\"><frame name=\"wrist\" xyz=\"0.4 0 0\"/></link>"
    "<joint name=\"motor\" type=\"revolute\" axis=\"%s\" from=\"trunk.top\" to=\"rotor\""
    " dependent=\"true\" lower=\"-1.2\" upper=\"1.2\" reference=\"1\"/><link name=\"rotor\" "
    "mass=\"1\"/>"
    "<gear name=\"belt\" type=\"belt\" first=\"rotor\" second=\"fore\" teeth=\"20 20\"/>"
    "</linkwork>";

// Held at the waist: points of the boundary are at a limit, and it encloses the area.
static void check_belt_arm_in_plane(double lower, double upper, double area)
{
    char room[2000];
    snprintf(room, sizeof room, belt_arm, 0.0, 0.0, 0.0, "0 0 1", lower, upper, "0 0 1", "0 0 1");
    lw_model *m = compile_text("arm.xml", room, NULL);
    lw_boundary_def def = lw_default_boundary_def(m ? lw_find_frame(m, "wrist") : -1);
    def.v = lw_vec3_of(0.0, 1.0, 0.0);
    lw_boundary b;
    if (CHECK(m != NULL) && CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK)) {
        closed_pieces(&b);
        CHECK_NEAR(b.area, area, 2e-4 * area);
        for (int i = 0; i < b.npoint; ++i) {
            const double *q = b.q + (ptrdiff_t)i * m->nq;
            const double shoulder = fmin(q[1] - lower, upper - q[1]);
            const double elbow = fmin(q[2] - 0.5, 2.5 - q[2]), motor = 1.2 - fabs(q[1] + q[2]);
            CHECK_NEAR(fmin(fmin(shoulder, elbow), motor), 0.0, 1e-10);
        }
        lw_boundary_free(&b);
    }
    lw_model_destroy(m);
}

TEST(R34_limits_of_a_coupled_motor_bound_sections)
{
    const double low = 0.5, corner = 0.8, high = 2.5, end = 2.2;
    // An elbow angle leaves the shoulder 2.4 rad up to 0.8, then 3.2 less itself.
    check_belt_arm_in_plane(-2.0, 2.0,
                            0.5 * 0.4 *
                                (2.4 * (cos(low) - cos(corner)) + (high - 3.2) * cos(high) -
                                 sin(high) - (corner - 3.2) * cos(corner) + sin(corner)));
    // More than a revolution, of which the motor leaves 2.2 rad less the angle of the elbow.
    check_belt_arm_in_plane(-1.0, 5.5, 0.5 * 0.4 * ((end - low) * cos(low) + sin(low) - sin(end)));
    // In space, against sampling.
    char room[2000];
    snprintf(room, sizeof room, belt_arm, -2.5, 2.5, 0.1, "0 -1 0", -2.0, 2.0, "0 -1 0", "0 -1 0");
    lw_model *m = compile_text("arm.xml", room, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d != NULL)) {
        compare_with_sampling(m, d, 1.2, 1, -0.05);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Laws of a closed section of an arm with a sliding joint, limits that meet on the axis of the
// first joint, and a wrist that flips: what random configurations reach in its plane is not
// outside, and at each point of a curve some direction is left that no joint within its limits
// moves the point along.
TEST(R34_sections_of_a_stanford_arm_obey_the_laws_of_a_boundary)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/stanford.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    lw_boundary b;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    const lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, "tool"));
    CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
    closed_pieces(&b);
    int tested = 0, outside = 0;
    for (int n = 0; n < 200000; ++n) {
        double q[6];
        lw_pose X;
        for (int k = 0; k < m->nq; ++k) {
            q[k] = check_random(m->dof[k].lower, m->dof[k].upper);
        }
        // The first joint is vertical: it rotates most configurations into the plane.
        CHECK_INT(lw_pose_of_frame(m, d, q, def.frame, &X), LW_OK);
        q[0] = remainder(q[0] - atan2(X.p.y, X.p.x), 2.0 * acos(-1.0));
        CHECK_INT(lw_pose_of_frame(m, d, q, def.frame, &X), LW_OK);
        if (q[0] >= m->dof[0].lower && q[0] <= m->dof[0].upper && fabs(X.p.y) < 1e-12) {
            ++tested;
            outside +=
                !lw_boundary_contains(&b, X.p.x, X.p.z) && distance_from(&b, X.p.x, X.p.z) > 0.01;
        }
    }
    CHECK(tested > 150000);
    CHECK_INT(outside, 0);
    for (int c = 0; c < b.ncurve; ++c) {
        // The ends of a piece are cuts, with the configuration of a neighbour.
        for (int i = b.curve[c].first + 1; i < b.curve[c].first + b.curve[c].count - 1; ++i) {
            const double *q = b.q + (ptrdiff_t)i * m->nq;
            double J[6 * 6], free[3 * 6];
            lw_pose X;
            int nfree = 0;
            CHECK_INT(lw_pose_of_frame(m, d, q, def.frame, &X), LW_OK);
            CHECK_NEAR(X.p.x, b.point[2 * i], 1e-11);
            CHECK_NEAR(X.p.y, 0.0, 1e-11);
            CHECK_NEAR(X.p.z, b.point[2 * i + 1], 1e-11);
            CHECK_INT(lw_frame_jacobian(m, d, q, def.frame, LW_IN_WORLD, NULL, J), LW_OK);
            for (int k = 0; k < m->nq; ++k) {
                CHECK(q[k] >= m->dof[k].lower - 1e-10 && q[k] <= m->dof[k].upper + 1e-10);
                if (q[k] > m->dof[k].lower + 1e-10 && q[k] < m->dof[k].upper - 1e-10) {
                    for (int r = 0; r < 3; ++r) {
                        free[3 * nfree + r] = J[(3 + r) * m->nv + k];
                    }
                    ++nfree;
                }
            }
            // Of three columns each, the volume vanishes.
            for (int j = 0; j < nfree; ++j) {
                for (int k = j + 1; k < nfree; ++k) {
                    for (int l = k + 1; l < nfree; ++l) {
                        const double *x = free + 3 * j, *y = free + 3 * k, *z = free + 3 * l;
                        const lw_vec3 across =
                            lw_cross3(lw_vec3_of(x[0], x[1], x[2]), lw_vec3_of(y[0], y[1], y[2]));
                        CHECK_NEAR(lw_dot3(across, lw_vec3_of(z[0], z[1], z[2])), 0.0, 1e-10);
                    }
                }
            }
        }
    }
    lw_boundary_free(&b);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// With joints to spare, and a wrist that does not move the point of a straight arm: extremal curves
// alone, which agree with inverse kinematics of every cell.
TEST(R34_sections_of_redundant_arms_are_closed)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/puma560.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    lw_boundary b;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, "flange"));
    def.seed = 10; // with two curves that are nearly the same, and a piece of 0.5 mm between them
    CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
    closed_pieces(&b);
    CHECK_NEAR(b.area, 2.1403732, 1e-6); // of eleven other seeds
    // What shoulder, elbow and wrist reach in the plane at most, and a straight arm alone does: the
    // outermost points are that far from the shoulder.
    double furthest = 0.0;
    for (int i = 0; i < b.npoint; ++i) {
        lw_pose X;
        lw_pose_of_frame(m, d, b.q + (ptrdiff_t)i * m->nq, def.frame, &X);
        furthest = fmax(furthest, hypot(X.p.x, X.p.z - 0.67183));
        for (int k = 0; k < m->nq; ++k) {
            const double q = b.q[(ptrdiff_t)i * m->nq + k];
            CHECK(q >= m->dof[k].lower - 1e-9 && q <= m->dof[k].upper + 1e-9);
        }
    }
    CHECK(b.area > 2.0 && b.area < acos(-1.0) * furthest * furthest);
    lw_boundary_free(&b);
    // Without limits it is an arm of three links with a free wrist: no start of the search is
    // needed to find the hole about its base.
    const double l[4] = {1.0, 0.4, 0.2, 0.1};
    lw_model *arm = planar_arm(4, l, NULL);
    def = in_plane_of_arm(arm, 4);
    def.starts = 1;
    CHECK_INT(lw_boundary_create(arm, &def, &b), LW_OK);
    CHECK_INT(closed_pieces(&b), 2);
    CHECK_NEAR(b.area, acos(-1.0) * (1.7 * 1.7 - 0.3 * 0.3), 2e-3);
    lw_boundary_free(&b);
    lw_model_destroy(arm);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A gap that narrows to nothing at the axis of the first joint, and postures of the wrist that few
// starts lead to: the area is that of other seeds.
TEST(R34_section_of_a_stanford_arm_has_its_gap)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/stanford.xml", false);
    lw_boundary b;
    if (!CHECK(m != NULL)) {
        return;
    }
    lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, "tool"));
    def.u = lw_vec3_of(0.0, 1.0, 0.0);
    def.seed = 8;
    CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
    closed_pieces(&b);
    CHECK_NEAR(b.area, 7.0814568, 1e-6);
    lw_boundary_free(&b);
    lw_model_destroy(m);
}

// Arms whose curves touch in the middle of another (IRB 120), cross at a small angle where pieces
// are shorter than a chord (Jaco), or share the way of a barrier that then turns off (Panda):
// closed, with the same area from any start.
TEST(R34_sections_of_known_arms_are_closed)
{
    static const struct {
        const char *file, *frame;
        double area;
    } arm[] = {{"models/urdf_arms/abb_irb120.urdf", "tool0", 1.049313},
               {"models/urdf_ik/jaco2.urdf", "tool", 2.641640},
               {NULL, "right_finger.tip", 2.741915}};
    for (int i = 0; i < 3; ++i) {
        lw_model *m = arm[i].file
                          ? shared_model(arm[i].file, false)
                          : compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
        if (!m) {
            continue;
        }
        lw_boundary b;
        const lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, arm[i].frame));
        CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
        closed_pieces(&b);
        CHECK_NEAR(b.area, arm[i].area, 3e-6);
        lw_boundary_free(&b);
        lw_model_destroy(m);
    }
}

// In the plane of symmetry two legs of this one get horizontal at the same time, and the frame
// cannot move in two directions: an edge of the workspace, which is no curve of this section. Its
// height at x is what carriages have of 0.26 m, less how unequal they stand there.
TEST(R34_a_section_through_an_edge_of_a_linear_delta_is_closed)
{
    enum { STRIPS = 20000 };
    const double rod = 0.22, radius = 0.11, low = -radius;
    const double high = -0.5 * radius + sqrt(rod * rod - 0.75 * radius * radius);
    double area = 0.0;
    for (int i = 0; i < STRIPS; ++i) {
        const double x = low + (high - low) * (i + 0.5) / STRIPS;
        const double one = (x - radius) * (x - radius);
        const double two = (x + 0.5 * radius) * (x + 0.5 * radius) + 0.75 * radius * radius;
        const double unequal = fabs(sqrt(rod * rod - one) - sqrt(rod * rod - two));
        area += (high - low) / STRIPS * fmax(0.0, 0.26 - unequal);
    }
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/closed/linear_delta.xml", false);
    if (!m) {
        return;
    }
    lw_boundary b;
    const lw_boundary_def def = lw_default_boundary_def(lw_find_frame(m, "nozzle"));
    CHECK_INT(lw_boundary_create(m, &def, &b), LW_OK);
    closed_pieces(&b);
    CHECK_NEAR(b.area, area, 2e-4); // beside the edge ends are joined by chords of a step
    lw_boundary_free(&b);
    lw_model_destroy(m);
}

// W3: no entry without a configuration that is there; those of many starts are found.
TEST(R46_capability_has_witnesses_and_misses_nothing)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d != NULL)) {
        lw_model_destroy(m);
        return;
    }
    const int frame = lw_find_frame(m, "tool");
    lw_workspace_map_def def = lw_default_workspace_map_def(frame);
    def.cell = 0.25;
    def.samples = 100000;
    def.ndirection = 20;
    def.nroll = 3;
    def.has_measure = true;
    lw_workspace_map map;
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_OK);
    const long long cells = (long long)map.n[0] * map.n[1] * map.n[2];
    int reached = 0, missed = 0, witnesses = 0;
    for (long long c = 0; c < cells; ++c) {
        if (!(map.capability[c] > 0.0F)) {
            continue;
        }
        lw_pose X;
        ++reached;
        for (int k = 0; k < map.ndirection; ++k) {
            const float *witness = lw_workspace_map_witness(&map, c, k);
            double q[6];
            if (!witness) {
                continue;
            }
            for (int i = 0; i < 6; ++i) {
                q[i] = (double)witness[i];
                CHECK(q[i] >= m->dof[i].lower - 1e-6 && q[i] <= m->dof[i].upper + 1e-6);
            }
            lw_pose_of_frame(m, d, q, frame, &X);
            // Six joints, rounded to 2^-24 of up to 2 pi each, and an arm of a metre.
            const lw_mat3 R = lw_workspace_orientation(map.ndirection, 1, k);
            const lw_vec3 z[2] = {{R.row[0].z, R.row[1].z, R.row[2].z},
                                  {X.R.row[0].z, X.R.row[1].z, X.R.row[2].z}};
            CHECK_NEAR(lw_norm3(lw_sub3(X.p, lw_workspace_map_center(&map, c))), 0.0, 2e-6);
            CHECK_NEAR(lw_norm3(lw_sub3(z[0], z[1])), 0.0, 2e-6);
            ++witnesses;
        }
        CHECK(map.count[c] > 0);
    }
    CHECK(reached > 100 && witnesses > 10 * reached);
    // Poses of random configurations at a centre's orientation are found by the numeric solver
    // exactly where the map has them.
    lw_ik_def numeric = lw_default_ik_def(-1, frame);
    numeric.solver = LW_IK_BY_SEARCH;
    lw_ik *ik = NULL;
    CHECK_INT(lw_ik_create(m, &numeric, &ik, NULL), LW_OK);
    int looked = 0;
    for (long long c = 3; c < cells && ik; c += 41) {
        int found = 0;
        const lw_vec3 p = lw_workspace_map_center(&map, c);
        for (int i = 0; i < map.norientation; ++i) {
            const lw_ik_target target = {.X_BT = {lw_workspace_orientation(20, 3, i), p}};
            lw_ik_result result;
            found += lw_ik_solve(ik, &target, NULL, &result) == LW_OK && result.nwithin > 0;
        }
        looked += map.norientation;
        missed += abs(found - (int)lround((double)map.capability[c] * map.norientation));
    }
    CHECK(looked > 300);
    CHECK(missed * 1000 <= looked);
    lw_ik_destroy(ik);
    lw_workspace_map_free(&map);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Boxes of small random maps against all boxes there are.
TEST(R34_the_largest_box_of_a_map_is_that_of_all_boxes)
{
    enum { CELLS = 5 * 4 * 3 };
    unsigned count[CELLS];
    float capability[CELLS];
    for (int trial = 0; trial < 60; ++trial) {
        lw_workspace_map map = {.cell = 0.5, .low = {1.0, -2.0, 3.0}, .n = {5, 4, 3}};
        map.count = count;
        map.capability = trial % 2 ? capability : NULL;
        const double dense = check_random(0.0, 1.0), threshold = trial % 2 ? 0.5 : 0.0;
        for (int c = 0; c < CELLS; ++c) {
            count[c] = check_random(0.0, 1.0) < 2.0 * dense - 0.5;
            capability[c] = (float)check_random(0.0, 1.0);
        }
        int most = 0;
        for (int a = 0; a < CELLS; ++a) {
            for (int b = a; b < CELLS; ++b) {
                const int low[3] = {a % 5, a / 5 % 4, a / 20}, high[3] = {b % 5, b / 5 % 4, b / 20};
                int size = 0;
                bool is_whole = true;
                for (int c = 0; c < CELLS && is_whole; ++c) {
                    const int at[3] = {c % 5, c / 5 % 4, c / 20};
                    const bool is_in = at[0] >= low[0] && at[0] <= high[0] && at[1] >= low[1] &&
                                       at[1] <= high[1] && at[2] >= low[2] && at[2] <= high[2];
                    is_whole = !is_in || (trial % 2 ? capability[c] >= 0.5F : count[c] > 0);
                    size += is_in;
                }
                most = is_whole && size > most ? size : most;
            }
        }
        lw_vec3 low, high;
        CHECK_INT(lw_workspace_map_box(&map, threshold, &low, &high), LW_OK);
        const lw_vec3 edge = lw_sub3(high, low);
        CHECK_NEAR(edge.x * edge.y * edge.z, most * 0.125, 1e-12);
        for (double x = low.x + 0.25; x < high.x; x += 0.5) {
            for (double y = low.y + 0.25; y < high.y; y += 0.5) {
                for (double z = low.z + 0.25; z < high.z; z += 0.5) {
                    const long long c = lw_workspace_map_find(&map, lw_vec3_of(x, y, z));
                    CHECK(trial % 2 ? capability[c] >= 0.5F : count[c] > 0);
                }
            }
        }
    }
    lw_vec3 low, high;
    lw_workspace_map map = {.n = {1, 1, 1}, .count = count};
    CHECK_INT(lw_workspace_map_box(&map, 0.5, &low, &high), LW_ERR_ARGUMENT);
    map.n[2] = 1 << 20;
    CHECK_INT(lw_workspace_map_box(&map, 0.0, &low, &high), LW_ERR_LIMIT);
}

// The density of a 2R arm over the radius, and cells as half open cubes.
TEST(maps_count_every_sample_once)
{
    const double l[2] = {0.7, 0.45};
    lw_model *m = planar_arm(2, l, NULL);
    if (!CHECK(m != NULL)) {
        return;
    }
    lw_workspace_map_def def = lw_default_workspace_map_def(lw_find_frame(m, "l1.end"));
    def.cell = 0.02;
    def.samples = 200000;
    lw_workspace_map map, again;
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_OK);
    CHECK_INT(lw_workspace_map_create(m, &def, &again, NULL), LW_OK);
    const long long cells = (long long)map.n[0] * map.n[1] * map.n[2];
    long long sum = 0, full = 0;
    for (long long c = 0; c < cells; ++c) {
        sum += map.count[c];
        full += map.count[c] > 0;
        CHECK(map.count[c] == again.count[c]);
    }
    CHECK(sum == def.samples && map.failed == 0);
    // Cells at the rim count whole: as much as half of them too many.
    const double area = 3.9584067435231396, rim = 2.0 * acos(-1.0) * (1.15 + 0.25) * def.cell;
    CHECK_NEAR((double)full * def.cell * def.cell, area, rim);
    CHECK(lw_workspace_map_find(&map, lw_vec3_of(9.0, 0.0, 0.0)) == -1);
    lw_workspace_map_free(&map);
    lw_workspace_map_free(&again);
    lw_model_destroy(m);
}

// Blocks in any order, by any worker: a caller's own threads, in one.
static void run_backwards(void *context, int nblock, int nworker, lw_batch_task *task,
                          void *argument)
{
    (void)context;
    for (int i = nblock - 1; i >= 0; --i) {
        task(argument, i, i % nworker);
    }
}

static bool are_equal(const lw_workspace_map *a, const lw_workspace_map *b)
{
    const size_t size = lw_workspace_map_size(a);
    unsigned char *x = malloc(size), *y = malloc(size);
    bool is_equal = size == lw_workspace_map_size(b) && CHECK(x && y);
    if (is_equal) {
        lw_workspace_map_write(a, x);
        lw_workspace_map_write(b, y);
        is_equal = memcmp(x, y, size) == 0;
    }
    free(x);
    free(y);
    return is_equal;
}

// A map does not depend on who computes its blocks, and comes back from its bytes; of bytes that
// were changed or cut, none is taken for a map that is not there.
TEST(R46_maps_are_the_same_from_threads_and_from_bytes)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/ur5_class.xml", false);
    if (!CHECK(m != NULL)) {
        return;
    }
    lw_workspace_map_def def = lw_default_workspace_map_def(lw_find_frame(m, "tool"));
    const lw_batch_runner runner = {.nworker = 3, .run = run_backwards};
    lw_workspace_map map, threads, again;
    def.cell = 0.4;
    def.samples = 50000;
    def.ndirection = 9;
    def.nroll = 2;
    def.has_measure = true;
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_OK);
    def.runner = &runner;
    CHECK_INT(lw_workspace_map_create(m, &def, &threads, NULL), LW_OK);
    CHECK(are_equal(&map, &threads));
    CHECK(map.hash == lw_model_hash(m) && map.nwitness == 9);
    const size_t size = lw_workspace_map_size(&map);
    unsigned char *bytes = malloc(size);
    lw_workspace_map_write(&map, bytes);
    CHECK_INT(lw_workspace_map_read(bytes, size, &again), LW_OK);
    CHECK(are_equal(&map, &again));
    const long long cell = lw_workspace_map_find(&again, lw_vec3_of(0.4, 0.1, 0.3));
    CHECK(lw_workspace_map_witness(&again, cell, -1) != NULL);
    CHECK(lw_workspace_map_witness(&again, cell, 9) == NULL);
    lw_workspace_map_free(&again);
    for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
        CHECK_INT(lw_workspace_map_read(bytes, cut, &again), LW_ERR_SYNTAX);
        lw_workspace_map_free(&again);
    }
    for (size_t i = 0; i < 128; ++i) { // all of the head
        bytes[i] ^= 0xff;
        const lw_status status = lw_workspace_map_read(bytes, size, &again);
        CHECK(status == LW_OK || status == LW_ERR_SYNTAX || status == LW_ERR_MEMORY);
        lw_workspace_map_free(&again);
        bytes[i] ^= 0xff;
    }
    free(bytes);
    lw_workspace_map_free(&map);
    lw_workspace_map_free(&threads);
    lw_model_destroy(m);
}

/// How often somebody asked, and of these after the first piece of the boundary.
typedef struct asking {
    const lw_boundary *b;
    int calls, late;
} asking;

static bool ask(void *context)
{
    asking *at = context;
    ++at->calls;
    at->late += at->b && at->b->ncurve > 0;
    return at->late > 0;
}

// Pieces and rows of cells take seconds where the arm is redundant.
TEST(R34_boundaries_and_capability_can_be_cancelled_within)
{
    const double l[2] = {0.7, 0.4}, limit[2] = {1.0, 2.0};
    lw_model *m = planar_arm(2, l, limit);
    lw_boundary b;
    asking at = {.b = &b};
    lw_boundary_def bound = in_plane_of_arm(m, 2);
    bound.cancel = ask;
    bound.context = &at;
    CHECK_INT(lw_boundary_create(m, &bound, &b), LW_OK);
    CHECK(b.is_cancelled && at.late == 1);
    lw_boundary_free(&b);
    lw_workspace_map map;
    asking of_map = {0};
    lw_workspace_map_def def = lw_default_workspace_map_def(bound.frame);
    def.cell = 0.2;
    def.samples = 100;
    def.ndirection = 3;
    def.cancel = ask;
    def.context = &of_map;
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_OK);
    CHECK(!map.is_cancelled && of_map.calls > map.n[0] * map.n[1]);
    lw_workspace_map_free(&map);
    lw_model_destroy(m);
}

TEST(bad_definitions_are_refused)
{
    const double l[2] = {0.7, 0.45};
    lw_model *m = planar_arm(2, l, NULL);
    lw_workspace_map map;
    lw_boundary b;
    lw_workspace_map_def def = lw_default_workspace_map_def(0);
    def.cell = 0.0;
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_ERR_ARGUMENT);
    def.cell = 1e-9;
    def.frame = lw_find_frame(m, "l1.end");
    CHECK_INT(lw_workspace_map_create(m, &def, &map, NULL), LW_ERR_LIMIT);
    lw_workspace_map_free(&map);
    lw_boundary_def bound = lw_default_boundary_def(0);
    bound.u = lw_vec3_of(1.0, 1.0, 0.0);
    CHECK_INT(lw_boundary_create(m, &bound, &b), LW_ERR_ARGUMENT);
    CHECK_INT(lw_boundary_create(NULL, &bound, &b), LW_ERR_ARGUMENT);
    lw_boundary_free(&b);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(R34_boundaries_of_planar_arms_are_circles);
    RUN(R34_area_of_a_scara_with_limits);
    RUN(R34_largest_square_in_an_annulus);
    RUN(R34_sections_of_a_puma_agree_with_sampling_within_a_cell);
    RUN(R34_limits_of_a_coupled_motor_bound_sections);
    RUN(R34_sections_of_a_stanford_arm_obey_the_laws_of_a_boundary);
    RUN(R34_sections_of_redundant_arms_are_closed);
    RUN(R34_section_of_a_stanford_arm_has_its_gap);
    RUN(R34_sections_of_known_arms_are_closed);
    RUN(R34_a_section_through_an_edge_of_a_linear_delta_is_closed);
    RUN(R46_capability_has_witnesses_and_misses_nothing);
    RUN(R34_the_largest_box_of_a_map_is_that_of_all_boxes);
    RUN(maps_count_every_sample_once);
    RUN(R46_maps_are_the_same_from_threads_and_from_bytes);
    RUN(R34_boundaries_and_capability_can_be_cancelled_within);
    RUN(bad_definitions_are_refused);
    return REPORT();
}
