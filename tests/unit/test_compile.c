// What the passes of the compiler leave in the model: the tree, merged bodies, split joints, names,
// the reference configuration, closure steps, and a model's life.
#include "check.h"
#include "load_text.h"
#include "model/kernel.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lw_location nowhere = {0};

// The tree's promises, which every algorithm relies on.
static void check_tree(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        const int p = m->parent[i];
        CHECK(p >= -1 && p < i);
        CHECK(m->subtree_end[i] > i && m->subtree_end[i] <= m->nbody);
        for (int k = i + 1; k < m->nbody; ++k) { // exactly the descendants lie in the range
            int up = k;
            while (up > i) {
                up = m->parent[up];
            }
            CHECK_INT(up == i, k < m->subtree_end[i]);
        }
        const lw_joint_info *joint = &m->joints[m->joint[i]];
        CHECK(i >= joint->body && i < joint->body + joint->nbody);
        CHECK(m->q_start[i + 1] >= m->q_start[i] && m->v_start[i + 1] > m->v_start[i]);
        const lwi_segment *body = &m->kernel->segment[i];
        CHECK_INT(body->parent, p);
        CHECK_INT(body->q, m->q_start[i]);
        CHECK_INT(body->v, m->v_start[i]);
        CHECK_INT(body->nv, m->v_start[i + 1] - m->v_start[i]);
    }
    CHECK_INT(m->q_start[m->nbody], m->tree_nq);
    CHECK_INT(m->v_start[m->nbody], m->tree_nv);
}

static void check_joints(const lw_model *m)
{
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        char name[80];
        snprintf(name, sizeof name, "%s.a", joint->name);
        CHECK_TEXT(m->frame[joint->frame_a].name, name);
        snprintf(name, sizeof name, "%s.b", joint->name);
        CHECK_TEXT(m->frame[joint->frame_b].name, name);
        CHECK_INT(joint->nbody == 0, joint->type == LW_JOINT_FIXED);
        if (joint->nbody) {
            const int last = joint->body + joint->nbody - 1;
            CHECK_INT(m->frame[joint->frame_b].body, last);
            CHECK_INT(m->frame[joint->frame_a].body, m->parent[joint->body]);
            CHECK_INT(joint->nv, m->v_start[last + 1] - m->v_start[joint->body]);
            CHECK_INT(joint->q, m->q_start[joint->body]);
        }
    }
}

static void check_steps(const lw_model *m)
{
    char *is_known = calloc((size_t)m->tree_nv + 1, 1);
    for (int i = 0; i < m->nv; ++i) {
        CHECK(i == 0 || m->v_tree[i] > m->v_tree[i - 1]);
        CHECK_TEXT(m->velocity_name[i], m->tree_velocity_name[m->v_tree[i]]);
        is_known[m->v_tree[i]] = 1;
    }
    for (int s = 0; s < m->nstep; ++s) {
        CHECK(is_known[m->step[s].source[0]] && !is_known[m->step[s].target[0]]);
        is_known[m->step[s].target[0]] = 1;
    }
    for (int i = 0; i < m->tree_nv; ++i) {
        CHECK(is_known[i]);
    }
    CHECK_INT(m->nv + m->nstep, m->tree_nv);
    CHECK_INT(m->nq + m->nstep, m->tree_nq);
    free(is_known);
}

TEST(C40_trees_of_random_machines_are_numbered_depth_first)
{
    for (unsigned long long seed = 1; seed <= 60; ++seed) {
        random_mech_options options = random_mech_default();
        options.njoint = 1 + (int)seed % 20;
        options.coupled = 0.1 * (double)(seed % 8);
        options.nload = (int)seed % 3;
        lw_model *m = random_model(seed, &options);
        check_case("seed %d", (int)seed);
        if (m) {
            check_tree(m);
            check_joints(m);
            check_steps(m);
            CHECK_INT(m->nload, options.nload);
        }
        lw_model_destroy(m);
    }
}

