// Joints one by one against their closed forms, inertias of merged links, joints by callbacks, and
// the verbs of editing.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A machine of one joint between two known placements, with a point to look at.
static const lw_vec3 point = {0.3, -0.2, 0.5};

typedef struct one_joint {
    lw_model *model;
    lw_data *data;
    int frame;
    lw_pose before, after;
} one_joint;

static one_joint make_one(const lw_joint_def *given)
{
    one_joint one;
    one.before.R = lw_rotation(lw_unit3(lw_vec3_of(1, 2, -1)), 0.8);
    one.before.p = lw_vec3_of(0.1, 0.4, -0.3);
    one.after.R = lw_rotation(lw_unit3(lw_vec3_of(-2, 0.5, 1)), -1.3);
    one.after.p = lw_vec3_of(-0.2, 0.25, 0.15);
    lw_mech *mech = new_mech("one");
    const lw_ground_def ground = lw_default_ground_def();
    lw_joint_def def = *given;
    def.name = "joint";
    def.before = lw_placement_of_pose(&one.before);
    def.after = lw_placement_of_pose(&one.after);
    lw_link_def link = lw_default_link_def();
    link.name = "link";
    link.mass = 1;
    lw_add_ground(mech, &ground);
    lw_add_joint(mech, &def);
    const lw_part part = lw_add_link(mech, &link);
    const lw_placement at = lw_placement_xyz(point.x, point.y, point.z);
    lw_add_frame(mech, part, "point", &at, (lw_location){0});
    CHECK_INT(lw_connect_named(mech, "ground.b", "joint.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "joint.b", "link.a"), LW_OK);
    one.model = compile_checked(mech, NULL);
    one.data = new_data(one.model);
    one.frame = lw_find_frame(one.model, "point");
    lw_mech_destroy(mech);
    return one;
}

static void free_one(one_joint *one)
{
    lw_data_destroy(one->data);
    lw_model_destroy(one->model);
}

// The motion of a joint in its own base frame, as a textbook gives it.
typedef struct motion {
    lw_mat3 R;
    lw_vec3 w, alpha;   // turning, along the axes of the base frame
    lw_vec3 o, od, odd; // origin of the moving frame
} motion;

// Rodrigues' formula entry by entry, not the library's.
static lw_mat3 rodrigues(lw_vec3 n, double angle)
{
    const double c = cos(angle), s = sin(angle), t = 1 - c;
    const lw_mat3 R = {{{c + n.x * n.x * t, n.x * n.y * t - n.z * s, n.x * n.z * t + n.y * s},
                        {n.y * n.x * t + n.z * s, c + n.y * n.y * t, n.y * n.z * t - n.x * s},
                        {n.z * n.x * t - n.y * s, n.z * n.y * t + n.x * s, c + n.z * n.z * t}}};
    return R;
}

static lw_vec3 unit_of(lw_vec3 a)
{
    const double n = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return lw_vec3_of(a.x / n, a.y / n, a.z / n);
}

static void rotate_about(motion *m, lw_vec3 n, double q, double v, double a)
{
    m->R = rodrigues(n, q);
    m->w = lw_scale3(v, n);
    m->alpha = lw_scale3(a, n);
}

static void move_along(motion *m, lw_vec3 n, double q, double v, double a)
{
    m->o = lw_add3(m->o, lw_scale3(q, n));
    m->od = lw_add3(m->od, lw_scale3(v, n));
    m->odd = lw_add3(m->odd, lw_scale3(a, n));
}

static void turn_twice(motion *m, lw_vec3 n, lw_vec3 k, const double *q, const double *v,
                       const double *a)
{
    const lw_mat3 first = rodrigues(n, q[0]), second = rodrigues(k, q[1]);
    const lw_vec3 turned = lw_rotate(&first, k);
    m->R = lw_mul3(&first, &second);
    m->w = lw_add3(lw_scale3(v[0], n), lw_scale3(v[1], turned));
    m->alpha = lw_add3(lw_add3(lw_scale3(a[0], n), lw_scale3(a[1], turned)),
                       lw_scale3(v[0] * v[1], lw_cross3(n, turned)));
}

// A quaternion turns v to q v q*.
static lw_mat3 turn_of(const double *q)
{
    const lw_vec3 u = {q[1], q[2], q[3]};
    lw_mat3 columns;
    for (int k = 0; k < 3; ++k) {
        const lw_vec3 e = {k == 0, k == 1, k == 2};
        const lw_vec3 t = lw_scale3(2, lw_cross3(u, e));
        columns.row[k] = lw_add3(e, lw_add3(lw_scale3(q[0], t), lw_cross3(u, t)));
    }
    return lw_transpose3(&columns);
}

static motion closed_form(const lw_joint_def *def, const double *q, const double *v,
                          const double *a)
{
    motion m = {.R = lw_mat3_identity()};
    const lw_vec3 n = unit_of(def->axis);
    const double lead = def->pitch / (2 * 3.14159265358979323846);
    const lw_mat3 plane = lw_rotation_to_z(n);
    const lw_mat3 axes = lw_transpose3(&plane);
    switch (def->type) {
    case LW_JOINT_REVOLUTE:
        rotate_about(&m, n, q[0], v[0], a[0]);
        break;
    case LW_JOINT_PRISMATIC:
        move_along(&m, n, q[0], v[0], a[0]);
        break;
    case LW_JOINT_SCREW:
        rotate_about(&m, n, q[0], v[0], a[0]);
        move_along(&m, n, lead * q[0], lead * v[0], lead * a[0]);
        break;
    case LW_JOINT_CYLINDRICAL:
        rotate_about(&m, n, q[0], v[0], a[0]);
        move_along(&m, n, q[1], v[1], a[1]);
        break;
    case LW_JOINT_UNIVERSAL:
        turn_twice(&m, n, unit_of(def->axis2), q, v, a);
        break;
    case LW_JOINT_PLANAR:
        rotate_about(&m, n, q[2], v[2], a[2]);
        move_along(&m, axes.row[0], q[0], v[0], a[0]);
        move_along(&m, axes.row[1], q[1], v[1], a[1]);
        break;
    case LW_JOINT_FREE: {
        const lw_vec3 w = {v[0], v[1], v[2]}, u = {v[3], v[4], v[5]};
        m.R = turn_of(q + 3);
        m.o = lw_vec3_of(q[0], q[1], q[2]);
        m.od = lw_rotate(&m.R, u);
        m.odd = lw_rotate(&m.R, lw_add3(lw_vec3_of(a[3], a[4], a[5]), lw_cross3(w, u)));
        m.w = lw_rotate(&m.R, w);
        m.alpha = lw_rotate(&m.R, lw_vec3_of(a[0], a[1], a[2]));
        break;
    }
    case LW_JOINT_SPHERICAL:
        m.R = turn_of(q);
        m.w = lw_rotate(&m.R, lw_vec3_of(v[0], v[1], v[2]));
        m.alpha = lw_rotate(&m.R, lw_vec3_of(a[0], a[1], a[2]));
        break;
    default:
        break;
    }
    return m;
}

static void check_vector(lw_vec3 got, lw_vec3 want, double tolerance)
{
    CHECK_NEAR(got.x, want.x, tolerance);
    CHECK_NEAR(got.y, want.y, tolerance);
    CHECK_NEAR(got.z, want.z, tolerance);
}

static void check_pose(const lw_pose *got, const lw_pose *want, double tolerance)
{
    for (int i = 0; i < 3; ++i) {
        check_vector(got->R.row[i], want->R.row[i], tolerance);
    }
    check_vector(got->p, want->p, tolerance);
}

// A dozen products of numbers of the order of ten.
static const double CLOSE = 5e-14;

static void compare_with_closed_form(const lw_joint_def *def)
{
    one_joint one = make_one(def);
    double q[8], v[8], a[8];
    for (int k = 0; k < 20; ++k) {
        random_state(one.model, q, v, a);
        const motion m = closed_form(def, q, v, a);
        const lw_vec3 r = lw_rotate(&m.R, lw_pose_apply(&one.after, point));
        const lw_vec3 turning = lw_add3(lw_cross3(m.alpha, r), lw_cross3(m.w, lw_cross3(m.w, r)));
        lw_pose want, got;
        const lw_mat3 moved = lw_mul3(&one.before.R, &m.R);
        want.R = lw_mul3(&moved, &one.after.R);
        want.p = lw_pose_apply(&one.before, lw_add3(m.o, r));
        CHECK_INT(lw_forward_acceleration(one.model, one.data, q, v, a), LW_OK);
        CHECK_INT(lw_frame_pose(one.model, one.data, one.frame, &got), LW_OK);
        check_pose(&got, &want, CLOSE);

        lw_motion vel, acc;
        CHECK_INT(lw_frame_velocity(one.model, one.data, one.frame, LW_IN_WORLD, &vel), LW_OK);
        CHECK_INT(lw_frame_acceleration(one.model, one.data, one.frame, LW_IN_WORLD, &acc), LW_OK);
        check_vector(vel.ang, lw_rotate(&one.before.R, m.w), CLOSE);
        check_vector(vel.lin, lw_rotate(&one.before.R, lw_add3(m.od, lw_cross3(m.w, r))), CLOSE);
        check_vector(acc.ang, lw_rotate(&one.before.R, m.alpha), CLOSE);
        check_vector(acc.lin, lw_rotate(&one.before.R, lw_add3(m.odd, turning)), CLOSE);
    }
    free_one(&one);
}

TEST(D01_every_joint_alone_moves_as_its_closed_form)
{
    static const lw_vec3 axis[] = {{0, 0, 1},  {0, 0, -1},    {1, 0, 0},   {-1, 0, 0},
                                   {0, 1, 0},  {0, -1, 0},    {3, -4, 12}, {1e-9, 0, 1},
                                   {0, 0, 49}, {0.6, 0, -0.8}};
    for (int type = LW_JOINT_FIXED; type < LW_JOINT_USER; ++type) {
        for (size_t k = 0; k < sizeof axis / sizeof *axis; ++k) {
            lw_joint_def def = lw_default_joint_def();
            def.type = (lw_joint_type)type;
            def.axis = axis[k];
            def.axis2 = lw_vec3_of(axis[k].y + 2, axis[k].z - 1, axis[k].x);
            def.pitch = 0.7;
            check_case("a %s joint, axis %d", lw_joint_type_name(def.type), (int)k);
            compare_with_closed_form(&def);
        }
    }
}

TEST(D01_screw_moves_by_its_pitch_in_a_turn)
{
    lw_joint_def def = lw_default_joint_def();
    def.type = LW_JOINT_SCREW;
    def.pitch = -0.02;
    one_joint one = make_one(&def);
    const double none = 0, turn = 6.283185307179586;
    lw_pose X0, X1;
    CHECK_INT(lw_pose_of_frame(one.model, one.data, &none, one.frame, &X0), LW_OK);
    CHECK_INT(lw_pose_of_frame(one.model, one.data, &turn, one.frame, &X1), LW_OK);
    const lw_vec3 axis = {one.before.R.row[0].z, one.before.R.row[1].z, one.before.R.row[2].z};
    check_vector(lw_sub3(X1.p, X0.p), lw_scale3(-0.02, axis), 2e-15);
    free_one(&one);
}

// The length of an axis carries no meaning, however large or small it is.
TEST(D01_axes_of_any_length_are_the_same_axis)
{
    static const double length[] = {1, 49, 1e-12, 1e-200, 1e200, 1e308};
    lw_joint_def def = lw_default_joint_def();
    def.type = LW_JOINT_REVOLUTE;
    lw_pose X[6];
    for (int k = 0; k < 6; ++k) {
        def.axis = lw_vec3_of(0.5 * length[k], -0.25 * length[k], length[k]);
        one_joint one = make_one(&def);
        const double q = 0.9;
        CHECK_INT(lw_pose_of_frame(one.model, one.data, &q, one.frame, &X[k]), LW_OK);
        check_pose(&X[k], &X[0], 1e-15);
        free_one(&one);
    }
}

TEST(D01_names_of_the_dofs_are_those_of_the_contract)
{
    static const char *const want[][2] = {
        [LW_JOINT_FIXED] = {"", ""},
        [LW_JOINT_REVOLUTE] = {"joint ", "joint "},
        [LW_JOINT_PRISMATIC] = {"joint ", "joint "},
        [LW_JOINT_SCREW] = {"joint ", "joint "},
        [LW_JOINT_CYLINDRICAL] = {"joint.angle joint.travel ", "joint.angle joint.travel "},
        [LW_JOINT_UNIVERSAL] = {"joint.first joint.second ", "joint.first joint.second "},
        [LW_JOINT_SPHERICAL] = {"joint.qw joint.qx joint.qy joint.qz ",
                                "joint.wx joint.wy joint.wz "},
        [LW_JOINT_PLANAR] = {"joint.x joint.y joint.angle ", "joint.x joint.y joint.angle "},
        [LW_JOINT_FREE] = {"joint.x joint.y joint.z joint.qw joint.qx joint.qy joint.qz ",
                           "joint.wx joint.wy joint.wz joint.vx joint.vy joint.vz "},
        [LW_JOINT_USER] = {"joint.1 joint.2 ", "joint.1 joint.2 "},
    };
    for (int type = 0; type <= LW_JOINT_USER; ++type) {
        lw_joint_def def = lw_default_joint_def();
        def.type = (lw_joint_type)type;
        def.user = random_mech_user_joint();
        one_joint one = make_one(&def);
        char q[200] = "", v[200] = "";
        for (int i = 0; i < one.model->nq; ++i) {
            strcat(strcat(q, one.model->position_name[i]), " ");
        }
        for (int i = 0; i < one.model->nv; ++i) {
            strcat(strcat(v, one.model->velocity_name[i]), " ");
        }
        CHECK_TEXT(q, want[type][0]);
        CHECK_TEXT(v, want[type][1]);
        free_one(&one);
    }
}

TEST(R06_the_table_of_joint_types_is_complete)
{
    for (int type = 0; type < LW_JOINT_USER; ++type) {
        lw_joint_def def = lw_default_joint_def();
        def.type = (lw_joint_type)type;
        one_joint one = make_one(&def);
        CHECK_INT(one.model->nq, lw_joint_type_nq(def.type));
        CHECK_INT(one.model->nv, lw_joint_type_nv(def.type));
        CHECK(strlen(lw_joint_type_name(def.type)) > 3);
        free_one(&one);
    }
    CHECK_TEXT(lw_joint_type_name((lw_joint_type)77), "unknown");
    CHECK_INT(lw_joint_type_nv((lw_joint_type)-1), 0);
}

// A rigid body as a handful of point masses: what the sums over them give needs no theorem.
enum { POINTS = 6 };

typedef struct cloud {
    double mass[POINTS];
    lw_vec3 at[POINTS];
} cloud;

static cloud random_cloud(void)
{
    cloud c;
    for (int k = 0; k < POINTS; ++k) {
        c.mass[k] = check_random(0.1, 1);
        c.at[k] = lw_scale3(check_random(0.1, 0.6), random_unit());
    }
    return c;
}

static lw_inertia sum_of(const cloud *c, const lw_pose *X)
{
    lw_inertia sum = {0};
    for (int k = 0; k < POINTS; ++k) {
        const double m = c->mass[k];
        const lw_vec3 p = lw_pose_apply(X, c->at[k]);
        sum.mass += m;
        sum.first_moment = lw_add3(sum.first_moment, lw_scale3(m, p));
        sum.tensor.xx += m * (p.y * p.y + p.z * p.z);
        sum.tensor.yy += m * (p.x * p.x + p.z * p.z);
        sum.tensor.zz += m * (p.x * p.x + p.y * p.y);
        sum.tensor.xy -= m * p.x * p.y;
        sum.tensor.xz -= m * p.x * p.z;
        sum.tensor.yz -= m * p.y * p.z;
    }
    return sum;
}

// A link of these masses, its inertia given along axes turned by R.
static lw_link_def link_of(const cloud *c, const lw_mat3 *R)
{
    const lw_pose one = lw_pose_identity();
    const lw_inertia whole = sum_of(c, &one);
    const lw_pose inertial = {*R, lw_scale3(1 / whole.mass, whole.first_moment)};
    const lw_pose inverse = lw_pose_inverse(&inertial);
    const lw_inertia about_center = sum_of(c, &inverse);
    lw_link_def def = lw_default_link_def();
    def.mass = whole.mass;
    def.inertial = lw_placement_of_pose(&inertial);
    def.inertia = about_center.tensor;
    return def;
}

static void check_inertia(const lw_inertia *got, const lw_inertia *want)
{
    const double close = 1e-14; // a few dozen products of numbers of order one
    CHECK_NEAR(got->mass, want->mass, close);
    check_vector(got->first_moment, want->first_moment, close);
    CHECK_NEAR(got->tensor.xx, want->tensor.xx, close);
    CHECK_NEAR(got->tensor.yy, want->tensor.yy, close);
    CHECK_NEAR(got->tensor.zz, want->tensor.zz, close);
    CHECK_NEAR(got->tensor.xy, want->tensor.xy, close);
    CHECK_NEAR(got->tensor.xz, want->tensor.xz, close);
    CHECK_NEAR(got->tensor.yz, want->tensor.yz, close);
}

TEST(D02_links_that_are_fixed_to_each_other_merge_their_inertias)
{
    for (int k = 0; k < 20; ++k) {
        lw_mech *mech = new_mech("merge");
        lw_joint_def hinge = lw_default_joint_def(), weld = hinge;
        hinge.name = "hinge";
        hinge.type = LW_JOINT_REVOLUTE;
        hinge.axis = random_unit();
        weld.name = "weld";
        weld.before = random_placement();
        const cloud one = random_cloud(), two = random_cloud();
        const lw_mat3 R1 = random_rotation(), R2 = random_rotation();
        lw_link_def arm = link_of(&one, &R1), tool = link_of(&two, &R2);
        arm.name = "arm";
        arm.b = random_placement();
        tool.name = "tool";
        lw_add_joint(mech, &hinge);
        lw_add_joint(mech, &weld);
        lw_add_link(mech, &arm);
        lw_add_link(mech, &tool);
        CHECK_INT(lw_connect_named(mech, "hinge.b", "arm.a"), LW_OK);
        CHECK_INT(lw_connect_named(mech, "arm.b", "weld.a"), LW_OK);
        CHECK_INT(lw_connect_named(mech, "weld.b", "tool.a"), LW_OK);
        lw_model *m = compile_checked(mech, NULL);
        CHECK_INT(m->nbody, 1);
        const lw_pose X_arm = m->frame[lw_find_frame(m, "arm")].X_BF;
        const lw_pose X_tool = m->frame[lw_find_frame(m, "tool")].X_BF;
        const lw_inertia a = sum_of(&one, &X_arm), b = sum_of(&two, &X_tool);
        const lw_inertia want = lw_inertia_add(&a, &b);
        check_inertia(&m->inertia[0], &want);
        CHECK_NEAR(m->mass, want.mass, 1e-14);
        CHECK_INT(m->nlink, 2);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// ground - j0 - middle joint - j2 - tip, with the middle one given.
static lw_model *sandwich(const lw_joint_def *middle)
{
    lw_mech *mech = new_mech("sandwich");
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_port port = lw_find_port(mech, "ground.b");
    for (int k = 0; k < 3; ++k) {
        const char *const name[][2] = {{"j0", "l0"}, {"middle", "l1"}, {"j2", "tip"}};
        lw_joint_def joint = k == 1 ? *middle : lw_default_joint_def();
        joint.name = name[k][0];
        if (k != 1) {
            joint.type = k ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE;
            joint.axis = lw_vec3_of(1, k, 2);
            joint.before = lw_placement_rpy(lw_vec3_of(0.2, 0.1, 0.3), lw_vec3_of(0.5, 0.6, -0.7));
        }
        lw_link_def link = lw_default_link_def();
        link.name = name[k][1];
        link.mass = 1;
        link.inertial = lw_placement_xyz(0.1, 0.2, 0.3);
        link.b = lw_placement_rpy(lw_vec3_of(0.3, -0.4, 0.2), lw_vec3_of(-0.3, 0.8, 0.4));
        const lw_part j = lw_add_joint(mech, &joint), l = lw_add_link(mech, &link);
        CHECK_INT(lw_connect(mech, port, lw_port_of(mech, j, "a")), LW_OK);
        CHECK_INT(lw_connect(mech, lw_port_of(mech, j, "b"), lw_port_of(mech, l, "a")), LW_OK);
        port = lw_port_of(mech, l, "b");
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

static void compare_kinematics(const lw_model *m1, const lw_model *m2, double tolerance)
{
    lw_data *d1 = new_data(m1), *d2 = new_data(m2);
    const int f1 = lw_find_frame(m1, "tip"), f2 = lw_find_frame(m2, "tip");
    CHECK_INT(m1->nq, m2->nq);
    CHECK_INT(m1->nv, m2->nv);
    for (int k = 0; k < 30; ++k) {
        double q[8], v[8], a[8], J1[48], J2[48];
        random_state(m1, q, v, a);
        lw_pose X1, X2;
        lw_motion a1, a2, r1, r2, v1, v2;
        CHECK_INT(lw_forward_acceleration(m1, d1, q, v, a), LW_OK);
        CHECK_INT(lw_forward_acceleration(m2, d2, q, v, a), LW_OK);
        lw_frame_pose(m1, d1, f1, &X1);
        lw_frame_pose(m2, d2, f2, &X2);
        check_pose(&X1, &X2, tolerance);
        lw_frame_velocity(m1, d1, f1, LW_IN_FRAME, &v1);
        lw_frame_velocity(m2, d2, f2, LW_IN_FRAME, &v2);
        lw_frame_acceleration(m1, d1, f1, LW_IN_FRAME, &a1);
        lw_frame_acceleration(m2, d2, f2, LW_IN_FRAME, &a2);
        lw_frame_jacobian_rate_times_v(m1, d1, q, v, f1, LW_IN_WORLD, &point, &r1);
        lw_frame_jacobian_rate_times_v(m2, d2, q, v, f2, LW_IN_WORLD, &point, &r2);
        check_vector(v1.ang, v2.ang, tolerance);
        check_vector(v1.lin, v2.lin, tolerance);
        check_vector(a1.ang, a2.ang, tolerance);
        check_vector(a1.lin, a2.lin, tolerance);
        check_vector(r1.ang, r2.ang, tolerance);
        check_vector(r1.lin, r2.lin, tolerance);
        CHECK_INT(lw_frame_jacobian(m1, d1, q, f1, LW_IN_WORLD, &point, J1), LW_OK);
        CHECK_INT(lw_frame_jacobian(m2, d2, q, f2, LW_IN_WORLD, &point, J2), LW_OK);
        for (int i = 0; i < 6 * m1->nv; ++i) {
            CHECK_NEAR(J1[i], J2[i], tolerance);
        }
    }
    lw_data_destroy(d1);
    lw_data_destroy(d2);
}

TEST(D09_a_joint_by_callbacks_equals_the_native_one)
{
    lw_joint_def native = lw_default_joint_def();
    native.type = LW_JOINT_UNIVERSAL;
    native.axis2 = lw_vec3_of(0, 1, 0);
    native.before = lw_placement_rpy(lw_vec3_of(0.1, 0, 0.2), lw_vec3_of(1, 0.2, 0.3));
    native.after = lw_placement_rpy(lw_vec3_of(0, 0.3, 0.1), lw_vec3_of(-1, 0.5, 0.1));
    lw_joint_def user = native;
    user.type = LW_JOINT_USER;
    user.user = random_mech_user_joint();
    lw_model *m1 = sandwich(&native), *m2 = sandwich(&user);
    compare_kinematics(m1, m2, CLOSE);
    lw_model_destroy(m1);
    lw_model_destroy(m2);
}

typedef struct helix {
    double lead;
} helix;

static void helix_pose(const void *context, const double *q, lw_pose *X)
{
    const helix *h = context;
    X->R = rodrigues(lw_vec3_of(0, 0, 1), q[0]);
    X->p = lw_vec3_of(0, 0, h->lead * q[0]);
}

static void helix_motion(const void *context, const double *q, lw_motion *S)
{
    const helix *h = context;
    (void)q;
    S[0] = (lw_motion){{0, 0, 1}, {0, 0, h->lead}};
}

// The context of the callbacks, and a motion that is constant, so that no bias is needed.
TEST(D09_a_screw_by_callbacks_equals_the_native_one)
{
    static const helix context = {0.3 / 6.283185307179586};
    lw_joint_def native = lw_default_joint_def();
    native.type = LW_JOINT_SCREW;
    native.pitch = 0.3;
    lw_joint_def user = native;
    user.type = LW_JOINT_USER;
    user.user =
        (lw_user_joint){.nv = 1, .pose = helix_pose, .motion = helix_motion, .context = &context};
    lw_model *m1 = sandwich(&native), *m2 = sandwich(&user);
    CHECK_TEXT(m2->position_name[1], "middle");
    compare_kinematics(m1, m2, CLOSE);
    lw_model_destroy(m1);
    lw_model_destroy(m2);
}

int main(void)
{
    RUN(D01_every_joint_alone_moves_as_its_closed_form);
    RUN(D01_screw_moves_by_its_pitch_in_a_turn);
    RUN(D01_axes_of_any_length_are_the_same_axis);
    RUN(D01_names_of_the_dofs_are_those_of_the_contract);
    RUN(R06_the_table_of_joint_types_is_complete);
    RUN(D02_links_that_are_fixed_to_each_other_merge_their_inertias);
    RUN(D09_a_joint_by_callbacks_equals_the_native_one);
    RUN(D09_a_screw_by_callbacks_equals_the_native_one);
    return REPORT();
}
