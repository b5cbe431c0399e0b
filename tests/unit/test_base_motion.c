// Where a machine is, and where it heads, changes nothing of what it is relative to its base:
// wheels, feet, sag, and the pose on ground that moves along.
#include "check.h"
#include "load_text.h"

#include <math.h>
#include <string.h>

enum { POSES = 20, MOST = 64 };

static lw_model *m;
static lw_data *d;

static void begin(const char *name, double *q)
{
    m = shipped_model(name);
    CHECK_INT(lw_data_create(m, &d), LW_OK);
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
}

static void end(void)
{
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The base, which is first in q, at x, y and heading, which is returned; as in the reference
// configuration at first.
static lw_mat3 place(int i, double *q)
{
    const double heading = i > 0 ? check_random(-3, 3) : 0.0;
    q[0] = i > 0 ? check_random(-9, 9) : 0.0;
    q[1] = i > 0 ? check_random(-9, 9) : 0.0;
    const lw_quat turn = {cos(0.5 * heading), 0.0, 0.0, sin(0.5 * heading)};
    memcpy(q + 3, &turn, sizeof turn);
    return lw_rotation_quat(turn);
}

static void check_all(const double *x, const double *wanted, int n, double tolerance)
{
    for (int k = 0; k < n; ++k) {
        CHECK_NEAR(x[k], wanted[k], tolerance);
    }
}

TEST(C17_wheels_turn_alike_wherever_the_base_is)
{
    double q[MOST], first[2 * 8 + 6], x[2 * 8 + 6];
    begin("rover/rover.xml", q);
    lw_wheels *w = NULL;
    CHECK_INT(lw_wheels_create(m, &w), LW_OK);
    q[lw_find_position(m, "left_rocker")] = 0.1;
    q[lw_find_position(m, "left_bogie")] = -0.2;
    const lw_motion twist = {{0.0, 0.0, 0.02}, {0.02, 0.01, 0.0}};
    for (int i = 0; i < POSES; ++i) {
        lw_wheel_command command[8];
        lw_drive_result driven;
        lw_odometry_result found;
        place(i, q);
        CHECK_INT(lw_drive(m, d, w, q, &twist, NULL, command, &driven), LW_OK);
        double *to = i > 0 ? x : first, speed[8];
        for (int k = 0; k < m->nwheel; ++k) {
            speed[k] = to[k] = command[k].speed;
            to[8 + k] = command[k].steer;
        }
        speed[2] += 0.1;
        CHECK_INT(lw_odometry(m, d, w, q, speed, NULL, NULL, NULL, NULL, &found), LW_OK);
        memcpy(to + 16, &found.twist, sizeof found.twist);
        check_all(to, first, m->nwheel, 1e-13);
        check_all(to + 8, first + 8, m->nwheel, 1e-13);
        check_all(to + 16, first + 16, 6, 1e-13);
    }
    lw_wheels_destroy(w);
    end();
}

TEST(C17_a_rover_stands_alike_on_ground_that_moves_along)
{
    double q[MOST], first[MOST + 8], x[MOST + 8];
    begin("rover/rover.xml", q);
    lw_wheels *w = NULL;
    CHECK_INT(lw_wheels_create(m, &w), LW_OK);
    for (int i = 0; i < POSES; ++i) {
        lw_wheel_stand wheel[8];
        lw_stand_result found;
        lw_terrain *t = NULL;
        const lw_mat3 R = place(i, q);
        const double heading = atan2(R.row[1].x, R.row[0].x);
        const lw_vec3 normal = lw_rotate(&R, lw_vec3_of(-0.2, 0.1, 1.0));
        CHECK_INT(lw_terrain_create_plane(lw_vec3_of(q[0], q[1], 0.3), normal, &t), LW_OK);
        CHECK_INT(lw_stand(m, d, w, t, q[0], q[1], heading, NULL, q, wheel, &found), LW_OK);
        double *to = i > 0 ? x : first;
        memcpy(to, q, (size_t)m->nq * sizeof *q);
        for (int k = 0; k < m->nwheel; ++k) {
            to[m->nq + k] = wheel[k].load;
        }
        CHECK_NEAR(to[2], first[2], 1e-10);
        check_all(to + 7, first + 7, m->nq - 7, 1e-10);
        check_all(to + m->nq, first + m->nq, m->nwheel, 1e-7);
        lw_terrain_destroy(t);
    }
    lw_wheels_destroy(w);
    end();
}

TEST(C20_feet_bear_alike_wherever_the_base_is)
{
    static const char *const foot[4] = {"front_left/shin.foot", "front_right/shin.foot",
                                        "hind_left/shin.foot", "hind_right/shin.foot"};
    static lw_contact_work work;
    double q[MOST], first[MOST + 14], x[MOST + 14];
    begin("quadruped/quadruped.xml", q);
    q[7] += 0.1;
    q[12] -= 0.2;
    for (int i = 0; i < POSES; ++i) {
        const lw_mat3 R = place(i, q);
        double *to = i > 0 ? x : first;
        int frame[4];
        lw_foot_contact contact[4];
        lw_vec3 force[4], center;
        lw_contact_result found;
        lw_support support;
        for (int k = 0; k < 4; ++k) {
            lw_pose X;
            frame[k] = lw_find_frame(m, foot[k]);
            CHECK_INT(lw_pose_of_frame(m, d, q, frame[k], &X), LW_OK);
            const lw_vec3 normal = lw_rotate(&R, lw_vec3_of(0.2, k % 2 ? 0.4 : -0.4, 1.0));
            contact[k] = (lw_foot_contact){.point = X.p, .normal = normal, .friction = 0.35};
        }
        const lw_contact_options cones = {.is_exact = true};
        CHECK_INT(lw_stance_forces(m, d, q, 4, frame, contact, &cones, &work, force, to, &found),
                  LW_OK);
        CHECK_INT(found.status, i > 0 ? found.status : LW_CONTACTS_OPTIMAL);
        CHECK(found.nactive > 0);
        for (int k = 0; k < 4; ++k) {
            const lw_vec3 own = lw_rotate_back(&R, force[k]);
            memcpy(to + m->nv + 3 * k, &own, sizeof own);
        }
        CHECK_INT(lw_center_of_mass(m, d, q, &center, NULL), LW_OK);
        CHECK_INT(lw_support_polygon(4, contact, center, m->mass, m->gravity, &support), LW_OK);
        to[m->nv + 12] = support.margin;
        to[m->nv + 13] = support.energy;
        check_all(to, first, m->nv + 14, 1e-8);
    }
    end();
}

TEST(C10_legs_sag_alike_wherever_the_base_is)
{
    double q[MOST], first[MOST + 36], x[MOST + 36], K[MOST] = {0};
    begin("quadruped/quadruped.xml", q);
    for (int k = 6; k < m->nv; ++k) {
        K[k] = 500.0;
    }
    const int foot = lw_find_frame(m, "hind_left/shin.foot");
    const lw_static_load load = {foot, LW_IN_FRAME, {{0, 0, 0}, {5, 10, 40}}};
    lw_statics *s = NULL;
    CHECK_INT(
        lw_statics_create(m, &(lw_statics_def){.stiffness = K, .nload = 1, .load = &load}, &s),
        LW_OK);
    for (int i = 0; i < POSES; ++i) {
        double rest[MOST], *to = i > 0 ? x : first;
        lw_deflection found;
        place(i, q);
        memcpy(rest, q, (size_t)m->nq * sizeof *q);
        CHECK_INT(lw_deflect(s, d, q, rest, &found), LW_OK);
        CHECK(found.is_stable);
        memcpy(to, rest + 7, (size_t)(m->nq - 7) * sizeof *to);
        CHECK_INT(lw_cartesian_compliance(s, d, rest, foot, LW_IN_FRAME, to + MOST), LW_OK);
        check_all(to, first, m->nq - 7, 1e-13);
        check_all(to + MOST, first + MOST, 36, 1e-14);
    }
    lw_statics_destroy(s);
    end();
}

int main(void)
{
    RUN(C17_wheels_turn_alike_wherever_the_base_is);
    RUN(C17_a_rover_stands_alike_on_ground_that_moves_along);
    RUN(C20_feet_bear_alike_wherever_the_base_is);
    RUN(C10_legs_sag_alike_wherever_the_base_is);
    return REPORT();
}
