// Reading linkwork XML: the four forms of placement, mounts and assemblies, angles, references.
#include "check.h"
#include "load_text.h"
#include "random_mech.h"
#include "same_model.h"

#include "parts/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *model_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    return path;
}

// --- 4 by 4 matrices, so that forms are checked against formulas of their own -----------------

typedef struct mat4 {
    double at[4][4];
} mat4;

static mat4 one4(void)
{
    return (mat4){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static mat4 mul4(mat4 a, mat4 b)
{
    mat4 c;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            c.at[i][k] = 0.0;
            for (int j = 0; j < 4; ++j) {
                c.at[i][k] += a.at[i][j] * b.at[j][k];
            }
        }
    }
    return c;
}

static mat4 shift4(double x, double y, double z)
{
    mat4 m = one4();
    m.at[0][3] = x;
    m.at[1][3] = y;
    m.at[2][3] = z;
    return m;
}

static mat4 turn4(int axis, double angle)
{
    const int i = (axis + 1) % 3, k = (axis + 2) % 3;
    mat4 m = one4();
    m.at[i][i] = m.at[k][k] = cos(angle);
    m.at[i][k] = -sin(angle);
    m.at[k][i] = sin(angle);
    return m;
}

// The exponential of a unit twist: a turn about a line, by Rodrigues' formula.
static mat4 screw4(lw_vec3 w, lw_vec3 point, double angle)
{
    const double c = cos(angle), s = sin(angle), u = 1.0 - c;
    const mat4 R = {{{c + u * w.x * w.x, u * w.x * w.y - s * w.z, u * w.x * w.z + s * w.y, 0},
                     {u * w.y * w.x + s * w.z, c + u * w.y * w.y, u * w.y * w.z - s * w.x, 0},
                     {u * w.z * w.x - s * w.y, u * w.z * w.y + s * w.x, c + u * w.z * w.z, 0},
                     {0, 0, 0, 1}}};
    return mul4(shift4(point.x, point.y, point.z), mul4(R, shift4(-point.x, -point.y, -point.z)));
}

static void check_pose(const lw_pose *X, const mat4 *want, double tolerance)
{
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(X->R.row[i].x, want->at[i][0], tolerance);
        CHECK_NEAR(X->R.row[i].y, want->at[i][1], tolerance);
        CHECK_NEAR(X->R.row[i].z, want->at[i][2], tolerance);
    }
    CHECK_NEAR(X->p.x, want->at[0][3], tolerance);
    CHECK_NEAR(X->p.y, want->at[1][3], tolerance);
    CHECK_NEAR(X->p.z, want->at[2][3], tolerance);
}

static lw_pose pose_at(const lw_model *m, const double *q, const char *frame)
{
    lw_pose X = lw_pose_identity();
    lw_data *d = lw_data_create(m);
    const int f = lw_find_frame(m, frame);
    CHECK(f >= 0);
    CHECK_INT(lw_pose_of_frame(m, d, q, f, &X), LW_OK);
    lw_data_destroy(d);
    return X;
}

// A text that is put together.
typedef struct buffer {
    char text[16384];
    size_t used;
} buffer;

__attribute__((format(printf, 2, 3))) static void put(buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->used += (size_t)vsnprintf(b->text + b->used, sizeof b->text - b->used, format, args);
    va_end(args);
}

// --- C38: four forms --------------------------------------------------------------------------

