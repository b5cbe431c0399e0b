// linkwork/levels.h: what the levels of detail of a mechanism's assemblies leave out.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_LEVELS_H
#define LINKWORK_LEVELS_H

#include <linkwork/kinds.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A part that its level does not have as it was described. The numbers are those of the reference
/// configuration.
typedef struct lw_simplified_part {
    const char *name;
    const char *kind;    ///< "link", "joint", "rod", "load", "gear", "drive" or "gearbox"
    int assembly;        ///< into lw_levels.assembly
    bool is_locked;      ///< fixed to the carrier; else it is left out
    const char *carrier; ///< the structural part that carries it; empty for what connects axes
    double mass;         ///< of a link or a rod, kg
    bool slides;         ///< a joint that slides, and does not rotate: its inertia is a mass
    double inertia;      ///< of a joint: what no longer moves by itself, all that it carries in the
                         ///< transmission: about its axis, kg m^2, or along it, kg; of a drive
                         ///< that of its rotor
} lw_simplified_part;

/// An assembly and its level.
typedef struct lw_assembly_level {
    const char *name; ///< in full, "arm/wrist"; "*" for the mechanism itself
    lw_level level;
    int ntransmission;    ///< links, joints, rods, drives and gearboxes of its own transmission
    double mass;          ///< of these, kg
    double mass_moved;    ///< of those that are fixed to their carriers, kg
    double mass_left_out; ///< kg
} lw_assembly_level;

/// What the levels make of a mechanism. All arrays live until lw_levels_destroy().
typedef struct lw_levels {
    int nassembly;
    int npart;
    const lw_assembly_level *assembly; ///< [nassembly] the mechanism itself first
    const lw_simplified_part *part;    ///< [npart] by assembly, in the order of description
} lw_levels;

/// Frees what lw_levels_create() made (linkwork/compile.h).
LW_API void lw_levels_destroy(lw_levels *levels);

#ifdef __cplusplus
}
#endif
#endif
