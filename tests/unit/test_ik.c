// Inverse kinematics by lw_ik: all solutions of models between two frames, against solutions of
// independent programs and by laws (K08, K10, C06, C15, D34).
#include "check.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// How far two configurations are apart, angles modulo full turns.
static double apart(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        const int k = info->position[i];
        const double d = a[k] - b[k];
        worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
    }
    return worst;
}

static int find_solution(const lw_ik *ik, const lw_ik_result *r, const double *q, double tolerance)
{
    for (int i = 0; i < r->nsolution; ++i) {
        if (r->solution[i].is_exact &&
            apart(lw_ik_describe(ik), r->solution[i].q, q) <= tolerance) {
            return i;
        }
    }
    return -1;
}

static lw_pose pose_of(const json_t *entry)
{
    double R[9], p[3];
    reference_numbers(json_object_get(entry, "R"), R, 9);
    reference_numbers(json_object_get(entry, "p"), p, 3);
    const lw_pose X = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                       {p[0], p[1], p[2]}};
    return X;
}

// The solver of an arm of ik_oracles.json, from its URDF file.
static lw_ik *oracle_solver(const json_t *entry, bool is_certain, lw_model **m)
{
    char path[300];
    lw_ik *ik = NULL;
    snprintf(path, sizeof path, "models/urdf_ik/%s",
             json_string_value(json_object_get(entry, "urdf")));
    *m = shared_model(path, false);
    if (*m) {
        const int base = lw_find_frame(*m, json_string_value(json_object_get(entry, "base"))),
                  tip = lw_find_frame(*m, json_string_value(json_object_get(entry, "tip")));
        lw_ik_def def = lw_default_ik_def(base, tip);
        def.is_certain = is_certain;
        CHECK_INT(lw_ik_create(*m, &def, &ik, NULL), LW_OK);
    }
    return ik;
}

// The residual of a solution by forward kinematics of the model, an independent computation.
static double residual_of(const lw_model *m, lw_data *d, int base, int tip, const lw_pose *X,
                          const double *q)
{
    lw_pose now;
    if (lw_forward_position(m, d, q) != LW_OK || lw_relative_pose(m, d, base, tip, &now) != LW_OK) {
        return (double)INFINITY;
    }
    const lw_mat3 back = lw_transpose3(&now.R), R = lw_mul3(&X->R, &back);
    const lw_vec3 w = lw_log3(&R), e = lw_sub3(X->p, now.p);
    return sqrt(lw_dot3(w, w) + lw_dot3(e, e));
}

static void check_pose(const json_t *pose, const lw_model *m, lw_data *d, lw_ik *ik, int base,
                       int tip)
{
    const json_t *rows = json_object_get(pose, "solutions"), *row;
    const lw_ik_target target = {.X_BT = pose_of(pose)};
    size_t n;
    lw_ik_result r;
    CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nsolution, (long long)json_array_size(rows));
    CHECK(r.distance == 0.0);
    for (int i = 0; i < r.nsolution; ++i) {
        const double length = fmax(1.0, lw_ik_describe(ik)->length);
        CHECK(r.solution[i].is_exact && r.solution[i].residual <= 1e-12 * length);
        CHECK(residual_of(m, d, base, tip, &target.X_BT, r.solution[i].q) <= 1e-12 * length);
    }
    json_array_foreach(rows, n, row)
    {
        double q[6];
        reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q, 6);
        CHECK(find_solution(ik, &r, q, 1e-8) >= 0);
    }
}

TEST(K10_every_solution_of_the_oracles_is_found)
{
    json_t *file = reference_read("ik_oracles.json");
    const json_t *entry, *pose;
    size_t i, k;
    int poses = 0;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        lw_model *m = NULL;
        const json_t *joints = json_object_get(entry, "joints");
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (json_array_size(joints) != 6 || strcmp(name, "stanford") == 0) {
            continue;
        }
        lw_ik *ik = oracle_solver(entry, true, &m);
        lw_data *d = m ? lw_data_create(m) : NULL;
        json_array_foreach(json_object_get(entry, "poses"), k, pose)
        {
            if (!ik || !d) {
                break;
            }
            check_case("%s, pose %zu", name, k);
            check_pose(pose, m, d, ik, lw_find_frame(m, "base"), lw_find_frame(m, "tool"));
            ++poses;
        }
        lw_data_destroy(d);
        lw_ik_destroy(ik);
        lw_model_destroy(m);
    }
    CHECK(!file || poses > 100);
    json_decref(file);
}

int main(void)
{
    RUN(K10_every_solution_of_the_oracles_is_found);
    return REPORT();
}
