#include "closed_zoo.h"
#include "objects.h"

#include "check.h"
#include "load_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const lw_vec3 X = {1.0, 0.0, 0.0}, Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

lw_link_def zoo_link_def(const char *name, double mass, lw_vec3 center)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = mass;
    def.inertial = lw_placement_xyz(center.x, center.y, center.z);
    def.inertia = (lw_sym3){0.03 * mass, 0.04 * mass, 0.05 * mass, 0.0, 0.002 * mass, 0.0};
    return def;
}

void zoo_link(lw_mech *mech, const char *name, double mass, lw_vec3 center)
{
    const lw_link_def def = zoo_link_def(name, mass, center);
    CHECK(lw_add_link(mech, &def).index >= 0);
}

void zoo_frame(lw_mech *mech, const char *link, const char *name, lw_placement at)
{
    CHECK(lw_add_frame(mech, lw_find_part(mech, link, LW_PART_LINK), name, &at, (lw_location){0})
              .index >= 0);
}

lw_joint_def zoo_joint_def(const char *name, lw_joint_type type, lw_vec3 axis)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = type;
    def.axis = axis;
    return def;
}

void zoo_join(lw_mech *mech, const char *one, const char *other)
{
    if (!CHECK(lw_connect_named(mech, one, other) == LW_OK)) {
        printf("%s\n", lw_mech_message(mech));
    }
}

void zoo_hang(lw_mech *mech, const lw_joint_def *def, const char *from, const char *link)
{
    char a[64], b[64], to[64];
    CHECK(lw_add_joint(mech, def).index >= 0);
    snprintf(a, sizeof a, "%s.a", def->name);
    snprintf(b, sizeof b, "%s.b", def->name);
    snprintf(to, sizeof to, "%s.a", link);
    zoo_join(mech, from, a);
    zoo_join(mech, b, to);
}

void zoo_rod(lw_mech *mech, const char *name, const char *one, const char *other, double length,
             double mass)
{
    char port[64];
    lw_rod_def def = lw_default_rod_def();
    def.name = name;
    def.length = length;
    def.mass = mass;
    CHECK(lw_add_rod(mech, &def).index >= 0);
    snprintf(port, sizeof port, "%s.a1", name);
    zoo_join(mech, one, port);
    snprintf(port, sizeof port, "%s.a2", name);
    zoo_join(mech, other, port);
}

lw_model *closed_model(lw_mech *mech)
{
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// A joint with something of everything, at this reference position.
static void hang(lw_mech *mech, const char *name, lw_joint_type type, lw_vec3 axis, lw_vec3 at,
                 const char *from, const char *link, double reference, bool dependent)
{
    lw_joint_def def = zoo_joint_def(name, type, axis);
    def.before = lw_placement_xyz(at.x, at.y, at.z);
    def.dependent = dependent;
    def.dof[0].reference = reference;
    def.dof[0].damping = 0.1;
    def.dof[0].rotor_inertia = 0.02;
    def.dof[0].stiffness = 0.5;
    zoo_hang(mech, &def, from, link);
}

void zoo_close(lw_mech *mech, const char *name, lw_joint_type type, lw_vec3 axis, const char *one,
               const char *other)
{
    char port[64];
    lw_joint_def def = zoo_joint_def(name, type, axis);
    def.closing = true;
    CHECK(lw_add_joint(mech, &def).index >= 0);
    snprintf(port, sizeof port, "%s.a", name);
    zoo_join(mech, one, port);
    snprintf(port, sizeof port, "%s.b", name);
    zoo_join(mech, other, port);
}

static lw_mech *machine(const char *name)
{
    lw_mech *mech = new_mech(name);
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0.5, -0.3, -9.81);
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    zoo_link(mech, "base", 3.0, lw_vec3_of(0.0, 0.0, 0.0));
    // Turned, so that nothing lies along the axes of the world.
    lw_joint_def carry = zoo_joint_def("carry", LW_JOINT_FIXED, Z);
    carry.before = lw_placement_rpy(lw_vec3_of(0.1, 0.2, 0.3), lw_vec3_of(0.4, -0.3, 0.2));
    zoo_hang(mech, &carry, "ground.b", "base");
    return mech;
}

