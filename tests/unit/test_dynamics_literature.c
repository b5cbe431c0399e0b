// Dynamics against numbers from the literature and from symbolic programs.
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void hang(lw_mech *mech, lw_port port, lw_part part)
{
    CHECK_INT(lw_connect(mech, port, lw_port_of(mech, part, "a")), LW_OK);
}

// --- PUMA 560, by Corke's toolbox as quoted in SymPyBotics --------------------------------------

// A link from its ten parameters: Lxx Lxy Lxz Lyy Lyz Lzz about the origin of its frame, first
// moment, mass.
static lw_link_def link_of(const double x[10], const char *name)
{
    lw_link_def link = lw_default_link_def();
    const double m = x[9];
    const lw_vec3 h = {x[6], x[7], x[8]};
    link.name = name;
    link.mass = m;
    link.inertia = (lw_sym3){x[0], x[3], x[5], x[1], x[2], x[4]};
    if (m > 0.0) {
        const lw_vec3 c = lw_scale3(1 / m, h);
        link.inertial = lw_placement_xyz(c.x, c.y, c.z);
        link.inertia.xx -= h.y * c.y + h.z * c.z;
        link.inertia.yy -= h.x * c.x + h.z * c.z;
        link.inertia.zz -= h.x * c.x + h.y * c.y;
        link.inertia.xy += h.x * c.y;
        link.inertia.xz += h.x * c.z;
        link.inertia.yz += h.y * c.z;
    }
    return link;
}

// Standard: Rz(q) Tz(d) Tx(a) Rx(alpha), so that all but the first lies behind the joint. Modified:
// Rx(alpha) Tx(a) before it.
static lw_model *puma(const json_t *test, const double *parameters)
{
    double row[18];
    CHECK_INT(reference_numbers(json_object_get(test, "dh_rows_alpha_a_d"), row, 18), 18);
    const bool is_standard =
        strcmp(json_string_value(json_object_get(test, "dh_convention")), "standard") == 0;
    lw_mech *mech = new_mech("puma");
    lw_ground_def ground = lw_default_ground_def();
    lw_port end = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (int i = 0; i < 6; ++i) {
        const double alpha = row[3 * i], a = row[3 * i + 1], d = row[3 * i + 2];
        char joint_name[8], link_name[8];
        snprintf(joint_name, sizeof joint_name, "j%d", i);
        snprintf(link_name, sizeof link_name, "l%d", i);
        const lw_vec3 none = {0, 0, 0};
        lw_joint_def joint = lw_default_joint_def();
        joint.name = joint_name;
        joint.type = LW_JOINT_REVOLUTE;
        if (is_standard) {
            joint.after = lw_placement_rpy(lw_vec3_of(a, 0, d), lw_vec3_of(alpha, 0, 0));
        } else {
            joint.before = lw_placement_rpy(lw_vec3_of(a, 0, 0), lw_vec3_of(alpha, 0, 0));
            joint.after = lw_placement_rpy(lw_vec3_of(0, 0, d), none);
        }
        const lw_part j = lw_add_joint(mech, &joint);
        const lw_link_def link = link_of(&parameters[10 * i], link_name);
        const lw_part l = lw_add_link(mech, &link);
        hang(mech, end, j);
        hang(mech, lw_port_of(mech, j, "b"), l);
        end = lw_port_of(mech, l, "b");
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// The file's numbers have 15 digits.
static void check_puma(const json_t *test, const char *parameters, const char *kind)
{
    double p[60], q[6], v[6], a[6], want[36], got[36], rest[6] = {0};
    char key[16];
    CHECK_INT(reference_numbers(json_object_get(test, parameters), p, 60), 60);
    CHECK_INT(reference_numbers(json_object_get(test, "q_test"), q, 6), 6);
    CHECK_INT(reference_numbers(json_object_get(test, "dq_test"), v, 6), 6);
    CHECK_INT(reference_numbers(json_object_get(test, "ddq_test"), a, 6), 6);
    lw_model *m = puma(test, p);
    lw_data *d = m ? new_data(m) : NULL;
    if (!d) {
        lw_model_destroy(m);
        return;
    }
    snprintf(key, sizeof key, "tau_%s", kind);
    CHECK_INT(reference_numbers(json_object_get(test, key), want, 6), 6);
    const double size = largest(want, 6);
    CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, got), LW_OK);
    CHECK_CLOSE(got, want, 6, 1e-12 * size);
    snprintf(key, sizeof key, "g_%s", kind);
    CHECK_INT(reference_numbers(json_object_get(test, key), want, 6), 6);
    CHECK_INT(lw_gravity_forces(m, d, q, got), LW_OK);
    CHECK_CLOSE(got, want, 6, 1e-12 * size);
    CHECK_INT(lw_bias_forces(m, d, q, rest, rest), LW_OK); // the same, by the full recursion
    CHECK_CLOSE(rest, want, 6, 1e-12 * size);
    snprintf(key, sizeof key, "c_%s", kind);
    CHECK_INT(reference_numbers(json_object_get(test, key), want, 6), 6);
    double C[36];
    CHECK_INT(lw_coriolis_matrix(m, d, q, v, C), LW_OK);
    times(C, v, 6, got);
    CHECK_CLOSE(got, want, 6, 1e-12 * size);
    snprintf(key, sizeof key, "M_%s", kind);
    CHECK_INT(reference_numbers(json_object_get(test, key), want, 36), 36);
    CHECK_INT(lw_mass_matrix(m, d, q, got), LW_OK);
    CHECK_CLOSE(got, want, 36, 1e-12 * largest(want, 36));
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D38_D40_K17_puma_560_as_Corke_computes_it)
{
    json_t *file = reference_read("puma560_sympybotics_corke.json");
    const char *name;
    json_t *test;
    int tests = 0;
    json_object_foreach(json_object_get(file, "cases"), name, test)
    {
        check_case("%s", name);
        check_puma(test, "dynparm_test", "pcorke");
        check_puma(test, "dynparm_test2", "assrt2");
        ++tests;
    }
    if (file) {
        CHECK_INT(tests, 2);
    }
    json_decref(file);
}

