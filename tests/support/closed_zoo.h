// Machines with loops, gears and couplings, built by calls, and the small helpers to build more.
#ifndef CLOSED_ZOO_H
#define CLOSED_ZOO_H

#include <linkwork/linkwork.h>

/// Helpers. Each checks that it worked.
lw_link_def zoo_link_def(const char *name, double mass, lw_vec3 center);
void zoo_link(lw_mech *mech, const char *name, double mass, lw_vec3 center);
void zoo_frame(lw_mech *mech, const char *link, const char *name, lw_placement at);
lw_joint_def zoo_joint_def(const char *name, lw_joint_type type, lw_vec3 axis);
void zoo_join(lw_mech *mech, const char *one, const char *other);

/// A joint between a port of one part and port a of a link.
void zoo_hang(lw_mech *mech, const lw_joint_def *def, const char *from, const char *link);

/// A rod between two ports; length 0 takes the distance in the reference configuration.
void zoo_rod(lw_mech *mech, const char *name, const char *one, const char *other, double length,
             double mass);

/// A joint that closes a loop between two ports.
void zoo_close(lw_mech *mech, const char *name, lw_joint_type type, lw_vec3 axis, const char *one,
               const char *other);

/// Compiles as compile_checked() does, and destroys the description.
lw_model *closed_model(lw_mech *mech);

/// One machine of the zoo. What it is apart from its loops can be had as a tree: with `cut` its
/// rods, closing joints and gears are left out, and no joint is dependent. Frames and joints have
/// the same names and order in both, so that the tree coordinates of one are those of the other.
typedef struct closed_machine {
    const char *name;
    lw_mech *(*build)(bool cut);
    double reach;   ///< how far q may go from the reference while its loops stay closed
    bool has_heavy; ///< a rod has mass, which its cut tree does not have
    bool is_iterated;
} closed_machine;

extern const closed_machine closed_zoo[];
extern const int closed_zoo_count;
const closed_machine *closed_zoo_find(const char *name);

/// A state near the reference configuration; v and a within [-1, 1].
void closed_state(const lw_model *m, double reach, double *q, double *v, double *a);

/// Höpler 2001: the palletiser, its declarations in the order of `shuffle` (0 to 5), and rods
/// of this mass.
lw_mech *zoo_palletiser(int shuffle, double rod_mass, bool cut);

#endif
