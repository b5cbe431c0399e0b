// The robots by which derivations are counted, in modified DH, with symbols for all parameters.
#ifndef SYM_ROBOTS_H
#define SYM_ROBOTS_H

#include "sym/body_tree.h"

typedef enum sym_robot_name {
    SYM_FLEXIBLE,        ///< the six joints of Bansevicius 2004, every inertial parameter
    SYM_FLEXIBLE_SPARSE, ///< links 3 and 6 carry mass: diagonal tensors, first moment x; link 6
                         ///< also z and the product xz
    SYM_PUMA,
    SYM_UR5,
    SYM_SCARA, ///< that of Wenz 2006: masses, x of the centre, moments about the joint axes
    SYM_ROBOT_COUNT
} sym_robot_name;

const char *sym_robot_title(sym_robot_name name);

enum { SYM_MAX_BODIES = 8 };

/// Fills bodies[SYM_MAX_BODIES] and gives a robot over them, with the symbols q1, v1, a1, m1, ...
lwi_sym_tree sym_robot(lwi_graph *g, sym_robot_name name, lwi_sym_body *bodies);

/// The different elements of H, C and g, in this order: the upper half of H, C for k <= l. Returns
/// how many there are: 153 for six bodies, which is the most.
int sym_robot_elements(lwi_graph *g, const lwi_sym_tree *robot, lwi_expr *list);

#endif
