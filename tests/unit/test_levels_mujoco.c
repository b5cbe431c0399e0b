// The wrist at the low level against MuJoCo: the same sixteen bodies, written out as single ones,
// and the elastic shafts of its motors as springs of MuJoCo's.
//
// Once without constraints: MuJoCo gives the torque at every joint of the tree, and the ratios,
// worked out by hand from the teeth, carry these to the three main joints. Once with the ratios as
// equality constraints of MuJoCo, which are soft by design, and how soft is taken into account.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#ifdef LINKWORK_HAS_MUJOCO
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Turns of each joint of the transmission for one of R2, B and R1. Spur wheels turn against each
// other; seen from the tube a shaft has lost R2, and seen from the bend the cross shaft has lost B.
static const struct {
    const char *joint;
    double ratio[3];
} trains[] = {{"pinion_R2", {60, 0, 0}},     {"idler_R2", {-15, 0, 0}},
              {"pinion_B", {20, -62.5, 0}},  {"idler_B", {-5, 15.625, 0}},
              {"shaft_B", {1, -3.125, 0}},   {"cross_B", {0, -2.5, 0}},
              {"pinion_R1", {20, -40, -50}}, {"idler_R1", {-5, 10, 12.5}},
              {"shaft_R1", {1, -2, -2.5}},   {"cross_R1", {0, 1, 1.25}}};

// Torsions between a motor and its pinion, as the file has them.
static const struct {
    const char *motor, *pinion;
    double stiffness, damping;
} shafts[] = {{"motor_R2", "pinion_R2", 40, 0.014},
              {"motor_B", "pinion_B", 35, 0.012},
              {"motor_R1", "pinion_R1", 25, 0.0085}};

// Coordinates: the main joints, and the motors, which nothing ties.
enum { NTRAIN = sizeof trains / sizeof *trains, NMAIN = 3, NMOTOR = 3, NV = NMAIN + NMOTOR };
static const char *const main_joint[NV] = {"R2", "B", "R1", "motor_R2", "motor_B", "motor_R1"};

static void write_body(FILE *file, const lw_model *m, int i)
{
    const lw_pose *X = &m->X_PJ[i];
    const lw_quat q = lw_quat_of(&X->R);
    const lw_inertia *in = &m->inertia[i];
    const lw_vec3 c = lw_scale3(1.0 / in->mass, in->first_moment);
    const double s = in->mass;
    fprintf(file,
            "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>"
            "<joint name='%s' type='hinge' axis='0 0 1'/>"
            "<inertial pos='%.17g %.17g %.17g' mass='%.17g' "
            "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n",
            X->p.x, X->p.y, X->p.z, q.w, q.x, q.y, q.z, m->tree_velocity_name[i], c.x, c.y, c.z, s,
            in->tensor.xx - s * (c.y * c.y + c.z * c.z),
            in->tensor.yy - s * (c.x * c.x + c.z * c.z),
            in->tensor.zz - s * (c.x * c.x + c.y * c.y), in->tensor.xy + s * c.x * c.y,
            in->tensor.xz + s * c.x * c.z, in->tensor.yz + s * c.y * c.z);
}

// One tendon for each shaft, with a spring and a damper, and one for each train: its joint less its
// share of the main ones stays zero.
static void write_tendons(FILE *file, bool has_trains)
{
    fprintf(file, "<tendon>\n");
    for (int i = 0; i < NMOTOR; ++i) {
        fprintf(file,
                "<fixed name='s_%s' stiffness='%.17g' damping='%.17g' springlength='0'>"
                "<joint joint='%s' coef='1'/><joint joint='%s' coef='-1'/></fixed>\n",
                shafts[i].motor, shafts[i].stiffness, shafts[i].damping, shafts[i].motor,
                shafts[i].pinion);
    }
    for (int t = 0; t < NTRAIN && has_trains; ++t) {
        fprintf(file, "<fixed name='t_%s'><joint joint='%s' coef='1'/>", trains[t].joint,
                trains[t].joint);
        for (int k = 0; k < NMAIN; ++k) {
            if (trains[t].ratio[k] != 0.0) {
                fprintf(file, "<joint joint='%s' coef='%.17g'/>", main_joint[k],
                        -trains[t].ratio[k]);
            }
        }
        fprintf(file, "</fixed>\n");
    }
    fprintf(file, "</tendon><equality>\n");
    for (int t = 0; t < NTRAIN && has_trains; ++t) {
        fprintf(file, "<tendon tendon1='t_%s' solimp='0.9999 0.9999 0.001 0.5 2'/>\n",
                trains[t].joint);
    }
    fprintf(file, "</equality>\n");
}

