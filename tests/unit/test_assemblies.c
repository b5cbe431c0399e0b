// Assemblies: a group of parts is a part, to any depth, as often as wanted, and its inside is its
// own affair.
#include "check.h"
#include "load_text.h"
#include "model/kernel.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lw_location nowhere = {0};

static lw_link_def link_named(const char *name)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = 1.5;
    def.inertia = (lw_sym3){0.2, 0.3, 0.4, 0.01, 0.02, 0.03};
    def.inertial = lw_placement_rpy(lw_vec3_of(0.1, 0.2, 0.3), lw_vec3_of(0.3, 0.2, 0.1));
    def.b = lw_placement_rpy(lw_vec3_of(0.3, 0.1, -0.2), lw_vec3_of(0.7, -0.4, 0.9));
    return def;
}

static lw_joint_def hinge_named(const char *name)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = LW_JOINT_REVOLUTE;
    def.axis = lw_vec3_of(1, 2, 3);
    def.before = lw_placement_rpy(lw_vec3_of(0, 0.1, 0.2), lw_vec3_of(0.5, 0.1, -0.3));
    return def;
}

static void add_pair(lw_mech *mech, const char *joint, const char *link)
{
    const lw_joint_def j = hinge_named(joint);
    const lw_link_def l = link_named(link);
    const lw_part jp = lw_add_joint(mech, &j), lp = lw_add_link(mech, &l);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, jp, "b"), lw_port_of(mech, lp, "a")), LW_OK);
}

// joint and link `k`, and an assembly of the rest behind it; built from the inside out.
static lw_mech *nested_chain(int count)
{
    lw_mech *inner = NULL;
    for (int k = count - 1; k >= 0; --k) {
        char name[2][16];
        snprintf(name[0], sizeof name[0], "j%d", k);
        snprintf(name[1], sizeof name[1], "l%d", k);
        lw_mech *mech = new_mech("level");
        add_pair(mech, name[0], name[1]);
        if (inner) {
            const lw_part rest = lw_add_assembly(mech, "rest", inner, nowhere);
            const lw_part link = lw_find_part(mech, name[1], LW_PART_LINK);
            CHECK_INT(lw_connect(mech, lw_port_of(mech, link, "b"), lw_port_of(mech, rest, "a")),
                      LW_OK);
            lw_mech_destroy(inner);
        }
        inner = mech;
    }
    return inner;
}

static lw_mech *flat_chain(int count)
{
    lw_mech *mech = new_mech("flat");
    for (int k = 0; k < count; ++k) {
        char joint[64] = "", link[64] = "";
        for (int i = 0; i < k; ++i) {
            strcat(joint, "rest/");
        }
        strcpy(link, joint);
        snprintf(joint + strlen(joint), 16, "j%d", k);
        snprintf(link + strlen(link), 16, "l%d", k);
        const int last = k > 0 ? 2 * k - 1 : -1;
        add_pair(mech, joint, link);
        if (last >= 0) {
            CHECK_INT(lw_connect(mech, lw_port_of(mech, (lw_part){last}, "b"),
                                 lw_port_of(mech, lw_find_part(mech, joint, LW_PART_JOINT), "a")),
                      LW_OK);
        }
    }
    return mech;
}

