#include "zoo.h"
#include "objects.h"

#include "arrays.h"
#include "check.h"
#include "load_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[ZOO_COUNT] = {"revolute", "mixed",  "spherical", "free",
                                             "branched", "loaded", "coupled",   "user"};

const char *zoo_name(zoo_kind kind)
{
    return NAMES[kind];
}

// A user joint of two degrees of freedom: a turn about z by q0, then a slide by q1 along an axis
// that swings in the x-y plane by the angle q1, whose moving frame is also turned about x by q1.
// Pose: Rz(q0) T(r(q1)) Rx(q1), with r = (sin q1, 1 - cos q1, q1^2 / 2).
static void swing_pose(const void *context, const double *q, lw_pose *X)
{
    (void)context;
    const lw_mat3 Rz = lw_rotation(lw_vec3_of(0, 0, 1), q[0]);
    const lw_mat3 Rx = lw_rotation(lw_vec3_of(1, 0, 0), q[1]);
    X->R = lw_mul3(&Rz, &Rx);
    X->p = lw_rotate(&Rz, lw_vec3_of(sin(q[1]), 1.0 - cos(q[1]), 0.5 * q[1] * q[1]));
}

// In the moving frame: w = Rx' (z v0) + x v1, and u = Rx' (z x r v0 + r' v1).
static void swing_motion(const void *context, const double *q, lw_motion *S)
{
    (void)context;
    const lw_mat3 Rx = lw_rotation(lw_vec3_of(1, 0, 0), q[1]);
    const lw_vec3 z = {0, 0, 1}, r = {sin(q[1]), 1.0 - cos(q[1]), 0.5 * q[1] * q[1]};
    S[0].ang = lw_rotate_back(&Rx, z);
    S[0].lin = lw_rotate_back(&Rx, lw_cross3(z, r));
    S[1].ang = lw_vec3_of(1, 0, 0);
    S[1].lin = lw_rotate_back(&Rx, lw_vec3_of(cos(q[1]), sin(q[1]), q[1]));
}

// The rate of the components above while q moves with v: Rx' turns by -v1 about x.
static void swing_bias(const void *context, const double *q, const double *v, lw_motion *rate)
{
    (void)context;
    const lw_mat3 Rx = lw_rotation(lw_vec3_of(1, 0, 0), q[1]);
    const lw_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    const lw_vec3 r = {sin(q[1]), 1.0 - cos(q[1]), 0.5 * q[1] * q[1]};
    const lw_vec3 r1 = {cos(q[1]), sin(q[1]), q[1]}, r2 = {-sin(q[1]), cos(q[1]), 1.0};
    const lw_vec3 turning = lw_rotate_back(&Rx, lw_scale3(v[0], z));
    const lw_vec3 sliding = lw_add3(lw_scale3(v[0], lw_cross3(z, r)), lw_scale3(v[1], r1));
    const lw_vec3 change =
        lw_add3(lw_scale3(v[0] * v[1], lw_cross3(z, r1)), lw_scale3(v[1] * v[1], r2));
    rate->ang = lw_scale3(-v[1], lw_cross3(x, turning));
    rate->lin = lw_add3(lw_scale3(-v[1], lw_cross3(x, lw_rotate_back(&Rx, sliding))),
                        lw_rotate_back(&Rx, change));
}

typedef struct builder {
    lw_mech *mech;
    int count;     // of joints and links so far, which are numbered
    bool is_stiff; // the joints made now have damping, springs and rotors

    const char *changed; // link of which one number is changed, or null
    lw_link_parameter parameter;
    double change;
} builder;

static lw_link_def random_link(const char *name)
{
    lw_link_def link = lw_default_link_def();
    link.name = name;
    link.mass = check_random(0.5, 3.0);
    link.inertial = lw_placement_rpy(random3(0.3), random3(1.0));
    link.inertia.xx = check_random(0.02, 0.03);
    link.inertia.yy = check_random(0.02, 0.03);
    link.inertia.zz = check_random(0.02, 0.03);
    link.inertia.xy = check_random(-0.003, 0.003);
    link.inertia.xz = check_random(-0.003, 0.003);
    link.inertia.yz = check_random(-0.003, 0.003);
    return link;
}

static void change_link(lw_link_def *link, lw_link_parameter parameter, double change)
{
    double *const number[] = {&link->mass,
                              &link->inertial.value[0],
                              &link->inertial.value[1],
                              &link->inertial.value[2],
                              &link->inertia.xx,
                              &link->inertia.yy,
                              &link->inertia.zz,
                              &link->inertia.xy,
                              &link->inertia.xz,
                              &link->inertia.yz};
    *number[parameter] += change;
}