TEST(C38_puma_four_ways_agrees_to_1e_14)
{
    static const char *const file[] = {"puma560.xml", "puma560_craig.xml", "puma560_transform.xml",
                                       "puma560_zero.xml"};
    static const char *const frame[] = {"upper_arm.elbow", "forearm.wrist", "tool.flange"};
    lw_model *m[4];
    lw_data *d[4];
    for (int i = 0; i < 4; ++i) {
        m[i] = compile_path(model_path(file[i]), NULL);
        d[i] = lw_data_create(m[i]);
        CHECK_INT(m[i]->nq, 6);
    }
    for (int trial = 0; trial < 2000; ++trial) {
        double q[6];
        for (int k = 0; k < 6; ++k) {
            q[k] = check_random(-3.2, 3.2);
        }
        for (int i = 1; i < 4; ++i) {
            check_case("%s, trial %d", file[i], trial);
            for (int f = 0; f < 3; ++f) {
                lw_pose X, Y;
                lw_pose_of_frame(m[0], d[0], q, lw_find_frame(m[0], frame[f]), &X);
                lw_pose_of_frame(m[i], d[i], q, lw_find_frame(m[i], frame[f]), &Y);
                const mat4 want = {{{X.R.row[0].x, X.R.row[0].y, X.R.row[0].z, X.p.x},
                                    {X.R.row[1].x, X.R.row[1].y, X.R.row[1].z, X.p.y},
                                    {X.R.row[2].x, X.R.row[2].y, X.R.row[2].z, X.p.z},
                                    {0, 0, 0, 1}}};
                check_pose(&Y, &want, 1e-14);
            }
            lw_vec3 c, e;
            lw_center_of_mass(m[0], d[0], q, &c, NULL);
            lw_center_of_mass(m[i], d[i], q, &e, NULL);
            CHECK_NEAR(lw_norm3(lw_sub3(c, e)), 0.0, 1e-14);
        }
    }
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(m[i]->mass, 36.45, 1e-14 * 36.45);
        CHECK_NEAR(m[i]->q_reference[2], 2.6179938779914944, 4e-16 * 2.62); // an ulp of 150 degrees
        lw_data_destroy(d[i]);
        lw_model_destroy(m[i]);
    }
}

// A chain of DH rows with random numbers against products of elementary matrices.
static void check_rows(bool is_paul)
{
    enum { N = 5 };
    buffer b = {.used = 0};
    double row[N][4]; // alpha a theta d
    put(&b, "<linkwork version='1' name='rows'>\n<ground/>\n");
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 4; ++k) {
            row[i][k] = check_random(-2.0, 2.0);
        }
        put(&b, "<joint name='j%d' type='%s' from='%s%d' to='l%d'><%s alpha='%.17g' a='%.17g' ", i,
            i == 2 ? "prismatic" : "revolute", i ? "l" : "ground", i - 1, i,
            is_paul ? "paul" : "craig", row[i][0], row[i][1]);
        put(&b, "theta='%.17g' d='%.17g'/></joint>\n<link name='l%d' mass='1'/>\n", row[i][2],
            row[i][3], i);
    }
    put(&b, "</linkwork>\n");
    char *from = strstr(b.text, "'ground-1'");
    memcpy(from, "'ground'  ", 10);
    lw_model *m = compile_text("rows.xml", b.text, NULL);
    double q[N];
    mat4 want = one4();
    for (int i = 0; i < N; ++i) {
        q[i] = check_random(-2.0, 2.0);
        const double theta = row[i][2] + (i == 2 ? 0.0 : q[i]),
                     D = row[i][3] + (i == 2 ? q[i] : 0.0);
        const mat4 x = mul4(turn4(0, row[i][0]), shift4(row[i][1], 0, 0));
        const mat4 z = mul4(turn4(2, theta), shift4(0, 0, D));
        want = mul4(want, is_paul ? mul4(z, x) : mul4(x, z));
    }
    const lw_pose X = pose_at(m, q, "l4");
    check_pose(&X, &want, 1e-14 * 10.0); // coordinates reach ten metres
    lw_model_destroy(m);
}

TEST(C38_paul_rows_are_Rz_Tz_Tx_Rx)
{
    for (int trial = 0; trial < 50; ++trial) {
        check_rows(true);
    }
}

TEST(C38_craig_rows_are_Rx_Tx_Rz_Tz)
{
    for (int trial = 0; trial < 50; ++trial) {
        check_rows(false);
    }
}