TEST(D08_nested_three_deep_equals_flat_bit_for_bit)
{
    lw_mech *nested = nested_chain(4), *flat = flat_chain(4);
    lw_model *m1 = compile_checked(nested, NULL), *m2 = compile_checked(flat, NULL);
    CHECK_INT(m1->nbody, 4);
    CHECK_INT(m2->nbody, 4);
    CHECK(memcmp(m1->kernel->segment, m2->kernel->segment, 4 * sizeof *m1->kernel->segment) == 0);
    for (int i = 0; i < 4; ++i) {
        CHECK_TEXT(m1->position_name[i], m2->position_name[i]);
        CHECK_TEXT(m1->body_name[i], m2->body_name[i]);
    }
    CHECK_INT(m1->nframe, m2->nframe);
    lw_data *d1 = new_data(m1), *d2 = new_data(m2);
    for (int k = 0; k < 100; ++k) {
        double q[4], v[4], a[4], J1[24], J2[24];
        random_state(m1, q, v, a);
        lw_pose X1, X2;
        lw_motion a1, a2;
        const int f1 = lw_find_frame(m1, "l3"), f2 = lw_find_frame(m2, "l3");
        CHECK_INT(lw_forward_acceleration(m1, d1, q, v, a), LW_OK);
        CHECK_INT(lw_forward_acceleration(m2, d2, q, v, a), LW_OK);
        lw_frame_pose(m1, d1, f1, &X1);
        lw_frame_pose(m2, d2, f2, &X2);
        lw_frame_acceleration(m1, d1, f1, LW_IN_WORLD, &a1);
        lw_frame_acceleration(m2, d2, f2, LW_IN_WORLD, &a2);
        CHECK(memcmp(&X1, &X2, sizeof X1) == 0 && memcmp(&a1, &a2, sizeof a1) == 0);
        lw_frame_jacobian(m1, d1, q, f1, LW_IN_WORLD, NULL, J1);
        lw_frame_jacobian(m2, d2, q, f2, LW_IN_WORLD, NULL, J2);
        CHECK(memcmp(J1, J2, sizeof J1) == 0);
    }
    lw_data_destroy(d1);
    lw_data_destroy(d2);
    lw_model_destroy(m1);
    lw_model_destroy(m2);
    lw_mech_destroy(nested);
    lw_mech_destroy(flat);
}

// A leg that hangs by the ground it was described with: hip and knee, of which the knee follows.
static lw_mech *make_leg(void)
{
    lw_mech *leg = new_mech("leg");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0, 0, -1.62);
    const lw_part part = lw_add_ground(leg, &ground);
    lw_add_frame(leg, part, "camera", NULL, nowhere);
    add_pair(leg, "hip", "thigh");
    add_pair(leg, "knee", "shin");
    const lw_placement tip = lw_placement_xyz(0, 0, -0.5);
    lw_add_frame(leg, lw_find_part(leg, "shin", LW_PART_LINK), "foot", &tip, nowhere);
    CHECK_INT(lw_connect_named(leg, "ground.b", "hip.a"), LW_OK);
    CHECK_INT(lw_connect_named(leg, "thigh.b", "knee.a"), LW_OK);
    const double law[] = {0.1, -2};
    const lw_coupling_def follow = {
        .dependent = "knee", .source = "hip", .ncoefficient = 2, .coefficient = law};
    CHECK_INT(lw_add_coupling(leg, &follow), LW_OK);
    CHECK_INT(lw_expose(leg, lw_find_port(leg, "shin.foot"), "sole"), LW_OK);
    return leg;
}

