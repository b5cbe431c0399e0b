// The closed machines of the IFToMM library of benchmark problems: A02, a row of N four-bars that
// passes through its singular position, and A04, Bricard's linkage; and the degree of freedom of
// linkages that counting joints would call rigid.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>

static const lw_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};
static const double gravity = 9.81, right = 1.5707963267948966;

static lw_mech *begin(const char *name)
{
    lw_mech *mech = new_mech(name);
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0.0, -gravity, 0.0);
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    return mech;
}

// A uniform rod of 1 kg from the origin to `tip`, 1 m away along an axis, of square section.
static void rod(lw_mech *mech, const char *name, lw_vec3 tip, double side)
{
    lw_link_def def = lw_default_link_def();
    const double along = side * side / 6.0, across = (1.0 + side * side) / 12.0;
    def.name = name;
    def.mass = 1.0;
    def.inertial = lw_placement_xyz(0.5 * tip.x, 0.5 * tip.y, 0.5 * tip.z);
    def.inertia = (lw_sym3){tip.x != 0.0 ? along : across,
                            tip.y != 0.0 ? along : across,
                            tip.z != 0.0 ? along : across,
                            0.0,
                            0.0,
                            0.0};
    CHECK(lw_add_link(mech, &def).index >= 0);
    zoo_frame(mech, name, "tip", lw_placement_xyz(tip.x, tip.y, tip.z));
}

// N + 1 rods stand on the ground a metre apart, and N couplers lie on them.
static lw_model *four_bars(int n, lw_joint_type closing)
{
    lw_mech *mech = begin("A02");
    char link[16], joint[16], from[24], to[24];
    for (int k = 0; k <= n; ++k) {
        snprintf(link, sizeof link, "rod%d", k);
        snprintf(joint, sizeof joint, "A%d", k);
        rod(mech, link, X, 0.0);
        lw_joint_def def = zoo_joint_def(joint, LW_JOINT_REVOLUTE, Z);
        def.before = lw_placement_xyz(k, 0.0, 0.0);
        def.dependent = k > 0;
        def.dof[0].reference = right;
        zoo_hang(mech, &def, "ground.b", link);
    }
    for (int k = 0; k < n; ++k) {
        snprintf(link, sizeof link, "coupler%d", k);
        snprintf(joint, sizeof joint, "B%d", k);
        snprintf(from, sizeof from, "rod%d.tip", k);
        rod(mech, link, X, 0.0);
        lw_joint_def def = zoo_joint_def(joint, LW_JOINT_REVOLUTE, Z);
        def.dependent = true;
        def.dof[0].reference = -right;
        zoo_hang(mech, &def, from, link);
    }
    for (int k = 0; k < n; ++k) {
        snprintf(joint, sizeof joint, "C%d", k);
        snprintf(from, sizeof from, "coupler%d.tip", k);
        snprintf(to, sizeof to, "rod%d.tip", k + 1);
        zoo_close(mech, joint, closing, Z, from, to);
    }
    return closed_model(mech);
}

static lw_vec3 origin(const lw_model *m, const lw_data *d, const char *frame)
{
    lw_pose P;
    CHECK(lw_frame_pose(m, d, lw_find_frame(m, frame), &P) == LW_OK);
    return P.p;
}

static double largest_gap(const lw_model *m, const lw_data *d)
{
    double worst = 0.0;
    for (int k = 0; k < m->nloop; ++k) {
        lw_pose P[2];
        lw_frame_pose(m, d, m->loop[k].frame[0], &P[0]);
        lw_frame_pose(m, d, m->loop[k].frame[1], &P[1]);
        worst = fmax(worst, lw_norm3(lw_sub3(P[0].p, P[1].p)));
    }
    return worst;
}

// One step of Runge and Kutta.
static lw_status advance(const lw_model *m, lw_data *d, double h, double *q, double *v)
{
    const double share[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0}, tau = 0.0;
    double dq = 0.0, dv = 0.0, sum_q = 0.0, sum_v = 0.0;
    for (int k = 0; k < 4; ++k) {
        const double at = *q + share[k] * h * dq, speed = *v + share[k] * h * dv;
        dq = speed;
        const lw_status status = lw_forward_dynamics(m, d, &at, &speed, &tau, NULL, &dv);
        if (status != LW_OK) {
            return status;
        }
        sum_q += weight[k] / 6.0 * dq;
        sum_v += weight[k] / 6.0 * dv;
    }
    *q += h * sum_q;
    *v += h * sum_v;
    return LW_OK;
}

