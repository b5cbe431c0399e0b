// Motions of the degrees of freedom of one joint, in world axes.
#ifndef LWI_UNIT_H
#define LWI_UNIT_H

#include "../model/data.h"
#include "../model/joint.h"

/// Motion of body i for unit rate of each of its degrees of freedom: rotation, and velocity of its
/// origin, in world axes. Returns how many degrees of freedom. Needs the pose of the body.
static inline int unit_motions(const lw_model *m, const lw_data *d, const double *tree_q, int i,
                               lw_motion S[LW_MAX_DOF])
{
    const lwi_segment *body = &m->kernel->segment[i];
    const lw_mat3 *R = &d->X_WB[i].R;
    const lw_vec3 z = column_z(R), zero = {0.0, 0.0, 0.0};
    switch (body->carrier) {
    case LW_TREE_REVOLUTE:
        S[0] = (lw_motion){z, zero};
        return 1;
    case LW_TREE_PRISMATIC:
        S[0] = (lw_motion){zero, z};
        return 1;
    case LW_TREE_SCREW:
        S[0] = (lw_motion){z, lw_scale3(body->lead, z)};
        return 1;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE: {
        const lw_mat3 column = lw_transpose3(R);
        for (int k = 0; k < 3; ++k) {
            S[k] = (lw_motion){column.row[k], zero};
            S[3 + k] = (lw_motion){zero, column.row[k]};
        }
        return body->nv;
    }
    default: {
        const lw_user_joint *user = &m->kernel->user[i];
        user->motion(user->context, tree_q + body->q, S);
        for (int k = 0; k < body->nv; ++k) {
            S[k] = (lw_motion){lw_rotate(R, S[k].ang), lw_rotate(R, S[k].lin)};
        }
        return body->nv;
    }
    }
}

#endif