static lw_mech *make_walker(lw_mech *leg)
{
    lw_mech *mech = new_mech("walker");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_joint_def base = lw_default_joint_def();
    base.name = "base";
    base.type = LW_JOINT_FREE;
    lw_add_joint(mech, &base);
    const lw_link_def trunk = link_named("trunk");
    const lw_part part = lw_add_link(mech, &trunk);
    CHECK_INT(lw_connect_named(mech, "ground.b", "base.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "base.b", "trunk.a"), LW_OK);
    for (int k = 1; k <= 6; ++k) {
        char name[24], mount[24];
        snprintf(name, sizeof name, "leg%d", k);
        snprintf(mount, sizeof mount, "mount%d", k);
        const lw_placement at = lw_placement_rpy(lw_vec3_of(0.1 * k, 0.2, 0), lw_vec3_of(0, 0, k));
        const lw_port port = lw_add_frame(mech, part, mount, &at, nowhere);
        const lw_part assembly = lw_add_assembly(mech, name, leg, nowhere);
        CHECK_INT(lw_connect(mech, port, lw_port_of(mech, assembly, "a")), LW_OK);
    }
    return mech;
}

TEST(C27_one_leg_used_six_times_has_six_prefixes)
{
    lw_mech *leg = make_leg(), *walker = make_walker(leg);
    lw_model *alone = compile_checked(leg, NULL), *m = compile_checked(walker, NULL);
    CHECK_INT(m->nbody, 13);
    CHECK_INT(m->nv, 12);
    CHECK_INT(m->nq, 13);
    CHECK_INT(m->nstep, 6);
    CHECK_INT(m->nlink, 13);
    CHECK_TEXT(m->velocity_name[6], "leg1/hip");
    CHECK_TEXT(m->velocity_name[11], "leg6/hip");
    CHECK_NEAR(m->gravity.z, -9.81, 0); // that of the machine, not of the leg's own file
    CHECK_NEAR(alone->gravity.z, -1.62, 0);
    CHECK_INT(lw_find_frame(m, "foot"), -1); // stands six times

    // Each leg, seen from its mount, is the leg alone.
    lw_data *d = new_data(m), *d_alone = new_data(alone);
    for (int k = 1; k <= 6; ++k) {
        char name[32];
        double q[13];
        lw_pose X, want;
        random_state(m, q, NULL, NULL);
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        snprintf(name, sizeof name, "leg%d/hip", k);
        const double hip = q[lw_find_position(m, name)];
        CHECK_INT(lw_pose_of_frame(alone, d_alone, &hip, lw_find_frame(alone, "foot"), &want),
                  LW_OK);
        snprintf(name, sizeof name, "trunk.mount%d", k);
        const int mount = lw_find_frame(m, name);
        snprintf(name, sizeof name, "leg%d/shin.foot", k);
        const int foot = lw_find_frame(m, name);
        CHECK_INT(lw_relative_pose(m, d, mount, foot, &X), LW_OK);
        for (int i = 0; i < 3; ++i) {
            // To the world and back, some products of numbers of order one.
            CHECK_NEAR(X.R.row[i].x, want.R.row[i].x, 3e-15);
            CHECK_NEAR(X.R.row[i].y, want.R.row[i].y, 3e-15);
            CHECK_NEAR(X.R.row[i].z, want.R.row[i].z, 3e-15);
        }
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, want.p)), 0, 1e-14);
        snprintf(name, sizeof name, "leg%d/ground.camera", k);
        CHECK_INT(lw_relative_pose(m, d, mount, lw_find_frame(m, name), &X), LW_OK);
        CHECK_NEAR(lw_norm3(X.p), 0, 1e-15);
    }
    lw_data_destroy(d);
    lw_data_destroy(d_alone);
    lw_model_destroy(m);
    lw_model_destroy(alone);
    lw_mech_destroy(walker);
    lw_mech_destroy(leg);
}

TEST(R03_the_inside_is_protected_and_frozen)
{
    lw_mech *leg = make_leg(), *walker = make_walker(leg);
    const lw_link_def def = link_named("toe");
    const lw_joint_def joint = hinge_named("ankle");
    const lw_ground_def ground = lw_default_ground_def();
    const lw_load_def load = lw_default_load_def();
    const lw_shape_def shape = lw_default_shape_def();
    const double law[] = {0, 1};
    const lw_coupling_def law_def = {
        .dependent = "hip", .source = "knee", .ncoefficient = 2, .coefficient = law};
    const lw_part shin = lw_find_part(leg, "shin", LW_PART_LINK);
    const lw_port foot = lw_find_port(leg, "foot");
    CHECK_INT(lw_add_link(leg, &def).index, -1);
    CHECK_HAS(lw_mech_message(leg), "\"leg\" is in use as an assembly and cannot be edited");
    CHECK_INT(lw_add_joint(leg, &joint).index, -1);
    CHECK_INT(lw_add_ground(leg, &ground).index, -1);
    CHECK_INT(lw_add_load(leg, &load).index, -1);
    CHECK_INT(lw_add_frame(leg, shin, "heel", NULL, nowhere).index, -1);
    CHECK_INT(lw_add_shape(leg, shin, &shape), -1);
    CHECK_INT(lw_add_coupling(leg, &law_def), LW_ERR_FROZEN);
    CHECK_INT(lw_expose(leg, foot, "other"), LW_ERR_FROZEN);
    CHECK_INT(lw_connect_named(leg, "ground.b", "knee.a"), LW_ERR_FROZEN);
    CHECK_INT(lw_disconnect(leg, lw_find_port(leg, "thigh.b"), lw_find_port(leg, "knee.a")),
              LW_ERR_FROZEN);
    CHECK_HAS(lw_mech_message(leg), "joint \"knee\" port a");
    CHECK_INT(lw_add_assembly(leg, "self", walker, nowhere).index, -1); // would close a ring
    CHECK_INT(lw_connect_named(walker, "leg1/shin.foot", "leg2.a"), LW_ERR_PORT_PROTECTED);
    CHECK_INT(lw_find_port(walker, "leg1.foot").index, -1); // not its name outside
    CHECK(lw_find_port(walker, "leg1.sole").index >= 0);
    CHECK_INT(lw_find_part(walker, "leg1/shin", LW_PART_ANY).index, -1);
    CHECK_INT(lw_find_part(walker, "shin", LW_PART_ANY).index, -1);
    CHECK_INT(lw_add_assembly(walker, "me", walker, nowhere).index, -1);
    CHECK_HAS(lw_mech_message(walker), "cannot be an assembly within itself");
    lw_mech_destroy(walker);
    lw_mech_destroy(leg);
}