static void join(builder *b, lw_part one, lw_part other)
{
    const lw_status status =
        lw_connect(b->mech, lw_port_of(b->mech, one, "b"), lw_port_of(b->mech, other, "a"));
    CHECK_INT(status, LW_OK);
}

static lw_part hang(builder *b, lw_part from, const lw_joint_def *joint, const char *link_name)
{
    lw_link_def link = random_link(link_name);
    if (b->changed && strcmp(b->changed, link_name) == 0) {
        change_link(&link, b->parameter, b->change);
    }
    const lw_part j = lw_add_joint(b->mech, joint), l = lw_add_link(b->mech, &link);
    join(b, from, j);
    join(b, j, l);
    return l;
}

static void stiffen(lw_joint_def *joint)
{
    for (int k = 0; k < lw_joint_type_nv(joint->type); ++k) {
        lw_dof *dof = &joint->dof[k];
        dof->damping = check_random(0.1, 2.0);
        dof->rotor_inertia = check_random(0.01, 0.2);
        if (joint->type != LW_JOINT_SPHERICAL && joint->type != LW_JOINT_FREE) {
            dof->stiffness = check_random(1.0, 20.0);
            dof->spring_rest = check_random(-1.0, 1.0);
        }
    }
}

// A link on a joint on a part; returns the link.
static lw_part grow(builder *b, lw_part from, lw_joint_type type)
{
    char joint_name[16], link_name[16];
    snprintf(joint_name, sizeof joint_name, "j%d", b->count);
    snprintf(link_name, sizeof link_name, "l%d", b->count);
    ++b->count;
    lw_joint_def joint = lw_default_joint_def();
    joint.name = joint_name;
    joint.type = type;
    joint.axis = random3(1.0);
    joint.axis2 = random3(1.0);
    joint.pitch = 0.4;
    joint.before = lw_placement_rpy(random3(0.4), random3(1.5));
    joint.after = lw_placement_rpy(random3(0.2), random3(1.5));
    if (type == LW_JOINT_USER) {
        joint.user = (lw_user_joint){2, swing_pose, swing_motion, swing_bias, NULL};
    }
    if (b->is_stiff) {
        stiffen(&joint);
    }
    return hang(b, from, &joint, link_name);
}

// A link without a degree of freedom: it merges into the body of the other.
static lw_part attach(builder *b, lw_part from, const char *name)
{
    char joint_name[32];
    snprintf(joint_name, sizeof joint_name, "fix_%s", name);
    lw_joint_def joint = lw_default_joint_def();
    joint.name = joint_name;
    joint.type = LW_JOINT_FIXED;
    joint.before = lw_placement_rpy(random3(0.2), random3(1.0));
    return hang(b, from, &joint, name);
}

static void load(builder *b, lw_part link, const char *name, lw_axes axes)
{
    lw_load_def def = lw_default_load_def();
    def.name = name;
    def.axes = axes;
    def.force = random3(20.0);
    def.torque = random3(5.0);
    const lw_part part = lw_add_load(b->mech, &def);
    const lw_placement location = lw_placement_rpy(random3(0.3), random3(1.0));
    const lw_port port = lw_add_frame(b->mech, link, name, &location, (lw_location){NULL, 0, 0});
    CHECK_INT(lw_connect(b->mech, port, lw_port_of(b->mech, part, "a")), LW_OK);
}

static void couple(builder *b, const char *dependent, const char *source, int n, const double *c)
{
    lw_coupling_def def = lw_default_coupling_def();
    def.dependent = dependent;
    def.source = source;
    def.ncoefficient = n;
    def.coefficient = c;
    CHECK_INT(lw_add_coupling(b->mech, &def), LW_OK);
}

static void build_coupled(builder *b, lw_part ground)
{
    const double linear[] = {0.3, -1.5}, cubic[] = {0.1, 0.7, -0.3, 0.2}, square[] = {0, 1.0, 0.4};
    static const lw_joint_type MAIN[] = {LW_JOINT_REVOLUTE,  LW_JOINT_REVOLUTE,
                                         LW_JOINT_PRISMATIC, LW_JOINT_REVOLUTE,
                                         LW_JOINT_SPHERICAL, LW_JOINT_REVOLUTE}; // j0 .. j5
    b->is_stiff = true;
    lw_part at = ground;
    for (int k = 0; k < 6; ++k) {
        at = grow(b, at, MAIN[k]);
    }
    at = grow(b, ground, LW_JOINT_REVOLUTE);                 // j6
    grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_SCREW); // j7, j8
    couple(b, "j1", "j0", 2, linear);
    couple(b, "j6", "j3", 4, cubic);
    couple(b, "j5", "j0", 3, square);
    couple(b, "j8", "j5", 4, cubic); // a cubic of a quadratic
}

