# SPDX-License-Identifier: MIT
# gp_add_level(target name sources flags...): `sources` compiled with `flags` into one object of `target` whose only
# global symbol is graphpatcher_level_NAME.
#
# Objects that are compiled for a newer processor also hold inline functions of the standard library, of Eigen and of
# this library, and a linker may give those to everybody. So all objects of a level are linked into one, in which every
# other symbol is made local. Groups of inline functions have to be dissolved for that (--force-group-allocation, which
# only GNU ld knows), and statics of inline functions must not be unique in the program (-fno-gnu-unique).
find_program(GP_LD_BFD NAMES ld.bfd ld)
set(GP_PACKS_LEVELS OFF)
if(GP_LD_BFD AND CMAKE_OBJCOPY)
  execute_process(COMMAND ${GP_LD_BFD} --help OUTPUT_VARIABLE ld_help ERROR_QUIET)
  if(ld_help MATCHES "force-group-allocation")
    set(GP_PACKS_LEVELS ON)
  endif()
endif()

function(gp_level_objects name sources)
  add_library(level_${name} OBJECT EXCLUDE_FROM_ALL ${sources})  # compiled for whoever takes its objects
  set_target_properties(level_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        INTERPROCEDURAL_OPTIMIZATION OFF)
  target_link_libraries(level_${name} PRIVATE graphpatcher::graphpatcher)
  target_include_directories(level_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(level_${name} PRIVATE GRAPHPATCHER_COMPILED=1 GP_BUILDS_LEVEL=1)
  # GCC 12 takes the undefined lanes of its own AVX-512 intrinsics for variables that nobody set.
  target_compile_options(level_${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> ${ARGN} -Wall -Wextra
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()

function(gp_add_level target name sources)
  gp_level_objects(${name} "${sources}" ${ARGN} -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set(packed ${CMAKE_CURRENT_BINARY_DIR}/level_${name}.o)
  add_custom_command(
    OUTPUT ${packed}
    COMMAND ${GP_LD_BFD} -r --force-group-allocation -o ${packed}.all $<TARGET_OBJECTS:level_${name}>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=graphpatcher_level_${name} ${packed}.all ${packed}
    COMMAND ${CMAKE_COMMAND} -E rm ${packed}.all
    DEPENDS level_${name} $<TARGET_OBJECTS:level_${name}>
    COMMENT "Packing the kernels of level ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${packed} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${packed})
endfunction()

# One level, with the compiler's own flags: its objects as they are.
function(gp_add_plain_level target sources)
  gp_level_objects(baseline "${sources}")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:level_baseline>)
  if(GRAPHPATCHER_SANITIZE)
    set(sanitizers -fsanitize=${GRAPHPATCHER_SANITIZE} -fno-sanitize-recover=all)
    target_compile_options(level_baseline PRIVATE ${sanitizers} -fno-omit-frame-pointer -O1 -g1)
    target_compile_options(${target} PRIVATE ${sanitizers} -fno-omit-frame-pointer)
  endif()
endfunction()