// R15 too: f = e^{S1 q1} ... e^{Sn qn} M, with axes, points and zero poses in the ground frame.
TEST(C38_zero_position_is_the_product_of_exponentials)
{
    enum { N = 4 };
    for (int trial = 0; trial < 50; ++trial) {
        buffer b = {.used = 0};
        lw_vec3 axis[N], point[N], home = {0}, turn = {0};
        put(&b, "<linkwork version='1' name='poe'>\n<ground/>\n");
        for (int i = 0; i < N; ++i) {
            axis[i] = random_unit();
            point[i] = lw_scale3(check_random(0.0, 2.0), random_unit());
            home = lw_scale3(check_random(0.0, 2.0), random_unit());
            turn = lw_vec3_of(check_random(-1, 1), check_random(-1, 1), check_random(-1, 1));
            put(&b, "<joint name='j%d' type='revolute' from='%s%.0d' to='l%d'", i,
                i ? "l" : "ground", i ? i : 0, i + 1);
            put(&b, " axis='%.17g %.17g %.17g' point='%.17g %.17g %.17g'/>\n", axis[i].x, axis[i].y,
                axis[i].z, point[i].x, point[i].y, point[i].z);
            put(&b, "<link name='l%d' mass='1'><zero xyz='%.17g %.17g %.17g'", i + 1, home.x,
                home.y, home.z);
            put(&b, " rpy='%.17g %.17g %.17g'/></link>\n", turn.x, turn.y, turn.z);
        }
        put(&b, "</linkwork>\n");
        lw_model *m = compile_text("poe.xml", b.text, NULL);
        double q[N];
        mat4 want = one4();
        for (int i = 0; i < N; ++i) {
            q[i] = check_random(-3, 3);
            want = mul4(want, screw4(axis[i], point[i], q[i]));
        }
        want = mul4(want, mul4(shift4(home.x, home.y, home.z),
                               mul4(turn4(2, turn.z), mul4(turn4(1, turn.y), turn4(0, turn.x)))));
        const lw_pose X = pose_at(m, q, "l4");
        check_pose(&X, &want, 1e-14 * 10.0); // coordinates reach ten metres
        lw_model_destroy(m);
    }
}

// A zero-position joint behind joints of the other three forms, behind a link whose port b is
// moved, on a frame: its axis must still be where the file says it is.
TEST(C38_forms_mix_in_one_file)
{
    static const char text[] =
        "<linkwork version='1' name='mixed' angle='degree'>\n"
        "<ground><frame name='foot' xyz='0.1 0.2 0.3' rpy='10 20 30'/></ground>\n"
        "<joint name='a' type='revolute' axis='1 2 3' from='ground.foot' to='la' xyz='1 0 0'"
        " rpy='0 45 0'><after xyz='0 0.5 0' quat='1 2 3 4'/></joint>\n"
        "<link name='la' mass='1'><b xyz='0 0 0.25' rpy='0 0 90'/></link>\n"
        "<joint name='b' type='prismatic' from='la' to='lb'><paul theta='30' d='0.2' a='0.3'"
        " alpha='40'/></joint>\n"
        "<link name='lb' mass='1'/>\n"
        "<joint name='c' type='revolute' from='lb' to='lc'><craig theta='-30' d='0.1' a='0.4'"
        " alpha='70'/></joint>\n"
        "<link name='lc' mass='1'><frame name='end' matrix='0 -1 0 1  1 0 0 2  0 0 1 3'/></link>\n"
        "<joint name='d' type='revolute' axis='0 3 4' point='0.5 0.6 0.7' from='lc.end' to='ld'/>\n"
        "<link name='ld' mass='1'><zero xyz='2 1 0' rpy='0 0 90'/></link>\n"
        "<joint name='e' type='revolute' axis='1 0 0' point='3 3 3' from='ld' to='le'/>\n"
        "<link name='le' mass='1'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("mixed.xml", text, NULL);
    const double zero[5] = {0}, moved[5] = {0, 0, 0, 0.7, 0}, last[5] = {0, 0, 0, 0.7, -0.4};
    const double half_pi = 1.57079632679489661923;
    const mat4 home = mul4(shift4(2, 1, 0), turn4(2, half_pi));
    const mat4 turned = screw4(lw_vec3_of(0, 0.6, 0.8), lw_vec3_of(0.5, 0.6, 0.7), 0.7);
    const mat4 tail = screw4(lw_vec3_of(1, 0, 0), lw_vec3_of(3, 3, 3), -0.4);
    lw_pose X = pose_at(m, zero, "ld");
    check_pose(&X, &home, 5e-15);
    X = pose_at(m, moved, "ld");
    const mat4 want = mul4(turned, home);
    check_pose(&X, &want, 5e-15);
    X = pose_at(m, last, "le");
    const mat4 end = mul4(turned, mul4(tail, shift4(3, 3, 3)));
    check_pose(&X, &end, 1e-14);
    lw_model_destroy(m);
}

