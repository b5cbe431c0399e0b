// linkwork/scene.h: a mechanism as shapes in space, for programs that draw it.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A scene has lines, bars, bodies and labels in world coordinates, each with the role that it
// plays: link, joint, rod, gear, spring, frame, ground. Roles, not colours: a front end chooses
// those. It draws the shapes as it can, from any direction; `linkwork draw` writes them as SVG and
// LaTeX.
//
// Thread safety: functions may run side by side on data of their own. They allocate, and are not
// real-time safe.
#ifndef LINKWORK_SCENE_H
#define LINKWORK_SCENE_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The geometry of a shape. Those with points have them in lw_scene.point; the others have a pose
/// X, and are centred at its origin unless stated.
typedef enum lw_scene_kind {
    LW_SCENE_LINE = 0,      ///< through its points, as thin as the front end draws lines
    LW_SCENE_BAR = 1,       ///< round, through its points, size.x thick
    LW_SCENE_HULL = 2,      ///< the convex body around its points, rounded by size.x / 2
    LW_SCENE_SPRING = 3,    ///< from one point to another, size.x wide at most
    LW_SCENE_BOX = 4,       ///< with edges of lengths size
    LW_SCENE_CYLINDER = 5,  ///< about z: radius size.x, length size.z
    LW_SCENE_CAPSULE = 6,   ///< the same, with half a sphere at each end
    LW_SCENE_SPHERE = 7,    ///< of radius size.x
    LW_SCENE_CONE = 8,      ///< frustum about z: radius size.x at the origin, size.y at z = -size.z
    LW_SCENE_RING = 9,      ///< flat, about z, between the radii size.x and size.y
    LW_SCENE_CIRCLE = 10,   ///< about z, radius size.x
    LW_SCENE_TRIANGLES = 11 ///< of a mesh: three points each, counter-clockwise from outside
} lw_scene_kind;

/// What a shape stands for.
typedef enum lw_scene_role {
    LW_SCENE_GRID = 0,       ///< a line of the grid on the floor
    LW_SCENE_GRID_MAJOR = 1, ///< every fifth of them
    LW_SCENE_SHADOW = 2, ///< what falls straight down onto the floor, as the shape that casts it;
                         ///< left out by front ends with lights of their own
    LW_SCENE_GROUND = 3, ///< what does not move
    LW_SCENE_LINK = 4,
    LW_SCENE_COVER = 5, ///< a shape of a link
    LW_SCENE_CENTER_OF_MASS = 6,
    LW_SCENE_JOINT = 7,           ///< independent
    LW_SCENE_DEPENDENT_JOINT = 8, ///< a closure step determines it
    LW_SCENE_CLOSING_JOINT = 9,   ///< it closes a loop
    LW_SCENE_AXIS = 10,           ///< of a joint
    LW_SCENE_RAIL = 11,           ///< of a prismatic joint, as long as its travel
    LW_SCENE_ROD = 12,
    LW_SCENE_WHEEL = 13, ///< of a gear, and its rack or worm
    LW_SCENE_PITCH_CIRCLE = 14,
    LW_SCENE_BELT = 15,
    LW_SCENE_CHAIN = 16,
    LW_SCENE_MESH = 17,    ///< where two wheels touch
    LW_SCENE_ELASTIC = 18, ///< a spring
    LW_SCENE_DAMPER = 19,  ///< a spring with damping only
    LW_SCENE_SPRING_END = 20,
    LW_SCENE_FRAME_X = 21, ///< an axis of a frame
    LW_SCENE_FRAME_Y = 22,
    LW_SCENE_FRAME_Z = 23,
    LW_SCENE_ROLE_COUNT = 24
} lw_scene_role;

/// How a shape is seen besides; bits of lw_scene_shape.flags.
typedef enum lw_scene_flag {
    LW_SCENE_SEE_THROUGH =
        1,               ///< hides nothing: an enclosure, or a joint that is seen through covers
    LW_SCENE_HOLLOW = 2, ///< the symbol of a free joint
    LW_SCENE_FLAT_BEGIN = 4, ///< a bar that is cut straight at its first point, not round
    LW_SCENE_FLAT_END = 8    ///< and at its last point
} lw_scene_flag;

typedef struct lw_scene_shape {
    lw_scene_kind kind;
    lw_scene_role role;
    unsigned flags; ///< lw_scene_flag bits
    int body;       ///< that it moves with; -1 for the world
    int shape;      ///< of the model, that it shows; -1 for none
    int first;      ///< of its points
    int count;
    lw_pose X; ///< in the world
    lw_vec3 size;
    double bias; ///< m to move it towards the viewer where shapes are sorted by their depth
} lw_scene_shape;

typedef struct lw_scene_label {
    lw_vec3 at;
    const char *text; ///< a name of the model, which must outlive the scene; NULL for coordinates
    int first, last;  ///< of the coordinates in q that the joint here has
} lw_scene_label;

/// What to show besides links, joints, covers and ground; bits.
typedef enum lw_scene_layer {
    LW_SCENE_SHOW_TIPS = 1,        ///< the frame at the end of each chain
    LW_SCENE_SHOW_FRAMES = 2,      ///< every frame
    LW_SCENE_SHOW_JOINTS = 4,      ///< names of joints and loops
    LW_SCENE_SHOW_COORDINATES = 8, ///< indices of coordinates at their joints
    LW_SCENE_SHOW_HIDDEN = 16      ///< joints within covers
} lw_scene_layer;

typedef struct lw_scene {
    int nshape, npoint, nlabel;
    const lw_scene_shape *shape; ///< [nshape]
    const lw_vec3 *point;        ///< [npoint]
    const lw_scene_label *label; ///< [nlabel]
    lw_vec3 low, high;           ///< box around joints, frames, gears and shapes
    double unit;                 ///< radius of a joint's symbol, m
    double floor;                ///< height of the floor, m
    double grid;                 ///< distance of the lines of the grid, m
    lw_vec3
        normal; ///< that joints rotate about or slide across, all of them; zero if there is none
} lw_scene;

/// The scene at the positions of the last lw_forward_position() on the data.
/// @param show lw_scene_layer bits
/// @return LW_ERR_STAGE without positions, LW_ERR_NUMBER if the mechanism has no finite extent,
///         LW_ERR_MEMORY; *scene is NULL then. Free with lw_scene_destroy().
LW_API lw_status lw_scene_create(const lw_model *m, const lw_data *d, unsigned show,
                                 lw_scene **scene);
LW_API void lw_scene_destroy(lw_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
