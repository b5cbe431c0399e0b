#include "ik_arm.h"

#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/kinematics.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

double ik_apart(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        const int k = info->position[i];
        const double d = a[k] - b[k];
        worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
    }
    return worst;
}

int find_ik_solution(const lw_ik *ik, const lw_ik_result *r, const double *q, double tolerance)
{
    for (int i = 0; i < r->nsolution; ++i) {
        if (r->solution[i].is_exact &&
            ik_apart(lw_ik_describe(ik), r->solution[i].q, q) <= tolerance) {
            return i;
        }
    }
    return -1;
}

ik_arm open_ik_arm(const char *model, const char *base, const char *tip)
{
    ik_arm a = {.m = shipped_model(model)};
    if (a.m) {
        a.d = new_data(a.m);
        a.def = lw_default_ik_def(base ? lw_find_frame(a.m, base) : -1, lw_find_frame(a.m, tip));
        CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
    }
    return a;
}

void close_ik_arm(ik_arm *a)
{
    lw_ik_destroy(a->ik);
    lw_data_destroy(a->d);
    lw_model_destroy(a->m);
}

lw_ik_target ik_target_at(const ik_arm *a, const double *q)
{
    lw_ik_target t = {.has_redundancy = false};
    CHECK_INT(lw_forward_position(a->m, a->d, q), LW_OK);
    if (a->def.base < 0) {
        CHECK_INT(lw_frame_pose(a->m, a->d, a->def.tip, &t.X_BT), LW_OK);
    } else {
        CHECK_INT(lw_relative_pose(a->m, a->d, a->def.base, a->def.tip, &t.X_BT), LW_OK);
    }
    return t;
}

void random_ik_position(const ik_arm *a, double *q)
{
    for (int k = 0; k < a->m->nq; ++k) {
        q[k] = check_random(-PI, PI);
    }
}
