// Writing a parameter into a description.
#ifndef LWI_SET_PARAMETER_H
#define LWI_SET_PARAMETER_H

#include <linkwork/mech.h>

/// Sets the number that a name means: those of linkwork/parameters.h for a joint's placements, axes
/// and pitch and for a rod's length; LINK.mass, LINK.center.x, LINK.inertia.xx, LINK.b.x; ROD.mass;
/// JOINT.damping, friction, stiffness, rotor_inertia, lower, upper; DRIVE.inertia, damping,
/// friction, max_force, max_velocity; GEARBOX.ratio; SPRING.stiffness, preload, free, damping,
/// backlash. LW_ERR_UNSUPPORTED for others, and for parts of assemblies.
lw_status lwi_set_parameter(lw_mech *mech, const char *name, double value);

#endif
