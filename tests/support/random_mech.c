#include "random_mech.h"
#include "objects.h"

#include "arrays.h"
#include "check.h"
#include "load_text.h"

#include <stdio.h>

random_mech_options random_mech_default(void)
{
    return (random_mech_options){
        .njoint = 8, .types = RANDOM_ALL_TYPES, .chain = 0.5, .coupled = 0.2, .has_mass = true};
}

static int pick(int n)
{
    return (int)check_random(0, n);
}

static bool happens(double share)
{
    return check_random(0, 1) < share;
}

lw_vec3 random_unit(void)
{
    lw_vec3 a = random3(1);
    while (lw_norm3(a) < 0.1 || lw_norm3(a) > 1) {
        a = random3(1);
    }
    return lw_unit3(a);
}

lw_mat3 random_rotation(void)
{
    const lw_vec3 axis = random_unit();
    return lw_rotation(axis, check_random(-3.2, 3.2));
}

lw_pose random_pose(void)
{
    lw_pose X;
    X.R = random_rotation();
    X.p = random3(0.5);
    return X;
}

lw_placement random_placement(void)
{
    const lw_vec3 p = random3(0.5), r = random3(3);
    lw_pose X;
    switch (pick(6)) {
    case 0:
        return lw_placement_identity();
    case 1:
        return lw_placement_xyz(p.x, p.y, p.z);
    case 2:
        return lw_placement_rpy(p, r);
    case 3:
        return lw_placement_quat(p, (lw_quat){check_random(-2, 2), r.x, r.y, r.z});
    case 4:
        X = random_pose();
        return lw_placement_of_pose(&X);
    default:
        return lw_placement_dh(r.x, p.x, r.y, p.y);
    }
}

// Along a coordinate axis, either way, or anywhere; of any length.
static lw_vec3 random_axis(void)
{
    static const lw_vec3 plain[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                    {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    const lw_vec3 axis = happens(0.5) ? plain[pick(6)] : random_unit();
    return lw_scale3(happens(0.5) ? 1.0 : check_random(0.1, 20), axis);
}

static void user_pose(const void *context, const double *q, lw_pose *X)
{
    (void)context;
    const lw_mat3 Z = lw_rotation(lw_vec3_of(0, 0, 1), q[0]);
    const lw_mat3 Y = lw_rotation(lw_vec3_of(0, 1, 0), q[1]);
    X->R = lw_mul3(&Z, &Y);
    X->p = lw_vec3_of(0, 0, 0);
}

// The first axis, seen from the moving frame, turns away as the second degree of freedom moves.
static void user_motion(const void *context, const double *q, lw_motion *S)
{
    (void)context;
    const lw_vec3 zero = {0, 0, 0};
    S[0] = (lw_motion){{-sin(q[1]), 0, cos(q[1])}, zero};
    S[1] = (lw_motion){{0, 1, 0}, zero};
}

static void user_bias(const void *context, const double *q, const double *v, lw_motion *rate)
{
    (void)context;
    const double both = v[0] * v[1];
    *rate = (lw_motion){{-cos(q[1]) * both, 0, -sin(q[1]) * both}, {0, 0, 0}};
}

lw_user_joint random_mech_user_joint(void)
{
    return (lw_user_joint){
        .nv = 2, .pose = user_pose, .motion = user_motion, .bias = user_bias, .context = NULL};
}

static lw_joint_def random_joint(const random_mech_options *options, const char *name)
{
    lw_joint_def def = lw_default_joint_def();
    do {
        def.type = (lw_joint_type)pick(LW_JOINT_USER + 1);
    } while (def.type == LW_JOINT_FIXED || !(options->types & RANDOM_TYPE(def.type)));
    def.name = name;
    def.axis = random_axis();
    do {
        def.axis2 = random_axis();
    } while (lw_norm3(lw_cross3(lw_unit3(def.axis), lw_unit3(def.axis2))) < 0.2);
    def.pitch = check_random(-2, 2);
    def.before = random_placement();
    def.after = random_placement();
    def.user = random_mech_user_joint();
    for (int i = 0; i < LW_MAX_DOF; ++i) {
        def.dof[i].reference = check_random(-1, 1);
        if (options->has_joint_forces) {
            def.dof[i].damping = check_random(0, 1);
            def.dof[i].friction = check_random(0, 1);
            def.dof[i].rotor_inertia = check_random(0, 0.1);
            def.dof[i].stiffness = check_random(0, 5);
            def.dof[i].spring_rest = check_random(-1, 1);
        }
    }
    return def;
}

// The tensor of a box, along axes that the placement turns.
static lw_link_def random_link(const random_mech_options *options, const char *name)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.b = random_placement();
    def.inertial = random_placement();
    if (options->has_mass) {
        const double x = check_random(0.05, 0.5), y = check_random(0.05, 0.5);
        const double z = check_random(0.05, 0.5);
        def.mass = check_random(0.1, 5);
        def.inertia.xx = def.mass / 12 * (y * y + z * z);
        def.inertia.yy = def.mass / 12 * (x * x + z * z);
        def.inertia.zz = def.mass / 12 * (x * x + y * y);
    }
    return def;
}

static lw_port any_port(const lw_mech *mech, lw_part part)
{
    const lw_port frame = lw_port_of(mech, part, "frame");
    return frame.index >= 0 && happens(0.4) ? frame : lw_port_of(mech, part, "b");
}

static void add_fixed(lw_mech *mech, const random_mech_options *options, int k, lw_port *port)
{
    char name[32];
    snprintf(name, sizeof name, "weld%d", k);
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.before = random_placement();
    const lw_part joint = lw_add_joint(mech, &def);
    snprintf(name, sizeof name, "plate%d", k);
    const lw_link_def plate = random_link(options, name);
    const lw_part link = lw_add_link(mech, &plate);
    CHECK_INT(lw_connect(mech, *port, lw_port_of(mech, joint, "a")), LW_OK);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, joint, "b"), lw_port_of(mech, link, "a")), LW_OK);
    *port = lw_port_of(mech, link, "b");
}

