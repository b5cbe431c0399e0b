// Singular configurations: where the two branches of a loop meet, and its dependent joints have no
// definite rates. Whether rounding lets a machine stand there exactly or a hair beside it, every
// function answers with a status and leaves its outputs alone; a little away the digits are there
// again.
#include "check.h"
#include "closed_zoo.h"
#include "objects.h"
#include "untouched.h"

#include <math.h>
#include <stdlib.h>

static const lw_vec3 X = {1.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

typedef enum closing { BY_ROD, BY_HINGE, BY_BALL } closing; // rod, planar loop, Newton block

static const char *const closing_name[] = {"rod", "hinge", "ball"};

// A crank about the origin and a rocker or a piston, in a plane at a random place. The one that is
// driven is on the second side, so that the crank runs into singular configurations.
typedef struct sizes {
    double crank, coupler, rocker, ground;
} sizes;

static void close_loop(lw_mech *mech, closing how, double length, double angle)
{
    if (how == BY_ROD) {
        zoo_rod(mech, "coupler", "crank.tip", "far.tip", length, 0.3);
        return;
    }
    zoo_link(mech, "coupler", 0.4, lw_vec3_of(0.5 * length, 0.01, 0.0));
    zoo_frame(mech, "coupler", "tip", lw_placement_xyz(length, 0.0, 0.0));
    lw_joint_def pin = zoo_joint_def("pin", LW_JOINT_REVOLUTE, Z);
    pin.dependent = true;
    pin.dof[0].reference = angle;
    zoo_hang(mech, &pin, "crank.tip", "coupler");
    lw_joint_def last =
        zoo_joint_def("last", how == BY_HINGE ? LW_JOINT_REVOLUTE : LW_JOINT_SPHERICAL, Z);
    last.closing = true;
    CHECK(lw_add_joint(mech, &last).index >= 0);
    zoo_join(mech, "coupler.tip", "last.a");
    zoo_join(mech, "far.tip", "last.b");
}

static lw_mech *begin(const sizes *s, double reference)
{
    lw_mech *mech = new_mech("dead");
    const lw_ground_def ground = lw_default_ground_def();
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    zoo_link(mech, "base", 1.0, lw_vec3_of(0, 0, 0));
    zoo_link(mech, "crank", 0.5, lw_vec3_of(0.5 * s->crank, 0.01, 0.0));
    zoo_link(mech, "far", 0.7, lw_vec3_of(0.1, 0.02, 0.0));
    zoo_frame(mech, "crank", "tip", lw_placement_xyz(s->crank, 0.0, 0.0));
    lw_joint_def carry = zoo_joint_def("carry", LW_JOINT_FIXED, Z);
    carry.before = lw_placement_rpy(lw_vec3_of(0.3, -0.2, 0.5),
                                    lw_vec3_of(check_random(-3, 3), check_random(-1, 1), 0.4));
    zoo_hang(mech, &carry, "ground.b", "base");
    lw_joint_def turn = zoo_joint_def("turn", LW_JOINT_REVOLUTE, Z);
    turn.dependent = true;
    turn.dof[0].reference = reference;
    zoo_hang(mech, &turn, "base.b", "crank");
    return mech;
}

// Driven by the rocker, which turns about (ground, 0).
static lw_model *rocker_driven(const sizes *s, closing how, double crank, double pin, double rocker)
{
    lw_mech *mech = begin(s, crank);
    lw_joint_def drive = zoo_joint_def("drive", LW_JOINT_REVOLUTE, Z);
    drive.before = lw_placement_xyz(s->ground, 0.0, 0.0);
    drive.dof[0].reference = rocker;
    zoo_hang(mech, &drive, "base.b", "far");
    zoo_frame(mech, "far", "tip", lw_placement_xyz(s->rocker, 0.0, 0.0));
    close_loop(mech, how, s->coupler, pin);
    return closed_model(mech);
}

// Driven by the piston, which slides along x.
static lw_model *piston_driven(const sizes *s, closing how, double crank, double pin, double piston)
{
    lw_mech *mech = begin(s, crank);
    lw_joint_def drive = zoo_joint_def("drive", LW_JOINT_PRISMATIC, X);
    drive.dof[0].reference = piston;
    zoo_hang(mech, &drive, "base.b", "far");
    zoo_frame(mech, "far", "tip", lw_placement_identity());
    close_loop(mech, how, s->coupler, pin);
    return closed_model(mech);
}

// The crank's angle and its rate for unit rate of the drive, from the triangle crank - coupler -
// line to the driven point, in more digits than the library has. The point is at P and moves with
// u; `side` is 1 where the crank's tip is left of the way from the origin to P.
static void triangle(const sizes *s, long double Px, long double Py, long double ux, long double uy,
                     int side, long double *angle, long double *rate)
{
    const long double a = (long double)s->crank, b = (long double)s->coupler;
    const long double r2 = Px * Px + Py * Py, r = sqrtl(r2);
    const long double x = (r2 + a * a - b * b) / (2 * r);
    const long double y = side * sqrtl(fmaxl(0.0L, a * a - x * x));
    const long double Ax = (x * Px - y * Py) / r, Ay = (x * Py + y * Px) / r;
    *angle = atan2l(Ay, Ax);
    *rate = ((Px - Ax) * ux + (Py - Ay) * uy) / ((Px - Ax) * -Ay + (Py - Ay) * Ax);
}

static double crank_rate(const lw_model *m, lw_data *d, double q)
{
    const double v = 1.0;
    lw_motion w;
    if (lw_forward_velocity(m, d, &q, &v) != LW_OK) {
        return (double)NAN;
    }
    lw_frame_velocity(m, d, lw_find_frame(m, "crank"), LW_IN_FRAME, &w);
    return w.ang.z;
}

// The singular configuration itself and its neighbours among the doubles: positions may exist,
// rates never do. Further out, what comes is a status or finite, and no rate is beyond what the
// limit allows.
static void check_edge(const lw_model *m, double edge)
{
    lw_data *d = new_data(m);
    double q = edge;
    for (int k = 0; k < 4; ++k) {
        for (int way = -1; way <= 1; way += 2) {
            q = edge;
            for (int i = 0; i < k; ++i) {
                q = nextafter(q, way * 100.0);
            }
            check_case("%s, %.17g", m->step[0].kind == LW_STEP_BLOCK ? "block" : "closed form", q);
            const double v = 1.0;
            const lw_status status = lw_forward_velocity(m, d, &q, &v);
            CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
            check_untouched(m, d, &q, status);
            if (status == LW_ERR_SINGULAR) {
                CHECK(lw_data_failure(d, LW_ERR_SINGULAR).tree_dof >= 0);
            }
            CHECK(lw_data_failure(d, LW_ERR_LOOP_OPEN).loop == 0);
        }
    }
    for (double away = 1e-16; away < 1e-2; away *= 1.7) {
        for (int way = -1; way <= 1; way += 2) {
            q = edge + way * away;
            const double v = 1.0, a = 0.5;
            double tau = 7.0;
            const lw_status status = lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau);
            if (status == LW_OK) {
                CHECK(isfinite(tau));
                CHECK(fabs(crank_rate(m, d, q)) < 1e9);
            } else {
                CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
                CHECK(tau == 7.0);
            }
        }
    }
    lw_data_destroy(d);
}

