// Forces through joints: they balance every body, and every port and sensor reads them.
#include "arrays.h"
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Newton and Euler for each body, from the accelerations that kinematics gives: the reaction of its
// own joint, less those of its children, plus what acts from outside and weight, makes its motion.
static void balance(const lw_model *m, lw_data *d, law_state *s)
{
    lw_force *reaction = calloc((size_t)m->nbody + 1, sizeof *reaction);
    lw_force *sum = calloc((size_t)m->nbody + 1, sizeof *sum); // in world axes about the origin
    CHECK_INT(lw_reaction_forces(m, d, s->q, s->v, s->a, s->f_ext, reaction), LW_OK);
    CHECK_INT(lw_forward_acceleration(m, d, s->q, s->v, s->a), LW_OK);
    double most = 1.0;
    int frame = 0;
    for (int i = 0; i < m->nbody; ++i) {
        // Frame i of the bodies: any frame on it tells its pose and motion.
        for (frame = 0; frame < m->nframe_all && m->frame[frame].body != i; ++frame) {
        }
        if (frame == m->nframe_all) {
            continue; // between the parts of a joint that was split
        }
        lw_pose X_WF;
        lw_motion v, a;
        CHECK_INT(lw_frame_pose(m, d, frame, &X_WF), LW_OK);
        CHECK_INT(lw_frame_velocity(m, d, frame, LW_IN_WORLD, &v), LW_OK);
        CHECK_INT(lw_frame_acceleration(m, d, frame, LW_IN_WORLD, &a), LW_OK);
        const lw_pose X_FB = lw_pose_inverse(&m->frame[frame].X_BF);
        const lw_pose X_WB = lw_pose_mul(&X_WF, &X_FB);
        const lw_pose X_OB = {X_WB.R, lw_sub3(X_WB.p, X_WF.p)}; // world axes at the frame's origin
        const lw_inertia I = lw_inertia_move(&X_OB, &m->inertia[i]);
        const lw_vec3 h = I.first_moment, w = v.ang;
        const lw_vec3 up = lw_sub3(a.lin, m->gravity);
        // About the frame's origin: force m a + wd x h + w x (w x h), moment I wd + w x I w + h x
        // a.
        const lw_vec3 f = lw_add3(lw_scale3(I.mass, up),
                                  lw_add3(lw_cross3(a.ang, h), lw_cross3(w, lw_cross3(w, h))));
        const lw_vec3 n =
            lw_add3(lw_sym3_mul(&I.tensor, a.ang),
                    lw_add3(lw_cross3(w, lw_sym3_mul(&I.tensor, w)), lw_cross3(h, up)));
        const lw_vec3 at_origin = lw_add3(n, lw_cross3(X_WF.p, f));
        // What acts on the body, about the world's origin.
        const lw_vec3 r = lw_rotate(&X_WB.R, lw_add3(reaction[i].lin, s->f_ext[i].lin));
        const lw_vec3 t = lw_rotate(&X_WB.R, lw_add3(reaction[i].ang, s->f_ext[i].ang));
        sum[i].lin = lw_add3(sum[i].lin, lw_sub3(r, f));
        sum[i].ang = lw_add3(sum[i].ang, lw_sub3(lw_add3(t, lw_cross3(X_WB.p, r)), at_origin));
        most = fmax(most, fmax(lw_norm3(r), lw_norm3(at_origin)));
        const int p = m->parent[i];
        if (p >= 0) {
            const lw_vec3 back = lw_rotate(&X_WB.R, reaction[i].lin);
            const lw_vec3 turn =
                lw_add3(lw_rotate(&X_WB.R, reaction[i].ang), lw_cross3(X_WB.p, back));
            sum[p].lin = lw_sub3(sum[p].lin, back);
            sum[p].ang = lw_sub3(sum[p].ang, turn);
        }
    }
    for (int i = 0; i < m->nbody; ++i) {
        CHECK_NEAR(lw_norm3(sum[i].lin), 0.0, 1e-11 * most);
        CHECK_NEAR(lw_norm3(sum[i].ang), 0.0, 1e-11 * most);
    }
    free(reaction);
    free(sum);
}

static bool is_framed(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        bool has_frame = false;
        for (int k = 0; k < m->nframe_all; ++k) {
            has_frame = has_frame || m->frame[k].body == i;
        }
        if (!has_frame) {
            return false;
        }
    }
    return true;
}

static void visit_balance(const lw_model *m, lw_data *d)
{
    law_state s;
    // Loads and loops act on bodies too; joints that were split have bodies without a frame.
    if (law_make(m, d, &s) && m->nload == 0 && m->nstep == 0 && is_framed(m)) {
        balance(m, d, &s);
    }
    law_free(&s);
}