// Each joint of one degree of freedom acts about or along z of its body, and what it is split into
// says so.
TEST(D48_joints_are_split_into_joints_about_z)
{
    static const struct {
        lw_joint_type type;
        int nbody;
        lw_tree_joint carrier[3];
    } want[] = {
        {LW_JOINT_FIXED, 0, {0}},
        {LW_JOINT_REVOLUTE, 1, {LW_TREE_REVOLUTE}},
        {LW_JOINT_PRISMATIC, 1, {LW_TREE_PRISMATIC}},
        {LW_JOINT_SCREW, 1, {LW_TREE_SCREW}},
        {LW_JOINT_CYLINDRICAL, 2, {LW_TREE_REVOLUTE, LW_TREE_PRISMATIC}},
        {LW_JOINT_UNIVERSAL, 2, {LW_TREE_REVOLUTE, LW_TREE_REVOLUTE}},
        {LW_JOINT_SPHERICAL, 1, {LW_TREE_SPHERICAL}},
        {LW_JOINT_PLANAR, 3, {LW_TREE_PRISMATIC, LW_TREE_PRISMATIC, LW_TREE_REVOLUTE}},
        {LW_JOINT_FREE, 1, {LW_TREE_FREE}},
        {LW_JOINT_USER, 1, {LW_TREE_USER}},
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; ++k) {
        lw_mech *mech = new_mech("split");
        lw_joint_def def = lw_default_joint_def();
        def.name = "j";
        def.type = want[k].type;
        def.axis = lw_vec3_of(0, 1, 0);
        def.user = random_mech_user_joint();
        lw_add_joint(mech, &def);
        lw_model *m = compile_checked(mech, NULL);
        check_case("%s", lw_joint_type_name(want[k].type));
        CHECK_INT(m->nbody, want[k].nbody);
        CHECK_INT(m->joints[0].nbody, want[k].nbody);
        for (int i = 0; i < m->nbody; ++i) {
            CHECK_INT(m->carrier[i], want[k].carrier[i]);
            CHECK_TEXT(m->body_name[i], "j");
        }
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// A three-link arm; `extra` massless frames are welded to each link, in a row and side by side.
static lw_mech *arm_with_frames(int extra)
{
    lw_mech *mech = new_mech("arm");
    lw_port port = {{-1}, -1};
    for (int k = 0; k < 3; ++k) {
        char name[40];
        snprintf(name, sizeof name, "joint%d", k);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = name;
        joint.type = k == 1 ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE;
        joint.axis = lw_vec3_of(1, k, -2);
        joint.before = lw_placement_rpy(lw_vec3_of(0.1, 0.2, 0.3), lw_vec3_of(0.4, 0.5, 0.6));
        const lw_part j = lw_add_joint(mech, &joint);
        if (port.index >= 0) {
            CHECK_INT(lw_connect(mech, port, lw_port_of(mech, j, "a")), LW_OK);
        }
        snprintf(name, sizeof name, "link%d", k);
        lw_link_def link = lw_default_link_def();
        link.name = name;
        link.mass = 1 + k;
        link.inertial = lw_placement_xyz(0.1, 0.2, 0.3);
        link.inertia = (lw_sym3){0.1, 0.2, 0.25, 0.01, 0.02, 0.03};
        lw_port end = lw_port_of(mech, j, "b");
        const lw_part l = lw_add_link(mech, &link);
        CHECK_INT(lw_connect(mech, end, lw_port_of(mech, l, "a")), LW_OK);
        port = lw_port_of(mech, l, "b");
        lw_port row = port;
        for (int i = 0; i < extra; ++i) {
            snprintf(name, sizeof name, "weld%d_%d", k, i);
            lw_joint_def weld = lw_default_joint_def();
            weld.name = name;
            weld.before = lw_placement_rpy(lw_vec3_of(0.01, 0, 0.02), lw_vec3_of(0.1, 0.2, 0.3));
            const lw_part w = lw_add_joint(mech, &weld);
            CHECK_INT(lw_connect(mech, row, lw_port_of(mech, w, "a")), LW_OK);
            snprintf(name, sizeof name, "frame%d_%d", k, i);
            link = lw_default_link_def();
            link.name = name;
            const lw_part frame = lw_add_link(mech, &link);
            CHECK_INT(lw_connect(mech, lw_port_of(mech, w, "b"), lw_port_of(mech, frame, "a")),
                      LW_OK);
            lw_add_frame(mech, frame, "point", NULL, nowhere);
            row = i % 2 ? port : lw_port_of(mech, frame, "b");
        }
    }
    return mech;
}

TEST(D49_massless_fixed_frames_leave_the_kernel_as_it_was)
{
    lw_mech *plain = arm_with_frames(0), *rich = arm_with_frames(100);
    lw_model *m1 = compile_checked(plain, NULL), *m2 = compile_checked(rich, NULL);
    CHECK_INT(m1->nbody, 3);
    CHECK_INT(m2->nbody, 3);
    CHECK(memcmp(m1->kernel->segment, m2->kernel->segment, 3 * sizeof *m1->kernel->segment) == 0);
    CHECK(memcmp(m1->inertia, m2->inertia, 3 * sizeof *m1->inertia) == 0);
    CHECK(lw_data_size(m1) == lw_data_size(m2));
    CHECK_TEXT(m2->body_name[1], "link1");
    CHECK_INT(m2->nlink, 303);
    lw_model_destroy(m1);
    lw_model_destroy(m2);
    lw_mech_destroy(plain);
    lw_mech_destroy(rich);
}

TEST(D50_frames_of_merged_parts_can_still_be_asked_for)
{
    lw_mech *mech = arm_with_frames(3);
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = new_data(m);
    const double q[3] = {0.3, 0.4, 0.5};
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    // frame1_1 hangs on frame1_0, which hangs on link1, each by the same placement.
    const lw_placement weld =
        lw_placement_rpy(lw_vec3_of(0.01, 0, 0.02), lw_vec3_of(0.1, 0.2, 0.3));
    const lw_pose X = lw_placement_pose(&weld);
    const lw_pose twice = lw_pose_mul(&X, &X);
    lw_pose got;
    CHECK_INT(
        lw_relative_pose(m, d, lw_find_frame(m, "link1"), lw_find_frame(m, "frame1_1.point"), &got),
        LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(got.p, twice.p)), 0, 1e-16);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(lw_norm3(lw_sub3(got.R.row[i], twice.R.row[i])), 0, 2e-15);
    }
    CHECK_INT(m->frame[lw_find_frame(m, "weld2_2.b")].body, 2);
    CHECK_INT(lw_find_frame(m, "point"), -1);
    CHECK_INT(lw_find_frame(m, "nothing"), -1);
    CHECK_INT(lw_find_frame(m, ""), -1);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

static lw_joint_def joint_of(lw_joint_type type, const char *name)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = type;
    return def;
}

