// Random configurations of arms with four, five and seven joints, and of arms with prismatic
// joints, are among the solutions of their poses. test_ik_random_poses.c has those with six
// revolute joints.
//
//     test_generating_joints [POSES [ARM [SEED]]]
//
// Joint positions are uniform within the limits, continuous joints within half a turn. The error of
// the nearest solution may be 1e-11 over the smallest singular value of the Jacobian (m, rad), with
// the row of the redundancy for arms of seven joints; configurations with a value below 1e-6 are
// only counted. bench/results/generating_joints.md has the result of 1e5 poses per arm.
#include "check.h"
#include "objects.h"
#include "reference.h"

#include "ik/chain.h"
#include "ik/swivel.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

enum { MOST = 64, JOINTS = LWI_ARM_JOINTS };

typedef struct arm_file {
    const char *path; // under models of this project, or under those of other programs
    bool is_own;
    const char *base, *tip;
} arm_file;

static const arm_file arms[] = {
    {"scara.xml", true, "ground", "flange.tool"},
    {"gantry.xml", true, "ground", "hand.tool"},
    {"stanford.xml", true, "ground", "hand.tool"},
    {"rover/rover.xml", true, "body.arm_mount", "arm/turret.imager"},
    {"urdf_ik/arm_5r.urdf", false, "base", "tool"},
    {"urdf_arms/fanuc_m430ia2f.urdf", false, "base_link", "tool0"},
    {"panda_class.xml", true, "ground", "link7.flange"},
    {"urdf_ik/iiwa14.urdf", false, "base", "tool"},
    {"urdf_ik/panda.urdf", false, "base", "tool"},
    {"urdf_arms/kuka_iiwa7.urdf", false, "iiwa_link_0", "iiwa_link_ee"},
    {"urdf_arms/schunk_lwa4d.urdf", false, "world", "arm_ee_link"},
    {"urdf_arms/motoman_sia20d.urdf", false, "base_link", "tool0"},
    {"urdf_arms/flexiv_rizon4.urdf", false, "base_link", "flange"},
    {"urdf/panda.urdf", false, "panda_link0", "panda_link8"},
    {"urdf/iiwa14_primitive_collision.urdf", false, "base", "iiwa_link_ee"},
    {"urdf/baxter.urdf", false, "base", "right_hand"},
    {"urdf/baxter.urdf", false, "base", "left_hand"},
};

static long poses = 200;
static const char *only;
static unsigned long long seed = 1;

// The smallest singular value of J [rows * n], by rotations of its columns (Hestenes 1958).
static double smallest_singular_value(int rows, int n, double J[JOINTS][JOINTS])
{
    double least = (double)INFINITY;
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int a = 0; a < n; ++a) {
            for (int b = a + 1; b < n; ++b) {
                double aa = 0.0, bb = 0.0, ab = 0.0;
                for (int r = 0; r < rows; ++r) {
                    aa += J[r][a] * J[r][a];
                    bb += J[r][b] * J[r][b];
                    ab += J[r][a] * J[r][b];
                }
                if (fabs(ab) <= 1e-16 * sqrt(aa * bb)) {
                    continue;
                }
                const double z = 0.5 * (bb - aa) / ab,
                             t = copysign(1.0, z) / (fabs(z) + sqrt(1.0 + z * z)),
                             c = 1.0 / sqrt(1.0 + t * t), s = c * t;
                for (int r = 0; r < rows; ++r) {
                    const double x = J[r][a];
                    J[r][a] = c * x - s * J[r][b];
                    J[r][b] = s * x + c * J[r][b];
                }
            }
        }
    }
    for (int a = 0; a < n; ++a) {
        double aa = 0.0;
        for (int r = 0; r < rows; ++r) {
            aa += J[r][a] * J[r][a];
        }
        least = fmin(least, sqrt(aa));
    }
    return least;
}

static lwi_angle joint_at(const lwi_arm *arm, int i, double q)
{
    return arm->slides[i] ? (lwi_angle){q, 1.0} : (lwi_angle){sin(q), cos(q)};
}

// Of the pose, and of the redundancy where there is one: the swivel angle, or a joint.
static double singular_value_at(const lwi_arm *arm, const lwi_swivel *swivel, int held,
                                const double *q)
{
    double J[JOINTS][JOINTS] = {{0.0}};
    lwi_angle at[JOINTS];
    for (int i = 0; i < arm->n; ++i) {
        at[i] = joint_at(arm, i, q[i]);
    }
    const lw_pose X = lwi_arm_pose(arm, at);
    for (int j = 0; j < arm->n; ++j) {
        lw_vec3 h = arm->h[j], c = arm->c[j];
        for (int i = j - 1; i >= 0; --i) {
            if (arm->slides[i]) {
                c = lw_add3(c, lw_scale3(at[i].s, arm->h[i]));
                continue;
            }
            h = lwi_rotate_about(arm->h[i], at[i], h);
            c = lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], at[i], lw_sub3(c, arm->c[i])));
        }
        const lw_vec3 v = arm->slides[j] ? h : lw_cross3(h, lw_sub3(X.p, c)),
                      w = arm->slides[j] ? lw_vec3_of(0, 0, 0) : h;
        const double column[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
        for (int r = 0; r < 6; ++r) {
            J[r][j] = column[r];
        }
        if (arm->n == 7 && swivel->is_one) {
            const double step = 1e-6;
            lwi_angle near[JOINTS];
            memcpy(near, at, sizeof near);
            near[j] = joint_at(arm, j, q[j] + step);
            const double high = lwi_swivel_angle(swivel, near);
            near[j] = joint_at(arm, j, q[j] - step);
            J[6][j] = remainder(high - lwi_swivel_angle(swivel, near), 2.0 * PI) / (2.0 * step);
        } else if (arm->n == 7) {
            J[6][j] = j == held ? 1.0 : 0.0;
        }
    }
    return smallest_singular_value(arm->n == 7 ? 7 : 6, arm->n, J);
}

