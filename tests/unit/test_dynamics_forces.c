// Forces from outside and within joints; bases that move; frames that do not matter.
#include "arrays.h"
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "reference.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- D04: joint torque = J' w -----------------------------------------------------------------

// tau with a force at a frame, less tau without, against the frame's Jacobian.
static void force_at_frame(const lw_model *m, lw_data *d, law_state *s, int frame, lw_axes axes)
{
    const int n = s->nv;
    const lw_force w = {random3(2), random3(5)};
    const double wrench[6] = {w.ang.x, w.ang.y, w.ang.z, w.lin.x, w.lin.y, w.lin.z};
    double *J = calloc(6 * (size_t)n + 1, sizeof *J);
    memset(s->f_ext, 0, (size_t)m->nbody * sizeof *s->f_ext);
    CHECK_INT(lw_forward_position(m, d, s->q), LW_OK);
    CHECK_INT(lw_add_force_at_frame(m, d, frame, axes, &w, s->f_ext), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, s->f_ext, s->x), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, s->y), LW_OK);
    CHECK_INT(lw_frame_jacobian(m, d, s->q, frame, axes, NULL, J), LW_OK);
    for (int k = 0; k < n; ++k) {
        s->z[k] = s->y[k];
        for (int r = 0; r < 6; ++r) {
            s->z[k] -= J[r * n + k] * wrench[r];
        }
    }
    CHECK_CLOSE(s->x, s->z, n, 1e-12 * (1.0 + largest(s->y, n) + largest(s->z, n)));
    free(J);
}

static void visit_D04(const lw_model *m, lw_data *d)
{
    law_state s;
    if (law_make(m, d, &s)) {
        for (int k = 0; k < 4; ++k) {
            const int frame = (int)check_random(0, m->nframe_all);
            force_at_frame(m, d, &s, frame, k % 2 ? LW_IN_WORLD : LW_IN_FRAME);
        }
    }
    law_free(&s);
}

TEST(D04_D38_a_force_at_a_frame_gives_its_Jacobian_transposed)
{
    every_machine(visit_D04);
}