// C41: whatever the form, the model's joint acts about z of a body frame that lies on the axis.
TEST(C41_bodies_turn_about_their_own_z_axis)
{
    static const char *const file[] = {"puma560.xml", "puma560_craig.xml", "puma560_transform.xml",
                                       "puma560_zero.xml"};
    static const char *const link[] = {"trunk", "upper_arm", "forearm", "wrist", "hand", "tool"};
    static const double axis[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {0, 1, 0}, {0, 0, 1}};
    static const double point[6][3] = {{0, 0, 0},           {0, 0, 0.6718},
                                       {0.4318, 0, 0.6718}, {0.4115, 0.1501, 0},
                                       {0.4115, 0, 1.1049}, {0.4115, 0.1501, 0}};
    const double q[6] = {0};
    for (int i = 0; i < 4; ++i) {
        lw_model *m = compile_path(model_path(file[i]), NULL);
        for (int k = 0; k < 6; ++k) {
            check_case("%s, %s", file[i], link[k]);
            const int f = lw_find_frame(m, link[k]);
            const lw_pose X_WF = pose_at(m, q, link[k]);
            const lw_pose X_FB = lw_pose_inverse(&m->frame[f].X_BF);
            const lw_pose X_WB = lw_pose_mul(&X_WF, &X_FB);
            const lw_vec3 z = {X_WB.R.row[0].z, X_WB.R.row[1].z, X_WB.R.row[2].z};
            const lw_vec3 n = {axis[k][0], axis[k][1], axis[k][2]};
            const lw_vec3 p = {point[k][0], point[k][1], point[k][2]};
            CHECK_INT(m->frame[f].body, k);
            CHECK_NEAR(lw_norm3(lw_sub3(z, n)), 0.0, 1e-15);
            CHECK_NEAR(lw_norm3(lw_cross3(n, lw_sub3(X_WB.p, p))), 0.0, 1e-15);
        }
        lw_model_destroy(m);
    }
}

// --- Angles -----------------------------------------------------------------------------------

