// Random reachable poses of every arm with six joints of the shared folder: the joint positions
// that made the pose are among the solutions (K10).
//
// The environment variable LINKWORK_IK_POSES is the number of poses per arm. The claim of the pages
// is from
//
//     LINKWORK_IK_POSES=100000 build/tests/test_ik_random_poses
#include "check.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>
#include <linkwork/linearize.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static int pose_count(void)
{
    const char *text = getenv("LINKWORK_IK_POSES");
    const int count = text ? atoi(text) : 0;
    return count > 0 ? count : 300;
}

// The smallest singular value of the Jacobian, m and rad.
static double least_singular_value(const lw_model *m, lw_data *d, const lw_ik_info *info,
                                   const double *q, int tip)
{
    double J[6 * 64], A[36], re[6], im[6], least = (double)INFINITY;
    if (m->nv > 64 || lw_frame_jacobian(m, d, q, tip, LW_IN_WORLD, NULL, J) != LW_OK) {
        return 0.0;
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A[6 * i + j] = 0.0;
            for (int k = 0; k < 6; ++k) {
                A[6 * i + j] += J[k * m->nv + info->position[i]] * J[k * m->nv + info->position[j]];
            }
        }
    }
    if (lw_eigenvalues(6, A, re, im) != LW_OK) {
        return 0.0;
    }
    for (int i = 0; i < 6; ++i) {
        least = fmin(least, re[i]);
    }
    return sqrt(fmax(least, 0.0));
}

static double distance_to(const lw_ik_info *info, const lw_ik_result *r, const double *q)
{
    double least = (double)INFINITY;
    for (int n = 0; n < r->nsolution; ++n) {
        double worst = r->solution[n].is_exact ? 0.0 : (double)INFINITY;
        for (int i = 0; i < info->njoint; ++i) {
            const int k = info->position[i];
            const double d = r->solution[n].q[k] - q[k];
            worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
        }
        least = fmin(least, worst);
    }
    return least;
}

typedef struct tally {
    int poses, missed, inaccurate;
    double residual, solutions;
} tally;

static void try_pose(const lw_model *m, lw_data *d, lw_ik *ik, int base, int tip, tally *t)
{
    const lw_ik_info *info = lw_ik_describe(ik);
    double q[64] = {0.0};
    lw_ik_target target = {.has_redundancy = false};
    lw_ik_result r;
    for (int i = 0; i < info->njoint; ++i) {
        const int k = info->position[i];
        q[k] = info->is_prismatic[i] ? check_random(-0.5, 0.5) : check_random(-PI, PI);
    }
    const double sigma = least_singular_value(m, d, info, q, tip);
    if (!(sigma > 1e-6) || lw_forward_position(m, d, q) != LW_OK ||
        lw_relative_pose(m, d, base, tip, &target.X_BT) != LW_OK) {
        return;
    }
    CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
    ++t->poses;
    t->solutions += r.nsolution;
    const double off = distance_to(info, &r, q);
    t->missed += !(off < 1e-3);
    t->inaccurate += !(off < 1e-11 / sigma);
    if (off >= 1e-11 / sigma && getenv("LINKWORK_IK_SHOW")) {
        printf("off %g, sigma %g, %d solutions:", off, sigma, r.nsolution);
        for (int i = 0; i < info->njoint; ++i) {
            printf(" %.17g", q[info->position[i]]);
        }
        printf("\n");
    }
    for (int n = 0; n < r.nsolution; ++n) {
        t->residual = fmax(t->residual, r.solution[n].residual);
    }
}

static void try_arm(const char *path, const char *base_name, const char *tip_name)
{
    lw_model *m = shared_model(path, false);
    lw_data *d = m ? new_data(m) : NULL;
    lw_ik *ik = NULL;
    const int base = m ? lw_find_frame(m, base_name) : -1,
              tip = m ? lw_find_frame(m, tip_name) : -1;
    lw_ik_def def = lw_default_ik_def(base, tip);
    def.is_certain = true;
    def.ignores_limits = true;
    check_case("%s", path);
    if (d && m->nq <= 64 && CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK)) {
        const int count = pose_count();
        tally t = {0};
        for (int n = 0; n < count; ++n) {
            try_pose(m, d, ik, base, tip, &t);
        }
        CHECK_INT(t.missed, 0);
        CHECK_INT(t.inaccurate, 0);
        const double length = lw_ik_describe(ik)->length;
        CHECK(t.residual <= 1e-12 * fmax(1.0, length));
        printf("%-40s %s: %d poses, %.2f solutions, largest residual %.1e, missed %d, inaccurate "
               "%d\n",
               path, lw_ik_describe(ik)->class_name, t.poses, t.solutions / fmax(1, t.poses),
               t.residual, t.missed, t.inaccurate);
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static void try_arms(const char *reference, const char *folder, const char *file_key)
{
    json_t *file = reference_read(reference);
    const json_t *entry;
    size_t i;
    const char *only = getenv("LINKWORK_IK_ARM");
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        char path[300];
        if (json_array_size(json_object_get(entry, "joints")) != 6) {
            continue;
        }
        snprintf(path, sizeof path, "models/%s%s", folder,
                 json_string_value(json_object_get(entry, file_key)));
        if (!only || strstr(path, only)) {
            try_arm(path, json_string_value(json_object_get(entry, "base")),
                    json_string_value(json_object_get(entry, "tip")));
        }
    }
    json_decref(file);
}

TEST(K10_generating_joints_are_found_for_every_arm_of_the_oracles)
{
    try_arms("ik_oracles.json", "urdf_ik/", "urdf");
}

TEST(K10_generating_joints_are_found_for_every_arm_of_the_corpus)
{
    try_arms("ik_arms.json", "", "file");
}

int main(void)
{
    RUN(K10_generating_joints_are_found_for_every_arm_of_the_oracles);
    RUN(K10_generating_joints_are_found_for_every_arm_of_the_corpus);
    return REPORT();
}