static mjModel *expand(const lw_model *m, bool has_trains)
{
    char path[] = "/tmp/linkwork_wrist_XXXXXX", error[500] = "";
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!CHECK(file != NULL)) {
        return NULL;
    }
    fprintf(file,
            "<mujoco><compiler angle='radian' inertiafromgeom='false'/>"
            "<option gravity='%.17g %.17g %.17g' solver='Newton' tolerance='1e-14' "
            "iterations='200'/><worldbody>\n",
            m->gravity.x, m->gravity.y, m->gravity.z);
    int open[32], depth = 0;
    for (int i = 0; i < m->nbody; ++i) {
        while (depth > 0 && m->subtree_end[open[depth - 1]] <= i) {
            fprintf(file, "</body>\n");
            --depth;
        }
        write_body(file, m, i);
        open[depth++] = i;
    }
    while (depth-- > 0) {
        fprintf(file, "</body>\n");
    }
    fprintf(file, "</worldbody>\n");
    write_tendons(file, has_trains);
    fprintf(file, "</mujoco>\n");
    fclose(file);
    mjModel *expanded = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
    if (!CHECK(expanded != NULL)) {
        printf("%s\n", error);
    }
    return expanded;
}

static int location_of(const mjModel *expanded, const char *joint)
{
    const int j = mj_name2id(expanded, mjOBJ_JOINT, joint);
    return CHECK(j >= 0) ? expanded->jnt_dofadr[j] : 0;
}

// All coordinates of the tree from those of the main joints.
static void spread(const mjModel *expanded, const double *x, mjtNum *tree)
{
    for (int k = 0; k < NV; ++k) {
        tree[location_of(expanded, main_joint[k])] = x[k];
    }
    for (int t = 0; t < NTRAIN; ++t) {
        double y = 0.0;
        for (int k = 0; k < NMAIN; ++k) {
            y += trains[t].ratio[k] * x[k];
        }
        tree[location_of(expanded, trains[t].joint)] = y;
    }
}

static double uniform(void)
{
    return check_random(-1.0, 1.0);
}

typedef void check_state_of(const lw_model *m, lw_data *d, const mjModel *expanded, mjData *md);