TEST(R01_reactions_balance_every_body)
{
    every_machine(visit_balance);
}

// The same force at port a, at port b and at a frame elsewhere; its share along the joint is tau.
static void at_ports(const lw_model *m, lw_data *d, law_state *s)
{
    lw_force *reaction = calloc((size_t)m->nbody + 1, sizeof *reaction);
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, s->f_ext, s->x), LW_OK);
    CHECK_INT(lw_reaction_forces(m, d, s->q, s->v, s->a, s->f_ext, reaction), LW_OK);
    CHECK_INT(lw_reaction_at_frame(m, d, reaction, 0, 0, LW_IN_WORLD, reaction), LW_ERR_STAGE);
    CHECK_INT(lw_forward_position(m, d, s->q), LW_OK);
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *info = &m->joints[j];
        lw_force f[3], same;
        lw_pose X[3];
        const int frame[3] = {info->frame_a, info->frame_b, m->nframe - 1};
        if (info->nbody == 0) {
            CHECK_INT(lw_forward_position(m, d, s->q), LW_OK);
            CHECK_INT(lw_reaction_at_frame(m, d, reaction, j, frame[0], LW_IN_WORLD, &f[0]),
                      LW_ERR_STAGE);
            CHECK_INT(lw_forward_acceleration(m, d, s->q, s->v, s->a), LW_OK);
        }
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(lw_reaction_at_frame(m, d, reaction, j, frame[k], LW_IN_WORLD, &f[k]), LW_OK);
            CHECK_INT(lw_frame_pose(m, d, frame[k], &X[k]), LW_OK);
            CHECK_INT(lw_reaction_at_frame(m, d, reaction, j, frame[k], LW_IN_FRAME, &same), LW_OK);
            const double scale = 1e-11 * (1.0 + lw_norm3(f[k].ang) + lw_norm3(f[k].lin));
            CHECK_NEAR(distance3(lw_rotate(&X[k].R, same.lin), f[k].lin), 0.0, scale);
            CHECK_NEAR(distance3(lw_rotate(&X[k].R, same.ang), f[k].ang), 0.0, scale);
        }
        for (int k = 1; k < 3; ++k) {
            const lw_vec3 arm = lw_sub3(X[0].p, X[k].p);
            const lw_vec3 moved = lw_sub3(f[0].ang, lw_cross3(lw_scale3(-1, arm), f[0].lin));
            const double scale = 1.0 + lw_norm3(f[0].ang) + lw_norm3(f[0].lin) * lw_norm3(arm);
            CHECK_NEAR(distance3(f[k].lin, f[0].lin), 0.0, 1e-11 * scale);
            CHECK_NEAR(distance3(f[k].ang, moved), 0.0, 1e-11 * scale);
        }
        if (info->type == LW_JOINT_REVOLUTE && m->nstep == 0) {
            const int body = info->body;
            CHECK_NEAR(reaction[body].ang.z, s->x[m->v_start[body]],
                       1e-12 * (1.0 + fabs(reaction[body].ang.z)));
        }
    }
    CHECK_INT(lw_set_dynamics_options(d, NULL), LW_OK);
    free(reaction);
}

static void visit_ports(const lw_model *m, lw_data *d)
{
    law_state s;
    if (law_make(m, d, &s) && m->nbody > 0) {
        at_ports(m, d, &s);
    }
    law_free(&s);
}

TEST(R01_reactions_at_every_port)
{
    every_machine(visit_ports);
}