TEST(degrees_reach_every_angle_and_nothing_else)
{
    static const char text[] =
        "<linkwork version='1' name='deg' angle='degree'>\n"
        "<link name='base'><frame name='tilted' rpy='90 0 0'/></link>\n"
        "<joint name='r' type='revolute' from='base' to='lr' lower='-180' upper='90'"
        " max_velocity='180' max_acceleration='360' max_effort='5' damping='7' friction='8'"
        " rotor_inertia='9' stiffness='10' spring_rest='45' reference='30'/>\n"
        "<link name='lr' mass='1'/>\n"
        "<joint name='p' type='prismatic' from='base' to='lp' lower='-180' reference='30'/>\n"
        "<link name='lp' mass='1'/>\n"
        "<joint name='c' type='cylindrical' from='base' to='lc'>"
        "<freedom name='travel' upper='90'/><freedom name='angle' upper='90'/></joint>\n"
        "<link name='lc' mass='1'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("deg.xml", text, NULL);
    const double pi = 3.14159265358979323846;
    const lw_freedom *r = &m->freedom[0];
    CHECK_NEAR(r->lower, -pi, 0.0);
    CHECK_NEAR(r->upper, pi / 2.0, 0.0);
    CHECK_NEAR(r->max_velocity, pi, 0.0);
    CHECK_NEAR(r->max_acceleration, 2.0 * pi, 0.0);
    CHECK_NEAR(r->max_effort, 5.0, 0.0);
    CHECK_NEAR(r->damping, 7.0, 0.0);
    CHECK_NEAR(r->friction, 8.0, 0.0);
    CHECK_NEAR(r->rotor_inertia, 9.0, 0.0);
    CHECK_NEAR(r->stiffness, 10.0, 0.0);
    CHECK_NEAR(r->spring_rest, pi / 4.0, 0.0);
    CHECK_NEAR(r->reference, pi / 6.0, 1e-15);
    CHECK_NEAR(m->freedom[1].lower, -180.0, 0.0);
    CHECK_NEAR(m->freedom[1].reference, 30.0, 0.0);
    CHECK_NEAR(m->freedom[2].upper, pi / 2.0, 0.0);
    CHECK_NEAR(m->freedom[3].upper, 90.0, 0.0);
    const lw_pose X = pose_at(m, m->q_reference, "base.tilted");
    CHECK_NEAR(X.R.row[1].z, -1.0, 1e-15);
    lw_model_destroy(m);
}

// q_t = 10 + 2 q + 0.5 q^2 in degrees, and a travel of 1 mm a degree.
TEST(C34_polynomials_obey_the_unit_of_angles)
{
    static const char text[] =
        "<linkwork version='1' name='poly' angle='degree'>\n"
        "<link name='base'/>\n"
        "<joint name='s' type='revolute' from='base' to='ls' reference='4'/><link name='ls' "
        "mass='1'/>\n"
        "<joint name='t' type='revolute' from='base' to='lt'/><link name='lt' mass='1'/>\n"
        "<joint name='u' type='cylindrical' from='base' to='lu'/><link name='lu' mass='1'/>\n"
        "<coupling joint='t' of='s' polynomial='10 2 0.5'/>\n"
        "<coupling joint='u.travel' of='s' polynomial='0 0.001'/>\n"
        "<coupling joint='u.angle' of='u.travel' polynomial='0 1000'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("poly.xml", text, NULL);
    const double degree = 3.14159265358979323846 / 180.0;
    CHECK_INT(m->nq, 1);
    CHECK_INT(m->tree_nq, 4);
    const double *q = m->tree_q_reference;
    CHECK_NEAR(q[0], 4.0 * degree, 1e-16);
    CHECK_NEAR(q[1], (10.0 + 8.0 + 8.0) * degree, 1e-15);
    CHECK_NEAR(q[2], 4.0 * degree, 1e-15); // the angle, through the travel
    CHECK_NEAR(q[3], 0.004, 1e-17);
    lw_model_destroy(m);
}

// --- C36, C37: files and mounts ---------------------------------------------------------------

