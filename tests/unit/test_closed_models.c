// The shipped machines with loops and gears: what the compiler makes of each, that they stay closed
// over their range, and that the order of declarations and the directions of axes mean nothing.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, TEXT_ROOM = 4096 };

typedef struct machine {
    const char *name;
    int nv;
    const char *steps; ///< in order: kind and what it solves
    double reach;      ///< about the reference, where joints have no limits
    double tolerance;  ///< of loops, m: rounding for closed forms, the last step of Newton else
} machine;

static const machine machines[] = {
    {"palletiser", 4, "rod, revolute: R6\nrod, revolute: R4\n", 0.0, 1e-13},
    {"four_bar", 1, "planar loop: coupler rocker\n", 6.3, 1e-12},
    {"four_bar_crossed", 1, "planar loop: coupler rocker\n", 6.3, 1e-12},
    {"slider_crank", 1, "rod, prismatic: piston\n", 6.3, 1e-13},
    {"five_bar", 2, "planar loop: left_elbow right_elbow\n", 0.4, 1e-12},
    {"watt", 1, "planar loop: coupler rocker\nplanar loop: arm far\n", 6.3, 1e-12},
    {"stephenson", 1, "planar loop: coupler rocker\nplanar loop: arm out\n", 6.3, 1e-12},
    {"andrews", 1, "planar loop: Theta gamma\nplanar loop: delta Phi\nplanar loop: epsilon Omega\n",
     6.3, 1e-12},
    {"delta", 3,
     "three spheres: platform.wx platform.wy platform.wz platform.vx platform.vy platform.vz\n",
     0.0, 1e-12},
    {"stewart", 6,
     "Newton block: platform.wx platform.wy platform.wz platform.vx platform.vy platform.vz "
     "foot1.first foot1.second foot2.first foot2.second foot3.first foot3.second foot4.first "
     "foot4.second foot5.first foot5.second foot6.first foot6.second\n",
     0.07, 1e-12},
    {"stewart_sps", 6, // ball joints whose rotation about their leg is held
     "Newton block: platform.wx platform.wy platform.wz platform.vx platform.vy platform.vz "
     "foot1.first foot1.second foot2.first foot2.second foot3.first foot3.second foot4.first "
     "foot4.second foot5.first foot5.second foot6.first foot6.second\n",
     0.07, 1e-12},
    {"linear_delta", 3,
     "three spheres: platform.wx platform.wy platform.wz platform.vx platform.vy platform.vz\n",
     0.04, 1e-12},
    {"hexapod", 6,
     "Newton block: platform.wx platform.wy platform.wz platform.vx platform.vy platform.vz\n",
     0.05, 1e-12},
    {"agile_eye", 3, "Newton block: elbow1 mount1 elbow2 elbow3\n", 0.4, 1e-12},
    {"ankle", 2,
     "Newton block: rod1.first rod1.second rod2.first rod2.second ankle.first ankle.second\n", 0.4,
     1e-12},
    {"bennett", 1, "symmetric loop: second third\n", 6.3, 1e-13},
    {"bricard", 1, "symmetric loop: second third fourth fifth\n", 0.9, 1e-13},
    {"spherical_four_bar", 1, "spherical loop: coupler rocker\n", 6.3, 1e-13},
    {"rssr", 1, "leg: ball.first ball.second rocker\n", 6.3, 1e-13},
    {"planetary", 2, "linear: planet1\nlinear: planet2\nlinear: planet3\nlinear: ring\n", 6.3, 0.0},
    {"bendix", 3, "linear: pitch\nlinear: idler\nlinear: tool\n", 6.3, 0.0},
    {"geared_wrist", 3,
     "linear: roll1\nlinear: shaft2\nlinear: roll2\nlinear: shaft3\nlinear: middle\n"
     "linear: roll3\n",
     6.3, 0.0},
    {"driven_wrist", 4,
     "linear: belt.out\nlinear: motor1\nlinear: motor2\nlinear: motor3\nlinear: motor4 motor5\n",
     6.3, 0.0},
};

enum { NMACHINE = sizeof machines / sizeof *machines };

static lw_model *open_machine(const char *name, lw_mech **mech)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/closed/%s.xml", LINKWORK_SOURCE_DIR, name);
    return compile_path(path, mech);
}

