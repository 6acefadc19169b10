# SPDX-License-Identifier: MIT
# The benchmarks of the CPU: graphpatcher_bench (every workload), bench_export (inputs and results for peers), bench_scale
# (growing graphs), and one program for each peer in C++ whose library is there. scripts/bench builds and runs them.
find_package(benchmark 1.7 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

file(GLOB support_sources CONFIGURE_DEPENDS support/*.cpp)
add_library(bench_support STATIC ${support_sources})
# No include directory: this folder has a program `compare`, which would be taken for the header <compare>.
target_link_libraries(bench_support PUBLIC gp_own_flags graphpatcher::io benchmark::benchmark)
target_include_directories(bench_support PRIVATE ${PROJECT_SOURCE_DIR}/src)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" bench_flags)
if(GRAPHPATCHER_NATIVE)
  string(APPEND bench_flags " -march=native")
endif()
set_property(SOURCE support/machine.cpp APPEND PROPERTY COMPILE_DEFINITIONS "GP_BENCH_FLAGS=\"${bench_flags}\"")

# GCC 12 takes a sum of strings for a copy onto itself (its bug 105329).
set_property(SOURCE support/scale_plot.cpp APPEND PROPERTY COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

file(GLOB workload_sources CONFIGURE_DEPENDS *_bench.cpp)
add_executable(graphpatcher_bench main.cpp ${workload_sources})
add_executable(bench_export export.cpp)
add_executable(bench_scale scale.cpp)
foreach(program graphpatcher_bench bench_export bench_scale)
  target_link_libraries(${program} PRIVATE bench_support CLI11::CLI11)
endforeach()

# peer_program(<name> <libraries...>): the sparse products of another library, checked and timed.
find_package(OpenMP COMPONENTS CXX)
function(peer_program name)
  add_executable(peer_${name} peers/peer_main.cpp peers/${name}.cpp)
  target_link_libraries(peer_${name} PRIVATE gp_own_flags graphpatcher::io CLI11::CLI11 ${ARGN})
endfunction()

add_custom_target(peers)
if(OpenMP_CXX_FOUND)
  peer_program(eigen OpenMP::OpenMP_CXX)
  add_dependencies(peers peer_eigen)
endif()

find_path(GraphBLAS_INCLUDE GraphBLAS.h PATH_SUFFIXES suitesparse)
find_library(GraphBLAS_LIBRARY graphblas)
if(GraphBLAS_INCLUDE AND GraphBLAS_LIBRARY)
  peer_program(graphblas ${GraphBLAS_LIBRARY})
  target_include_directories(peer_graphblas SYSTEM PRIVATE ${GraphBLAS_INCLUDE})
  add_dependencies(peers peer_graphblas)
endif()

set(GRAPHPATCHER_BENCH_MKL "" CACHE PATH
    "Folder with include/mkl_spblas.h and lib/libmkl_rt.so.*, such as a Python environment with mkl-devel")
file(GLOB mkl_library ${GRAPHPATCHER_BENCH_MKL}/lib/libmkl_rt.so*)
if(GRAPHPATCHER_BENCH_MKL AND mkl_library AND EXISTS ${GRAPHPATCHER_BENCH_MKL}/include/mkl_spblas.h)
  list(GET mkl_library 0 mkl_library)
  peer_program(mkl ${mkl_library})
  target_include_directories(peer_mkl SYSTEM PRIVATE ${GRAPHPATCHER_BENCH_MKL}/include)
  set_target_properties(peer_mkl PROPERTIES BUILD_RPATH ${GRAPHPATCHER_BENCH_MKL}/lib)
  add_dependencies(peers peer_mkl)
endif()

if(GRAPHPATCHER_TESTS)
  file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench_support/*_test.cpp)
  add_executable(tests_bench_support ${test_sources} $<TARGET_OBJECTS:test_main>)
  target_link_libraries(tests_bench_support PRIVATE bench_support test_support)
  target_include_directories(tests_bench_support PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support)
  add_test(NAME bench_support_tests COMMAND tests_bench_support)
  set_tests_properties(bench_support_tests PROPERTIES LABELS unit TIMEOUT 600)
endif()