// All rods turn together: (N + 1)/3 + N times th'' is -((N + 1)/2 + N) g cos th. The flat position
// is no obstacle, because the loops are known as parallelograms.
static void check_four_bars(int n, const char *key, double h, double last)
{
    lw_model *m = four_bars(n, LW_JOINT_REVOLUTE);
    lw_data *d = m ? new_data(m) : NULL;
    if (!d) {
        lw_model_destroy(m);
        return;
    }
    CHECK_INT(m->nv, 1);
    CHECK_INT(m->nstep, n);
    const double inertia = (n + 1) / 3.0 + n, moment = (0.5 * (n + 1) + n) * gravity;
    for (int k = 0; k < 200; ++k) {
        // The flat positions themselves and others.
        const double q = k < 4 ? (k - 1) * 2.0 * right : check_random(-6.0, 6.0);
        const double v = check_random(-3.0, 3.0), tau = 0.0;
        double a = 0.0;
        check_case("%d loops at %g", n, q);
        CHECK_INT(lw_forward_dynamics(m, d, &q, &v, &tau, NULL, &a), LW_OK);
        CHECK_NEAR(a, -moment * cos(q) / inertia, 1e-11);
        CHECK_INT(lw_forward_position(m, d, &q), LW_OK);
        CHECK_NEAR(largest_gap(m, d), 0.0, 1e-12);
        const lw_vec3 coupler = origin(m, d, "coupler0.tip");
        CHECK_NEAR(coupler.x, 1.0 + cos(q), 1e-13);
        CHECK_NEAR(coupler.y, sin(q), 1e-13);
    }
    json_t *file = reference_read("iftomm_A01_A05.json");
    if (file) {
        const json_t *rows = json_object_get(json_object_get(file, key), "computed_here");
        double q = right, v = -1.0, t = 0.0;
        for (size_t r = 0; r < json_array_size(rows); ++r) {
            const json_t *row = json_array_get(rows, r);
            const double then = json_number_value(json_object_get(row, "t"));
            if (then > last) {
                break;
            }
            const int steps = (int)ceil((then - t) / h - 1e-9);
            for (int s = 0; s < steps; ++s) {
                CHECK_INT(advance(m, d, (then - t) / steps, &q, &v), LW_OK);
            }
            t = then;
            check_case("%d loops after %g s", n, t);
            CHECK_NEAR(cos(q), json_number_value(json_object_get(row, "x")), 1e-8);
            CHECK_NEAR(sin(q), json_number_value(json_object_get(row, "y")), 1e-8);
        }
        CHECK(t > 0.5);
        json_decref(file);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R17_A02_two_four_bars)
{
    check_four_bars(2, "A02_N_four_bar_N2", 1e-3, 10.0);
}

TEST(R17_A02_forty_four_bars)
{
    check_four_bars(40, "A02_N_four_bar_N40", 5e-3, 1.0);
}

// The same row closed by ball joints: Newton must solve it, and knows nothing of parallelograms.
// Up to the flat position it is on their branch; there every function has a status; and from one
// side no stride leads past it to another branch.
TEST(R20_A02_singular_position_bars_the_way)
{
    lw_model *m = four_bars(2, LW_JOINT_SPHERICAL);
    lw_data *d = m ? new_data(m) : NULL;
    if (d) {
        CHECK_INT(m->nv, 1);
        CHECK_INT((int)m->step[0].kind, (int)LW_STEP_BLOCK);
        const double v = 1.0, flat = 0.0;
        for (double q = right; q > 1e-3; q -= 1e-3) {
            check_case("at %g", q);
            CHECK_INT(lw_forward_velocity(m, d, &q, &v), LW_OK);
            CHECK_NEAR(origin(m, d, "coupler1.tip").x, 2.0 + cos(q), 1e-9);
        }
        CHECK_INT(lw_forward_velocity(m, d, &flat, &v), LW_ERR_SINGULAR);
        for (int k = 0; k < 300; ++k) {
            const double q = check_random(-1.5, 1.5);
            const lw_status status = lw_forward_position(m, d, &q);
            check_case("stride %d to %g", k, q);
            CHECK(status == LW_OK || q < 0.0);
            CHECK(status == LW_OK || status == LW_ERR_SINGULAR || status == LW_ERR_LOOP_OPEN);
            if (status == LW_OK) {
                CHECK_NEAR(origin(m, d, "coupler1.tip").y, sin(q), 1e-9);
            }
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Six joints about y, z, x, y, z, x at the corners of a cube, five rods along its edges.
static lw_model *bricard(const json_t *A04)
{
    static const char *const link[] = {"rod1", "rod2", "rod3", "rod4", "rod5"};
    static const char *const joint[] = {"j0", "j1", "j2", "j3", "j4"};
    const lw_vec3 axis[] = {Y, Z, X, Y, Z, X};
    lw_mech *mech = begin("A04");
    double p[6][3];
    CHECK_INT(reference_numbers(json_object_get(A04, "points"), p[0], 18), 18);
    for (int k = 0; k < 5; ++k) {
        const lw_vec3 tip = {p[k + 1][0] - p[k][0], p[k + 1][1] - p[k][1], p[k + 1][2] - p[k][2]};
        rod(mech, link[k], tip, 0.1);
        char from[16] = "ground.b";
        if (k > 0) {
            snprintf(from, sizeof from, "%s.tip", link[k - 1]);
        }
        lw_joint_def def = zoo_joint_def(joint[k], LW_JOINT_REVOLUTE, axis[k]);
        def.before = k > 0 ? lw_placement_identity() : lw_placement_xyz(p[0][0], p[0][1], p[0][2]);
        def.dependent = k > 0;
        zoo_hang(mech, &def, from, link[k]);
    }
    zoo_link(mech, "wall", 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    lw_joint_def stand = zoo_joint_def("stand", LW_JOINT_FIXED, Z);
    stand.before = lw_placement_xyz(p[5][0], p[5][1], p[5][2]);
    zoo_hang(mech, &stand, "ground.b", "wall");
    zoo_close(mech, "j5", LW_JOINT_REVOLUTE, axis[5], "rod5.tip", "wall.b");
    return closed_model(mech);
}

TEST(R17_A04_bricard)
{
    json_t *file = reference_read("iftomm_A01_A05.json");
    if (!file) {
        return;
    }
    const json_t *A04 = json_object_get(file, "A04_bricard");
    const json_t *rows = json_object_get(A04, "computed_here");
    lw_model *m = bricard(A04);
    lw_data *d = m ? new_data(m) : NULL;
    if (d) {
        CHECK_INT(m->nv, 1);
        CHECK_INT(m->tree_nv, 5);
        double q = 0.0, v = 0.0, t = 0.0;
        for (size_t r = 0; r < json_array_size(rows) && t < 3.0; ++r) {
            enum { STEPS = 1000 };
            const json_t *row = json_array_get(rows, r);
            const double then = json_number_value(json_object_get(row, "t"));
            for (int s = 0; s < STEPS && then > t; ++s) {
                check_case("%g s, step %d", t, s);
                if (!CHECK_INT(advance(m, d, (then - t) / STEPS, &q, &v), LW_OK)) {
                    break;
                }
            }
            t = then;
            check_case("after %g s", t);
            static const char *const key[] = {"P1", "P2", "P3"};
            static const char *const frame[] = {"rod1.tip", "rod2.tip", "rod3.tip"};
            CHECK_INT(lw_forward_position(m, d, &q), LW_OK);
            CHECK_NEAR(q, json_number_value(json_object_get(row, "q1")), 1e-7);
            for (int k = 0; k < 3; ++k) {
                double p[3] = {0.0, 0.0, 0.0};
                reference_numbers(json_object_get(row, key[k]), p, 3);
                const lw_vec3 apart = lw_sub3(origin(m, d, frame[k]), lw_vec3_of(p[0], p[1], p[2]));
                // The reference itself is good to 5e-9 by its own account.
                CHECK_NEAR(lw_norm3(apart), 0.0, 1e-7);
            }
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    json_decref(file);
}

// Counting joints, 6 degrees of freedom of a body each less 5 a joint, gives -2 for Bennett's
// linkage and 0 for Bricard's; both move with one. The dependent joints are found by rank with any
// mark.
TEST(R17_mobility_of_overconstrained_linkages)
{
    static const char *const name[] = {"bennett", "bricard"};
    static const int joints[] = {4, 6};
    for (int k = 0; k < 2; ++k) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/closed/%s.xml", LINKWORK_SOURCE_DIR, name[k]);
        lw_model *m = compile_path(path, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        check_case("%s", name[k]);
        if (CHECK(d != NULL)) {
            CHECK_INT(6 * (joints[k] - 1) - 5 * joints[k], k == 0 ? -2 : 0);
            CHECK_INT(m->tree_nv, joints[k] - 1);
            CHECK_INT(m->nv, 1);
            CHECK_INT(m->loop[0].rank, joints[k] - 2);
            for (double q = -0.8; q < 0.8; q += 0.01) {
                const double at = m->q_reference[0] + q, v = 1.0;
                CHECK_INT(lw_forward_velocity(m, d, &at, &v), LW_OK);
                CHECK_NEAR(largest_gap(m, d), 0.0, 1e-12);
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(R17_A02_two_four_bars);
    RUN(R17_A02_forty_four_bars);
    RUN(R20_A02_singular_position_bars_the_way);
    RUN(R17_A04_bricard);
    RUN(R17_mobility_of_overconstrained_linkages);
    return REPORT();
}