// The loads of a description act as the same forces given as external ones do.
TEST(D04_constant_loads_act_as_external_forces)
{
    lw_model *m = zoo_model(ZOO_LOADED);
    lw_data *d = m ? new_data(m) : NULL;
    law_state s = {0};
    if (d && law_make(m, d, &s)) {
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.is_ideal = true;
        options.gravity = lw_vec3_of(0, 0, 0);
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK(m->nload > 0);
        memset(s.v, 0, (size_t)m->nv * sizeof *s.v);
        memset(s.z, 0, (size_t)m->nv * sizeof *s.z);
        CHECK_INT(lw_bias_forces(m, d, s.q, s.v, s.x), LW_OK); // minus the loads' own forces
        double *J = calloc(6 * (size_t)m->nv, sizeof *J);
        for (int k = 0; k < m->nload; ++k) {
            // The Jacobian of the load's point, by the link's frame that is on the same body.
            const lw_load_info *load = &m->load[k];
            int frame = 0;
            while (m->frame[frame].body != load->body) {
                ++frame;
            }
            CHECK_INT(lw_forward_position(m, d, s.q), LW_OK);
            lw_pose X_WF;
            CHECK_INT(lw_frame_pose(m, d, frame, &X_WF), LW_OK);
            const lw_pose X_FB = lw_pose_inverse(&m->frame[frame].X_BF);
            const lw_pose X_FL = lw_pose_mul(&X_FB, &load->X_BF);
            const lw_pose X_WL = lw_pose_mul(&X_WF, &X_FL);
            const bool is_in_world = load->axes == LW_IN_WORLD;
            const lw_vec3 f = is_in_world ? load->force : lw_rotate(&X_WL.R, load->force);
            const lw_vec3 t = is_in_world ? load->torque : lw_rotate(&X_WL.R, load->torque);
            CHECK_INT(lw_frame_jacobian(m, d, s.q, frame, LW_IN_WORLD, &X_FL.p, J), LW_OK);
            const double w[6] = {t.x, t.y, t.z, f.x, f.y, f.z};
            for (int i = 0; i < 6 * m->nv; ++i) {
                s.z[i % m->nv] -= J[i] * w[i / m->nv];
            }
        }
        CHECK_CLOSE(s.x, s.z, m->nv, 1e-12 * (1.0 + largest(s.z, m->nv)));
        free(J);
    }
    law_free(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- R26: bases and frames --------------------------------------------------------------------

// A robot on a base that moves, told by options, against the same robot on a free base that is
// moved so.
static void on_moving_base(const lw_model *fixed, lw_data *d, const lw_model *floating, lw_data *e)
{
    law_state s, t;
    if (!law_make(fixed, d, &s) || !law_make(floating, e, &t) || floating->nv != fixed->nv + 6) {
        law_free(&s);
        law_free(&t);
        return;
    }
    const int n = fixed->nv;
    for (int k = 0; k < n; ++k) { // the base comes first
        t.v[6 + k] = s.v[k];
        t.a[6 + k] = s.a[k];
    }
    memcpy(&t.q[7], s.q, (size_t)fixed->nq * sizeof *s.q);
    const lw_quat quat = {t.q[3], t.q[4], t.q[5], t.q[6]};
    const lw_mat3 R_WB = lw_rotation_quat(quat);
    lw_dynamics_options options = lw_default_dynamics_options(fixed);
    options.gravity = lw_rotate_back(&R_WB, fixed->gravity);
    const lw_vec3 w = lw_vec3_of(t.v[0], t.v[1], t.v[2]), v = lw_vec3_of(t.v[3], t.v[4], t.v[5]);
    const lw_vec3 wd = lw_vec3_of(t.a[0], t.a[1], t.a[2]), a = lw_vec3_of(t.a[3], t.a[4], t.a[5]);
    options.base_velocity = (lw_motion){w, v};
    options.base_acceleration = (lw_motion){wd, lw_add3(a, lw_cross3(w, v))};
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);

    CHECK_INT(lw_inverse_dynamics(fixed, d, s.q, s.v, s.a, s.f_ext, s.x), LW_OK);
    memcpy(&t.f_ext[1], s.f_ext, (size_t)fixed->nbody * sizeof *s.f_ext);
    CHECK_INT(lw_inverse_dynamics(floating, e, t.q, t.v, t.a, t.f_ext, t.x), LW_OK);
    CHECK_CLOSE(&t.x[6], s.x, n, 1e-11 * (1.0 + largest(s.x, n)));
    if (lw_forward_dynamics(fixed, d, s.q, s.v, s.x, s.f_ext, s.y) == LW_OK) {
        CHECK_INT(lw_inverse_dynamics(fixed, d, s.q, s.v, s.y, s.f_ext, s.z), LW_OK);
        CHECK_CLOSE(s.z, s.x, n, 1e-10 * (1.0 + largest(s.x, n)));
    }
    // Energy counts what the base itself does not have: compare momentum instead, base left out.
    lw_force p, base;
    CHECK_INT(lw_momentum(fixed, d, s.q, s.v, &p), LW_OK);
    CHECK_INT(lw_momentum(floating, e, t.q, t.v, &base), LW_OK);
    const lw_inertia *I = &floating->inertia[0];
    const lw_vec3 own = lw_add3(lw_scale3(I->mass, v), lw_cross3(w, I->first_moment));
    const lw_vec3 whole = lw_rotate(&R_WB, lw_add3(p.lin, own));
    CHECK_NEAR(distance3(whole, base.lin), 0.0, 1e-11 * (1.0 + lw_norm3(base.lin)));
    law_free(&s);
    law_free(&t);
}

TEST(R26_a_base_in_motion_is_a_free_base_moved_so)
{
    char **names = shared_names("models/urdf", ".urdf");
    for (int k = 0; names && names[k]; ++k) {
        char path[512];
        snprintf(path, sizeof path, "models/urdf/%s", names[k]);
        check_case("%s", names[k]);
        lw_model *fixed = shared_model(path, false), *floating = shared_model(path, true);
        lw_data *d = fixed ? new_data(fixed) : NULL;
        lw_data *e = floating ? new_data(floating) : NULL;
        if (d && e) {
            on_moving_base(fixed, d, floating, e);
        }
        lw_data_destroy(d);
        lw_data_destroy(e);
        lw_model_destroy(fixed);
        lw_model_destroy(floating);
    }
    names_free(names);
}

// A machine, mounted anywhere, with weight turned against the mount: nothing changes.
static void mounted(const random_mech_options *options, unsigned long long seed)
{
    lw_mech *inside = random_mech(seed, options);
    lw_model *m = compile_checked(inside, NULL);
    lw_mech *outside = new_mech("mounted");
    lw_ground_def ground = lw_default_ground_def();
    const lw_part floor = lw_add_ground(outside, &ground);
    const lw_pose X = random_pose();
    const lw_placement placement = lw_placement_of_pose(&X);
    const lw_port wall = lw_add_frame(outside, floor, "wall", &placement, (lw_location){0});
    const lw_part part = lw_add_assembly(outside, "machine", inside, (lw_location){0});
    CHECK_INT(lw_connect(outside, wall, lw_port_of(outside, part, "a")), LW_OK);
    lw_model *n = compile_checked(outside, NULL);
    lw_data *d = m ? new_data(m) : NULL, *e = n ? new_data(n) : NULL;
    law_state s = {0};
    if (d && e && CHECK_INT(n->nv, m->nv) && law_make(m, d, &s)) {
        lw_dynamics_options turned = lw_default_dynamics_options(n);
        turned.gravity = lw_rotate(&X.R, m->gravity);
        CHECK_INT(lw_set_dynamics_options(e, &turned), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.x), LW_OK);
        CHECK_INT(lw_inverse_dynamics(n, e, s.q, s.v, s.a, s.f_ext, s.y), LW_OK);
        CHECK_CLOSE(s.y, s.x, s.nv, 1e-11 * (1.0 + largest(s.x, s.nv)));
        CHECK_INT(lw_mass_matrix(m, d, s.q, s.M), LW_OK);
        CHECK_INT(lw_mass_matrix(n, e, s.q, s.C), LW_OK);
        CHECK_CLOSE(s.C, s.M, s.nv * s.nv, 1e-11 * (1.0 + largest(s.M, s.nv * s.nv)));
    }
    law_free(&s);
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(m);
    lw_model_destroy(n);
    lw_mech_destroy(outside);
    lw_mech_destroy(inside);
}

