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

# Files that end with _avx2 and _avx512 are for processors that have these, which are asked for at run
# time (lwi_cpu_level). Where the compiler does not know them there is nothing in the files.
include(CheckCCompilerFlag)
function(linkwork_wide name)
  string(REPLACE ";" " " flags "${ARGN}")
  string(TOUPPER LINKWORK_HAS_${name} has)
  check_c_compiler_flag("${flags}" ${has})
  if(${has})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*_${name}.c)
    set_source_files_properties(${sources} PROPERTIES
      COMPILE_OPTIONS "${kernel_options};${ARGN};-ffp-contract=fast")
  endif()
endfunction()
linkwork_wide(avx2 -mavx2 -mfma)
linkwork_wide(avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=256)

# Loops over the joints and degrees of freedom of a loop run two or three times: vectors of four only add
# questions before and after. A root asks whether errno is to be set.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/kin/closure.c ${PROJECT_SOURCE_DIR}/src/kin/closure_avx2.c
  APPEND PROPERTY COMPILE_OPTIONS -fno-tree-vectorize -fno-math-errno)