// Joints in a row, without links: nothing else is needed for coordinates.
static lw_mech *row_of(const lw_joint_def *def, int n)
{
    lw_mech *mech = new_mech("row");
    lw_part last = {-1};
    for (int k = 0; k < n; ++k) {
        const lw_part part = lw_add_joint(mech, &def[k]);
        if (k > 0) {
            CHECK_INT(lw_connect(mech, lw_port_of(mech, last, "b"), lw_port_of(mech, part, "a")),
                      LW_OK);
        }
        last = part;
    }
    return mech;
}

TEST(D29_the_reference_configuration_is_kept_with_its_quaternions)
{
    lw_joint_def def[4] = {joint_of(LW_JOINT_FREE, "free"), joint_of(LW_JOINT_SPHERICAL, "ball"),
                           joint_of(LW_JOINT_CYLINDRICAL, "slide"),
                           joint_of(LW_JOINT_REVOLUTE, "hinge")};
    for (int k = 0; k < 6; ++k) {
        def[0].dof[k].reference = 0.1 * (k + 1); // rotation vector, then position
    }
    def[1].dof[1].reference = 3.0;
    def[2].dof[0].reference = 7.0;
    def[2].dof[1].reference = -0.5;
    lw_mech *mech = row_of(def, 4);
    const double law[] = {1, 2};
    const lw_coupling_def follow = {
        .dependent = "hinge", .source = "slide.travel", .ncoefficient = 2, .coefficient = law};
    CHECK_INT(lw_add_coupling(mech, &follow), LW_OK);
    lw_model *m = compile_checked(mech, NULL);
    CHECK_INT(m->nq, 13);
    CHECK_INT(m->nv, 11);
    const double *q = m->q_reference;
    CHECK_NEAR(q[0], 0.4, 2e-16);
    CHECK_NEAR(q[2], 0.6, 2e-16); // 0.1 * 6 is one bit above
    const double angle = sqrt(0.01 + 0.04 + 0.09);
    CHECK_NEAR(q[3], cos(angle / 2), 1e-15);
    CHECK_NEAR(q[6], sin(angle / 2) * 0.3 / angle, 1e-15);
    CHECK_NEAR(q[7], cos(1.5), 1e-15);
    CHECK_NEAR(q[9], sin(1.5), 1e-15);
    CHECK_NEAR(q[11], 7.0, 0);
    CHECK_NEAR(q[12], -0.5, 0);
    CHECK_NEAR(m->tree_q_reference[13], 0.0, 0); // 1 + 2 * -0.5
    lw_data *d = new_data(m);
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// A chain of laws j3 of j0 of j2 of j1, declared in every order: the same closure program.
TEST(C34_couplings_chain_whatever_the_order_of_their_declaration)
{
    static const char *const name[] = {"j0", "j1", "j2", "j3"};
    static const int law_of[3][2] = {{2, 1}, {0, 2}, {3, 0}}; // target, source
    static const double law[3][4] = {{0.1, 2, 0, 0}, {-0.2, 0.5, 0.25, 0}, {0, 1, 0, -0.5}};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; ++k) {
        lw_joint_def def[4];
        for (int i = 0; i < 4; ++i) {
            def[i] = joint_of(i % 2 ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE, name[i]);
            def[i].dof[0].reference = 0.7;
        }
        lw_mech *mech = row_of(def, 4);
        for (int i = 0; i < 3; ++i) {
            const int c = order[k][i];
            const lw_coupling_def follow = {.name = "law",
                                            .dependent = name[law_of[c][0]],
                                            .source = name[law_of[c][1]],
                                            .ncoefficient = 2 + c,
                                            .coefficient = law[c]};
            CHECK_INT(lw_add_coupling(mech, &follow), LW_OK);
        }
        lw_model *m = compile_checked(mech, NULL);
        CHECK_INT(m->nq, 1);
        CHECK_TEXT(m->position_name[0], "j1");
        CHECK_INT(m->nstep, 3);
        CHECK_TEXT(m->step[0].name, "law");
        CHECK_INT(m->step[0].target[0], 2);
        CHECK_INT(m->step[1].target[0], 0);
        CHECK_INT(m->step[2].target[0], 3);
        CHECK_INT((int)m->step[0].kind, (int)LW_STEP_LINEAR);
        CHECK_INT((int)m->step[1].kind, (int)LW_STEP_FUNCTION);
        CHECK_INT((int)m->step[2].kind, (int)LW_STEP_FUNCTION);
        const double q1 = 0.7, q2 = 0.1 + 2 * q1, q0 = -0.2 + 0.5 * q2 + 0.25 * q2 * q2;
        CHECK_NEAR(m->tree_q_reference[2], q2, 1e-15);
        CHECK_NEAR(m->tree_q_reference[0], q0, 1e-15);
        CHECK_NEAR(m->tree_q_reference[3], q0 - 0.5 * q0 * q0 * q0, 1e-15);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// A mimic of nothing but a constant is a joint that stands still.
TEST(C34_a_constant_law_holds_a_joint)
{
    const lw_joint_def def[2] = {joint_of(LW_JOINT_REVOLUTE, "a1"),
                                 joint_of(LW_JOINT_PRISMATIC, "a2")};
    lw_mech *mech = row_of(def, 2);
    const double law = 0.25;
    const lw_coupling_def follow = {
        .dependent = "a2", .source = "a1", .ncoefficient = 1, .coefficient = &law};
    CHECK_INT(lw_add_coupling(mech, &follow), LW_OK);
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = new_data(m);
    const double q = 1, v = 3;
    lw_pose X;
    lw_motion vel;
    CHECK_INT(lw_forward_velocity(m, d, &q, &v), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "a2.b"), &X), LW_OK);
    CHECK_INT(lw_frame_velocity(m, d, lw_find_frame(m, "a2.b"), LW_IN_WORLD, &vel), LW_OK);
    CHECK_NEAR(X.p.z, 0.25, 0);
    CHECK_NEAR(vel.lin.z, 0, 0);
    CHECK_NEAR(vel.ang.z, 3, 0);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

static void count_free(const lw_mech *mech, int nv, const char *first)
{
    lw_compile_options options = lw_default_compile_options();
    options.free_base = true;
    lw_model *m = compile_checked(mech, &options);
    CHECK_INT(m->nv, nv);
    CHECK_TEXT(m->position_name[0], first);
    lw_model_destroy(m);
}

TEST(D29_free_base_frees_what_the_description_leaves_fixed)
{
    const lw_joint_def hinge = joint_of(LW_JOINT_REVOLUTE, "hinge");
    lw_mech *mech = row_of(&hinge, 1);
    count_free(mech, 7, "root.x");
    lw_mech_destroy(mech);

    mech = new_mech("link");
    lw_link_def link = lw_default_link_def();
    link.name = "base";
    link.mass = 2;
    lw_add_link(mech, &link);
    count_free(mech, 6, "root.x");
    lw_compile_options options = {.free_base = true};
    lw_model *m = compile_checked(mech, &options);
    CHECK_TEXT(m->joints[0].name, "root");
    CHECK_TEXT(m->body_name[0], "base");
    CHECK_INT(m->frame[m->joints[0].frame_a].body, -1);
    CHECK_INT(m->frame[lw_find_frame(m, "base")].body, 0);
    CHECK_NEAR(m->q_reference[3], 1, 0);
    CHECK(isinf(m->dof[0].upper));
    lw_model_destroy(m);
    lw_mech_destroy(mech);

    // On a free joint already: nothing to free, whatever load stands on the ground.
    mech = new_mech("floating");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    const lw_joint_def own = joint_of(LW_JOINT_FREE, "own");
    lw_add_joint(mech, &own);
    lw_load_def load = lw_default_load_def();
    load.name = "load";
    lw_add_load(mech, &load);
    CHECK_INT(lw_connect_named(mech, "ground.b", "own.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "ground.b", "load.a"), LW_OK);
    count_free(mech, 6, "own.x");
    lw_mech_destroy(mech);
}

// Several trees hang on one ground; without a ground two roots are one too many.
TEST(D13_several_roots_need_a_ground)
{
    lw_mech *mech = new_mech("two");
    const lw_joint_def left = joint_of(LW_JOINT_REVOLUTE, "left"),
                       right = joint_of(LW_JOINT_REVOLUTE, "right");
    const lw_part l = lw_add_joint(mech, &left), r = lw_add_joint(mech, &right);
    lw_model *m = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_MODEL);
    CHECK_HAS(lw_report_diagnostic(report, 0).message,
              "joint \"left\" and joint \"right\" are both connected to nothing; a mechanism has "
              "one root");
    const lw_ground_def ground = lw_default_ground_def();
    const lw_part g = lw_add_ground(mech, &ground);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, g, "b"), lw_port_of(mech, l, "a")), LW_OK);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, g, "b"), lw_port_of(mech, r, "a")), LW_OK);
    m = compile_checked(mech, NULL);
    CHECK_INT(m->nbody, 2);
    CHECK_INT(m->parent[1], -1);
    CHECK_INT(m->subtree_end[0], 1);
    lw_model_destroy(m);
    lw_mech_destroy(mech);

    mech = new_mech("empty");
    lw_report_clear(report);
    CHECK_INT(lw_compile(mech, NULL, &m, report), LW_ERR_MODEL);
    CHECK(m == NULL);
    CHECK_TEXT(lw_report_diagnostic(report, 0).message, "\"empty\" has no part to begin with");
    lw_add_ground(mech, &ground); // a world in which nothing moves is a machine
    m = compile_checked(mech, NULL);
    CHECK_INT(m->nbody, 0);
    CHECK_INT(m->nframe, 1);
    lw_data *d = new_data(m);
    lw_pose X;
    CHECK_INT(lw_forward_position(m, d, NULL), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, 0, &X), LW_OK);
    CHECK_INT(lw_integrate(m, NULL, NULL, 1, NULL), LW_OK);
    CHECK_INT(lw_difference(m, NULL, NULL, NULL), LW_OK);
    CHECK_INT(lw_position_rate(m, NULL, NULL, NULL), LW_OK);
    CHECK_INT(lw_forward_acceleration(m, d, NULL, NULL, NULL), LW_OK);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
}