// An arm with a sensor in its last link, or on its foot: a fixed joint, or, for comparison, a joint
// that turns but does not. Links, a load and one more joint hang behind each.
static lw_model *arm_with_sensors(lw_joint_type sensor)
{
    static const char *const name[] = {"foot", "shoulder", "sensor", "finger"};
    const lw_joint_type type[] = {sensor, LW_JOINT_REVOLUTE, sensor, LW_JOINT_PRISMATIC};
    lw_mech *mech = new_mech("arm");
    lw_ground_def ground = lw_default_ground_def();
    lw_port end = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (int k = 0; k < 4; ++k) {
        char link_name[24];
        lw_joint_def joint = lw_default_joint_def();
        joint.name = name[k];
        joint.type = type[k];
        joint.axis = lw_vec3_of(0.6 * k, 0.8, 0.3);
        joint.before =
            lw_placement_rpy(lw_vec3_of(0.1, 0.2 * k, 0.3), lw_vec3_of(0.4 * k, 0.5, -1));
        const lw_part j = lw_add_joint(mech, &joint);
        CHECK_INT(lw_connect(mech, end, lw_port_of(mech, j, "a")), LW_OK);
        end = lw_port_of(mech, j, "b");
        for (int i = 0; i < 2; ++i) { // the second hangs on the first and is merged with it
            snprintf(link_name, sizeof link_name, "%s%d", name[k], i);
            lw_link_def link = lw_default_link_def();
            link.name = link_name;
            link.mass = 1.0 + 0.5 * k + i;
            link.inertial = lw_placement_rpy(lw_vec3_of(0.1, 0.05 * i, 0.2), lw_vec3_of(1, 2, 3));
            link.inertia = (lw_sym3){0.05, 0.04, 0.03, 0.005, 0.002, 0.001};
            link.b = lw_placement_xyz(0, 0.1, 0.2);
            const lw_part l = lw_add_link(mech, &link);
            CHECK_INT(lw_connect(mech, end, lw_port_of(mech, l, "a")), LW_OK);
            end = lw_port_of(mech, l, "b");
        }
        if (k % 2 == 0) {
            char load_name[24];
            snprintf(load_name, sizeof load_name, "pull%d", k);
            lw_load_def load = lw_default_load_def();
            load.name = load_name;
            load.axes = k ? LW_IN_FRAME : LW_IN_WORLD;
            load.force = lw_vec3_of(1, -2, 3);
            load.torque = lw_vec3_of(0.5, 0.1, -0.7);
            const lw_part l = lw_add_load(mech, &load);
            CHECK_INT(lw_connect(mech, end, lw_port_of(mech, l, "a")), LW_OK);
        }
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// Forces through both sensors, at their ports, with a push at the tip.
static void read_sensors(lw_joint_type sensor, double x[3][2], lw_force out[4])
{
    lw_model *m = arm_with_sensors(sensor);
    lw_data *d = m ? new_data(m) : NULL;
    if (d) {
        double state[3][4] = {{0}};
        for (int i = 0; i < 3; ++i) {
            state[i][lw_find_velocity(m, "shoulder")] = x[i][0];
            state[i][lw_find_velocity(m, "finger")] = x[i][1];
        }
        lw_force f_ext[4] = {{{0, 0, 0}, {0, 0, 0}}}, reaction[4];
        const lw_force push = {{0.3, 0.2, 0.1}, {4, 5, 6}};
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.base_velocity = (lw_motion){{0.2, -0.4, 0.6}, {1, 2, 3}};
        options.base_acceleration = (lw_motion){{-0.3, 0.5, 0.1}, {0.7, -0.6, 0.5}};
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(
            lw_add_force_at_frame(m, d, lw_find_frame(m, "sensor1"), LW_IN_FRAME, &push, f_ext),
            LW_OK);
        CHECK_INT(lw_reaction_forces(m, d, state[0], state[1], state[2], f_ext, reaction), LW_OK);
        CHECK_INT(lw_forward_acceleration(m, d, state[0], state[1], state[2]), LW_OK);
        static const char *const name[] = {"foot", "sensor"};
        int found = 0;
        for (int j = 0; j < m->njoint; ++j) {
            for (int k = 0; k < 2; ++k) {
                if (strcmp(m->joints[j].name, name[k]) == 0) {
                    CHECK_INT(lw_reaction_at_frame(m, d, reaction, j, m->joints[j].frame_a,
                                                   LW_IN_FRAME, &out[2 * k]),
                              LW_OK);
                    CHECK_INT(lw_reaction_at_frame(m, d, reaction, j, m->joints[j].frame_b,
                                                   LW_IN_WORLD, &out[2 * k + 1]),
                              LW_OK);
                    ++found;
                }
            }
        }
        CHECK_INT(found, 2);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R01_a_fixed_joint_reads_what_a_joint_at_rest_reads)
{
    for (int k = 0; k < 5; ++k) {
        double x[3][2];
        for (int i = 0; i < 6; ++i) {
            x[i / 2][i % 2] = check_random(-2, 2);
        }
        lw_force fixed[4], at_rest[4];
        read_sensors(LW_JOINT_FIXED, x, fixed);
        read_sensors(LW_JOINT_REVOLUTE, x, at_rest);
        for (int i = 0; i < 4; ++i) {
            const double scale = 1e-12 * (1 + lw_norm3(at_rest[i].lin) + lw_norm3(at_rest[i].ang));
            CHECK(lw_norm3(at_rest[i].lin) > 1.0);
            CHECK_NEAR(distance3(fixed[i].lin, at_rest[i].lin), 0.0, scale);
            CHECK_NEAR(distance3(fixed[i].ang, at_rest[i].ang), 0.0, scale);
        }
    }
}

int main(void)
{
    RUN(R01_reactions_balance_every_body);
    RUN(R01_reactions_at_every_port);
    RUN(R01_a_fixed_joint_reads_what_a_joint_at_rest_reads);
    return REPORT();
}