// Away from the singular configuration by `away`, toward the closed side, rates have all digits
// that the distance leaves: the sine of the angle is about the root of it, and an error of rounding
// in the drive is that error over the square of the sine in the rate.
static void check_digits(const lw_model *m, double q, double away, long double rate)
{
    lw_data *d = new_data(m);
    check_case("%s, %g away", m->step[0].kind == LW_STEP_BLOCK ? "block" : "closed form", away);
    CHECK_NEAR(crank_rate(m, d, q) / (double)rate, 1.0,
               (m->step[0].kind == LW_STEP_BLOCK ? 1e-12 : 1e-14) / away);
    lw_data_destroy(d);
}

TEST(D22_slider_crank_driven_by_its_piston)
{
    const sizes s = {0.05, 0.18, 0.0, 0.0};
    for (closing how = BY_ROD; how <= BY_BALL; ++how) {
        lw_model *m = piston_driven(&s, how, 1.2, -1.5, 0.19);
        if (!m) {
            continue;
        }
        check_edge(m, s.coupler - s.crank);
        check_edge(m, s.coupler + s.crank);
        for (double away = 1e-3; away > 1e-10; away *= 0.1) {
            for (int far = 0; far < 2; ++far) {
                const double q = far ? 0.23 - away : 0.13 + away;
                long double angle, rate;
                triangle(&s, (long double)q, 0.0L, 1.0L, 0.0L, 1, &angle, &rate);
                check_digits(m, q, away / s.crank, rate);
            }
        }
        lw_model_destroy(m);
    }
}

TEST(D22_four_bar_driven_by_its_rocker)
{
    const sizes s = {0.3, 0.9, 0.7, 0.8};
    for (closing how = BY_ROD; how <= BY_BALL; ++how) {
        lw_model *m = rocker_driven(&s, how, 1.0, -0.45, 1.3);
        if (!m) {
            continue;
        }
        for (int far = 0; far < 2; ++far) {
            // The crank and the coupler in one line: the rocker's tip is as far as it gets, or as
            // near. Its angle is counted from the x axis, that of the triangle from -x.
            const double r = far ? s.coupler + s.crank : s.coupler - s.crank;
            const double cosine =
                (s.ground * s.ground + s.rocker * s.rocker - r * r) / (2.0 * s.ground * s.rocker);
            const double edge = acos(-1.0) - acos(cosine);
            check_case("%s", closing_name[how]);
            check_edge(m, edge);
            for (double away = 1e-3; away > 1e-8; away *= 0.1) {
                const double q = far ? edge + away : edge - away;
                const long double c = (long double)s.rocker, g = (long double)s.ground;
                const long double Px = g + c * cosl((long double)q), Py = c * sinl((long double)q);
                long double angle, rate;
                triangle(&s, Px, Py, -Py, Px - g, 1, &angle, &rate);
                check_digits(m, q, away, rate);
            }
        }
        lw_model_destroy(m);
    }
}