TEST(R03_gateways_are_ports_at_any_depth)
{
    // A bearing: a joint whose ends are both gateways. It hangs by its A gateway, not by port a.
    lw_mech *bearing = new_mech("bearing");
    const lw_joint_def pin = hinge_named("pin");
    lw_add_joint(bearing, &pin);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.a"), "in"), LW_OK);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.b"), "out"), LW_OK);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.b"), "out"), LW_ERR_NAME);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.b"), "a"), LW_ERR_NAME);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.b"), ""), LW_ERR_NAME);
    CHECK_INT(lw_expose(bearing, lw_find_port(bearing, "pin.c"), "c"), LW_ERR_PORT_UNKNOWN);
    lw_mech *middle = new_mech("middle");
    const lw_part part = lw_add_assembly(middle, "bearing", bearing, nowhere);
    const lw_link_def rod = link_named("rod");
    lw_add_link(middle, &rod);
    CHECK_INT(lw_connect_named(middle, "bearing.out", "rod.a"), LW_OK);
    CHECK_INT(lw_expose(middle, lw_port_of(middle, part, "in"), "in"), LW_OK);
    CHECK_INT(lw_expose(middle, lw_find_port(middle, "rod.b"), "end"), LW_OK);
    lw_mech *outer = new_mech("outer");
    const lw_link_def base = link_named("base"), tip = link_named("tip");
    lw_add_link(outer, &base);
    lw_add_link(outer, &tip);
    lw_add_assembly(outer, "swing", middle, nowhere);
    CHECK_INT(lw_connect_named(outer, "base.b", "swing.in"), LW_OK);
    CHECK_INT(lw_connect_named(outer, "tip.a", "swing.end"), LW_OK);
    CHECK_INT(lw_connect_named(outer, "swing.in", "tip.b"), LW_ERR_PORT_TAKEN);
    lw_model *m = compile_checked(outer, NULL);
    CHECK_INT(m->nbody, 1);
    CHECK_TEXT(m->position_name[0], "swing/bearing/pin");
    CHECK_INT(m->frame[lw_find_frame(m, "tip")].body, 0);
    CHECK_INT(m->frame[lw_find_frame(m, "base")].body, -1);
    lw_model_destroy(m);
    lw_mech_destroy(middle);
    lw_mech_destroy(outer);
    lw_mech_destroy(bearing);
}

static void expect(const lw_mech *mech, lw_status status, const char *text)
{
    lw_model *model = NULL;
    lw_report *report = new_report();
    CHECK_INT(lw_compile(mech, NULL, &model, report), status);
    CHECK(model == NULL);
    bool is_there = false;
    for (int i = 0; i < lw_report_count(report); ++i) {
        is_there |= strstr(lw_report_diagnostic(report, i).message, text) != NULL;
    }
    if (!CHECK(is_there)) {
        for (int i = 0; i < lw_report_count(report); ++i) {
            printf("%s\n", lw_report_diagnostic(report, i).message);
        }
    }
    lw_report_destroy(report);
}

