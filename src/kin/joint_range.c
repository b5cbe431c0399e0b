#include "joint_range.h"

#include "../math/pi.h"

#include <math.h>

static bool rotates(const lw_model *m, int v)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->v_start[i] <= v && v < m->v_start[i + 1]) {
            return m->carrier[i] == LW_TREE_REVOLUTE;
        }
    }
    return false;
}

bool lwi_joint_range(const lw_model *m, int q, double *low, double *high)
{
    int k = 0;
    while (k < m->nv && lw_position_of_dof(m, k) != q) {
        ++k;
    }
    if (k == m->nv) {
        return false;
    }
    const lw_dof *dof = &m->dof[m->v_tree[k]];
    const bool has_limits = isfinite(dof->lower) && isfinite(dof->upper);
    *low = has_limits ? dof->lower : -LWI_PI;
    *high = has_limits ? dof->upper : LWI_PI;
    return has_limits || rotates(m, m->v_tree[k]);
}