// The name of a scalar degree of freedom of joint k; false where it has none.
static bool dof_name(lw_joint_type type, int k, char *name, size_t size)
{
    static const char *const suffix[][3] = {
        [LW_JOINT_REVOLUTE] = {""},
        [LW_JOINT_PRISMATIC] = {""},
        [LW_JOINT_SCREW] = {""},
        [LW_JOINT_CYLINDRICAL] = {".angle", ".travel"},
        [LW_JOINT_UNIVERSAL] = {".first", ".second"},
        [LW_JOINT_PLANAR] = {".x", ".y", ".angle"},
        [LW_JOINT_USER] = {".1", ".2"},
    };
    if (type == LW_JOINT_SPHERICAL || type == LW_JOINT_FREE) {
        return false;
    }
    const int nv = type == LW_JOINT_USER ? 2 : lw_joint_type_nv(type);
    snprintf(name, size, "joint%d%s", k, suffix[type][pick(nv)]);
    return true;
}

// Each joint follows at most one other, of a lower rank, so that no ring closes; ranks have nothing
// to do with the order in the tree.
static void add_couplings(lw_mech *mech, const random_mech_options *options,
                          const lw_joint_type *type)
{
    const int step = 1 + 2 * pick(20);
    for (int k = 0; k < options->njoint; ++k) {
        const int other = pick(options->njoint);
        char target[32], source[32];
        const bool is_higher = (k * step) % 41 > (other * step) % 41;
        if (!happens(options->coupled) || !is_higher ||
            !dof_name(type[k], k, target, sizeof target) ||
            !dof_name(type[other], other, source, sizeof source)) {
            continue;
        }
        const double c[] = {check_random(-0.3, 0.3), check_random(-1, 1), check_random(-0.2, 0.2),
                            check_random(-0.1, 0.1)};
        lw_coupling_def def = lw_default_coupling_def();
        def.dependent = target;
        def.source = source;
        def.ncoefficient = 1 + pick(4);
        def.coefficient = c;
        CHECK_INT(lw_add_coupling(mech, &def), LW_OK);
    }
}