// C01, C21: chassis, arm and mast of one rover from three files, one representation.
TEST(C36_rover_is_assembled_from_three_files)
{
    lw_mech *mech;
    lw_model *m = compile_path(model_path("rover/rover.xml"), &mech);
    CHECK_INT(m->nv,
              6 + 3 + 4 + 6 + 5 + 2); // free, rockers and bogies, steering, wheels, arm, mast
    CHECK(lw_find_position(m, "arm/turret") >= 0);
    CHECK(lw_find_position(m, "mast/tilt") >= 0);
    CHECK(lw_find_position(m, "rear_left/wheel/drive") >= 0);
    CHECK_INT(lw_find_position(m, "right_rocker"), -1); // the differential gives it
    static const char *const instrument[] = {"imager", "abrader", "alpha_spectrometer",
                                             "mossbauer_spectrometer"};
    for (int i = 0; i < 4; ++i) { // C15: each instrument is a frame
        CHECK(lw_find_frame(m, instrument[i]) >= 0);
    }
    // All wheels stand on the ground in the reference configuration.
    lw_data *d = lw_data_create(m);
    lw_forward_position(m, d, m->q_reference);
    int nwheel = 0;
    for (int f = 0; f < m->nframe; ++f) {
        lw_pose X;
        if (strstr(m->frame[f].name, "ground_contact")) {
            lw_frame_pose(m, d, f, &X);
            CHECK_NEAR(X.p.z, 0.0, 1e-15);
            ++nwheel;
        }
    }
    CHECK_INT(nwheel, 6);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// C02: the arm alone gives what it gives on the rover.
TEST(C02_appendage_alone_equals_appendage_on_the_whole)
{
    lw_model *rover = compile_path(model_path("rover/rover.xml"), NULL);
    lw_model *arm = compile_path(model_path("rover/arm.xml"), NULL);
    lw_data *d = lw_data_create(rover);
    double q[64];
    memcpy(q, rover->q_reference, (size_t)rover->nq * sizeof *q);
    double own[5];
    for (int i = 0; i < 5; ++i) {
        own[i] = check_random(-1, 1);
        char name[64];
        snprintf(name, sizeof name, "arm/%s", arm->position_name[i]);
        q[lw_find_position(rover, name)] = own[i];
    }
    lw_pose X, Y = pose_at(arm, own, "imager");
    lw_forward_position(rover, d, q);
    lw_relative_pose(rover, d, lw_find_frame(rover, "body.arm_mount"),
                     lw_find_frame(rover, "imager"), &X);
    CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0.0, 1e-15);
    lw_data_destroy(d);
    lw_model_destroy(arm);
    lw_model_destroy(rover);
}

