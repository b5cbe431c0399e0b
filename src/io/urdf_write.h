// Writing URDF, divided so:
//
//   urdf_write.c        the robot, and what of the description it can hold
//   urdf_write_parts.c  links, shapes, joints
//
// URDF knows links whose frames are where their joints are, and joints between two links. So a link
// on a joint gives its name to that joint's child, and its contents move by the joint's `after`;
// what is connected otherwise gets a fixed joint; a joint with no link on it gets an empty one.
#ifndef LWI_URDF_WRITE_H
#define LWI_URDF_WRITE_H

#include "../base/report.h"
#include "../parts/parts.h"
#include "xml_text.h"

/// What becomes of a part.
typedef struct lwi_urdf_part {
    bool is_kept;     ///< it belongs to the tree that is written
    bool is_known;    ///< the above has been found out
    const char *link; ///< the URDF link that its B ports lie in
    int carrier;      ///< of a joint: the link on it that is its child, or -1
    int carried_by;   ///< of a link: the joint whose child it is, or -1
    int mimic;        ///< of a joint: its coupling, or -1
} lwi_urdf_part;

typedef struct lwi_urdf_writer {
    const lw_mech *mech;
    lwi_text *out;
    lw_report *report;
    lwi_arena arena;
    lwi_urdf_part *part; ///< [mech->part.count]
    lwi_names link_names, joint_names;
    const char *root; ///< an empty link that joints without a feeder are connected to, or null
    bool is_short;
} lwi_urdf_writer;

/// A name that no link or joint has yet, which it then has: `stem` and `ending`, or these with a
/// number. Never null; empty if allocation fails.
const char *lwi_urdf_new_name(lwi_urdf_writer *w, lwi_names *names, const char *stem,
                              const char *ending);

void lwi_urdf_write_link(lwi_urdf_writer *w, int part);
void lwi_urdf_write_joint(lwi_urdf_writer *w, int part);
void lwi_urdf_write_ground(lwi_urdf_writer *w, int part);

#endif