static double error_of(const lw_ik_result *r, const lw_ik_info *info, const double *q)
{
    double best = (double)INFINITY;
    for (int i = 0; i < r->nsolution; ++i) {
        double worst = 0.0;
        for (int k = 0; k < info->njoint; ++k) {
            const double d = r->solution[i].q[info->position[k]] - q[info->position[k]];
            worst = fmax(worst, info->is_prismatic[k] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
        }
        best = r->solution[i].is_exact ? fmin(best, worst) : best;
    }
    return best;
}

typedef struct tally {
    long counted, found, singular, singular_found;
    double ratio;    // largest error times singular value
    double residual; // largest
    double seconds;  // of solving
} tally;

static void check_arm(const arm_file *file, const lw_model *m)
{
    const int base = lw_find_frame(m, file->base), tip = lw_find_frame(m, file->tip);
    lw_ik_def def = lw_default_ik_def(base, tip);
    def.is_certain = true;
    def.ignores_limits = true;
    lw_ik *ik = NULL;
    lw_data *d = new_data(m);
    lwi_chain chain;
    int body;
    check_case("%s", file->path);
    if (!CHECK(lw_ik_create(m, &def, &ik, NULL) == LW_OK && d && m->nq <= MOST) ||
        lwi_chain_find(m, base, tip, m->tree_q_reference, &chain, &body) != LW_OK) {
        return;
    }
    const lw_ik_info *info = lw_ik_describe(ik);
    const lwi_swivel swivel =
        lwi_swivel_of(&chain.arm, false, def.swivel_axis, def.swivel_reference, 1e-9, 1e-9);
    const int held = info->nstep > 0 ? info->step[info->nstep - 1].joint[0] : -1;
    tally t = {0};
    for (long n = 0; n < poses; ++n) {
        double q[MOST], joint[JOINTS];
        lw_ik_target target = {.has_redundancy = false};
        lw_ik_result r;
        memcpy(q, m->q_reference, sizeof(double) * (size_t)m->nq);
        for (int i = 0; i < info->njoint; ++i) {
            const lw_dof *dof = &m->dof[m->v_start[info->body[i]]];
            const bool is_wide = !(dof->upper - dof->lower <= 2.0 * PI);
            joint[i] = is_wide ? check_random(-PI, PI) : check_random(dof->lower, dof->upper);
            q[info->position[i]] = joint[i];
        }
        if (lw_forward_position(m, d, q) != LW_OK ||
            lw_relative_pose(m, d, base, tip, &target.X_BT) != LW_OK) {
            CHECK(false);
            break;
        }
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        const lw_status status = lw_ik_solve(ik, &target, q, &r);
        clock_gettime(CLOCK_MONOTONIC, &to);
        t.seconds += (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        const double sigma = singular_value_at(&chain.arm, &swivel, held, joint),
                     error = status == LW_OK ? error_of(&r, info, q) : (double)INFINITY;
        const bool is_found = error <= 1e-11 / sigma;
        for (int i = 0; i < r.nsolution && status == LW_OK; ++i) {
            t.residual = fmax(t.residual, r.solution[i].is_exact ? r.solution[i].residual : 0.0);
        }
        if (sigma > 1e-6) {
            ++t.counted;
            t.found += is_found;
            t.ratio = fmax(t.ratio, is_found ? error * sigma : 0.0);
            if (!is_found) {
                check_case("%s, pose %ld: singular value %.3g, error %.3g", file->path, n, sigma,
                           error);
                CHECK(is_found);
            }
        } else {
            ++t.singular;
            t.singular_found += error < 1e-3;
        }
    }
    printf("| %s | %d | %s | %ld | %ld | %.1e | %.1e | %ld | %.1f |\n", file->path, info->njoint,
           info->class_name, t.counted, t.counted - t.found, t.ratio, t.residual, t.singular,
           1e6 * t.seconds / (double)poses);
    fflush(stdout);
    lw_ik_destroy(ik);
    lw_data_destroy(d);
}

TEST(K10_C06_generating_joints_are_among_the_solutions)
{
    printf("| Arm | Joints | Class | Poses | Missed | Error times singular value | Residual | "
           "Singular | us |\n|---|--:|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof arms / sizeof *arms; ++i) {
        char path[300];
        if (only && !strstr(arms[i].path, only)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, arms[i].path);
        lw_model *m = arms[i].is_own ? compile_file(path, false) : NULL;
        if (!arms[i].is_own) {
            snprintf(path, sizeof path, "models/%s", arms[i].path);
            m = shared_model(path, false);
        }
        if (m) {
            check_seed(seed); // the same poses whichever arms are asked for
            check_arm(&arms[i], m);
        }
        lw_model_destroy(m);
    }
}

int main(int argc, char **argv)
{
    poses = argc > 1 ? atol(argv[1]) : poses;
    only = argc > 2 ? argv[2] : NULL;
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : seed;
    RUN(K10_C06_generating_joints_are_among_the_solutions);
    return REPORT();
}