// --- The palletiser of Höpler 2001 --------------------------------------------------------------

static void palletiser_part(lw_mech *mech, int part, double rod_mass, bool cut)
{
    const bool dependent = !cut;
    switch (part) {
    case 0:
        zoo_link(mech, "L12", 120.0, lw_vec3_of(0.05, 0.0, 0.4));
        zoo_link(mech, "L23", 60.0, lw_vec3_of(0.0, 0.0, 0.55));
        zoo_frame(mech, "L12", "R2at", lw_placement_xyz(0.3, 0.0, 0.8));
        zoo_frame(mech, "L12", "A", lw_placement_xyz(0.0, 0.0, 0.8));
        zoo_frame(mech, "L23", "R3at", lw_placement_xyz(0.0, 0.0, 1.2));
        break;
    case 1:
        zoo_link(mech, "L34", 45.0, lw_vec3_of(0.6, 0.0, 0.0));
        zoo_link(mech, "L45", 8.0, lw_vec3_of(0.08, 0.0, -0.08));
        zoo_frame(mech, "L34", "R4at", lw_placement_xyz(1.3, 0.0, 0.0));
        zoo_frame(mech, "L45", "R5at", lw_placement_xyz(0.15, 0.0, -0.2));
        zoo_frame(mech, "L45", "D", lw_placement_xyz(0.0, 0.0, 0.25));
        break;
    case 2:
        zoo_link(mech, "Payload", 60.0, lw_vec3_of(0.0, 0.0, -0.2));
        zoo_link(mech, "L6", 5.0, lw_vec3_of(-0.07, 0.0, 0.08));
        zoo_frame(mech, "L6", "B", lw_placement_xyz(-0.3, 0.0, 0.0));
        zoo_frame(mech, "L6", "C", lw_placement_xyz(0.0, 0.0, 0.25));
        break;
    case 3:
        hang(mech, "R1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "ground.b", "L12", 0.0, false);
        hang(mech, "R2", LW_JOINT_REVOLUTE, Y, lw_vec3_of(0, 0, 0), "L12.R2at", "L23", 0.0, false);
        hang(mech, "R3", LW_JOINT_REVOLUTE, Y, lw_vec3_of(0, 0, 0), "L23.R3at", "L34", 0.0, false);
        break;
    case 4:
        hang(mech, "R4", LW_JOINT_REVOLUTE, Y, lw_vec3_of(0, 0, 0), "L34.R4at", "L45", 0.0,
             dependent);
        hang(mech, "R5", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "L45.R5at", "Payload", 0.0,
             false);
        hang(mech, "R6", LW_JOINT_REVOLUTE, Y, lw_vec3_of(0, 0, 0), "L34.a2", "L6", 0.0, dependent);
        break;
    default:
        if (!cut && part == 5) {
            zoo_rod(mech, "LCD", "L6.C", "L45.D", 1.3, rod_mass);
        } else if (!cut) {
            zoo_rod(mech, "LAB", "L12.A", "L6.B", 1.2, rod_mass);
        }
        break;
    }
}

lw_mech *zoo_palletiser(int shuffle, double rod_mass, bool cut)
{
    // Links before joints before rods, since connections name parts; orders within differ.
    static const int order[6][7] = {{0, 1, 2, 3, 4, 5, 6}, {2, 1, 0, 3, 4, 6, 5},
                                    {1, 2, 0, 4, 3, 5, 6}, {0, 2, 1, 4, 3, 6, 5},
                                    {2, 0, 1, 3, 4, 5, 6}, {1, 0, 2, 4, 3, 5, 6}};
    lw_mech *mech = new_mech("palletiser");
    const lw_ground_def ground = lw_default_ground_def();
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    for (int k = 0; k < 7; ++k) {
        const int part = order[shuffle][k];
        if (k == 3) {
            zoo_frame(mech, "L34", "a2", lw_placement_identity());
        }
        palletiser_part(mech, part, rod_mass, cut);
    }
    return mech;
}

static lw_mech *palletiser(bool cut)
{
    return zoo_palletiser(0, 0.0, cut);
}

static lw_mech *heavy_palletiser(bool cut)
{
    return zoo_palletiser(0, 6.0, cut);
}

// --- Planar machines ----------------------------------------------------------------------------

// Crank 0.3, coupler 0.9, follower 0.7, ground 0.8. The two angles below close it nearly; the
// compiler closes it fully, in the assembly mode that they belong to.
static lw_mech *four_bar(bool cut, double coupler, double follower)
{
    lw_mech *mech = machine("four-bar");
    zoo_link(mech, "crank", 0.5, lw_vec3_of(0.1, 0.02, 0.03));
    zoo_link(mech, "coupler", 1.5, lw_vec3_of(0.4, 0.1, 0.0));
    zoo_link(mech, "follower", 1.0, lw_vec3_of(0.3, -0.05, 0.01));
    hang(mech, "j1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "base.b", "crank", 1.0, false);
    hang(mech, "j2", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.3, 0, 0), "crank.b", "coupler", coupler,
         !cut);
    hang(mech, "j3", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.8, 0, 0), "base.b", "follower", follower,
         !cut);
    zoo_frame(mech, "coupler", "tip", lw_placement_xyz(0.9, 0.0, 0.0));
    zoo_frame(mech, "follower", "tip", lw_placement_xyz(0.7, 0.0, 0.0));
    if (!cut) {
        zoo_close(mech, "j4", LW_JOINT_REVOLUTE, Z, "coupler.tip", "follower.tip");
    }
    return mech;
}

