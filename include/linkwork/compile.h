// linkwork/compile.h: from the description of a machine to the model that computes.
#ifndef LINKWORK_COMPILE_H
#define LINKWORK_COMPILE_H

#include <linkwork/mech.h>
#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_compile_options {
    bool free_base; ///< a root that the description leaves fixed hangs on a free joint named "root"
    bool leave_out_loose; ///< parts that hang on nothing, and what hangs on them or needs them, are
                          ///< left out; else they are errors
} lw_compile_options;

LW_API lw_compile_options lw_default_compile_options(void);

/// Compiles a description. The description is not changed; all findings go to the report.
/// On failure *model is null, and a model compiled before goes on working.
/// @param options null for the default
LW_API lw_status lw_compile(const lw_mech *mech, const lw_compile_options *options,
                            lw_model **model, lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
