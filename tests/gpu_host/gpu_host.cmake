# SPDX-License-Identifier: MIT
# Translated kernels as targets. Needs gpu_host_engine (this directory's CMakeLists.txt).
set(GPU_HOST_DIR ${CMAKE_CURRENT_LIST_DIR})
find_package(Python3 3.8 REQUIRED COMPONENTS Interpreter)
file(GLOB GPU_HOST_TRANSLATOR CONFIGURE_DEPENDS ${GPU_HOST_DIR}/translate/*.py)

# gpu_host_translate(<target> PTX <files...> [MUTABLE <folder>])
#
# Makes the object library <target> of the kernels in PTX files (paths; they may be the output of custom commands of the
# same directory). What links with it has the kernels: they register themselves with the engine. With MUTABLE, barriers
# and bounds whose source is in <folder> can be mutated (mutation.hpp); the PTX has to be compiled with -G.
function(gpu_host_translate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MUTABLE" "PTX")
  if(NOT arg_PTX)
    message(FATAL_ERROR "gpu_host_translate(${target}): expected PTX <files...>, got none")
  endif()
  set(mutable)
  if(arg_MUTABLE)
    set(mutable --mutable ${arg_MUTABLE})
  endif()
  set(sources)
  foreach(ptx IN LISTS arg_PTX)
    cmake_path(ABSOLUTE_PATH ptx BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    cmake_path(GET ptx STEM LAST_ONLY name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_translated/${name}.cpp)
    if(source IN_LIST sources)
      message(FATAL_ERROR "gpu_host_translate(${target}): expected PTX files with different names, got two ${name}.ptx")
    endif()
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${target}_translated
      COMMAND ${Python3_EXECUTABLE} -B ${GPU_HOST_DIR}/translate ${mutable} ${ptx} ${source}
      DEPENDS ${ptx} ${GPU_HOST_TRANSLATOR}
      COMMENT "Translating ${name}.ptx" VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT ${sources})
  target_link_libraries(${target} PUBLIC gpu_host_engine)
  # The code is machine-made: no warnings, and a product and a sum stay two roundings. -Og compiles in half the time of -O1
  # and runs as fast: the time goes into the checks of the engine. Registers live as long as their function: to follow
  # the scopes of temporaries would only make the address sanitizer slow.
  target_compile_options(${target} PRIVATE -Og -g0 -w -ffp-contract=off -fno-sanitize-address-use-after-scope)
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
endfunction()

# gpu_host_compile_ptx(<variable> SOURCES <files.cu...> [ARCHITECTURE <compute_80>] [OPTIONS <nvcc options...>])
#
# Compiles CUDA sources to PTX with source lines when the build runs; <variable> gets the paths.
function(gpu_host_compile_ptx variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHITECTURE" "SOURCES;OPTIONS")
  if(NOT arg_ARCHITECTURE)
    set(arg_ARCHITECTURE compute_80)
  endif()
  find_program(GPU_HOST_NVCC nvcc HINTS /usr/local/cuda/bin REQUIRED)
  if(NOT -G IN_LIST arg_OPTIONS)  # which has source lines, too
    list(APPEND arg_OPTIONS -lineinfo)
  endif()
  set(outputs)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM LAST_ONLY name)
    set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
    add_custom_command(
      OUTPUT ${ptx}
      COMMAND ${GPU_HOST_NVCC} -std=c++20 -arch=${arg_ARCHITECTURE} ${arg_OPTIONS} -ptx ${source} -o ${ptx}
              -MD -MF ${ptx}.d
      DEPENDS ${source}
      DEPFILE ${ptx}.d
      COMMENT "Compiling ${name}.cu to PTX" VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND outputs ${ptx})
  endforeach()
  set(${variable} ${outputs} PARENT_SCOPE)
endfunction()