TEST(R03_assemblies_that_cannot_hang_are_named)
{
    lw_mech *pair = new_mech("pair"); // two roots
    const lw_link_def left = link_named("left"), right = link_named("right");
    lw_add_link(pair, &left);
    lw_add_link(pair, &right);
    lw_mech *mech = new_mech("outer");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_add_assembly(mech, "group", pair, nowhere);
    expect(mech, LW_ERR_MODEL, "link \"group/left\" is connected to nothing: connect its port a");
    CHECK_INT(lw_connect_named(mech, "ground.b", "group.a"), LW_OK);
    expect(mech, LW_ERR_MODEL,
           "assembly \"group\" has no ground and not one root, so it has no port a");
    lw_mech_destroy(mech);
    lw_mech_destroy(pair);

    lw_mech *leg = make_leg();
    mech = new_mech("outer");
    lw_add_ground(mech, &ground);
    lw_add_assembly(mech, "leg", leg, nowhere);
    expect(mech, LW_ERR_MODEL, "assembly \"leg\" is connected to nothing: connect its port a");
    lw_mech_destroy(mech);
    mech = new_mech("no ground");
    lw_add_assembly(mech, "leg1", leg, nowhere);
    lw_add_assembly(mech, "leg2", leg, nowhere);
    expect(mech, LW_ERR_MODEL,
           "assembly \"leg1\" and assembly \"leg2\" are both connected to nothing");
    lw_mech_destroy(mech);
    lw_mech_destroy(leg);
}

TEST(R03_a_part_hangs_by_one_port_inside_or_outside)
{
    lw_mech *inside = new_mech("inside");
    const lw_link_def base = link_named("base"), lid = link_named("lid");
    const lw_load_def load = {.name = "load"};
    lw_add_link(inside, &base);
    lw_add_link(inside, &lid);
    lw_add_load(inside, &load);
    CHECK_INT(lw_connect_named(inside, "base.b", "lid.a"), LW_OK);
    CHECK_INT(lw_expose(inside, lw_find_port(inside, "lid.a"), "in"), LW_OK);
    lw_mech *mech = new_mech("outer");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_add_assembly(mech, "box", inside, nowhere);
    CHECK_INT(lw_connect_named(mech, "ground.b", "box.a"), LW_OK);
    // A load that is connected to nothing is no second root: the box hangs by its base.
    expect(mech, LW_ERR_MODEL, "load \"box/load\" is connected to nothing: connect its port a");
    CHECK_INT(lw_connect_named(mech, "ground.b", "box.in"), LW_OK);
    expect(mech, LW_ERR_PORT_TAKEN,
           "link \"box/lid\" is connected to two ports: inside its assembly and through a gateway");
    lw_mech_destroy(mech);
    lw_mech_destroy(inside);
}

// Nothing but the compile can see that a ring closes through two gateways.
TEST(R03_rings_through_gateways_are_found)
{
    lw_mech *pipe = new_mech("pipe");
    const lw_link_def tube = link_named("tube");
    lw_add_link(pipe, &tube);
    CHECK_INT(lw_expose(pipe, lw_find_port(pipe, "tube.a"), "in"), LW_OK);
    CHECK_INT(lw_expose(pipe, lw_find_port(pipe, "tube.b"), "out"), LW_OK);
    for (int has_ground = 0; has_ground < 2; ++has_ground) {
        lw_mech *mech = new_mech("ring");
        const lw_ground_def ground = lw_default_ground_def();
        if (has_ground) {
            lw_add_ground(mech, &ground);
        }
        lw_add_assembly(mech, "p", pipe, nowhere);
        lw_add_assembly(mech, "r", pipe, nowhere);
        CHECK_INT(lw_connect_named(mech, "p.out", "r.in"), LW_OK);
        CHECK_INT(lw_connect_named(mech, "r.out", "p.in"), LW_OK);
        expect(mech, LW_ERR_PORT_CYCLE, "is connected, through other parts, to itself");
        lw_mech_destroy(mech);
    }
    lw_mech *mech = new_mech("free gateway");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_add_assembly(mech, "p", pipe, nowhere);
    expect(mech, LW_ERR_MODEL,
           "link \"p/tube\" is connected to nothing: connect the gateway that is its port a");
    lw_mech_destroy(mech);
    lw_mech_destroy(pipe);
}