static void steps_text(const lw_model *m, char text[TEXT_ROOM])
{
    size_t used = 0;
    text[0] = '\0';
    for (int s = 0; s < m->nstep && used < TEXT_ROOM - 200; ++s) {
        used += (size_t)snprintf(text + used, TEXT_ROOM - used,
                                 "%s:", lw_step_kind_name(m->step[s].kind));
        for (int t = 0; t < m->step[s].ntarget && used < TEXT_ROOM - 200; ++t) {
            used += (size_t)snprintf(text + used, TEXT_ROOM - used, " %s",
                                     m->tree_velocity_name[m->step[s].target[t]]);
        }
        used += (size_t)snprintf(text + used, TEXT_ROOM - used, "\n");
    }
}

TEST(R17_shipped_machines_compile_into_the_expected_steps)
{
    for (int k = 0; k < NMACHINE; ++k) {
        check_case("%s", machines[k].name);
        char text[TEXT_ROOM];
        lw_model *m = open_machine(machines[k].name, NULL);
        if (m) {
            CHECK_INT(m->nv, machines[k].nv);
            steps_text(m, text);
            CHECK_TEXT(text, machines[k].steps);
        }
        lw_model_destroy(m);
    }
}

// How far a loop is from closed: of the points that its ends share, and of their axes.
static double loop_gap(const lw_model *m, const lw_data *d, int k)
{
    const lw_loop_info *loop = &m->loop[k];
    lw_pose X[2];
    lw_frame_pose(m, d, loop->frame[0], &X[0]);
    lw_frame_pose(m, d, loop->frame[1], &X[1]);
    const double apart = lw_norm3(lw_sub3(X[0].p, X[1].p));
    if (loop->is_rod) {
        return fabs(apart - loop->length);
    }
    if (loop->type == LW_JOINT_SPHERICAL) {
        return apart;
    }
    const lw_vec3 z0 = {X[0].R.row[0].z, X[0].R.row[1].z, X[0].R.row[2].z};
    const lw_vec3 z1 = {X[1].R.row[0].z, X[1].R.row[1].z, X[1].R.row[2].z};
    return apart + lw_norm3(lw_sub3(z0, z1));
}

// A smooth path through the whole range: each degree of freedom swings with a period of its own.
static void point_on_path(const lw_model *m, const machine *k, double t, double *q)
{
    for (int i = 0; i < m->nv; ++i) {
        const lw_dof *f = &m->dof[m->v_tree[i]];
        double low = m->q_reference[i] - k->reach, high = m->q_reference[i] + k->reach;
        if (k->reach == 0.0) {
            low = f->lower;
            high = f->upper;
        }
        // Starts at the reference, so that no block has to find its way from afar.
        const double swing = sin((1.0 + 0.37 * i) * t);
        q[i] = m->q_reference[i] +
               swing * (swing > 0.0 ? high - m->q_reference[i] : m->q_reference[i] - low);
    }
}