static lw_mech *four_bar_up(bool cut)
{
    return four_bar(cut, -0.45, 1.3);
}

static lw_mech *four_bar_down(bool cut)
{
    return four_bar(cut, -2.2, -1.7);
}

// The same four-bar with a rod for a coupler.
static lw_mech *rod_four_bar(bool cut)
{
    lw_mech *mech = machine("rod four-bar");
    zoo_link(mech, "crank", 0.5, lw_vec3_of(0.1, 0.02, 0.03));
    zoo_link(mech, "follower", 1.0, lw_vec3_of(0.3, -0.05, 0.01));
    hang(mech, "j1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "base.b", "crank", 1.0, false);
    hang(mech, "j3", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.8, 0, 0), "base.b", "follower", 1.3, !cut);
    zoo_frame(mech, "crank", "tip", lw_placement_xyz(0.3, 0.0, 0.0));
    zoo_frame(mech, "follower", "tip", lw_placement_xyz(0.7, 0.0, 0.0));
    if (!cut) {
        zoo_rod(mech, "coupler", "crank.tip", "follower.tip", 0.9, 2.0);
    }
    return mech;
}

static lw_mech *slider_crank(bool cut)
{
    lw_mech *mech = machine("slider-crank");
    zoo_link(mech, "crank", 0.8, lw_vec3_of(0.05, 0.0, 0.0));
    zoo_link(mech, "rod", 0.6, lw_vec3_of(0.25, 0.0, 0.02));
    zoo_link(mech, "piston", 1.2, lw_vec3_of(0.0, 0.01, 0.0));
    hang(mech, "j1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "base.b", "crank", 0.7, false);
    hang(mech, "j2", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.2, 0, 0), "crank.b", "rod", -1.0, !cut);
    hang(mech, "j3", LW_JOINT_PRISMATIC, X, lw_vec3_of(0, 0.05, 0), "base.b", "piston", 0.7, !cut);
    zoo_frame(mech, "rod", "tip", lw_placement_xyz(0.6, 0.0, 0.0));
    zoo_frame(mech, "piston", "pin", lw_placement_identity());
    if (!cut) {
        zoo_close(mech, "j4", LW_JOINT_REVOLUTE, Z, "rod.tip", "piston.pin");
    }
    return mech;
}