TEST(R05_flattening_counts_every_part_of_every_group)
{
    enum { DEPTH = 6 };
    lw_mech *group = new_mech("one");
    add_pair(group, "j", "l");
    for (int k = 0; k < DEPTH; ++k) { // each level: a link with two of the level below on it
        lw_mech *outer = new_mech("more");
        const lw_link_def fork = link_named("fork");
        lw_add_link(outer, &fork);
        lw_add_assembly(outer, "left", group, nowhere);
        lw_add_assembly(outer, "right", group, nowhere);
        CHECK_INT(lw_connect_named(outer, "fork.b", "left.a"), LW_OK);
        CHECK_INT(lw_connect_named(outer, "fork.b", "right.a"), LW_OK);
        lw_mech_destroy(group);
        group = outer;
    }
    lw_model *m = compile_checked(group, NULL);
    CHECK_INT(m->nbody, 1 << DEPTH);
    CHECK_INT(m->nlink, (1 << DEPTH) + (1 << DEPTH) - 1);
    CHECK(lw_find_position(m, "left/right/left/left/right/right/j") >= 0);
    lw_model_destroy(m);
    lw_mech_destroy(group);
}

// Whoever holds a description may let go of it at any time: it lives as long as it is used.
TEST(R02_shared_insides_live_until_their_last_user)
{
    for (int order = 0; order < 6; ++order) {
        lw_mech *leg = make_leg();
        lw_mech *list[3] = {leg, make_walker(leg), NULL};
        list[2] = new_mech("herd");
        lw_add_assembly(list[2], "one", list[1], nowhere);
        lw_add_assembly(list[2], "two", list[1], nowhere);
        static const int turn[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (int k = 0; k < 3; ++k) {
            lw_mech_destroy(list[turn[order][k]]);
            for (int rest = k + 1; rest < 3; ++rest) { // those still held are whole
                const int i = turn[order][rest];
                lw_model *m = NULL;
                CHECK_INT(lw_compile(list[i], NULL, &m, NULL), i == 2 ? LW_ERR_MODEL : LW_OK);
                lw_model_destroy(m);
            }
        }
    }
}

// "/" may be in a name too: the first assembly that the beginning of a name fits leads on.
TEST(R02_parts_are_located_at_any_depth)
{
    lw_mech *leg = new_mech("leg"), *side = new_mech("side"), *mech = new_mech("walker");
    lw_link_def foot = link_named("foot");
    foot.location = (lw_location){"leg.xml", 7, 3};
    lw_add_link(leg, &foot);
    lw_joint_def knee = hinge_named("a/knee");
    knee.location = (lw_location){"leg.xml", 5, 2};
    lw_add_joint(leg, &knee);
    lw_add_assembly(side, "front/leg", leg, (lw_location){"side.xml", 2, 1});
    lw_add_assembly(mech, "left", side, nowhere);
    const lw_location at = lw_locate_part(mech, "left/front/leg/foot", LW_PART_LINK);
    CHECK_TEXT(at.file, "leg.xml");
    CHECK_INT(at.line, 7);
    CHECK_INT(at.column, 3);
    CHECK_INT(lw_locate_part(mech, "left/front/leg/a/knee", LW_PART_ANY).line, 5);
    CHECK_TEXT(lw_locate_part(mech, "left/front/leg", LW_PART_ASSEMBLY).file, "side.xml");
    CHECK_INT(lw_locate_part(leg, "foot", LW_PART_LINK).line, 7);
    static const char *const absent[] = {"left", "left/foot", "left/front/leg/",      "foot",
                                         "/",    "",          "left/front/leg/foot/x"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; ++i) {
        const lw_location none = lw_locate_part(mech, absent[i], LW_PART_LINK);
        CHECK(!none.file && none.line == 0 && none.column == 0);
    }
    CHECK_INT(lw_locate_part(mech, "left/front/leg/foot", LW_PART_JOINT).line, 0);
    CHECK(!lw_locate_part(NULL, "foot", LW_PART_LINK).file);
    CHECK(!lw_locate_part(mech, NULL, LW_PART_LINK).file);
    lw_mech_destroy(mech);
    lw_mech_destroy(side);
    lw_mech_destroy(leg);
}

// Away from its singular pose a spherical joint is three hinges in a row.
TEST(R04_spherical_from_three_revolutes)
{
    lw_mech *sphere = new_mech("sphere");
    static const lw_vec3 axis[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    static const char *const name[] = {"yaw", "pitch", "roll"};
    for (int k = 0; k < 3; ++k) {
        lw_joint_def def = lw_default_joint_def();
        def.name = name[k];
        def.type = LW_JOINT_REVOLUTE;
        def.axis = axis[k];
        lw_add_joint(sphere, &def);
    }
    CHECK_INT(lw_connect_named(sphere, "yaw.b", "pitch.a"), LW_OK);
    CHECK_INT(lw_connect_named(sphere, "pitch.b", "roll.a"), LW_OK);
    CHECK_INT(lw_expose(sphere, lw_find_port(sphere, "roll.b"), "b"), LW_OK);
    lw_mech *built = new_mech("built"), *native = new_mech("native");
    const lw_link_def ball = link_named("ball");
    lw_add_assembly(built, "joint", sphere, nowhere);
    lw_add_link(built, &ball);
    CHECK_INT(lw_connect_named(built, "joint.b", "ball.a"), LW_OK);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "joint";
    joint.type = LW_JOINT_SPHERICAL;
    lw_add_joint(native, &joint);
    lw_add_link(native, &ball);
    CHECK_INT(lw_connect_named(native, "joint.b", "ball.a"), LW_OK);
    lw_model *m1 = compile_checked(built, NULL), *m2 = compile_checked(native, NULL);
    lw_data *d1 = new_data(m1), *d2 = new_data(m2);
    CHECK_INT(m1->nv, m2->nv);
    const int f1 = lw_find_frame(m1, "ball"), f2 = lw_find_frame(m2, "ball");
    for (int k = 0; k < 50; ++k) {
        const double q[3] = {check_random(-3, 3), check_random(-1.2, 1.2), check_random(-3, 3)};
        const double v[3] = {check_random(-2, 2), check_random(-2, 2), check_random(-2, 2)};
        const double a[3] = {check_random(-2, 2), check_random(-2, 2), check_random(-2, 2)};
        const lw_mat3 R = lw_rotation_rpy(q[2], q[1], q[0]);
        const lw_quat quat = lw_quat_of(&R);
        lw_motion vel1, acc1, vel2, acc2;
        CHECK_INT(lw_forward_acceleration(m1, d1, q, v, a), LW_OK);
        lw_frame_velocity(m1, d1, f1, LW_IN_FRAME, &vel1);
        lw_frame_acceleration(m1, d1, f1, LW_IN_FRAME, &acc1);
        const double q2[4] = {quat.w, quat.x, quat.y, quat.z};
        const double v2[3] = {vel1.ang.x, vel1.ang.y, vel1.ang.z};
        const double a2[3] = {acc1.ang.x, acc1.ang.y, acc1.ang.z};
        CHECK_INT(lw_forward_acceleration(m2, d2, q2, v2, a2), LW_OK);
        lw_frame_velocity(m2, d2, f2, LW_IN_FRAME, &vel2);
        lw_frame_acceleration(m2, d2, f2, LW_IN_FRAME, &acc2);
        lw_pose X1, X2;
        lw_frame_pose(m1, d1, f1, &X1);
        lw_frame_pose(m2, d2, f2, &X2);
        const lw_mat3 back = lw_transpose3(&X2.R);
        const lw_mat3 rest = lw_mul3(&back, &X1.R);
        CHECK_NEAR(lw_norm3(lw_log3(&rest)), 0, 1e-15);
        CHECK_NEAR(lw_norm3(lw_sub3(X1.p, X2.p)), 0, 1e-15);
        CHECK_NEAR(lw_norm3(lw_sub3(vel1.lin, vel2.lin)), 0, 1e-14);
        CHECK_NEAR(lw_norm3(lw_sub3(acc1.lin, acc2.lin)), 0, 1e-14);
        // The turning of three hinges in the axes of the last, as textbooks give it.
        const lw_vec3 want = {v[2] - v[0] * sin(q[1]),
                              v[1] * cos(q[2]) + v[0] * cos(q[1]) * sin(q[2]),
                              -v[1] * sin(q[2]) + v[0] * cos(q[1]) * cos(q[2])};
        CHECK_NEAR(lw_norm3(lw_sub3(vel1.ang, want)), 0, 1e-14);
    }
    lw_data_destroy(d1);
    lw_data_destroy(d2);
    lw_model_destroy(m1);
    lw_model_destroy(m2);
    lw_mech_destroy(built);
    lw_mech_destroy(native);
    lw_mech_destroy(sphere);
}

// One set of descriptions is a rover with an arm and a mast, and each of these alone.
TEST(R02_an_assembly_has_the_same_poses_alone_and_within_another)
{
    lw_mech *part[2];
    for (int k = 0; k < 2; ++k) {
        part[k] = nested_chain(3 - k); // an arm of three hinges, a mast of two
    }
    lw_mech *rover = new_mech("rover");
    lw_joint_def base = lw_default_joint_def();
    base.name = "base";
    base.type = LW_JOINT_PLANAR;
    lw_add_joint(rover, &base);
    const lw_link_def body = link_named("body");
    lw_add_link(rover, &body);
    lw_add_assembly(rover, "arm", part[0], nowhere);
    lw_add_assembly(rover, "mast", part[1], nowhere);
    CHECK_INT(lw_connect_named(rover, "base.b", "body.a"), LW_OK);
    CHECK_INT(lw_connect_named(rover, "body.b", "arm.a"), LW_OK);
    CHECK_INT(lw_connect_named(rover, "body.b", "mast.a"), LW_OK);
    lw_model *whole = compile_checked(rover, NULL), *alone = compile_checked(part[0], NULL);
    CHECK_INT(whole->nv, 3 + 3 + 2);
    lw_data *dw = new_data(whole), *da = new_data(alone);
    double q[8], q_arm[3];
    random_state(whole, q, NULL, NULL);
    for (int i = 0; i < 3; ++i) {
        char name[64];
        snprintf(name, sizeof name, "arm/%s", alone->position_name[i]);
        q_arm[i] = q[lw_find_position(whole, name)];
    }
    lw_pose X, X_a;
    CHECK_INT(lw_forward_position(whole, dw, q), LW_OK);
    CHECK_INT(lw_relative_pose(whole, dw, lw_find_frame(whole, "arm/j0.a"),
                               lw_find_frame(whole, "l2"), &X),
              LW_OK);
    CHECK_INT(lw_forward_position(alone, da, q_arm), LW_OK);
    CHECK_INT(
        lw_relative_pose(alone, da, lw_find_frame(alone, "j0.a"), lw_find_frame(alone, "l2"), &X_a),
        LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(X.p, X_a.p)), 0, 1e-15);
    for (int r = 0; r < 3; ++r) {
        CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[r], X_a.R.row[r])), 0, 4e-15);
    }
    lw_data_destroy(dw);
    lw_data_destroy(da);
    lw_model_destroy(whole);
    lw_model_destroy(alone);
    lw_mech_destroy(rover);
    lw_mech_destroy(part[0]);
    lw_mech_destroy(part[1]);
}

int main(void)
{
    RUN(D08_nested_three_deep_equals_flat_bit_for_bit);
    RUN(C27_one_leg_used_six_times_has_six_prefixes);
    RUN(R03_the_inside_is_protected_and_frozen);
    RUN(R03_gateways_are_ports_at_any_depth);
    RUN(R03_assemblies_that_cannot_hang_are_named);
    RUN(R03_a_part_hangs_by_one_port_inside_or_outside);
    RUN(R03_rings_through_gateways_are_found);
    RUN(R05_flattening_counts_every_part_of_every_group);
    RUN(R02_shared_insides_live_until_their_last_user);
    RUN(R02_parts_are_located_at_any_depth);
    RUN(R04_spherical_from_three_revolutes);
    RUN(R02_an_assembly_has_the_same_poses_alone_and_within_another);
    return REPORT();
}