static void add_loads(lw_mech *mech, const random_mech_options *options)
{
    for (int k = 0; k < options->nload; ++k) {
        char name[32], link[32];
        snprintf(name, sizeof name, "load%d", k);
        snprintf(link, sizeof link, "link%d", pick(options->njoint));
        lw_load_def def = lw_default_load_def();
        def.name = name;
        def.axes = happens(0.5) ? LW_IN_WORLD : LW_IN_FRAME;
        def.force = random3(10);
        def.torque = random3(3);
        const lw_part load = lw_add_load(mech, &def);
        const lw_part part = lw_find_part(mech, link, LW_PART_LINK);
        CHECK_INT(lw_connect(mech, any_port(mech, part), lw_port_of(mech, load, "a")), LW_OK);
    }
}

lw_mech *random_mech(unsigned long long seed, const random_mech_options *options)
{
    enum { MOST = 40 }; // joints; ranks of couplings are taken modulo the next prime
    check_seed(seed);
    lw_mech *mech = new_mech("random");
    if (!mech || !CHECK(options->njoint <= MOST)) {
        return mech;
    }
    lw_ground_def ground_def = lw_default_ground_def();
    ground_def.gravity = random3(10);
    lw_part carrier[MOST + 1];
    lw_joint_type type[MOST];
    carrier[0] = lw_add_ground(mech, &ground_def);
    for (int k = 0; k < options->njoint; ++k) {
        char name[32];
        snprintf(name, sizeof name, "joint%d", k);
        const lw_joint_def joint_def = random_joint(options, name);
        const lw_part joint = lw_add_joint(mech, &joint_def);
        type[k] = joint_def.type;
        lw_port port = any_port(mech, carrier[happens(options->chain) ? k : pick(k + 1)]);
        if (happens(0.2)) {
            add_fixed(mech, options, k, &port);
        }
        CHECK_INT(lw_connect(mech, port, lw_port_of(mech, joint, "a")), LW_OK);

        snprintf(name, sizeof name, "link%d", k);
        const lw_link_def link_def = random_link(options, name);
        carrier[k + 1] = lw_add_link(mech, &link_def);
        CHECK_INT(
            lw_connect(mech, lw_port_of(mech, carrier[k + 1], "a"), lw_port_of(mech, joint, "b")),
            LW_OK);
        if (happens(0.5)) {
            const lw_placement placement = random_placement();
            lw_add_frame(mech, carrier[k + 1], "frame", &placement, (lw_location){0});
        }
    }
    add_couplings(mech, options, type);
    add_loads(mech, options);
    return mech;
}

lw_model *random_model(unsigned long long seed, const random_mech_options *options)
{
    lw_mech *mech = random_mech(seed, options);
    lw_model *model = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return model;
}

void random_state(const lw_model *m, double *q, double *v, double *a)
{
    for (int i = 0; i < m->nq && q; ++i) {
        q[i] = check_random(-1.5, 1.5);
    }
    for (int b = 0; b < m->nbody && q; ++b) {
        const bool is_free = m->carrier[b] == LW_TREE_FREE;
        if (!is_free && m->carrier[b] != LW_TREE_SPHERICAL) {
            continue;
        }
        const lw_mat3 R = random_rotation();
        const lw_quat quat = lw_quat_of(&R);
        const double w[] = {quat.w, quat.x, quat.y, quat.z};
        for (int i = 0; i < m->nq; ++i) {
            const int k = m->q_tree[i] - m->q_start[b] - (is_free ? 3 : 0);
            if (k >= 0 && k < 4) {
                q[i] = w[k];
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        if (v) {
            v[i] = check_random(-2, 2);
        }
        if (a) {
            a[i] = check_random(-3, 3);
        }
    }
}
