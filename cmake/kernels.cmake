# How the kernels are compiled: src/dyn/kernels_*.c for one state, and src/*/*_lanes.c for several.

# Pairing up scalars makes stores of pairs and loads of singles meet, which stalls these recursions:
# measured 10 to 30 percent slower. A root asks whether errno is to be set. Functions that take
# vectors are inlined: there is no call whose convention could have changed.
set(kernel_options -fno-tree-slp-vectorize -fno-math-errno -Wno-psabi)
# Without -O3 gcc keeps vectors in memory that fit registers: batches take three times as long.
list(APPEND kernel_options $<$<NOT:$<CONFIG:Debug>>:-O3>)

# Files that are named after AVX2 and AVX-512 are for processors that have these, which
# lwi_select_kernels() detects at run time. Where the compiler does not support them they are empty.
include(CheckCCompilerFlag)
function(linkwork_kernels folder set)
  set(flags ${ARGN})
  if(flags)
    string(REPLACE ";" " " joined "${flags}")
    string(TOUPPER LINKWORK_HAS_${set} has)
    check_c_compiler_flag("${joined}" ${has})
    if(NOT ${has})
      return()
    endif()
    list(APPEND flags -ffp-contract=fast)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*_${set}.c
    ${PROJECT_SOURCE_DIR}/src/${folder}/*_${set}_lanes.c)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${kernel_options};${flags}")
  # Loops over the joints of one loop run two or three times: vectors of four only add questions
  # before and after.
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/dyn/kernels_${set}.c
    APPEND PROPERTY COMPILE_OPTIONS -fno-tree-vectorize)
endfunction()
linkwork_kernels(dyn generic)
linkwork_kernels(* avx2 -mavx2 -mfma)
linkwork_kernels(* avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=256)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/dyn/float.c PROPERTIES
  COMPILE_OPTIONS "${kernel_options}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kin/closure.c PROPERTIES
  COMPILE_OPTIONS "-fno-tree-vectorize;-fno-math-errno")
# The matrices of loops are small: vectors add more questions than they save.
file(GLOB loops CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/loop/*.c)
set_property(SOURCE ${loops} APPEND PROPERTY COMPILE_OPTIONS -fno-math-errno
  "$<IF:$<C_COMPILER_ID:GNU>,-fno-tree-loop-vectorize,-fno-vectorize>")
# Distances: a root asks whether errno is to be set.
file(GLOB distances CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/geom/*.c ${PROJECT_SOURCE_DIR}/src/collide/*.c)
set_property(SOURCE ${distances} APPEND PROPERTY COMPILE_OPTIONS -fno-math-errno -fno-tree-slp-vectorize)
