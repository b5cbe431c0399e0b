// Reading URDF, divided so:
//
//   urdf_read.c   the robot and its links
//   urdf_shape.c  visual and collision shapes
//   urdf_color.c  materials
//   urdf_joint.c  joints, and what mimics what
//   urdf_drive.c  rotor inertias from transmissions
//   urdf_tree.c   whether links and joints make one tree
//
// Elements that URDF has and this reader does not use are listed once each, by name.
#ifndef LWI_URDF_H
#define LWI_URDF_H

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "format.h"

typedef struct lwi_urdf_link {
    lwi_xml_node *node;
    const char *name;
    lw_part part;
    int parent_joint; ///< -1: a root
} lwi_urdf_link;

typedef struct lwi_urdf_joint {
    lwi_xml_node *node;
    const char *name;
    lw_part part;
    int parent, child;    ///< links; -1 where the file names none that exists
    lw_location child_at; ///< where it names the child
    lw_joint_type type;
    int mimics;            ///< the joint that it follows, or -1
    lw_location mimics_at; ///< where it names that joint
    double law[2];         ///< offset and multiplier
    double rotor_inertia;
} lwi_urdf_joint;

typedef struct lwi_urdf_reader {
    const lwi_load_context *context;
    lw_report *report;
    lwi_arena arena; ///< all that lives only while the file is read
    lw_mech *mech;
    lw_status status; ///< the first failure
    lwi_names link_names, joint_names;
    lwi_names material_names;
    lw_color *material; ///< [nmaterial]; null if allocation fails
    int nmaterial;
    lwi_urdf_link *link;
    lwi_urdf_joint *joint;
    int nlink, njoint;
    lwi_xml_node *first_drive; ///< the first <transmission>, or null
    int nsuggestion; ///< how often a name was looked for among all names; it is not done forever
} lwi_urdf_reader;

/// Remembers a failure and returns whether all is well with this one.
bool lwi_urdf_good(lwi_urdf_reader *reader, lw_status status);

/// The number of a link or a joint by the name that an attribute holds; -1 where there is none,
/// which is reported.
int lwi_urdf_find(lwi_urdf_reader *reader, bool is_link, const char *name, lw_location at,
                  const char *who);

/// The placement that the <origin> of an element gives; identity where it has none.
lw_placement lwi_urdf_origin(lwi_urdf_reader *reader, lwi_xml_node *node);

/// Adds the shapes of one role, "visual" or "collision", to a link.
void lwi_urdf_add_shapes(lwi_urdf_reader *reader, lwi_urdf_link *link, const char *tag);

/// Collects the materials that have a name, of the robot and of shapes; a shape may name one that
/// stands behind it.
void lwi_urdf_list_materials(lwi_urdf_reader *reader, lwi_xml_node *root);

/// The color of a <visual>, from its <material>.
void lwi_urdf_read_color(lwi_urdf_reader *reader, lwi_xml_node *visual, lw_shape_def *def);

/// Reads what joints say of each other and of links. All are in their lists by then.
void lwi_urdf_read_joints(lwi_urdf_reader *reader);

/// Reads the rotor inertias of transmissions into reader->joint.
void lwi_urdf_read_drives(lwi_urdf_reader *reader);

/// Adds the joints and their couplings to the description, and connects them.
void lwi_urdf_add_joints(lwi_urdf_reader *reader);

/// Reports cycles, links without a parent, and joints that mimic each other in a circle.
void lwi_urdf_check_tree(lwi_urdf_reader *reader);

#endif
