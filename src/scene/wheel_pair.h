// Where the wheels of gears are seen: centres, pitch radii and the point where they touch.
#ifndef LWI_WHEEL_PAIR_H
#define LWI_WHEEL_PAIR_H

#include <linkwork/model.h>

/// A pair of wheels in the world. Descriptions give ratios; sizes follow from how the axes lie.
typedef struct lwi_wheel_pair {
    bool is_known;    ///< false where the axes leave no sensible size
    lw_pose X[2];     ///< centres, with z along the axes; of a bevel wheel away from the other axis
    double radius[2]; ///< pitch radii; of a rack, half the length that is drawn of it
    double cone[2];   ///< of bevel wheels: from the centre to where the axes meet, else 0
    lw_vec3 mesh;     ///< where they touch; of a belt, the middle between the wheels
} lwi_wheel_pair;

lw_vec3 lwi_z_axis(const lw_mat3 *R);

/// @param X_WB poses of the two bodies that carry the wheels
lwi_wheel_pair lwi_find_wheels(const lw_gear_info *gear, const lw_pose X_WB[2]);

#endif
