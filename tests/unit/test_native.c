// Reading linkwork XML: the four forms of placement, mounts and assemblies, angles, references.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "pose_reference.h"
#include "random_mech.h"
#include "same_model.h"
#include "written.h"

#include "parts/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// --- C38: four forms --------------------------------------------------------------------------

TEST(C38_puma_four_ways_agrees_to_1e_14)
{
    static const char *const file[] = {"puma560.xml", "puma560_craig.xml", "puma560_transform.xml",
                                       "puma560_zero.xml"};
    static const char *const frame[] = {"upper_arm.elbow", "forearm.wrist", "tool.flange"};
    lw_model *m[4];
    lw_data *d[4];
    for (int i = 0; i < 4; ++i) {
        m[i] = shipped_model(file[i]);
        d[i] = new_data(m[i]);
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
    written b = {.used = 0};
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
        written b = {.used = 0};
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
        lw_model *m = shipped_model(file[i]);
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
        " max_velocity='180' max_acceleration='360' max_force='5' damping='7' friction='8'"
        " rotor_inertia='9' stiffness='10' spring_rest='45' reference='30'/>\n"
        "<link name='lr' mass='1'/>\n"
        "<joint name='p' type='prismatic' from='base' to='lp' lower='-180' reference='30'/>\n"
        "<link name='lp' mass='1'/>\n"
        "<joint name='c' type='cylindrical' from='base' to='lc'>"
        "<dof name='travel' upper='90'/><dof name='angle' upper='90'/></joint>\n"
        "<link name='lc' mass='1'/>\n"
        "</linkwork>\n";
    lw_model *m = compile_text("deg.xml", text, NULL);
    const double pi = 3.14159265358979323846;
    const lw_dof *r = &m->dof[0];
    CHECK_NEAR(r->lower, -pi, 0.0);
    CHECK_NEAR(r->upper, pi / 2.0, 0.0);
    CHECK_NEAR(r->max_velocity, pi, 0.0);
    CHECK_NEAR(r->max_acceleration, 2.0 * pi, 0.0);
    CHECK_NEAR(r->max_force, 5.0, 0.0);
    CHECK_NEAR(r->damping, 7.0, 0.0);
    CHECK_NEAR(r->friction, 8.0, 0.0);
    CHECK_NEAR(r->rotor_inertia, 9.0, 0.0);
    CHECK_NEAR(r->stiffness, 10.0, 0.0);
    CHECK_NEAR(r->spring_rest, pi / 4.0, 0.0);
    CHECK_NEAR(r->reference, pi / 6.0, 1e-15);
    CHECK_NEAR(m->dof[1].lower, -180.0, 0.0);
    CHECK_NEAR(m->dof[1].reference, 30.0, 0.0);
    CHECK_NEAR(m->dof[2].upper, pi / 2.0, 0.0);
    CHECK_NEAR(m->dof[3].upper, 90.0, 0.0);
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

TEST(readers_go_on_after_an_error)
{
    char *diagnostics =
        diagnostics_of_text("many.xml", "<linkwork version='1' name='m'>\n"
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
        CHECK_HAS(diagnostics, line[i]);
    }
    free(diagnostics);
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
    RUN(readers_go_on_after_an_error);
    return REPORT();
}