TEST(C05_a_model_is_one_block_that_can_be_copied)
{
    random_mech_options options = random_mech_default();
    options.nload = 3;
    options.njoint = 12;
    lw_mech *mech = random_mech(7, &options);
    lw_shape_def shape = lw_default_shape_def();
    shape.name = "hull";
    shape.type = LW_SHAPE_MESH;
    shape.mesh = "hull.stl";
    CHECK_INT(lw_add_shape(mech, lw_find_part(mech, "link3", LW_PART_LINK), &shape), LW_PART_ANY);
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech); // a model needs its description no more
    const size_t size = lw_model_size(m);
    char *mem = malloc(size + 16);
    memset(mem, 0x5a, size + 16);
    lw_model *copy = copy_of(m, mem);
    CHECK(copy == (lw_model *)mem && mem[size] == 0x5a);
    CHECK(lw_model_size(copy) == size);

    double q[80], v[80];
    lw_pose X1, X2;
    random_state(m, q, v, NULL);
    const int frame = lw_find_frame(m, "link11");
    lw_data *d1 = new_data(m);
    CHECK_INT(lw_pose_of_frame(m, d1, q, frame, &X1), LW_OK);
    lw_data_destroy(d1);
    lw_model_destroy(m); // every pointer of the copy is its own, or the sanitizer tells

    lw_data *d2 = new_data(copy);
    CHECK_INT(lw_pose_of_frame(copy, d2, q, lw_find_frame(copy, "link11"), &X2), LW_OK);
    CHECK(memcmp(&X1, &X2, sizeof X1) == 0);
    CHECK_INT(lw_forward_velocity(copy, d2, q, v), LW_OK);
    CHECK_TEXT(copy->shape[0].mesh, "hull.stl");
    CHECK_TEXT(copy->shape[0].link, "link3");
    CHECK_TEXT(copy->load[2].name, "load2");
    CHECK_TEXT(copy->name, "random");
    CHECK(lw_find_position(copy, copy->position_name[copy->nq - 1]) == copy->nq - 1);
    CHECK(lw_find_velocity(copy, copy->velocity_name[0]) == 0);
    CHECK(lw_find_body(copy, copy->body_name[0]) == 0);
    check_tree(copy);
    check_joints(copy);
    check_steps(copy);
    lw_data_destroy(d2);
    CHECK(lw_model_size(NULL) == 0 && copy_of(NULL, mem) == NULL);
    free(mem);
    CHECK(lw_model_hash(NULL) == 0 && lw_data_size(NULL) == 0 && new_data(NULL) == NULL);
    lw_model_destroy(NULL);
    lw_data_destroy(NULL);
}

