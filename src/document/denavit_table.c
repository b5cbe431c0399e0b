#include "denavit_table.h"

bool lwi_is_chain(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] != i - 1 ||
            (m->carrier[i] != LW_TREE_REVOLUTE && m->carrier[i] != LW_TREE_PRISMATIC)) {
            return false;
        }
    }
    return m->nbody > 0 && m->nstep == 0;
}

void lwi_denavit_table(const lw_model *m, lwi_denavit *row, lw_pose *base, lw_pose *tip)
{
    static const double nothing = 1e-10; // a document has no use for roundings
    lw_pose at = lw_pose_identity(), frame = at, before = at;
    for (int i = 0; i < m->nbody; ++i) {
        // Joint frames at zero position.
        at = i == 0 ? m->X_PJ[0] : lw_pose_mul(&at, &m->X_PJ[i]);
        frame = i == 0 ? at : lwi_denavit_continue(&before, &at);
        if (i + 1 < m->nbody) {
            const lw_pose next = lw_pose_mul(&at, &m->X_PJ[i + 1]);
            frame = lwi_denavit_toward(&frame, &next);
        }
        if (i == 0) {
            *base = frame; // frame 0 is frame 1 at zero position
            before = frame;
        }
        row[i] = lwi_denavit_row(&before, &frame, nothing);
        before = frame;
    }
    const lw_pose back = lw_pose_inverse(&frame);
    *tip = lw_pose_mul(&back, &at);
}