static lw_mech *five_bar(bool cut)
{
    lw_mech *mech = machine("five-bar");
    static const char *const link[] = {"left", "left2", "right", "right2"};
    for (int i = 0; i < 4; ++i) {
        zoo_link(mech, link[i], 0.7, lw_vec3_of(0.15, 0.03, 0.01));
    }
    hang(mech, "j1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "base.b", "left", 2.0, false);
    hang(mech, "j2", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.4, 0, 0), "left.b", "left2", -1.2, !cut);
    hang(mech, "j3", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.3, 0, 0), "base.b", "right", 1.1, false);
    hang(mech, "j4", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.4, 0, 0), "right.b", "right2", 1.2, !cut);
    zoo_frame(mech, "left2", "tip", lw_placement_xyz(0.5, 0.0, 0.0));
    zoo_frame(mech, "right2", "tip", lw_placement_xyz(0.5, 0.0, 0.0));
    if (!cut) {
        zoo_close(mech, "j5", LW_JOINT_REVOLUTE, Z, "left2.tip", "right2.tip");
    }
    return mech;
}

// Three equal cranks and a coupler: one closing joint more than the motion needs.
static lw_mech *three_cranks(bool cut)
{
    lw_mech *mech = machine("three cranks");
    static const char *const crank[] = {"c0", "c1", "c2"};
    static const char *const joint[] = {"j0", "j1", "j2"};
    zoo_link(mech, "coupler", 2.0, lw_vec3_of(0.3, 0.1, 0.0));
    for (int i = 0; i < 3; ++i) {
        zoo_link(mech, crank[i], 0.5, lw_vec3_of(0.1, 0.0, 0.0));
        zoo_frame(mech, crank[i], "tip", lw_placement_xyz(0.4, 0.0, 0.0));
        hang(mech, joint[i], LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.3 * i, 0.1 * (i % 2), 0), "base.b",
             crank[i], 0.8, i > 0 && !cut);
    }
    hang(mech, "pin", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "c0.tip", "coupler", -0.8, !cut);
    zoo_frame(mech, "coupler", "p1", lw_placement_xyz(0.3, 0.1, 0.0));
    zoo_frame(mech, "coupler", "p2", lw_placement_xyz(0.6, 0.0, 0.0));
    if (!cut) {
        zoo_close(mech, "k1", LW_JOINT_REVOLUTE, Z, "c1.tip", "coupler.p1");
        zoo_close(mech, "k2", LW_JOINT_REVOLUTE, Z, "c2.tip", "coupler.p2");
    }
    return mech;
}

// --- Gears --------------------------------------------------------------------------------------

static void gear(lw_mech *mech, const char *name, lw_gear_type type, const char *one,
                 const char *other, double size, double size2)
{
    lw_gear_def def = lw_default_gear_def();
    def.name = name;
    def.type = type;
    def.wheel[0] = one;
    def.wheel[1] = other;
    def.size[0] = size;
    def.size[1] = size2;
    CHECK(lw_add_gear(mech, &def) == LW_OK);
}

static lw_mech *planetary(bool cut)
{
    lw_mech *mech = machine("planetary");
    static const char *const link[] = {"sun", "carrier", "ring"};
    static const char *const joint[] = {"sun_j", "carrier_j", "ring_j"};
    for (int i = 0; i < 3; ++i) {
        zoo_link(mech, link[i], 0.4, lw_vec3_of(0.01, 0.02, 0.0));
        hang(mech, joint[i], LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "base.b", link[i], 0.0,
             i == 2 && !cut);
    }
    zoo_link(mech, "planet", 0.2, lw_vec3_of(0.004, 0.0, 0.0));
    hang(mech, "planet_j", LW_JOINT_REVOLUTE, lw_vec3_of(0, 0, -1), lw_vec3_of(0.03, 0, 0.01),
         "carrier.b", "planet", 0.0, !cut);
    if (!cut) {
        gear(mech, "sun_planet", LW_GEAR_SPUR, "sun", "planet", 20, 16);
        gear(mech, "planet_ring", LW_GEAR_INTERNAL, "planet", "ring", 16, 52);
    }
    return mech;
}