TEST(D07_R26_K16_where_a_machine_is_mounted_does_not_matter)
{
    random_mech_options options = random_mech_default();
    options.types &= ~RANDOM_TYPE(LW_JOINT_FREE); // whose positions are those of the world
    for (unsigned long long seed = 1; seed <= 20; ++seed) {
        check_case("seed %llu", seed);
        mounted(&options, seed);
    }
}

// One robot in four descriptions, each with frames of its own.
TEST(R26_D38_frames_of_a_description_do_not_matter)
{
    static const char *const name[] = {"puma560.xml", "puma560_craig.xml", "puma560_transform.xml",
                                       "puma560_zero.xml"};
    double first[6] = {0}, q[6], v[6], a[6];
    for (int k = 0; k < 6; ++k) {
        q[k] = check_random(-2, 2);
        v[k] = check_random(-2, 2);
        a[k] = check_random(-2, 2);
    }
    for (int i = 0; i < 4; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name[i]);
        check_case("%s", name[i]);
        lw_model *m = compile_file(path, false);
        lw_data *d = m ? new_data(m) : NULL;
        double tau[6];
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.is_ideal = true; // only one of them tells friction and motors
        if (d && CHECK_INT(m->nv, 6)) {
            CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
            CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, i ? tau : first), LW_OK);
            CHECK(largest(first, 6) > 1.0);
            if (i) {
                CHECK_CLOSE(tau, first, 6, 1e-12 * largest(first, 6));
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// --- D50: merging -----------------------------------------------------------------------------

// A pendulum whose rod is one link, or two halves and ten frames without mass, fixed to each other.
static lw_model *pendulum(bool is_split)
{
    lw_mech *mech = new_mech("pendulum");
    lw_joint_def joint = lw_default_joint_def();
    joint.name = "hinge";
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = lw_vec3_of(0, 1, 0);
    joint.dof[0].damping = 0.25;
    joint.dof[0].friction = 0.5;
    joint.dof[0].rotor_inertia = 0.125;
    joint.dof[0].stiffness = 3.0;
    joint.dof[0].spring_rest = 0.2;
    lw_ground_def ground = lw_default_ground_def();
    lw_link_def link = lw_default_link_def();
    const lw_part g = lw_add_ground(mech, &ground), h = lw_add_joint(mech, &joint);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, g, "b"), lw_port_of(mech, h, "a")), LW_OK);
    lw_port end = lw_port_of(mech, h, "b");
    const double length = 2.0, mass = 1.5;
    const int pieces = is_split ? 2 : 1;
    for (int k = 0; k < pieces; ++k) {
        char name[16];
        snprintf(name, sizeof name, "rod%d", k);
        const double own = length / pieces, m = mass / pieces;
        link.name = name;
        link.mass = m;
        link.inertial = lw_placement_xyz(0, 0, -own / 2);
        link.inertia = (lw_sym3){m * own * own / 12, m * own * own / 12, 0, 0, 0, 0};
        link.b = lw_placement_xyz(0, 0, -own);
        const lw_part part = lw_add_link(mech, &link);
        CHECK_INT(lw_connect(mech, end, lw_port_of(mech, part, "a")), LW_OK);
        end = lw_port_of(mech, part, "b");
        if (k + 1 < pieces) {
            lw_joint_def weld = lw_default_joint_def();
            weld.name = "weld";
            weld.type = LW_JOINT_FIXED;
            const lw_part w = lw_add_joint(mech, &weld);
            CHECK_INT(lw_connect(mech, end, lw_port_of(mech, w, "a")), LW_OK);
            end = lw_port_of(mech, w, "b");
        }
        for (int i = 0; i < 10 && is_split; ++i) {
            snprintf(name, sizeof name, "f%d", i);
            const lw_placement at = lw_placement_xyz(0, 0, -0.1 * i);
            lw_add_frame(mech, part, name, &at, (lw_location){0});
        }
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

TEST(D49_D50_merged_parts_and_frames_change_nothing)
{
    lw_model *whole = pendulum(false), *split = pendulum(true);
    lw_data *d = whole ? new_data(whole) : NULL, *e = split ? new_data(split) : NULL;
    if (d && e && CHECK_INT(split->nbody, 1)) {
        for (int k = 0; k < 20; ++k) {
            const double q = check_random(-3, 3), v = check_random(-3, 3), a = check_random(-3, 3);
            double x, y;
            CHECK_INT(lw_inverse_dynamics(whole, d, &q, &v, &a, NULL, &x), LW_OK);
            CHECK_INT(lw_inverse_dynamics(split, e, &q, &v, &a, NULL, &y), LW_OK);
            CHECK_NEAR(x, y, 1e-14 * (1 + fabs(x)));
        }
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(whole);
    lw_model_destroy(split);
}

// --- Forces within joints ---------------------------------------------------------------------

// tau = (m l^2 / 3 + rotor) a + m g l/2 sin q + damping v + friction sign v + stiffness (q - rest),
// of a rod on a hinge; the sign is smoothed near rest.
TEST(D38_joint_forces_of_a_pendulum_in_closed_form)
{
    lw_model *m = pendulum(false);
    lw_data *d = m ? new_data(m) : NULL;
    if (!d) {
        return;
    }
    static const double velocity[] = {0.0, -0.0, 1.25, -2.5, 3e-4};
    for (int k = 0; k < 5; ++k) {
        const double q = 0.7 * k - 1, v = velocity[k], a = 0.5 * k;
        const double x = v / LW_FRICTION_SPEED;
        const double sign = x >= 1 ? 1 : x <= -1 ? -1 : x * (1.5 - 0.5 * x * x);
        const double rigid = 1.5 * 4 / 3 * a + 1.5 * 9.81 * sin(q);
        const double want = rigid + 0.125 * a + 0.25 * v + 0.5 * sign + 3.0 * (q - 0.2);
        double tau, back, M, energy;
        CHECK_INT(lw_set_dynamics_options(d, NULL), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
        CHECK_NEAR(tau, want, 1e-14 * (1 + fabs(want)));
        CHECK_INT(lw_forward_dynamics(m, d, &q, &v, &tau, NULL, &back), LW_OK);
        CHECK_NEAR(back, a, 1e-13);
        CHECK_INT(lw_mass_matrix(m, d, &q, &M), LW_OK);
        CHECK_NEAR(M, 2.0 + 0.125, 1e-15);
        CHECK_INT(lw_kinetic_energy(m, d, &q, &v, &energy), LW_OK);
        CHECK_NEAR(energy, 2.125 * v * v / 2, 1e-14 * (1 + v * v));
        CHECK_INT(lw_potential_energy(m, d, &q, &energy), LW_OK);
        CHECK_NEAR(energy, -1.5 * 9.81 * cos(q) + 1.5 * (q - 0.2) * (q - 0.2), 1e-13);
        CHECK_INT(lw_gravity_forces(m, d, &q, &tau), LW_OK);
        CHECK_NEAR(tau, 1.5 * 9.81 * sin(q), 1e-14 * 20);

        lw_dynamics_options ideal = lw_default_dynamics_options(m);
        ideal.is_ideal = true;
        CHECK_INT(lw_set_dynamics_options(d, &ideal), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
        CHECK_NEAR(tau, rigid, 1e-14 * (1 + fabs(rigid)));
        CHECK_INT(lw_mass_matrix(m, d, &q, &M), LW_OK);
        CHECK_NEAR(M, 2.0, 1e-15);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A ceiling mount and a wall mount turn weight as they turn the robot.
TEST(K16_gravity_may_point_anywhere)
{
    lw_model *m = pendulum(false);
    lw_data *d = m ? new_data(m) : NULL;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    const double q = 0.4;
    double tau;
    if (d) {
        options.gravity = lw_vec3_of(0, 0, 9.8062); // hung under a ceiling
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(lw_gravity_forces(m, d, &q, &tau), LW_OK);
        CHECK_NEAR(tau, -1.5 * 9.8062 * sin(q), 1e-13);
        options.gravity = lw_vec3_of(-9.8062, 0, 0); // on a wall
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(lw_gravity_forces(m, d, &q, &tau), LW_OK);
        CHECK_NEAR(tau, -1.5 * 9.8062 * cos(q), 1e-13);
        options.gravity = lw_vec3_of(0, 9.8062, 0); // along its axis
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(lw_gravity_forces(m, d, &q, &tau), LW_OK);
        CHECK_NEAR(tau, 0.0, 1e-14);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D04_D38_a_force_at_a_frame_gives_its_Jacobian_transposed);
    RUN(D04_constant_loads_act_as_external_forces);
    RUN(R26_a_base_in_motion_is_a_free_base_moved_so);
    RUN(D07_R26_K16_where_a_machine_is_mounted_does_not_matter);
    RUN(R26_D38_frames_of_a_description_do_not_matter);
    RUN(D49_D50_merged_parts_and_frames_change_nothing);
    RUN(D38_joint_forces_of_a_pendulum_in_closed_form);
    RUN(K16_gravity_may_point_anywhere);
    return REPORT();
}