// The shortest and the longest side are together as long as the others: all four lie in one line at
// crank angle pi, and both branches pass through it. Driven by the first side here, which is the
// long one's neighbour; the closed form stays on its side of the line.
TEST(D21_D22_change_point_of_a_four_bar)
{
    const sizes s = {0.6, 0.5, 0.3, 0.8};
    for (closing how = BY_ROD; how <= BY_HINGE; ++how) {
        lw_model *m = rocker_driven(&s, how, 0.4, 1.0, 1.5);
        if (!m) {
            continue;
        }
        check_edge(m, 0.0);
        lw_data *d = new_data(m);
        int side = 0;
        for (double q = -3.0; q <= 3.0; q += 0.01) {
            lw_pose B, O, P;
            const double at = q + 0.005;
            check_case("%s, %g", closing_name[how], at);
            CHECK(lw_forward_position(m, d, &at) == LW_OK);
            lw_frame_pose(m, d, lw_find_frame(m, "base"), &B);
            lw_frame_pose(m, d, lw_find_frame(m, "crank.tip"), &O);
            lw_frame_pose(m, d, lw_find_frame(m, "far.tip"), &P);
            const lw_pose back = lw_pose_inverse(&B);
            const lw_vec3 o = lw_pose_apply(&back, O.p), p = lw_pose_apply(&back, P.p);
            const int now = p.x * o.y - p.y * o.x > 0.0 ? 1 : -1;
            side = side ? side : now;
            CHECK_INT(now, side);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A slide at the end of a rod: where rod and slide are square, the loop can close no further.
TEST(D22_rod_square_to_its_slide)
{
    for (int offset = 0; offset < 2; ++offset) {
        lw_mech *mech = new_mech("square");
        zoo_link(mech, "base", 1.0, lw_vec3_of(0, 0, 0));
        zoo_link(mech, "arm", 0.5, lw_vec3_of(0.1, 0, 0));
        zoo_link(mech, "crank", 0.5, lw_vec3_of(0.1, 0, 0));
        lw_joint_def drive = zoo_joint_def("drive", LW_JOINT_REVOLUTE, Z);
        drive.dof[0].reference = 0.2;
        zoo_hang(mech, &drive, "base.b", "arm");
        zoo_frame(mech, "arm", "tip", lw_placement_xyz(0.2, 0.0, 0.0));
        // The zero of the slide may be far off: that must not cost digits of the singular
        // configuration.
        lw_joint_def slide = zoo_joint_def("slide", LW_JOINT_PRISMATIC, X);
        slide.before = lw_placement_xyz(offset ? -3.0 : 0.0, 0.0, 0.0);
        slide.dof[0].reference = offset ? 3.3 : 0.3;
        slide.dependent = true;
        zoo_hang(mech, &slide, "base.b", "crank");
        zoo_rod(mech, "rod", "arm.tip", "crank.b", 0.1, 0.0);
        lw_model *m = closed_model(mech);
        lw_data *d = m ? new_data(m) : NULL;
        if (d) {
            const double q = asin(0.5);
            for (int k = -3; k <= 3; ++k) {
                double at = q;
                for (int i = 0; i < abs(k); ++i) {
                    at = nextafter(at, k * 10.0);
                }
                const double v = 1.0;
                const lw_status status = lw_forward_velocity(m, d, &at, &v);
                CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
                check_untouched(m, d, &at, status);
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The rods of the palletiser run beside links of the same length; where such a link points along
// the side that both hang on, the four joints are in one line.
TEST(D22_palletiser_with_its_rods_in_line)
{
    lw_mech *mech = zoo_palletiser(0, 6.0, false);
    lw_model *m = closed_model(mech);
    lw_data *d = m ? new_data(m) : NULL;
    const double right = acos(0.0), v[4] = {1.0, 1.0, 1.0, 1.0};
    for (int n = 0; n < 100 && d; ++n) {
        double q[4];
        for (int i = 0; i < 4; ++i) {
            q[i] = check_random(-0.5, 0.5);
        }
        // First LAB beside L23, then LCD beside L34; the other stays away from its own line.
        const int at = n % 2 ? 2 : 1;
        const double edge = at == 1 ? (n % 4 ? -right : right) : right - q[1];
        q[at] = edge;
        check_case("joint %d at %g", at, edge);
        const lw_status status = lw_forward_velocity(m, d, q, v);
        CHECK(status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
        check_untouched(m, d, q, status);
        const int loop = lw_data_failure(d, LW_ERR_LOOP_OPEN).loop;
        CHECK_TEXT(loop >= 0 ? m->loop[loop].name : "", at == 1 ? "LAB" : "LCD");
        q[at] = edge + (edge > 0.0 ? -1e-3 : 1e-3);
        CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D22_slider_crank_driven_by_its_piston);
    RUN(D22_four_bar_driven_by_its_rocker);
    RUN(D21_D22_change_point_of_a_four_bar);
    RUN(D22_rod_square_to_its_slide);
    RUN(D22_palletiser_with_its_rods_in_line);
    return REPORT();
}