// A motor drives the crank of a four-bar through a pair of wheels and a shaft in between.
static lw_mech *geared_four_bar(bool cut)
{
    lw_mech *mech = four_bar_up(cut);
    zoo_link(mech, "motor", 0.3, lw_vec3_of(0.002, 0.0, 0.0));
    zoo_link(mech, "shaft", 0.3, lw_vec3_of(0.0, 0.003, 0.0));
    hang(mech, "motor_j", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.2, 0, 0), "base.b", "motor", 0.0,
         !cut);
    hang(mech, "shaft_j", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.1, 0, 0), "base.b", "shaft", 0.0,
         !cut);
    if (!cut) {
        gear(mech, "first", LW_GEAR_SPUR, "motor", "shaft", 12, 36);
        gear(mech, "second", LW_GEAR_BELT, "shaft", "crank", 15, 45);
    }
    return mech;
}

// --- Machines in space --------------------------------------------------------------------------

// A ball joint and a screw in a loop that a rod closes.
static lw_mech *spatial_rod(bool cut, double mass)
{
    lw_mech *mech = machine("spatial rod");
    static const char *const link[] = {"l1", "l2", "l3", "r1"};
    for (int i = 0; i < 4; ++i) {
        zoo_link(mech, link[i], 0.5 + 0.2 * i, lw_vec3_of(0.1, 0.05, -0.03 * i));
        zoo_frame(mech, link[i], "tip",
                  lw_placement_rpy(lw_vec3_of(0.3, 0.1 * i, 0.1), lw_vec3_of(0.3 * i, 0.2, -0.4)));
    }
    lw_joint_def screw = zoo_joint_def("screw", LW_JOINT_SCREW, lw_vec3_of(0.3, 0.2, 1.0));
    screw.pitch = 0.1;
    zoo_hang(mech, &screw, "base.b", "l1");
    hang(mech, "arm", LW_JOINT_REVOLUTE, lw_vec3_of(0.1, 1.0, 0.4), lw_vec3_of(0, 0, 0), "l1.tip",
         "l2", 0.2, !cut);
    const lw_joint_def ball = zoo_joint_def("ball", LW_JOINT_SPHERICAL, Z);
    zoo_hang(mech, &ball, "l2.tip", "l3");
    hang(mech, "other", LW_JOINT_REVOLUTE, lw_vec3_of(1.0, 0.2, 0.1), lw_vec3_of(0.6, 0.5, 0.2),
         "base.b", "r1", 0.1, false);
    if (!cut) {
        zoo_rod(mech, "rod", "l3.tip", "r1.tip", 0.0, mass);
    }
    return mech;
}

static lw_mech *light_spatial_rod(bool cut)
{
    return spatial_rod(cut, 0.0);
}

static lw_mech *heavy_spatial_rod(bool cut)
{
    return spatial_rod(cut, 0.8);
}

// A four-bar on a body that floats.
static lw_mech *floating_four_bar(bool cut)
{
    lw_mech *mech = new_mech("floating four-bar");
    const lw_ground_def ground = lw_default_ground_def();
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    zoo_link(mech, "body", 4.0, lw_vec3_of(0.1, 0.0, 0.1));
    zoo_link(mech, "crank", 0.5, lw_vec3_of(0.1, 0.02, 0.03));
    zoo_link(mech, "follower", 1.0, lw_vec3_of(0.3, -0.05, 0.01));
    const lw_joint_def root = zoo_joint_def("root", LW_JOINT_FREE, Z);
    zoo_hang(mech, &root, "ground.b", "body");
    hang(mech, "j1", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0, 0, 0), "body.b", "crank", 1.0, false);
    hang(mech, "j3", LW_JOINT_REVOLUTE, Z, lw_vec3_of(0.8, 0, 0), "body.b", "follower", 1.3, !cut);
    zoo_frame(mech, "crank", "tip", lw_placement_xyz(0.3, 0.0, 0.0));
    zoo_frame(mech, "follower", "tip", lw_placement_xyz(0.7, 0.0, 0.0));
    if (!cut) {
        zoo_rod(mech, "coupler", "crank.tip", "follower.tip", 0.9, 0.0);
    }
    return mech;
}