TEST(C16_D21_shipped_machines_stay_closed_over_their_range)
{
    enum { STEPS = 4000 };
    for (int k = 0; k < NMACHINE; ++k) {
        check_case("%s", machines[k].name);
        lw_model *m = open_machine(machines[k].name, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        double worst = 0.0;
        int open = 0;
        double q[MOST], v[MOST] = {0.0};
        for (int s = 0; s < STEPS && d; ++s) {
            point_on_path(m, &machines[k], 30.0 * s / STEPS, q);
            open += lw_forward_velocity(m, d, q, v) != LW_OK;
            for (int loop = 0; loop < m->nloop; ++loop) {
                worst = fmax(worst, loop_gap(m, d, loop));
            }
        }
        CHECK_INT(open, 0);
        CHECK_NEAR(worst, 0.0, machines[k].tolerance);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(D16_flange_of_the_palletiser_stays_parallel_to_the_ground)
{
    lw_model *m = open_machine("palletiser", NULL);
    lw_data *d = new_data(m);
    const int flange = lw_find_frame(m, "flange");
    double worst = 0.0, widest = 0.0, q[MOST];
    for (int n = 0; n < 100000; ++n) {
        for (int i = 0; i < m->nv; ++i) {
            const lw_dof *f = &m->dof[m->v_tree[i]];
            q[i] = check_random(f->lower, f->upper);
        }
        lw_pose X;
        CHECK(lw_forward_position(m, d, q) == LW_OK);
        lw_frame_pose(m, d, flange, &X);
        worst = fmax(worst, hypot(X.R.row[0].z, X.R.row[1].z));
        for (int loop = 0; loop < m->nloop; ++loop) {
            widest = fmax(widest, loop_gap(m, d, loop));
        }
    }
    CHECK_INT(m->nloop, 2);
    CHECK_NEAR(worst, 0.0, 1e-12);
    CHECK_NEAR(widest, 0.0, 1e-13);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The Delta's platform never turns.
TEST(R17_platform_of_the_delta_does_not_turn)
{
    lw_model *m = open_machine("delta", NULL);
    lw_data *d = new_data(m);
    double worst = 0.0, q[MOST];
    const machine delta = {"delta", 3, "", 0.0, 0.0};
    for (int s = 0; s < 2000; ++s) {
        lw_pose X;
        point_on_path(m, &delta, 0.01 * s, q);
        CHECK(lw_forward_position(m, d, q) == LW_OK);
        lw_frame_pose(m, d, lw_find_frame(m, "platform"), &X);
        worst = fmax(worst, lw_norm3(lw_log3(&X.R)));
    }
    CHECK_NEAR(worst, 0.0, 1e-9); // a condition good to 1e-11 on arms of 5 cm
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D21_both_assembly_modes_of_the_four_bar)
{
    lw_model *open = open_machine("four_bar", NULL),
             *crossed = open_machine("four_bar_crossed", NULL);
    lw_data *d[2] = {new_data(open), new_data(crossed)};
    for (double q = -4.0; q < 4.0; q += 0.01) {
        const lw_model *m[2] = {open, crossed};
        double z[2];
        for (int k = 0; k < 2; ++k) {
            // On which side of the line from crank to rocker the coupler's end is.
            lw_pose A, B, D;
            CHECK(lw_forward_position(m[k], d[k], &q) == LW_OK);
            lw_frame_pose(m[k], d[k], lw_find_frame(m[k], "crank.tip"), &A);
            lw_frame_pose(m[k], d[k], lw_find_frame(m[k], "rocker.tip"), &B);
            lw_frame_pose(m[k], d[k], lw_find_frame(m[k], "ground.right"), &D);
            z[k] = lw_cross3(lw_sub3(D.p, A.p), lw_sub3(B.p, A.p)).y;
        }
        CHECK(z[0] < -0.01);
        CHECK(z[1] > 0.01);
    }
    for (int k = 0; k < 2; ++k) {
        lw_data_destroy(d[k]);
    }
    lw_model_destroy(open);
    lw_model_destroy(crossed);
}

// --- Order of declaration ---------------------------------------------------------------------

// The elements of a written file in another order. Each begins a line with two blanks.
static char *shuffled(const char *text)
{
    const char *piece[512];
    int n = 0;
    const char *begin = strstr(text, "\n  <") + 1;
    const char *end = strstr(text, "</linkwork>");
    for (const char *at = begin; at && at < end;
         at = strstr(at, "\n  <") ? strstr(at, "\n  <") + 1 : end) {
        if (at[3] != '/' && n < 511) {
            piece[n++] = at;
        }
    }
    piece[n] = end;
    char *out = calloc(strlen(text) + 1, 1);
    int order[512];
    for (int i = 0; i < n; ++i) {
        order[i] = i;
    }
    for (int i = n - 1; i > 0; --i) {
        const int j = (int)check_random(0.0, i + 1.0), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    strncat(out, text, (size_t)(begin - text));
    for (int i = 0; i < n; ++i) {
        strncat(out, piece[order[i]], (size_t)(piece[order[i] + 1] - piece[order[i]]));
    }
    return strcat(out, end);
}

// Independent coordinates of one model in the order of another.
static void by_name(const lw_model *m, const double *q, const lw_model *other, double *out)
{
    for (int i = 0; i < m->nq; ++i) {
        const int at = lw_find_position(other, m->position_name[i]);
        if (CHECK(at >= 0)) {
            out[at] = q[i];
        }
    }
}

static double poses_apart(const lw_model *m, const lw_data *d, const lw_model *n, const lw_data *e)
{
    double worst = 0.0;
    for (int f = 0; f < m->nframe; ++f) {
        const int g = lw_find_frame(n, m->frame[f].name);
        lw_pose X, Y;
        if (CHECK(g >= 0)) {
            lw_frame_pose(m, d, f, &X);
            lw_frame_pose(n, e, g, &Y);
            const lw_pose back = lw_pose_inverse(&X), Z = lw_pose_mul(&back, &Y);
            worst = fmax(worst, lw_norm3(Z.p) + lw_norm3(lw_log3(&Z.R)));
        }
    }
    return worst;
}

TEST(D27_order_of_declaration_changes_nothing)
{
    for (int k = 0; k < NMACHINE; ++k) {
        lw_mech *mech = NULL;
        lw_model *m = open_machine(machines[k].name, &mech);
        char *text = NULL;
        size_t size = 0;
        CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, NULL), LW_OK);
        lw_data *d = new_data(m);
        for (int n = 0; n < 8; ++n) {
            check_case("%s, shuffle %d", machines[k].name, n);
            char *other = shuffled(text);
            lw_model *o = compile_text("shuffled.xml", other, NULL);
            lw_data *e = o ? new_data(o) : NULL;
            if (o) {
                CHECK_INT(o->nv, m->nv);
                CHECK_INT(o->nstep, m->nstep);
                if (k == 0) {
                    char steps[TEXT_ROOM];
                    steps_text(o, steps);
                    CHECK_TEXT(steps, machines[k].steps);
                }
            }
            for (int s = 0; s < 200 && e; ++s) {
                double q[MOST], p[MOST];
                point_on_path(m, &machines[k], 0.01 * s, q);
                by_name(m, q, o, p);
                CHECK(lw_forward_position(m, d, q) == LW_OK);
                CHECK(lw_forward_position(o, e, p) == LW_OK);
                CHECK_NEAR(poses_apart(m, d, o, e), 0.0, 1e-11);
            }
            lw_data_destroy(e);
            lw_model_destroy(o);
            free(other);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
        free(text);
    }
}

// --- Gears ------------------------------------------------------------------------------------

static lw_vec3 origin(const lw_model *m, const lw_data *d, const char *frame)
{
    lw_pose X;
    CHECK(lw_frame_pose(m, d, lw_find_frame(m, frame), &X) == LW_OK);
    return X.p;
}

// Velocity of the point P of a link.
static lw_vec3 velocity_at(const lw_model *m, const lw_data *d, const char *frame, lw_vec3 P)
{
    lw_motion v;
    CHECK(lw_frame_velocity(m, d, lw_find_frame(m, frame), LW_IN_WORLD, &v) == LW_OK);
    return lw_add3(v.lin, lw_cross3(v.ang, lw_sub3(P, origin(m, d, frame))));
}

static lw_vec3 unit(lw_vec3 a)
{
    return lw_scale3(1.0 / lw_norm3(a), a);
}

// Two bevel wheels whose axes meet in V roll on each other where their pitch cones touch: at a
// distance from each axis in proportion to its wheel's teeth. There neither slips on the other.
static double bevel_slip(const lw_model *m, const lw_data *d, lw_vec3 V, const char *one,
                         double teeth1, const char *two, double teeth2)
{
    const lw_vec3 e1 = unit(lw_sub3(origin(m, d, one), V));
    const lw_vec3 e2 = unit(lw_sub3(origin(m, d, two), V));
    const lw_vec3 P = lw_add3(V, unit(lw_add3(lw_scale3(teeth2, e1), lw_scale3(teeth1, e2))));
    return lw_norm3(lw_sub3(velocity_at(m, d, one, P), velocity_at(m, d, two, P)));
}

// The same for spur wheels about axes along z: the point divides the line between the centres, and
// lies beyond the smaller wheel where that is within the larger one.
static double spur_slip(const lw_model *m, const lw_data *d, const char *one, double r1,
                        const char *two, double r2, bool is_internal)
{
    const lw_vec3 O1 = origin(m, d, one), O2 = origin(m, d, two);
    const double share = is_internal ? r1 / (r1 - r2) : r1 / (r1 + r2);
    const lw_vec3 P = lw_add3(O1, lw_scale3(share, lw_sub3(O2, O1)));
    const lw_vec3 slip = lw_sub3(velocity_at(m, d, one, P), velocity_at(m, d, two, P));
    return hypot(slip.x, slip.y);
}

static void random_state(const lw_model *m, double *q, double *v)
{
    for (int i = 0; i < m->nv; ++i) {
        q[i] = check_random(-3.0, 3.0);
        v[i] = check_random(-1.0, 1.0);
    }
}

TEST(R21_R22_planetary_set_rolls_without_slip)
{
    lw_model *m = open_machine("planetary", NULL);
    lw_data *d = new_data(m);
    for (int n = 0; n < 100; ++n) {
        double q[MOST], v[MOST];
        random_state(m, q, v);
        CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
        for (int k = 1; k <= 3; ++k) {
            char planet[16];
            snprintf(planet, sizeof planet, "planet%d", k);
            CHECK_NEAR(spur_slip(m, d, "sun", 0.02, planet, 0.016, false), 0.0, 1e-14);
            CHECK_NEAR(spur_slip(m, d, planet, 0.016, "ring", 0.052, true), 0.0, 1e-14);
        }
        // Willis: (w_ring - w_carrier) / (w_sun - w_carrier) = -20 / 52.
        lw_motion w[3];
        const char *links[] = {"sun", "carrier", "ring"};
        for (int k = 0; k < 3; ++k) {
            lw_frame_velocity(m, d, lw_find_frame(m, links[k]), LW_IN_WORLD, &w[k]);
        }
        CHECK_NEAR(52 * (w[2].ang.z - w[1].ang.z), -20 * (w[0].ang.z - w[1].ang.z), 1e-12);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Tsai's circuit equations: against its carrier each wheel turns as its mate does, times the ratio
// of teeth; and neither slips.
TEST(R25_bendix_wrist_follows_its_circuit_equations)
{
    lw_model *m = open_machine("bendix", NULL);
    lw_data *d = new_data(m);
    const lw_vec3 V = {0.0, 0.0, 0.0};
    for (int n = 0; n < 100; ++n) {
        double q[MOST], v[MOST];
        random_state(m, q, v);
        CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
        CHECK_NEAR(bevel_slip(m, d, V, "shaft2.wheel", 30, "pitch.wheel", 36), 0.0, 1e-14);
        CHECK_NEAR(bevel_slip(m, d, V, "shaft3.wheel", 20, "idler.low", 30), 0.0, 1e-14);
        CHECK_NEAR(bevel_slip(m, d, V, "idler.high", 25, "tool.wheel", 20), 0.0, 1e-14);
        const double *s = &v[0];
        lw_motion w[2];
        lw_pose X;
        lw_frame_velocity(m, d, lw_find_frame(m, "yoke"), LW_IN_WORLD, &w[0]);
        lw_frame_velocity(m, d, lw_find_frame(m, "pitch"), LW_IN_WORLD, &w[1]);
        lw_frame_pose(m, d, lw_find_frame(m, "yoke"), &X);
        const lw_vec3 pitch = lw_rotate_back(&X.R, lw_sub3(w[1].ang, w[0].ang));
        CHECK_NEAR(pitch.x, 30.0 / 36.0 * (s[1] - s[0]), 1e-14);
        CHECK_NEAR(hypot(pitch.y, pitch.z), 0.0, 1e-14);
        // The tool against the pitch body: 25/20 of the idler against the pitch body.
        const double idler = -20.0 / 30.0 * (s[2] - s[0]);
        lw_frame_velocity(m, d, lw_find_frame(m, "tool"), LW_IN_FRAME, &w[0]);
        lw_frame_velocity(m, d, lw_find_frame(m, "pitch"), LW_IN_WORLD, &w[1]);
        lw_frame_pose(m, d, lw_find_frame(m, "tool"), &X);
        const lw_vec3 tool = lw_sub3(w[0].ang, lw_rotate_back(&X.R, w[1].ang));
        CHECK_NEAR(fabs(tool.z), 25.0 / 20.0 * fabs(idler - pitch.x), 1e-14);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R24_geared_wrist_rolls_without_slip)
{
    lw_model *m = open_machine("geared_wrist", NULL);
    lw_data *d = new_data(m);
    const lw_vec3 V = {0.0, 0.0, 0.0};
    for (int n = 0; n < 100; ++n) {
        double q[MOST], v[MOST];
        random_state(m, q, v);
        CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
        CHECK_NEAR(spur_slip(m, d, "motor1", 20, "house1", 60, false), 0.0, 1e-14);
        CHECK_NEAR(spur_slip(m, d, "motor2", 20, "shaft2", 50, false), 0.0, 1e-14);
        CHECK_NEAR(spur_slip(m, d, "motor3", 20, "shaft3", 40, false), 0.0, 1e-14);
        CHECK_NEAR(bevel_slip(m, d, V, "shaft2.wheel", 30, "house2.wheel", 30), 0.0, 1e-14);
        CHECK_NEAR(bevel_slip(m, d, V, "shaft3.wheel", 24, "middle.low", 24), 0.0, 1e-14);
        const lw_vec3 V2 = origin(m, d, "tool");
        CHECK_NEAR(bevel_slip(m, d, V2, "middle.high", 24, "tool.wheel", 30), 0.0, 1e-14);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Turns the axis of a joint around in a written file. The joint is told by its name.
static char *flipped(const char *text, const char *joint)
{
    char key[64], axis[128];
    double a[3];
    snprintf(key, sizeof key, "<joint name=\"%s\"", joint);
    const char *at = strstr(text, key);
    const char *begin = at ? strstr(at, " axis=\"") : NULL;
    if (!CHECK(begin && sscanf(begin, " axis=\"%lf %lf %lf\"", &a[0], &a[1], &a[2]) == 3)) {
        return NULL;
    }
    const char *end = strchr(begin + 7, '"') + 1;
    snprintf(axis, sizeof axis, " axis=\"%.17g %.17g %.17g\"", -a[0], -a[1], -a[2]);
    char *out = calloc(strlen(text) + strlen(axis) + 1, 1);
    strncat(out, text, (size_t)(begin - text));
    strcat(out, axis);
    return strcat(out, end);
}

TEST(R23_flipping_any_joint_leaves_the_motion_unchanged)
{
    static const char *const names[] = {"planetary", "bendix", "geared_wrist"};
    for (int k = 0; k < 3; ++k) {
        lw_mech *mech = NULL;
        lw_model *m = open_machine(names[k], &mech);
        lw_data *d = new_data(m);
        char *text = NULL;
        size_t size = 0;
        CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &text, &size, NULL), LW_OK);
        for (int j = 0; j < m->tree_nv; ++j) {
            const char *joint = m->tree_velocity_name[j];
            check_case("%s, %s", names[k], joint);
            char *other = flipped(text, joint);
            lw_model *o = other ? compile_text("flipped.xml", other, NULL) : NULL;
            lw_data *e = o ? new_data(o) : NULL;
            const int input = o ? lw_find_velocity(o, joint) : -1;
            for (int n = 0; n < 10 && e; ++n) {
                double q[MOST], v[MOST];
                random_state(m, q, v);
                CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
                if (input >= 0) {
                    q[input] = -q[input];
                    v[input] = -v[input];
                }
                CHECK(lw_forward_velocity(o, e, q, v) == LW_OK);
                CHECK_NEAR(poses_apart(m, d, o, e), 0.0, 1e-12);
                for (int f = 0; f < m->nframe; ++f) {
                    const char *frame = m->frame[f].name;
                    const lw_vec3 P = origin(m, d, frame);
                    const lw_vec3 u = velocity_at(m, d, frame, P), w = velocity_at(o, e, frame, P);
                    CHECK_NEAR(lw_norm3(lw_sub3(u, w)), 0.0, 1e-12);
                }
            }
            lw_data_destroy(e);
            lw_model_destroy(o);
            free(other);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
        free(text);
    }
}

int main(void)
{
    RUN(R17_shipped_machines_compile_into_the_expected_steps);
    RUN(C16_D21_shipped_machines_stay_closed_over_their_range);
    RUN(D16_flange_of_the_palletiser_stays_parallel_to_the_ground);
    RUN(R17_platform_of_the_delta_does_not_turn);
    RUN(D21_both_assembly_modes_of_the_four_bar);
    RUN(D27_order_of_declaration_changes_nothing);
    RUN(R21_R22_planetary_set_rolls_without_slip);
    RUN(R25_bendix_wrist_follows_its_circuit_equations);
    RUN(R24_geared_wrist_rolls_without_slip);
    RUN(R23_flipping_any_joint_leaves_the_motion_unchanged);
    return REPORT();
}
