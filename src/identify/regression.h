// The columns of the torques of a model, within this layer.
#ifndef LWI_REGRESSION_H
#define LWI_REGRESSION_H

#include "../base/arena.h"

#include <linkwork/identify.h>

enum { LWI_TEN = 10, LWI_JOINT_KINDS = 5 };

/// A body that has links, and the frame in which its parameters are expressed.
typedef struct lwi_body_columns {
    int body;
    int link; ///< its first, in lw_model.link
    lw_pose X_BL;
    double T[LWI_TEN * LWI_TEN]; ///< ten numbers in the body's frame from those in the link's
} lwi_body_columns;

/// A column of a degree of freedom of the tree.
typedef struct lwi_joint_column {
    int dof, position; ///< tree velocity and position
    int joint;         ///< in lw_model.joints
    lw_joint_columns kind;
} lwi_joint_column;

struct lw_regression {
    lwi_arena arena;
    const lw_model *m;
    lw_regression_info info;
    int nbody, njoint;
    lwi_body_columns *body;  ///< [nbody]
    lwi_joint_column *joint; ///< [njoint], behind the bodies
};

/// Inertial base parameters of a tree by an exact recursion, without random states; -1 where the
/// model has closure steps or joints by callbacks.
int lwi_structural_count(const lw_model *m);

/// The ten numbers of an inertia, in the order of lw_body_parameter, and back.
void lwi_ten_of(const lw_inertia *I, double *ten);
lw_inertia lwi_inertia_of_ten(const double *ten);

/// Room for rows of W, and for a state; in one block, to be freed.
typedef struct lwi_row_work {
    lw_data *d;
    double *W;     ///< [nv*nparameter]
    double *known; ///< [nv] torques of what is not estimated
} lwi_row_work;

lw_status lwi_row_work_create(const lw_regression *r, lwi_row_work *w);
void lwi_row_work_free(lwi_row_work *w);

#endif
