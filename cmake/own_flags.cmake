# SPDX-License-Identifier: MIT
# gp_own_flags: what this project's own programs are compiled with. Nothing here reaches a user.
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow
    $<$<BOOL:${GRAPHPATCHER_WERROR}>:-Werror>)
# GCC 12 takes the undefined lanes of its own AVX-512 intrinsics for variables that nobody set, a thousand times a build
# (its bug 105593), and a string put behind a literal for a copy onto itself (105651). GCC 13 and Clang still look for
# real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warnings -Wno-uninitialized -Wno-maybe-uninitialized -Wno-restrict)
endif()

add_library(gp_own_flags INTERFACE)
target_link_libraries(gp_own_flags INTERFACE graphpatcher::graphpatcher)
target_compile_options(gp_own_flags INTERFACE ${warnings})
# Tests and benchmarks of the headers are compiled for the machine at hand; examples as their users compile them.
add_library(gp_native INTERFACE)
target_compile_options(gp_native INTERFACE $<$<BOOL:${GRAPHPATCHER_NATIVE}>:-march=native>)

if(GRAPHPATCHER_SANITIZE)
  set(sanitizers -fsanitize=${GRAPHPATCHER_SANITIZE} -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # which takes its own instrumented code for reads of uninitialised variables
    list(APPEND sanitizers -Wno-maybe-uninitialized)
  endif()
  target_compile_options(gp_own_flags INTERFACE ${sanitizers} -fno-omit-frame-pointer)
  target_link_options(gp_own_flags INTERFACE ${sanitizers})
endif()

# The library of files and reports is compiled as its users get it, with the same warnings and sanitizers.
if(TARGET io)
  target_compile_options(io PRIVATE ${warnings})
  if(GRAPHPATCHER_SANITIZE)
    target_compile_options(io PRIVATE ${sanitizers} -fno-omit-frame-pointer -O1)
    target_link_options(io PRIVATE ${sanitizers})
  endif()
endif()
