# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# usage: cmake -D examples=DIR -D prefix=DIR -D folder=DIR -D compiler=CXX -P optimised.cmake
# Each example, configured as the project of its own that it is, is compiled with optimisation though nobody asked for it.
foreach(name quickstart ego_propagation own_backbone own_dataset own_objective checkpoints)
  file(REMOVE_RECURSE ${folder}/${name})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${examples}/${name} -B ${folder}/${name} -D CMAKE_CXX_COMPILER=${compiler}
                          -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${folder}/${name}/compile_commands.json commands)
  if(NOT commands MATCHES " -O[23] ")
    message(FATAL_ERROR "${name}: expected -O2 or -O3 without a build type, got ${commands}")
  endif()
endforeach()
