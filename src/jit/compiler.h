// Starting a compiler on a source in memory, and loading what it makes.
#ifndef LWI_COMPILER_H
#define LWI_COMPILER_H

#include <linkwork/generated.h>

/// Compiles a C source to a shared object and loads it, or finds it in the cache. The source must
/// define `const char linkwork_digest[]`; %DIGEST% within it is replaced by the digest that the
/// source has before, which is compared after loading.
///
/// @param source changed: its place for the digest is filled
/// @param handle of dlopen(); free with dlclose()
/// @return LW_ERR_FILE where it cannot, with a warning in the report; LW_ERR_MEMORY
lw_status lwi_compile_and_load(const lw_compiler *compiler, char *source, lw_report *report,
                               void **handle);

/// What stands in the source for the digest: as many letters as a digest has.
#define LWI_DIGEST_PLACE "0000000000000000000000000000000000000000000000000000000000000000"

#endif
