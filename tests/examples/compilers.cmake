# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# usage: cmake -D compiler=C -D example=FOLDER -D root=R -D system=DIRS -P compilers.cmake; compiler C must take every
# source of the example. Nothing is optimised or linked: what one compiler takes and another doesn't are words.
find_program(found ${compiler})
if(NOT found)
  message("skipped: ${compiler} isn't on PATH")
  return()
endif()
list(TRANSFORM system PREPEND "-isystem")
file(GLOB_RECURSE sources ${example}/*.cpp)
foreach(source IN LISTS sources)
  execute_process(COMMAND ${found} -std=c++20 -fsyntax-only -I${root}/include -I${root}/examples -I${root}/src ${system}
                          ${source}
                  RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    list(APPEND refused ${source})
    message("${said}")
  endif()
endforeach()
if(NOT sources OR refused)
  message(FATAL_ERROR "${compiler} does not take: ${refused} (of ${sources})")
endif()