static void build(zoo_kind kind, builder *b, lw_part ground)
{
    static const lw_joint_type MIXED[] = {LW_JOINT_PRISMATIC,   LW_JOINT_SCREW,  LW_JOINT_UNIVERSAL,
                                          LW_JOINT_CYLINDRICAL, LW_JOINT_PLANAR, LW_JOINT_REVOLUTE};
    lw_part at = ground;
    switch (kind) {
    case ZOO_REVOLUTE:
        for (int k = 0; k < 6; ++k) {
            at = grow(b, at, LW_JOINT_REVOLUTE);
        }
        attach(b, at, "tool");
        break;
    case ZOO_MIXED:
        for (int k = 0; k < 6; ++k) {
            at = grow(b, at, MIXED[k]);
        }
        break;
    case ZOO_SPHERICAL:
        at = grow(b, grow(b, at, LW_JOINT_SPHERICAL), LW_JOINT_REVOLUTE);
        grow(b, grow(b, at, LW_JOINT_SPHERICAL), LW_JOINT_SPHERICAL);
        break;
    case ZOO_FREE:
        at = grow(b, at, LW_JOINT_FREE);
        grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_PRISMATIC);
        grow(b, grow(b, at, LW_JOINT_SPHERICAL), LW_JOINT_REVOLUTE);
        grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_FREE);
        break;
    case ZOO_BRANCHED:
        at = attach(b, grow(b, at, LW_JOINT_REVOLUTE), "plate");
        grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_REVOLUTE);
        at = grow(b, at, LW_JOINT_PRISMATIC);
        grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_SCREW);
        grow(b, grow(b, at, LW_JOINT_UNIVERSAL), LW_JOINT_REVOLUTE);
        grow(b, grow(b, ground, LW_JOINT_PRISMATIC), LW_JOINT_REVOLUTE);
        break;
    case ZOO_LOADED:
        b->is_stiff = true;
        at = grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_PRISMATIC);
        load(b, at, "wind", LW_IN_WORLD);
        at = grow(b, grow(b, at, LW_JOINT_SPHERICAL), LW_JOINT_REVOLUTE);
        load(b, at, "jet", LW_IN_FRAME);
        load(b, at, "rope", LW_IN_WORLD);
        at = grow(b, ground, LW_JOINT_FREE);
        load(b, grow(b, at, LW_JOINT_REVOLUTE), "drag", LW_IN_WORLD);
        break;
    case ZOO_COUPLED:
        build_coupled(b, ground);
        break;
    default:
        at = grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_USER);
        grow(b, grow(b, at, LW_JOINT_REVOLUTE), LW_JOINT_USER);
        grow(b, ground, LW_JOINT_USER);
        break;
    }
}

lw_model *zoo_model(zoo_kind kind)
{
    return zoo_variant(kind, NULL, LW_LINK_MASS, 0.0);
}

lw_model *zoo_variant(zoo_kind kind, const char *link, lw_link_parameter parameter, double change)
{
    builder b = {new_mech(NAMES[kind]), 0, false, link, parameter, change};
    check_seed(1000u + (unsigned)kind);
    lw_ground_def def = lw_default_ground_def();
    def.gravity = lw_vec3_of(1.0, -2.0, -9.0);
    build(kind, &b, lw_add_ground(b.mech, &def));

    lw_report *report = new_report();
    lw_model *m = NULL;
    CHECK_INT(lw_compile(b.mech, NULL, &m, report), LW_OK);
    for (int k = 0; k < lw_report_count(report) && !m; ++k) {
        printf("%s\n", lw_report_diagnostic(report, k).message);
    }
    lw_report_destroy(report);
    lw_mech_destroy(b.mech);
    return m;
}

// The first positions and quaternion of each joint with one, found by name: w of a quaternion is
// called ".qw".
void zoo_state(const lw_model *m, double *q, double *v, double *a)
{
    for (int k = 0; k < m->nq; ++k) {
        const bool is_slide = fabs(m->q_reference[k]) < 1e-300;
        q[k] = check_random(-0.8, 0.8) + (is_slide ? 0.0 : m->q_reference[k]);
        const char *dot = strrchr(m->position_name[k], '.');
        if (dot && strcmp(dot, ".qw") == 0) {
            q[k] = check_random(0.1, 1.0);
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        v[k] = check_random(-2.0, 2.0);
        a[k] = check_random(-2.0, 2.0);
    }
}
