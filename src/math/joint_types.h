// The table of joint types: one row has all that a type is, and every layer reads it from here.
#ifndef LWI_JOINT_TYPES_H
#define LWI_JOINT_TYPES_H

#include <linkwork/kinds.h>

/// The direction that a piece of a joint acts about or along.
typedef enum lwi_joint_axis {
    LWI_AXIS_NONE,     ///< the piece has no direction: spherical, free, user
    LWI_AXIS_FIRST,    ///< lw_joint_def.axis
    LWI_AXIS_SECOND,   ///< lw_joint_def.axis2
    LWI_AXIS_ACROSS_X, ///< the two directions that make a right-handed frame with axis as z
    LWI_AXIS_ACROSS_Y
} lwi_joint_axis;

enum { LWI_MOST_PIECES = 3 };

typedef struct lwi_joint_row {
    const char *name; ///< in files, messages and reports
    const char *urdf; ///< type of the same joint in URDF, or null
    int nq, nv;       ///< 0 for a user joint, whose definition has its own number

    /// Names of the coordinates behind that of the joint, null where that serves alone.
    const char *position[LW_MAX_DOF + 2];
    const char *velocity[LW_MAX_DOF + 1];
    bool is_rotation[LW_MAX_DOF]; ///< the degree of freedom is an angle, else a length
    bool has_quaternion;          ///< degrees of freedom have no position of their own each

    bool has_axis, has_axis2, has_pitch; ///< which attributes it uses
    bool has_form; ///< it can be placed by its zero position, and, where it has one axis, by a row
    int nclosing;  ///< conditions that it sets where it closes a loop; 0: it cannot

    /// The bodies that carry it in the tree, from the fixed side on.
    int npiece;
    struct {
        lw_tree_joint carrier;
        lwi_joint_axis axis;
    } piece[LWI_MOST_PIECES];
} lwi_joint_row;

enum { LWI_JOINT_TYPES = LW_JOINT_USER + 1 }; ///< the last one, and one more

/// The row of a type; one without name and degrees of freedom where there is no such type.
const lwi_joint_row *lwi_joint_row_of(lw_joint_type type);

/// The direction of a piece, of any length, from the axes of the joint.
lw_vec3 lwi_piece_axis(lwi_joint_axis which, lw_vec3 axis, lw_vec3 axis2);

#endif