// C27: names are prefixed, and the four legs share one description.
TEST(C27_one_leg_file_serves_four_mounts)
{
    lw_mech *mech;
    lw_model *m = compile_path(model_path("quadruped/quadruped.xml"), &mech);
    CHECK_INT(m->nv, 18);
    CHECK(lw_find_position(m, "hind_right/knee") >= 0);
    CHECK_INT(mech->assembly.count, 4);
    for (int i = 1; i < mech->assembly.count; ++i) {
        CHECK(mech->assembly.at[i].inside == mech->assembly.at[0].inside);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C37_mounts_are_diagnosed_with_file_and_line)
{
    static const struct {
        const char *body, *finding;
    } table[] = {
        {"<link name='t'><frame name='hip'/></link>\n<mount name='l' file='leg.xml' at='t.hop'/>",
         "/quadruped/t.xml:3:36: error: link \"t\" has no frame \"hop\"; did you mean \"hip\"?\n"},
        {"<link name='t'/>\n<mount name='l' file='leg.xml' at='hip'/>",
         "/quadruped/t.xml:3:36: error: there is no part or frame \"hip\"\n"},
        {"<link name='t'>\n<frame name='hip'/>\n<frame name='hip'/></link>",
         "/quadruped/t.xml:4:1: error: link \"t\" has another frame named \"hip\", at "},
        {"<link name='t'/>\n<mount name='l' file='leg.xml' at='t'/>\n"
         "<mount name='l' file='leg.xml' at='t'/>",
         "/quadruped/t.xml:4:1: error: there is another assembly named \"l\", at "},
        {"<link name='t'/>\n<mount name='l' file='lag.xml' at='t'/>",
         "/quadruped/t.xml:3:23: error: \"lag.xml\" is not found\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char text[1024];
        check_case("case %d", (int)i);
        snprintf(text, sizeof text, "<linkwork version='1' name='t'>\n%s\n</linkwork>\n",
                 table[i].body);
        char *findings = findings_of_text(model_path("quadruped/t.xml"), text);
        CHECK_HAS(findings, table[i].finding);
        free(findings);
    }
}

TEST(C36_urdf_is_mounted_like_any_file)
{
    char path[] = "/tmp/linkwork_test_XXXXXX", file[64], text[512];
    CHECK(mkdtemp(path) != NULL);
    snprintf(file, sizeof file, "%s/arm.urdf", path);
    FILE *out = fopen(file, "w");
    fputs("<robot name='arm'><link name='base'/><link name='tip'><inertial><mass value='1'/>"
          "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
          "<joint name='j' type='continuous'><parent link='base'/><child link='tip'/>"
          "<axis xyz='0 0 1'/><origin xyz='0 0 0.5'/></joint></robot>",
          out);
    fclose(out);
    snprintf(text, sizeof text,
             "<linkwork version='1' name='two'>\n<ground>\n<frame name='left' xyz='0 1 0'/>\n"
             "<frame name='right' xyz='0 -1 0'/></ground>\n"
             "<mount name='l' file='arm.urdf' at='left'/>\n"
             "<mount name='r' file='arm.urdf' at='right'/>\n</linkwork>\n");
    snprintf(file, sizeof file, "%s/two.xml", path);
    lw_model *m = compile_text(file, text, NULL);
    CHECK_INT(m->nq, 2);
    const double q[2] = {0};
    const lw_pose X = pose_at(m, q, "r/tip");
    CHECK_NEAR(X.p.y, -1.0, 0.0);
    CHECK_NEAR(X.p.z, 0.5, 0.0);
    lw_model_destroy(m);
    snprintf(file, sizeof file, "%s/arm.urdf", path);
    remove(file);
    remove(path);
}

// --- Assemblies and references ----------------------------------------------------------------

// D08: the same chain flat and three deep is the same machine.
TEST(D08_nested_assemblies_compute_what_the_flat_machine_does)
{
    static const char nested[] =
        "<linkwork version='1' name='m'>\n"
        "<assembly name='one'><joint name='j' type='revolute' axis='0 1 0' to='l'/>"
        "<link name='l' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<gateway name='b' port='l.end'/></assembly>\n"
        "<assembly name='two'><use name='x' assembly='one'/><use name='y' assembly='one' at='x'/>"
        "<gateway name='b' port='y'/></assembly>\n"
        "<assembly name='four'><use name='x' assembly='two'/><use name='y' assembly='two' at='x'/>"
        "<gateway name='b' port='y.b'/></assembly>\n"
        "<ground/><use name='arm' assembly='four' at='ground'/>"
        "<link name='tip' at='arm' mass='0.5'/></linkwork>\n";
    static const char flat[] =
        "<linkwork version='1' name='m'>\n<ground/>\n"
        "<joint name='j1' type='revolute' axis='0 1 0' from='ground' to='l1'/>"
        "<link name='l1' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j2' type='revolute' axis='0 1 0' from='l1.end' to='l2'/>"
        "<link name='l2' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j3' type='revolute' axis='0 1 0' from='l2.end' to='l3'/>"
        "<link name='l3' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<joint name='j4' type='revolute' axis='0 1 0' from='l3.end' to='l4'/>"
        "<link name='l4' mass='1' center='0.1 0 0'><frame name='end' xyz='0.5 0.1 0'/></link>"
        "<link name='tip' at='l4.end' mass='0.5'/></linkwork>\n";
    lw_model *a = compile_text("nested.xml", nested, NULL);
    lw_model *b = compile_text("flat.xml", flat, NULL);
    CHECK_INT(a->nq, 4);
    CHECK_TEXT(a->position_name[3], "arm/y/y/j");
    const double q[4] = {0.3, -0.7, 1.1, 0.4};
    const lw_pose X = pose_at(a, q, "tip"), Y = pose_at(b, q, "tip");
    CHECK(memcmp(&X, &Y, sizeof X) == 0);
    CHECK(memcmp(a->inertia, b->inertia, 4 * sizeof *a->inertia) == 0);
    lw_model_destroy(a);
    lw_model_destroy(b);
}

// A second root of an assembly hangs by a gateway to its A port.
TEST(R03_gateways_of_both_sides_connect)
{
    static const char text[] =
        "<linkwork version='1' name='m'>\n"
        "<assembly name='pair'><link name='base' mass='1'/>"
        "<joint name='j' type='revolute' to='l'/><link name='l' mass='1'/>"
        "<gateway name='in' port='j.a'/></assembly>\n"
        "<ground><frame name='f' xyz='0 0 1'/></ground>\n"
        "<link name='post' at='ground' mass='1'><frame name='g' xyz='2 0 0'/></link>\n"
        "<use name='p' assembly='pair' at='f'/>\n<connect from='post.g' to='p.in'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("pair.xml", text, NULL);
    const double q[1] = {0.5};
    const lw_pose X = pose_at(m, q, "p/l"), Y = pose_at(m, q, "p/base");
    CHECK_NEAR(X.p.x, 2.0, 0.0);
    CHECK_NEAR(Y.p.z, 1.0, 0.0);
    lw_model_destroy(m);
}

// A link, a joint and a frame of one name; names with dots.
TEST(references_find_what_is_meant)
{
    static const char text[] =
        "<linkwork version='1' name='m'>\n<ground><frame name='elbow' xyz='9 0 0'/></ground>\n"
        "<joint name='elbow' type='revolute' from='ground' to='elbow' xyz='1 0 0'/>\n"
        "<link name='elbow' mass='1'><b xyz='0 1 0'/></link>\n"
        "<link name='on_link' at='elbow'/>\n"
        "<link name='on_joint' at='joint:elbow'/>\n"
        "<link name='on_frame' at='ground.elbow'/>\n"
        "<link name='arm' at='ground'><frame name='2.tip' xyz='0 0 2'/></link>\n"
        "<link name='arm.2' at='ground'><frame name='tip' xyz='0 0 3'/></link>\n"
        "<link name='longest_part' at='arm.2.tip'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("names.xml", text, NULL);
    const double q[1] = {0};
    CHECK_NEAR(pose_at(m, q, "on_link").p.y, 1.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "on_joint").p.y, 0.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "on_frame").p.x, 9.0, 0.0);
    CHECK_NEAR(pose_at(m, q, "longest_part").p.z, 3.0, 0.0);
    lw_model_destroy(m);
}

