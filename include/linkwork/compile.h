// linkwork/compile.h: from the description of a mechanism to the model that computes.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_COMPILE_H
#define LINKWORK_COMPILE_H

#include <linkwork/levels.h>
#include <linkwork/mech.h>
#include <linkwork/model.h>
#include <linkwork/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_compile_options {
    bool free_base; ///< a root that the description leaves fixed gets a free joint named "root"
    bool leave_out_loose; ///< parts connected to nothing, and what needs them or is attached, are
                          ///< left out with a warning (linkwork/machine.h); else they are errors
    const lw_level_choice *level; ///< [nlevel] levels of detail; they come before what the
                                  ///< description has, and the nearest one counts. Borrowed: a
                                  ///< lw_machine needs them as long as it lives
    int nlevel;
    const char *const *scene; ///< [nscene] assemblies on the ground that stay on the world where
                              ///< the base is freed: what stands round the mechanism. Borrowed
    int nscene;
} lw_compile_options;

/// As described: nothing is set.
LW_API lw_compile_options lw_default_compile_options(void);

/// Compiles a description. The description is not changed; all diagnostics go to the report.
/// On failure *model is null, and a model compiled before goes on working.
/// @param options null for the default
LW_API lw_status lw_compile(const lw_mech *mech, const lw_compile_options *options,
                            lw_model **model, lw_report *report);

/// Name of a stage of the compile, from 0 on: "elaborate", "levels", ..., "pack"; null beyond the
/// last.
LW_API const char *lw_compile_stage_name(int stage);

/// Compiles up to a stage, and prints what that has left for people to read: calls `line` with each
/// line of text, without its end. Returns what lw_compile() does so far; LW_ERR_ARGUMENT for null
/// and for a stage that there is not.
/// @param options null for the default
LW_API lw_status lw_compile_stage(const lw_mech *mech, const lw_compile_options *options, int stage,
                                  void (*line)(void *context, const char *text), void *context,
                                  lw_report *report);

/// Lists what the levels of detail make of a description, for the model that the same options give.
/// LW_ERR_ARGUMENT for null, else as lw_compile().
/// @param options null for the default
LW_API lw_status lw_levels_create(const lw_mech *mech, const lw_compile_options *options,
                                  lw_levels **levels);

/// Lists the parameters of a description, for a model that was compiled from it with the same
/// options. The list borrows nothing from the description. LW_ERR_ARGUMENT where the model was not
/// compiled from this description as it is now.
/// @param options null for the default
LW_API lw_status lw_parameters_create(const lw_mech *mech, const lw_compile_options *options,
                                      const lw_model *m, lw_parameters **parameters);

/// Compiles a description six times with a number changed by up to three steps of a thousandth of
/// it (of a zero: of a length that is usual for the model, or of a radian). Names are those of
/// lw_get_parameter(), which are all that forces depend on: lengths, placements and axes, masses,
/// centres and inertias, rods, friction, damping, stiffness, rotors, gears, couplings, springs,
/// parts of assemblies too. Lengths of rods that have none of their own are held, as they are in
/// the reference configuration. The description is as before afterwards.
///
/// LW_ERR_ARGUMENT where the model was not compiled from this description as it is now;
/// LW_ERR_UNSUPPORTED for a name that is none; LW_ERR_MODEL where the mechanism cannot be
/// assembled, or is another one, with the number changed: it is not free to vary alone.
/// @param options null for the default
LW_API lw_status lw_variation_create(lw_mech *mech, const lw_compile_options *options,
                                     const lw_model *m, const char *name, lw_variation **variation);

#ifdef __cplusplus
}
#endif
#endif
