// Kinematics against the numbers of other programs: poses of published robots, DH tables with
// their Jacobians, and the worked examples of a textbook.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "reference.h"

#include <linkwork/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// The peers round, too: 1e-12 leaves room for a dozen joints in a row.
static const double CLOSE = 1e-12;

static double worst_of(const lw_pose *X, const lw_pose *Y)
{
    double worst = 0;
    const double *a = (const double *)X, *b = (const double *)Y;
    for (size_t i = 0; i < sizeof *X / sizeof *a; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Every link that the file has a pose for. Returns the largest difference.
static double compare_state(const lw_model *m, lw_data *d, const json_t *file, int index,
                            int *compared)
{
    reference_state state;
    double worst = 0;
    if (reference_state_read(file, index, m, &state)) {
        CHECK_INT(lw_forward_position(m, d, state.q), LW_OK);
        for (int i = 0; i < m->nlink; ++i) {
            lw_pose want, got, alone;
            if (!reference_link_pose(file, index, m->link[i].name, &want)) {
                continue;
            }
            CHECK_INT(lw_frame_pose(m, d, m->link[i].frame, &got), LW_OK);
            worst = fmax(worst, worst_of(&got, &want));
            if (i == m->nlink - 1) { // the last one by itself, from the same q
                CHECK_INT(lw_pose_of_frame(m, d, state.q, m->link[i].frame, &alone), LW_OK);
                CHECK(memcmp(&alone, &got, sizeof got) == 0);
            }
            ++*compared;
        }
    }
    reference_free(&state);
    return worst;
}

static void compare_robot(const char *name, bool is_floating)
{
    char path[300], robot[300];
    snprintf(path, sizeof path, "vectors/%s", name);
    snprintf(robot, sizeof robot, "models/urdf/%.*s", (int)(strstr(name, ".urdf") - name) + 5,
             name);
    check_case("%s", name);
    json_t *file = reference_read(path);
    lw_model *m = shared_model(robot, is_floating);
    lw_data *d = m ? new_data(m) : NULL;
    if (file && d) {
        const int count = reference_count(file);
        double worst = 0;
        int compared = 0;
        for (int k = 0; k < count; ++k) {
            worst = fmax(worst, compare_state(m, d, file, k, &compared));
        }
        CHECK_NEAR(worst, 0, CLOSE);
        const json_t *first = json_array_get(json_object_get(file, "states"), 0);
        const int links = (int)json_object_size(json_object_get(first, "link_poses"));
        CHECK_INT(compared, links * count);
        CHECK(count >= 5);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    json_decref(file);
}

static void compare_robots(bool is_floating)
{
    char **names =
        shared_names("reference/vectors", is_floating ? ".urdf.floating.json" : ".urdf.json");
    int count = 0;
    for (char **name = names; name && *name; ++name) {
        compare_robot(*name, is_floating);
        ++count;
    }
    CHECK(!names || count >= (is_floating ? 6 : 20));
    names_free(names);
}

TEST(D32_poses_of_published_robots_agree_with_other_programs)
{
    compare_robots(false);
}

TEST(D32_poses_of_floating_robots_agree_with_other_programs)
{
    compare_robots(true);
}

// --- DH tables --------------------------------------------------------------------------------

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

// Row by row: after Paul the joint acts before the row's a and alpha, after Craig behind them.
static lw_joint_def joint_of_row(const json_t *row)
{
    const bool is_modified =
        strcmp(json_string_value(json_object_get(row, "convention")), "modified") == 0;
    const bool is_sliding = strcmp(json_string_value(json_object_get(row, "joint")), "P") == 0;
    double theta = number_of(row, "theta"), d = number_of(row, "d");
    const double alpha = number_of(row, "alpha"), a = number_of(row, "a");
    if (is_sliding) {
        d = number_of(row, "offset");
    } else {
        theta = number_of(row, "offset");
    }
    lw_joint_def def = lw_default_joint_def();
    def.type = is_sliding ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE;
    def.before =
        is_modified ? lw_placement_dh(alpha, a, theta, d) : lw_placement_dh(0, 0, theta, d);
    def.after = is_modified ? lw_placement_identity() : lw_placement_dh(alpha, a, 0, 0);
    CHECK(!json_is_true(json_object_get(row, "flip")));
    return def;
}

static lw_model *model_of_table(const json_t *rows)
{
    lw_mech *mech = new_mech("table");
    lw_part last = {-1};
    for (size_t k = 0; k < json_array_size(rows); ++k) {
        char name[24];
        lw_joint_def def = joint_of_row(json_array_get(rows, k));
        snprintf(name, sizeof name, "j%d", (int)k + 1);
        def.name = name;
        const lw_part part = lw_add_joint(mech, &def);
        if (k > 0) {
            CHECK_INT(lw_connect(mech, lw_port_of(mech, last, "b"), lw_port_of(mech, part, "a")),
                      LW_OK);
        }
        last = part;
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

static lw_pose pose_of_rows(const double *T)
{
    lw_pose X;
    for (int i = 0; i < 3; ++i) {
        X.R.row[i] = lw_vec3_of(T[4 * i], T[4 * i + 1], T[4 * i + 2]);
    }
    X.p = lw_vec3_of(T[3], T[7], T[11]);
    return X;
}

static void compare_table(const char *name, const json_t *file, const lw_model *m)
{
    lw_data *d = new_data(m);
    const json_t *states = json_object_get(file, "states");
    CHECK(json_array_size(states) >= 5);
    for (size_t k = 0; k < json_array_size(states); ++k) {
        const json_t *state = json_array_get(states, k);
        const json_t *frames = json_object_get(state, "T_each");
        double q[16], T[16], J[96], want[96];
        check_case("%s, state %d", name, (int)k);
        CHECK_INT(reference_numbers(json_object_get(state, "q"), q, 16), m->nq);
        CHECK_INT((int)json_array_size(frames), m->nq);
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        for (int i = 0; i < m->nq; ++i) {
            lw_pose got;
            CHECK_INT(reference_numbers(json_array_get(frames, (size_t)i), T, 16), 16);
            const lw_pose X = pose_of_rows(T);
            CHECK_INT(lw_frame_pose(m, d, m->joints[i].frame_b, &got), LW_OK);
            CHECK_NEAR(worst_of(&got, &X), 0, CLOSE);
        }
        const int n = m->nv, tip = m->joints[n - 1].frame_b;
        CHECK_INT(reference_numbers(json_object_get(state, "J0_rows_v_w"), want, 96), 6 * n);
        CHECK_INT(lw_frame_jacobian(m, d, q, tip, LW_IN_WORLD, NULL, J), LW_OK);
        for (int i = 0; i < 6 * n; ++i) { // their linear rows stand first
            CHECK_NEAR(J[i], want[(i + 3 * n) % (6 * n)], CLOSE);
        }
    }
    lw_data_destroy(d);
}

TEST(C38_tables_after_Paul_and_Craig_agree_with_another_program)
{
    char **names = shared_names("models/dh", ".json");
    int count = 0;
    for (char **name = names; name && *name; ++name) {
        char path[300], vectors[300];
        snprintf(path, sizeof path, "../models/dh/%s", *name);
        snprintf(vectors, sizeof vectors, "vectors/dh_%s", *name);
        json_t *table = reference_read(path), *file = reference_read(vectors);
        if (CHECK(table && file)) {
            lw_model *m = model_of_table(json_object_get(table, "links"));
            compare_table(*name, file, m);
            lw_model_destroy(m);
            ++count;
        }
        json_decref(table);
        json_decref(file);
    }
    CHECK(!names || count >= 5);
    names_free(names);
}

// --- Worked examples of Lynch and Park, Modern Robotics ---------------------------------------

static const double PRINTED = 6e-9; // eight decimals

static const json_t *example(const json_t *file, const char *function)
{
    const json_t *cases = json_object_get(file, "cases");
    for (size_t k = 0; k < json_array_size(cases); ++k) {
        const json_t *item = json_array_get(cases, k);
        if (strcmp(json_string_value(json_object_get(item, "function")), function) == 0) {
            return item;
        }
    }
    CHECK_TEXT("no such example", function);
    return NULL;
}

static int input(const json_t *item, const char *key, double *out, int room)
{
    return reference_numbers(json_object_get(json_object_get(item, "input"), key), out, room);
}

static int output(const json_t *item, double *out, int room)
{
    const json_t *flat = json_object_get(item, "output_numbers_flat");
    return reference_numbers(flat ? flat : json_object_get(item, "output"), out, room);
}

TEST(R15_textbook_rotations)
{
    json_t *file = reference_read("modern_robotics_examples.json");
    if (!file) {
        return;
    }
    double w[9], R[9];
    CHECK_INT(input(example(file, "MatrixExp3"), "so3mat", w, 9), 9);
    CHECK_INT(output(example(file, "MatrixExp3"), R, 9), 9);
    const lw_mat3 E = lw_exp3(lw_vec3_of(w[7], w[2], w[3]));
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(((const double *)&E)[i], R[i], PRINTED);
    }
    CHECK_INT(input(example(file, "MatrixLog3"), "R", R, 9), 9);
    CHECK_INT(output(example(file, "MatrixLog3"), w, 9), 9);
    lw_mat3 M;
    memcpy(&M, R, sizeof M);
    const lw_vec3 r = lw_log3(&M);
    CHECK_NEAR(r.x, w[7], PRINTED);
    CHECK_NEAR(r.y, w[2], PRINTED);
    CHECK_NEAR(r.z, w[3], PRINTED);
    json_decref(file);
}

// exp and log of a twist are what moves a free body for unit time, and back.
TEST(R15_textbook_twists)
{
    json_t *file = reference_read("modern_robotics_examples.json");
    if (!file) {
        return;
    }
    lw_mech *mech = new_mech("body");
    lw_joint_def def = lw_default_joint_def();
    def.name = "j";
    def.type = LW_JOINT_FREE;
    lw_add_joint(mech, &def);
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = new_data(m);
    double S[16], T[16], q[7];
    lw_pose got;
    CHECK_INT(input(example(file, "MatrixExp6"), "se3mat", S, 16), 16);
    CHECK_INT(output(example(file, "MatrixExp6"), T, 16), 16);
    const double twist[6] = {S[9], S[2], S[4], S[3], S[7], S[11]};
    CHECK_INT(lw_integrate(m, m->q_reference, twist, 1, q), LW_OK);
    CHECK_INT(lw_pose_of_frame(m, d, q, m->joints[0].frame_b, &got), LW_OK);
    lw_pose want = pose_of_rows(T);
    CHECK_NEAR(worst_of(&got, &want), 0, 2e-8); // the input has eight decimals as well

    CHECK_INT(input(example(file, "MatrixLog6"), "T", T, 16), 16);
    CHECK_INT(output(example(file, "MatrixLog6"), S, 16), 16);
    want = pose_of_rows(T);
    const lw_quat turn = lw_quat_of(&want.R);
    const double at[7] = {want.p.x, want.p.y, want.p.z, turn.w, turn.x, turn.y, turn.z};
    const double log6[6] = {S[9], S[2], S[4], S[3], S[7], S[11]};
    double v[6];
    CHECK_INT(lw_difference(m, m->q_reference, at, v), LW_OK);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(v[i], log6[i], PRINTED);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    json_decref(file);
}

// A chain of screws S [6*n] about lines that are given in the world at q = 0, and a tip at M.
static lw_model *chain_of_screws(const double *S, int n, const lw_pose *M)
{
    lw_mech *mech = new_mech("screws");
    lw_port port = {{-1}, -1};
    for (int k = 0; k < n; ++k) {
        const lw_vec3 w = {S[k], S[n + k], S[2 * n + k]};
        const lw_vec3 v = {S[3 * n + k], S[4 * n + k], S[5 * n + k]};
        const lw_vec3 at = lw_cross3(w, v); // the point of the line that is nearest to the origin
        char name[24];
        snprintf(name, sizeof name, "j%d", k);
        lw_joint_def def = lw_default_joint_def();
        def.name = name;
        def.type = lw_norm3(w) > 0 ? LW_JOINT_SCREW : LW_JOINT_PRISMATIC;
        def.axis = lw_norm3(w) > 0 ? w : v;
        def.pitch = 2 * PI * lw_dot3(w, v);
        def.before = lw_placement_xyz(at.x, at.y, at.z);
        def.after = lw_placement_xyz(-at.x, -at.y, -at.z);
        const lw_part part = lw_add_joint(mech, &def);
        if (k > 0) {
            CHECK_INT(lw_connect(mech, port, lw_port_of(mech, part, "a")), LW_OK);
        }
        port = lw_port_of(mech, part, "b");
    }
    lw_link_def hand = lw_default_link_def();
    hand.name = "hand";
    const lw_part part = lw_add_link(mech, &hand);
    const lw_placement tip = lw_placement_of_pose(M);
    lw_add_frame(mech, part, "tip", &tip, (lw_location){0});
    CHECK_INT(lw_connect(mech, port, lw_port_of(mech, part, "a")), LW_OK);
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// Body screws B are those of the world moved by M: S = Ad(M) B.
static void move_screws(const lw_pose *M, const double *B, int n, double *S)
{
    for (int k = 0; k < n; ++k) {
        const lw_vec3 w = {B[k], B[n + k], B[2 * n + k]};
        const lw_vec3 v = {B[3 * n + k], B[4 * n + k], B[5 * n + k]};
        const lw_vec3 ws = lw_rotate(&M->R, w);
        const lw_vec3 vs = lw_add3(lw_rotate(&M->R, v), lw_cross3(M->p, ws));
        const double column[6] = {ws.x, ws.y, ws.z, vs.x, vs.y, vs.z};
        for (int i = 0; i < 6; ++i) {
            S[i * n + k] = column[i];
        }
    }
}

TEST(R15_textbook_products_of_exponentials)
{
    json_t *file = reference_read("modern_robotics_examples.json");
    if (!file) {
        return;
    }
    for (int in_body = 0; in_body < 2; ++in_body) {
        const json_t *item = example(file, in_body ? "FKinBody" : "FKinSpace");
        double T[16], list[18], S[18], q[3];
        CHECK_INT(input(item, "M", T, 16), 16);
        CHECK_INT(input(item, in_body ? "Blist" : "Slist", list, 18), 18);
        CHECK_INT(input(item, "thetalist", q, 3), 3);
        const lw_pose M = pose_of_rows(T);
        memcpy(S, list, sizeof S);
        if (in_body) {
            move_screws(&M, list, 3, S);
        }
        lw_model *m = chain_of_screws(S, 3, &M);
        lw_data *d = new_data(m);
        lw_pose got;
        CHECK_INT(lw_pose_of_frame(m, d, q, lw_find_frame(m, "tip"), &got), LW_OK);
        CHECK_INT(output(item, T, 16), 16);
        const lw_pose want = pose_of_rows(T);
        CHECK_NEAR(worst_of(&got, &want), 0, PRINTED);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// The space Jacobian is that of the point of the hand that is in the world's origin; the body
// Jacobian that of the hand's own, along its own axes.
TEST(D35_textbook_jacobians)
{
    json_t *file = reference_read("modern_robotics_examples.json");
    if (!file) {
        return;
    }
    for (int in_body = 0; in_body < 2; ++in_body) {
        const json_t *item = example(file, in_body ? "JacobianBody" : "JacobianSpace");
        const lw_pose M = lw_pose_identity();
        double S[24], q[4], want[24], J[24];
        CHECK_INT(input(item, in_body ? "Blist" : "Slist", S, 24), 24);
        CHECK_INT(input(item, "thetalist", q, 4), 4);
        CHECK_INT(output(item, want, 24), 24);
        lw_model *m = chain_of_screws(S, 4, &M);
        lw_data *d = new_data(m);
        const int tip = lw_find_frame(m, "tip");
        lw_pose X;
        CHECK_INT(lw_pose_of_frame(m, d, q, tip, &X), LW_OK);
        const lw_pose back = lw_pose_inverse(&X);
        CHECK_INT(lw_frame_jacobian(m, d, q, tip, in_body ? LW_IN_FRAME : LW_IN_WORLD,
                                    in_body ? NULL : &back.p, J),
                  LW_OK);
        for (int i = 0; i < 24; ++i) {
            CHECK_NEAR(J[i], want[i], PRINTED);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

int main(void)
{
    RUN(D32_poses_of_published_robots_agree_with_other_programs);
    RUN(D32_poses_of_floating_robots_agree_with_other_programs);
    RUN(C38_tables_after_Paul_and_Craig_agree_with_another_program);
    RUN(R15_textbook_rotations);
    RUN(R15_textbook_twists);
    RUN(R15_textbook_products_of_exponentials);
    RUN(D35_textbook_jacobians);
    return REPORT();
}
