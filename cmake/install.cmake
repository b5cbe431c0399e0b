# What an installation holds: headers, libraries, a package for find_package, and .pc files.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/linkwork)

install(DIRECTORY include/linkwork DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "io.h" EXCLUDE PATTERN "run.h" EXCLUDE
  PATTERN "generated.h" EXCLUDE PATTERN "stiff.h" EXCLUDE
  PATTERN "identify.h" EXCLUDE PATTERN "sweep.h" EXCLUDE
  PATTERN "workspace_map.h" EXCLUDE PATTERN "workspace_boundary.h" EXCLUDE)
install(TARGETS linkwork EXPORT linkwork-core)
install(EXPORT linkwork-core NAMESPACE linkwork:: FILE linkwork-core.cmake
  DESTINATION ${package_dir})

configure_file(cmake/linkwork-config.cmake.in linkwork-config.cmake @ONLY)
write_basic_package_version_file(linkwork-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/linkwork-config.cmake
  ${PROJECT_BINARY_DIR}/linkwork-config-version.cmake DESTINATION ${package_dir})

# The .pc files find their prefix from where they lie, so an installation can be moved. A static
# library brings its dependencies along in Libs and Requires, a shared one knows them itself.
file(RELATIVE_PATH pc_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_sundials " -lsundials_cvode -lsundials_ida")
set(pc_lapacke " -llapacke")
list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE pc_dl)
if(BUILD_SHARED_LIBS)
  set(pc_libs "")
  set(pc_dl "")
  set(pc_sundials "")
  set(pc_lapacke "")
  set(pc_requires_expat "Requires: linkwork\nRequires.private: expat")
else()
  set(pc_libs " -lm")
  set(pc_requires_expat "Requires: linkwork, expat")
endif()
configure_file(cmake/linkwork.pc.in linkwork.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/linkwork.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(LINKWORK_JIT)
  install(FILES include/linkwork/generated.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linkwork)
  install(TARGETS linkwork_jit EXPORT linkwork-jit)
  install(EXPORT linkwork-jit NAMESPACE linkwork:: FILE linkwork-jit.cmake
    DESTINATION ${package_dir})
  configure_file(cmake/linkwork-jit.pc.in linkwork-jit.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linkwork-jit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(LINKWORK_STIFF)
  install(FILES include/linkwork/stiff.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linkwork)
  install(TARGETS linkwork_stiff EXPORT linkwork-stiff)
  install(EXPORT linkwork-stiff NAMESPACE linkwork:: FILE linkwork-stiff.cmake
    DESTINATION ${package_dir})
  configure_file(cmake/linkwork-stiff.pc.in linkwork-stiff.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linkwork-stiff.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(LINKWORK_IDENTIFY)
  install(FILES include/linkwork/identify.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linkwork)
  install(TARGETS linkwork_identify EXPORT linkwork-identify)
  install(EXPORT linkwork-identify NAMESPACE linkwork:: FILE linkwork-identify.cmake
    DESTINATION ${package_dir})
  configure_file(cmake/linkwork-identify.pc.in linkwork-identify.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linkwork-identify.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(LINKWORK_SWEEP)
  install(FILES include/linkwork/sweep.h include/linkwork/workspace_map.h
    include/linkwork/workspace_boundary.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linkwork)
  install(TARGETS linkwork_sweep EXPORT linkwork-sweep)
  install(EXPORT linkwork-sweep NAMESPACE linkwork:: FILE linkwork-sweep.cmake
    DESTINATION ${package_dir})
  configure_file(cmake/linkwork-sweep.pc.in linkwork-sweep.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linkwork-sweep.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(LINKWORK_IO)
  install(FILES include/linkwork/io.h include/linkwork/run.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linkwork)
  install(TARGETS linkwork_io EXPORT linkwork-io)
  install(EXPORT linkwork-io NAMESPACE linkwork:: FILE linkwork-io.cmake
    DESTINATION ${package_dir})
  configure_file(cmake/linkwork-io.pc.in linkwork-io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/linkwork-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The machines to try the program on, the schema for editors, and the pages.
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/linkwork FILES_MATCHING PATTERN "*.xml")
install(FILES docs/reference/linkwork.xsd DESTINATION ${CMAKE_INSTALL_DATADIR}/linkwork)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
