# Functions that CMakeLists.txt is written with.

# Folders are layers (DESIGN.md); a new source file needs no edit here.
function(linkwork_layers out)
  set(all)
  foreach(layer ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.c)
    list(APPEND all ${sources})
  endforeach()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# A part that can be left out. AUTO, the default, builds it where its dependencies are found.
function(linkwork_part name text)
  set(${name} AUTO CACHE STRING "${text}: AUTO, ON or OFF")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# Switches a part off (AUTO) or stops (ON) where the condition does not hold; one that is off stays so.
function(linkwork_need part condition what)
  if(${condition} OR ${part} STREQUAL "OFF")
    return()
  endif()
  if(${part} STREQUAL "AUTO")
    message(STATUS "${part} is left out: ${what} was not found")
    set(${part} OFF PARENT_SCOPE)
  else()
    message(FATAL_ERROR "${part} needs ${what}")
  endif()
endfunction()

# The library `target`, exported as linkwork::`name`, of objects that are compiled once.
function(linkwork_library target name objects sources)
  add_library(${objects} OBJECT ${sources})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${objects} PRIVATE linkwork_flags)
  add_library(${target} $<TARGET_OBJECTS:${objects}>)
  add_library(linkwork::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
