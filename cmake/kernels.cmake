# How the kernels of src/dyn are compiled.

# Pairing up scalars makes stores of pairs and loads of singles meet, which stalls these recursions:
# measured 10 to 30 percent slower.
set(kernel_options -fno-tree-slp-vectorize)
# Without -O3 gcc keeps vectors in memory that fit registers: batches take three times as long.
list(APPEND kernel_options $<$<NOT:$<CONFIG:Debug>>:-O3>)
set(kernel_sources recursions batch_generic float)
foreach(name ${kernel_sources})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/dyn/${name}.c PROPERTIES
    COMPILE_OPTIONS "${kernel_options}")
endforeach()

# Vectors of four doubles are passed between static functions only, so no calling convention matters.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/dyn/batch_generic.c APPEND PROPERTY
  COMPILE_OPTIONS -Wno-psabi)

# Files that end with _avx2 are for processors that have wide registers and fused products, and are
# asked for at run time (lwi_get_recursions). Elsewhere they are empty.
include(CheckCCompilerFlag)
check_c_compiler_flag("-mavx2 -mfma" LINKWORK_HAS_AVX2)
if(LINKWORK_HAS_AVX2)
  file(GLOB wide_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_avx2.c)
  set_source_files_properties(${wide_sources} PROPERTIES
    COMPILE_OPTIONS "${kernel_options};-mavx2;-mfma;-ffp-contract=fast")
endif()