// --- RBDL's own tests, the last one by Featherstone's spatial_v1 --------------------------------

static lw_model *chain(const json_t *bodies)
{
    lw_mech *mech = new_mech("chain");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = lw_vec3_of(0, -9.81, 0);
    lw_port port[16];
    port[0] = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (size_t i = 0; i < json_array_size(bodies) && i < 15; ++i) {
        const json_t *body = json_array_get(bodies, i);
        double offset[3], com[3], inertia[3], mass;
        reference_numbers(json_object_get(body, "offset"), offset, 3);
        reference_numbers(json_object_get(body, "com"), com, 3);
        reference_numbers(json_object_get(body, "I_com"), inertia, 3);
        reference_numbers(json_object_get(body, "m"), &mass, 1);
        const char axis = json_string_value(json_object_get(body, "axis"))[0];
        const int parent = (int)json_integer_value(json_object_get(body, "parent"));
        char joint_name[24], link_name[24];
        snprintf(joint_name, sizeof joint_name, "j%zu", i);
        snprintf(link_name, sizeof link_name, "l%zu", i);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = joint_name;
        joint.type = LW_JOINT_REVOLUTE;
        joint.axis = lw_vec3_of(axis == 'x', axis == 'y', axis == 'z');
        joint.before = lw_placement_xyz(offset[0], offset[1], offset[2]);
        lw_link_def link = lw_default_link_def();
        link.name = link_name;
        link.mass = mass;
        link.inertial = lw_placement_xyz(com[0], com[1], com[2]);
        link.inertia = (lw_sym3){inertia[0], inertia[1], inertia[2], 0, 0, 0};
        const lw_part j = lw_add_joint(mech, &joint), l = lw_add_link(mech, &link);
        hang(mech, port[parent + 1], j);
        hang(mech, lw_port_of(mech, j, "b"), l);
        port[i + 1] = lw_port_of(mech, l, "b");
    }
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

TEST(D40_forward_dynamics_of_chains_and_trees_as_RBDL_tests_it)
{
    json_t *file = reference_read("rbdl_forward_dynamics.json");
    const json_t *cases = json_object_get(file, "cases");
    for (size_t i = 0; i < json_array_size(cases); ++i) {
        const json_t *test = json_array_get(cases, i);
        const char *name = json_string_value(json_object_get(test, "name"));
        check_case("%s", name);
        lw_model *m = chain(json_object_get(test, "bodies"));
        lw_data *d = m ? new_data(m) : NULL;
        double q[16] = {0}, zero[16] = {0}, a[16], by_name[16], want[16];
        if (d && CHECK(m->nv <= 16)) {
            const int n = reference_numbers(json_object_get(test, "qdd"), want, 16);
            CHECK_INT(n, m->nv);
            double raw[16] = {0};
            reference_numbers(json_object_get(test, "q"), raw, 16);
            for (int k = 0; k < n; ++k) {
                char joint[8];
                snprintf(joint, sizeof joint, "j%d", k);
                q[lw_find_position(m, joint)] = raw[k];
            }
            CHECK_INT(lw_forward_dynamics(m, d, q, zero, zero, NULL, a), LW_OK);
            for (int k = 0; k < n; ++k) {
                char joint[8];
                snprintf(joint, sizeof joint, "j%d", k);
                by_name[k] = a[lw_find_velocity(m, joint)];
            }
            CHECK_CLOSE(by_name, want, n, 1e-12);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// --- iiwa, by MotionGenesis (Kane's method) -----------------------------------------------------

TEST(D38_iiwa_as_MotionGenesis_computes_it)
{
    json_t *file = reference_read("drake_kuka_iiwa_motiongenesis.json");
    lw_model *m = file ? shared_model("models/urdf/drake_kuka_iiwa_mg.urdf", false) : NULL;
    lw_data *d = m ? new_data(m) : NULL;
    if (d && CHECK_INT(m->nv, 7)) {
        const json_t *tests = json_object_get(file, "tests");
        // The first: a pose, at angles of pi/3 and pi/6 in turn.
        const json_t *test = json_array_get(tests, 0);
        double q[7], v[7] = {0}, a[7], R[9], p[3], want[7], tau[7];
        for (int k = 0; k < 7; ++k) {
            q[k] = k % 2 ? PI / 6 : PI / 3;
        }
        reference_numbers(json_object_get(test, "R"), R, 9);
        reference_numbers(json_object_get(test, "p"), p, 3);
        lw_pose X;
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "iiwa_link_7"), &X), LW_OK);
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, lw_vec3_of(p[0], p[1], p[2]))), 0.0, 1e-14);
        for (int r = 0; r < 3; ++r) {
            const lw_vec3 row = lw_vec3_of(R[3 * r], R[3 * r + 1], R[3 * r + 2]);
            CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[r], row)), 0.0, 1e-14);
        }
        // The second: the last joint turns up, without weight.
        test = json_array_get(tests, 1);
        reference_numbers(json_object_get(test, "q"), q, 7);
        reference_numbers(json_object_get(test, "qdd"), a, 7);
        reference_numbers(json_object_get(test, "tau"), want, 7);
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.gravity = lw_vec3_of(0, 0, 0);
        options.is_ideal = true;
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        CHECK_CLOSE(tau, want, 7, 1e-12 * 1000);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    json_decref(file);
}

int main(void)
{
    RUN(D38_D40_K17_puma_560_as_Corke_computes_it);
    RUN(D40_forward_dynamics_of_chains_and_trees_as_RBDL_tests_it);
    RUN(D38_iiwa_as_MotionGenesis_computes_it);
    return REPORT();
}