TEST(readers_go_on_after_an_error)
{
    char *findings = findings_of_text("many.xml", "<linkwork version='1' name='m'>\n"
                                                  "<link name='a' mass='x'/>\n"
                                                  "<lnik name='b'/>\n"
                                                  "<joint name='j' type='revolut' from='q'/>\n"
                                                  "<use name='u' assembly='none'/>\n"
                                                  "<link name='c'><box size='1 1'/></link>\n"
                                                  "</linkwork>\n");
    static const char *const line[] = {
        "many.xml:2:22: error: ", "many.xml:3:1: error: ",  "many.xml:4:23: error: ",
        "many.xml:4:38: error: ", "many.xml:5:25: error: ", "many.xml:6:27: error: "};
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i) {
        CHECK_HAS(findings, line[i]);
    }
    free(findings);
}

int main(void)
{
    RUN(C38_puma_four_ways_agrees_to_1e_14);
    RUN(C38_paul_rows_are_Rz_Tz_Tx_Rx);
    RUN(C38_craig_rows_are_Rx_Tx_Rz_Tz);
    RUN(C38_zero_position_is_the_product_of_exponentials);
    RUN(C38_forms_mix_in_one_file);
    RUN(C41_bodies_turn_about_their_own_z_axis);
    RUN(degrees_reach_every_angle_and_nothing_else);
    RUN(C34_polynomials_obey_the_unit_of_angles);
    RUN(C36_rover_is_assembled_from_three_files);
    RUN(C02_appendage_alone_equals_appendage_on_the_whole);
    RUN(C27_one_leg_file_serves_four_mounts);
    RUN(C37_mounts_are_diagnosed_with_file_and_line);
    RUN(C36_urdf_is_mounted_like_any_file);
    RUN(D08_nested_assemblies_compute_what_the_flat_machine_does);
    RUN(R03_gateways_of_both_sides_connect);
    RUN(references_find_what_is_meant);
    RUN(readers_go_on_after_an_error);
    return REPORT();
}