TEST(D41_compile_checks_its_arguments)
{
    lw_mech *mech = new_mech(NULL);
    lw_model *m = NULL;
    CHECK_TEXT(lw_mech_name(mech), "");
    CHECK_INT(lw_compile(mech, NULL, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_compile(NULL, NULL, &m, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_add_link(NULL, NULL).index, -1);
    CHECK_INT(lw_add_link(mech, NULL).index, -1);
    CHECK_INT(lw_add_joint(mech, NULL).index, -1);
    CHECK_INT(lw_add_assembly(mech, "x", NULL, nowhere).index, -1);
    CHECK_INT(lw_add_frame(mech, (lw_part){0}, "x", NULL, nowhere).index, -1);
    CHECK_INT(lw_add_coupling(mech, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_expose(mech, (lw_port){{0}, 0}, NULL), LW_ERR_ARGUMENT);
    CHECK_TEXT(lw_mech_message(NULL), "");
    lw_mech_destroy(mech);
    lw_mech_destroy(NULL);
}

int main(void)
{
    RUN(C40_trees_of_random_machines_are_numbered_depth_first);
    RUN(D48_joints_are_split_into_joints_about_z);
    RUN(D49_massless_fixed_frames_leave_the_kernel_as_it_was);
    RUN(D50_frames_of_merged_parts_can_still_be_asked_for);
    RUN(D29_the_reference_configuration_is_kept_with_its_quaternions);
    RUN(C34_couplings_chain_whatever_the_order_of_their_declaration);
    RUN(C34_a_constant_law_holds_a_joint);
    RUN(D29_free_base_frees_what_the_description_leaves_fixed);
    RUN(D13_several_roots_need_a_ground);
    RUN(C05_a_model_is_one_block_that_can_be_copied);
    RUN(D41_compile_checks_its_arguments);
    return REPORT();
}