// Six sliders carry a platform that floats, by six rods: a block of six conditions for the six
// degrees of freedom of a free joint.
static lw_mech *hexapod(bool cut)
{
    static const char *const slider[] = {"s0", "s1", "s2", "s3", "s4", "s5"};
    static const char *const joint[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    static const char *const rod[] = {"r0", "r1", "r2", "r3", "r4", "r5"};
    static const char *const port[] = {"t0", "t1", "t2", "t3", "t4", "t5"};
    lw_mech *mech = machine("hexapod");
    zoo_link(mech, "platform", 3.0, lw_vec3_of(0.02, 0.01, 0.05));
    lw_joint_def root = zoo_joint_def("root", LW_JOINT_FREE, Z);
    root.before = lw_placement_xyz(0.0, 0.0, 0.8);
    root.dependent = !cut;
    zoo_hang(mech, &root, "base.b", "platform");
    for (int i = 0; i < 6; ++i) {
        const double low = 1.0471975511965976 * i + 0.25 * (i % 2 ? -1 : 1);
        const double high = 1.0471975511965976 * i + 0.35 * (i % 2 ? 1 : -1);
        zoo_link(mech, slider[i], 0.4, lw_vec3_of(0.0, 0.02, 0.0));
        hang(mech, joint[i], LW_JOINT_PRISMATIC, Z, lw_vec3_of(0.6 * cos(low), 0.6 * sin(low), 0.0),
             "base.b", slider[i], 0.0, false);
        zoo_frame(mech, "platform", port[i],
                  lw_placement_xyz(0.3 * cos(high), 0.3 * sin(high), 0.02 * i));
        if (!cut) {
            char one[16], other[24];
            snprintf(one, sizeof one, "%s.b", slider[i]);
            snprintf(other, sizeof other, "platform.%s", port[i]);
            zoo_rod(mech, rod[i], one, other, 0.0, 0.0);
        }
    }
    return mech;
}

const closed_machine closed_zoo[] = {
    {"palletiser", palletiser, 0.6, false, false},
    {"heavy palletiser", heavy_palletiser, 0.6, true, false},
    {"four-bar up", four_bar_up, 3.0, false, false},
    {"four-bar down", four_bar_down, 3.0, false, false},
    {"rod four-bar", rod_four_bar, 3.0, true, false},
    {"slider-crank", slider_crank, 3.0, false, false},
    {"five-bar", five_bar, 0.3, false, false},
    {"three cranks", three_cranks, 0.5, false, true},
    {"planetary", planetary, 3.0, false, false},
    {"geared four-bar", geared_four_bar, 3.0, false, false},
    {"spatial rod", light_spatial_rod, 0.1, false, false},
    {"heavy spatial rod", heavy_spatial_rod, 0.1, true, false},
    {"floating four-bar", floating_four_bar, 1.0, false, false},
    {"hexapod", hexapod, 0.1, false, true},
};
const int closed_zoo_count = (int)(sizeof closed_zoo / sizeof *closed_zoo);

const closed_machine *closed_zoo_find(const char *name)
{
    for (int i = 0; i < closed_zoo_count; ++i) {
        if (strcmp(closed_zoo[i].name, name) == 0) {
            return &closed_zoo[i];
        }
    }
    return NULL;
}

void closed_state(const lw_model *m, double reach, double *q, double *v, double *a)
{
    double step[64];
    for (int i = 0; i < m->nv; ++i) {
        step[i] = check_random(-reach, reach);
        v[i] = check_random(-1.0, 1.0);
        a[i] = check_random(-1.0, 1.0);
    }
    lw_integrate(m, m->q_reference, step, 1.0, q);
}
