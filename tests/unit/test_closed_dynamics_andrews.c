// Andrews' squeezing mechanism against the Test Set for IVP Solvers: seven bodies in the plane,
// three loops that meet in one point, a spring. The test set's equations are
//
//   M q'' + G' lambda = f,   0 = g(q),
//
// where g are the differences of the places of that point as bodies 2 and 3, 2 and 4, 2 and 6 see
// it, so that lambda is the force on bodies 3, 4 and 6 there, along the axes of the world.
#include "check.h"
#include "closed_zoo.h"
#include "reference.h"

#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 7 };

static const char *const angle[N] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};

static double parameter(const json_t *file, const char *name)
{
    return json_number_value(json_object_get(json_object_get(file, "parameters"), name));
}

static void body(lw_mech *mech, const json_t *file, const char *link, const char *mass,
                 const char *inertia, double x, double y)
{
    lw_link_def def = lw_default_link_def();
    def.name = link;
    def.mass = parameter(file, mass);
    def.inertial = lw_place_xyz(x, y, 0.0);
    const double I = parameter(file, inertia);
    def.inertia = (lw_sym3){I, I, I, 0.0, 0.0, 0.0}; // in the plane only the last counts
    CHECK(lw_add_link(mech, &def).index >= 0);
}

static void turn(lw_mech *mech, const double *q0, int k, const char *from, const char *link,
                 double x, double y)
{
    lw_joint_def def = zoo_joint_def(angle[k], LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    def.before = lw_place_xyz(x, y, 0.0);
    def.freedom[0].reference = q0[k];
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

static lw_mech *squeezer(const json_t *file, const double *q0)
{
#define P(name) parameter(file, #name)
    lw_mech *mech = lw_mech_create("squeezer");
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
    zoo_frame(mech, "K2", "F", lw_place_xyz(-P(d), 0.0, 0.0));
    zoo_frame(mech, "K3", "F", lw_place_xyz(0.0, -P(ss), 0.0));
    zoo_frame(mech, "K3", "D", lw_place_xyz(P(sd), -P(sc), 0.0));
    zoo_frame(mech, "K4", "F", lw_place_xyz(0.0, -P(e), 0.0));
    zoo_frame(mech, "K6", "F", lw_place_xyz(P(zf), 0.0, 0.0));
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

// The spring between C and the point D of body 3.
static void spring(const lw_model *m, lw_data *d, const json_t *file, const double *q, lw_force *f)
{
    const int frame = lw_find_frame(m, "K3.D");
    lw_pose X;
    CHECK(lw_forward_position(m, d, q) == LW_OK);
    CHECK(lw_frame_pose(m, d, frame, &X) == LW_OK);
    const lw_vec3 along = lw_sub3(X.p, lw_vec3_of(P(xc), P(yc), 0.0));
    const double length = lw_norm3(along);
    const lw_force pull = {{0, 0, 0}, lw_scale3(-P(c0) * (length - P(l0)) / length, along)};
    memset(f, 0, (size_t)m->nbody * sizeof *f);
    CHECK(lw_add_force_at_frame(m, d, frame, LW_IN_WORLD, &pull, f) == LW_OK);
}

static int tree_index(const lw_model *m, const char *name)
{
    for (int i = 0; i < m->tree_nv; ++i) {
        if (strcmp(m->tree_velocity_name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

// All that the file tells of one state, from beta and its rate alone: each number to `tolerance` of
// the largest of its kind.
static void check_state_of(const lw_model *m, lw_data *d, const json_t *file, const double *q,
                           const double *v, const double *a, const double *lambda, double tolerance)
{
    const double turns = 6.283185307179586476925286766559;
    const double tau[1] = {P(mom)};
    double got[1], size[3] = {1.0, 1.0, 1.0};
    lw_force f[N], force[6];
    spring(m, d, file, q, f);
    CHECK(lw_forward_dynamics(m, d, q, v, tau, f, got) == LW_OK);
    CHECK(lw_loop_forces(m, d, q, v, got, f, force, NULL, NULL) == LW_OK);
    for (int k = 0; k < N; ++k) {
        size[0] = fmax(size[0], fabs(v[k]));
        size[1] = fmax(size[1], fabs(a[k]));
        size[2] = fmax(size[2], k < 6 ? fabs(lambda[k]) : 0.0);
    }
    for (int k = 0; k < N; ++k) {
        check_case("%s", angle[k]);
        const int i = tree_index(m, angle[k]);
        const double off = d->tree_q[i] - q[k];
        CHECK_NEAR(off - turns * nearbyint(off / turns), 0.0, tolerance);
        CHECK_NEAR(d->tree_v[i], v[k], tolerance * size[0]);
        CHECK_NEAR(d->tree_a[i], a[k], tolerance * size[1]);
    }
    CHECK(lw_forward_position(m, d, q) == LW_OK);
    static const char *const loop[] = {"F3", "F4", "F6"};
    for (int k = 0; k < m->nloop; ++k) {
        check_case("loop %s", m->loop[k].name);
        lw_pose X;
        CHECK(lw_frame_pose(m, d, m->loop[k].frame[1], &X) == LW_OK);
        const lw_vec3 push = lw_rotate(&X.R, force[2 * k + 1].lin);
        for (int j = 0; j < 3; ++j) {
            if (strcmp(m->loop[k].name, loop[j]) == 0) {
                CHECK_NEAR(push.x, lambda[2 * j], tolerance * size[2]);
                CHECK_NEAR(push.y, lambda[2 * j + 1], tolerance * size[2]);
            }
        }
        CHECK_NEAR(push.z, 0.0, 1e-9 * size[2]); // nothing pushes out of the plane
        CHECK_NEAR(lw_norm3(force[2 * k + 1].ang), 0.0, 1e-9 * size[2]);
    }
}

TEST(R17_andrews_squeezer_accelerations_and_multipliers)
{
    json_t *file = reference_read("andrews_squeezer.json");
    if (!file) {
        return;
    }
    double q0[N], v0[N], a0[N], lambda0[6], y[27];
    reference_numbers(json_object_get(file, "q0"), q0, N);
    reference_numbers(json_object_get(file, "qd0"), v0, N);
    reference_numbers(json_object_get(file, "qdd0"), a0, N);
    reference_numbers(json_object_get(file, "lambda0"), lambda0, 6);
    CHECK_INT(reference_numbers(json_object_get(file, "y_ref"), y, 27), 27);
    lw_mech *mech = squeezer(file, q0);
    lw_model *m = zoo_compile(mech);
    lw_mech_destroy(mech);
    if (CHECK(m != NULL) && CHECK_INT(m->nv, 1)) {
        lw_data *d = lw_data_create(m);
        // The initial values are given to 17 digits, and close the loops to 1e-13; accelerations
        // of 1e4 and a spring of 4530 N/m leave 1e-9 of that.
        check_state_of(m, d, file, q0, v0, a0, lambda0, 1e-9);
        // At the end of the test the file is as good as its integrator: 1e-9 in q at best, and 1e-6
        // of the largest acceleration and multiplier.
        check_state_of(m, d, file, y, y + 7, y + 14, y + 21, 2e-6);
        lw_data_destroy(d);
    }
    lw_model_destroy(m);
    json_decref(file);
}

int main(void)
{
    RUN(R17_andrews_squeezer_accelerations_and_multipliers);
    return REPORT();
}