static void at_random_states(check_state_of *check, bool has_trains)
{
    lw_model *m = shipped_model("hr120/wrist.xml");
    lw_data *d = new_data(m);
    CHECK_INT(m->nbody, NV + NTRAIN);
    CHECK_INT(m->nv, NV);
    mjModel *expanded = expand(m, has_trains);
    mjData *md = expanded ? mj_makeData(expanded) : NULL;
    check_seed(4);
    for (int n = 0; n < 20 && md; ++n) {
        check_case("state %d", n);
        check(m, d, expanded, md);
    }
    if (expanded) {
        mj_deleteData(md);
        mj_deleteModel(expanded);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Motors near where rigid shafts would have them: `off` apart.
static void put_motors(double off, double *x)
{
    for (int i = 0; i < NMOTOR; ++i) {
        x[NMAIN + i] = off * uniform();
        for (int t = 0; t < NTRAIN; ++t) {
            for (int k = 0; k < NMAIN && strcmp(trains[t].joint, shafts[i].pinion) == 0; ++k) {
                x[NMAIN + i] += trains[t].ratio[k] * x[k];
            }
        }
    }
}

static void check_inverse(const lw_model *m, lw_data *d, const mjModel *expanded, mjData *md)
{
    double q[NV], v[NV], a[NV], tau[NV];
    for (int k = 0; k < NMAIN; ++k) {
        q[k] = uniform();
        v[k] = 3.0 * uniform();
        a[k] = 5.0 * uniform();
    }
    put_motors(0.3, q);
    put_motors(20.0, v);
    put_motors(300.0, a);
    for (int k = 0; k < NV; ++k) {
        CHECK_TEXT(m->velocity_name[k], main_joint[k]);
    }
    CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
    spread(expanded, q, md->qpos);
    spread(expanded, v, md->qvel);
    spread(expanded, a, md->qacc);
    mj_inverse(expanded, md);
    for (int k = 0; k < NV; ++k) {
        double wanted = md->qfrc_inverse[location_of(expanded, main_joint[k])];
        for (int t = 0; t < NTRAIN && k < NMAIN; ++t) {
            wanted += trains[t].ratio[k] * md->qfrc_inverse[location_of(expanded, trains[t].joint)];
        }
        // MuJoCo diagonalises inertias by iteration, which leaves some 1e-12 of them.
        CHECK_NEAR(tau[k], wanted, 1e-9 * (1.0 + fabs(wanted)));
    }
}

TEST(R36_torques_of_the_low_level_wrist_are_those_of_its_single_bodies_in_mujoco)
{
    at_random_states(check_inverse, false);
}

// Accelerations of the main joints where constraints give way by `soft` of their inertia.
static void accelerate(const mjModel *expanded, mjData *md, double soft, double a[NV])
{
    for (int i = 0; i < expanded->neq; ++i) {
        expanded->eq_solimp[mjNIMP * i] = expanded->eq_solimp[mjNIMP * i + 1] = 1.0 / (1.0 + soft);
    }
    mj_forward(expanded, md);
    for (int k = 0; k < NV; ++k) {
        a[k] = md->qacc[location_of(expanded, main_joint[k])];
    }
}

// A constraint of MuJoCo gives way: the least that it takes is 1e-4 of its inertia, and ten in a
// row change accelerations by some thousandths. They do so smoothly, so four solutions of known
// softness tell the one without any (Lagrange's polynomial at zero).
static void check_forward(const lw_model *m, lw_data *d, const mjModel *expanded, mjData *md)
{
    enum { POINTS = 4 };
    double q[NV], v[NV], tau[NV], a[NV], stiff[NV] = {0.0}, largest = 0.0;
    for (int k = 0; k < NMAIN; ++k) {
        q[k] = uniform();
        v[k] = 3.0 * uniform();
        tau[k] = 100.0 * uniform();
        tau[NMAIN + k] = uniform();
    }
    put_motors(0.02, q);
    put_motors(2.0, v);
    CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, NULL, a), LW_OK);
    spread(expanded, q, md->qpos);
    spread(expanded, v, md->qvel);
    mju_zero(md->qfrc_applied, expanded->nv);
    for (int k = 0; k < NV; ++k) {
        md->qfrc_applied[location_of(expanded, main_joint[k])] = tau[k];
        largest = fmax(largest, fabs(a[k]));
    }
    for (int i = 0; i < POINTS; ++i) {
        double weight = 1.0, soft[NV];
        for (int k = 0; k < POINTS; ++k) {
            weight *= k == i ? 1.0 : (2.0 + k) / (k - i);
        }
        accelerate(expanded, md, (2.0 + i) * 1e-4, soft);
        for (int k = 0; k < NV; ++k) {
            stiff[k] += weight * soft[k];
        }
    }
    for (int k = 0; k < NV; ++k) {
        CHECK_NEAR(a[k], stiff[k], 1e-6 * (1.0 + largest));
    }
}

TEST(R36_accelerations_of_the_low_level_wrist_are_those_under_constraints_of_mujoco)
{
    at_random_states(check_forward, true);
}

#else

TEST(R36_low_level_wrist_against_mujoco)
{
    check_skip("MuJoCo is not installed");
}

#endif

int main(void)
{
#ifdef LINKWORK_HAS_MUJOCO
    RUN(R36_torques_of_the_low_level_wrist_are_those_of_its_single_bodies_in_mujoco);
    RUN(R36_accelerations_of_the_low_level_wrist_are_those_under_constraints_of_mujoco);
#else
    RUN(R36_low_level_wrist_against_mujoco);
#endif
    return REPORT();
}
