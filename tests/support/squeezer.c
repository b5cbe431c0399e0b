#include "squeezer.h"
#include "objects.h"

#include "check.h"
#include "closed_zoo.h"

#include <stdio.h>
#include <string.h>

const char *const squeezer_angle[SQUEEZER_N] = {"beta",  "Theta", "gamma",  "Phi",
                                                "delta", "Omega", "epsilon"};

double squeezer_parameter(const json_t *file, const char *name)
{
    return json_number_value(json_object_get(json_object_get(file, "parameters"), name));
}

static void body(lw_mech *mech, const json_t *file, const char *link, const char *mass,
                 const char *inertia, double x, double y)
{
    lw_link_def def = lw_default_link_def();
    def.name = link;
    def.mass = squeezer_parameter(file, mass);
    def.inertial = lw_placement_xyz(x, y, 0.0);
    const double I = squeezer_parameter(file, inertia);
    def.inertia = (lw_sym3){I, I, I, 0.0, 0.0, 0.0}; // in the plane only the last counts
    CHECK(lw_add_link(mech, &def).index >= 0);
}

static void turn(lw_mech *mech, const double *q0, int k, const char *from, const char *link,
                 double x, double y)
{
    lw_joint_def def =
        zoo_joint_def(squeezer_angle[k], LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    def.before = lw_placement_xyz(x, y, 0.0);
    def.dof[0].reference = q0[k];
    def.dependent = k > 0;
    zoo_hang(mech, &def, from, link);
}

static void meet(lw_mech *mech, const char *name, const char *other)
{
    char port[32];
    lw_joint_def def = zoo_joint_def(name, LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    def.closing = true;
    CHECK(lw_add_joint(mech, &def).index >= 0);
    snprintf(port, sizeof port, "%s.a", name);
    zoo_join(mech, "K2.F", port);
    snprintf(port, sizeof port, "%s.b", name);
    zoo_join(mech, other, port);
}

#define P(name) squeezer_parameter(file, #name)

lw_mech *squeezer(const json_t *file, const double *q0)
{
    lw_mech *mech = new_mech("squeezer");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0.0, 0.0, 0.0);
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    body(mech, file, "K1", "m1", "i1", P(ra), 0.0);
    body(mech, file, "K2", "m2", "i2", -P(da), 0.0);
    body(mech, file, "K3", "m3", "i3", P(sa), P(sb));
    body(mech, file, "K4", "m4", "i4", 0.0, -(P(e) - P(ea)));
    body(mech, file, "K5", "m5", "i5", P(ta), P(tb));
    body(mech, file, "K6", "m6", "i6", P(zf) - P(fa), 0.0);
    body(mech, file, "K7", "m7", "i7", P(ua), P(ub));
    zoo_frame(mech, "K2", "F", lw_placement_xyz(-P(d), 0.0, 0.0));
    zoo_frame(mech, "K3", "F", lw_placement_xyz(0.0, -P(ss), 0.0));
    zoo_frame(mech, "K3", "D", lw_placement_xyz(P(sd), -P(sc), 0.0));
    zoo_frame(mech, "K4", "F", lw_placement_xyz(0.0, -P(e), 0.0));
    zoo_frame(mech, "K6", "F", lw_placement_xyz(P(zf), 0.0, 0.0));
    turn(mech, q0, 0, "ground.b", "K1", 0.0, 0.0);
    turn(mech, q0, 1, "K1.b", "K2", P(rr), 0.0);
    turn(mech, q0, 2, "ground.b", "K3", P(xb), P(yb));
    turn(mech, q0, 4, "ground.b", "K5", P(xa), P(ya));
    turn(mech, q0, 3, "K5.b", "K4", P(zt), 0.0);
    turn(mech, q0, 6, "ground.b", "K7", P(xa), P(ya));
    turn(mech, q0, 5, "K7.b", "K6", 0.0, -P(u));
    meet(mech, "F3", "K3.F");
    meet(mech, "F4", "K4.F");
    meet(mech, "F6", "K6.F");
    return mech;
}

lw_status squeezer_spring(const lw_model *m, lw_data *d, const json_t *file, const double *q,
                          lw_force *f)
{
    const int frame = lw_find_frame(m, "K3.D");
    lw_pose X;
    lw_status status = lw_forward_position(m, d, q);
    if (status != LW_OK) {
        return status;
    }
    CHECK(lw_frame_pose(m, d, frame, &X) == LW_OK);
    const lw_vec3 along = lw_sub3(X.p, lw_vec3_of(P(xc), P(yc), 0.0));
    const double length = lw_norm3(along);
    const lw_force pull = {{0, 0, 0}, lw_scale3(-P(c0) * (length - P(l0)) / length, along)};
    return lw_add_force_at_frame(m, d, frame, LW_IN_WORLD, &pull, f);
}
