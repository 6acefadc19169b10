# SPDX-License-Identifier: MIT
# The benchmarks of the CPU: benchmarks_<variant> (every workload, compiled as users of the library compile),
# bench_export (inputs and results for peers), bench_scale (growing graphs), and one program for each peer in C++ whose
# library is there. scripts/bench builds and runs them.
find_package(benchmark 1.7 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

file(GLOB support_sources CONFIGURE_DEPENDS support/*.cpp)
file(GLOB workload_sources CONFIGURE_DEPENDS *_bench.cpp)
# GCC 12 takes a sum of strings for a copy onto itself (its bug 105329).
set_property(SOURCE support/scale_plot.cpp APPEND PROPERTY COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# Readers are in graphpatcher::io, which has this flag whatever its users' files are compiled with (src/CMakeLists.txt).
set_property(SOURCE read_bench.cpp APPEND PROPERTY COMPILE_OPTIONS -O3)

# benchmark_variant(<name> <library> <flags...>): all of it compiled with these flags, the parts that help, too: what is
# linked from elsewhere could be a function of the library compiled with others. A flag that comes last counts.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
function(benchmark_variant name library)
  add_library(bench_support_${name} STATIC ${support_sources})
  # No include directory: this folder has a program `compare`, which would be taken for the header <compare>.
  target_link_libraries(bench_support_${name} PUBLIC ${library} graphpatcher::io benchmark::benchmark)
  target_include_directories(bench_support_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(bench_support_${name} PUBLIC ${ARGN})
  string(JOIN " " flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${ARGN})
  target_compile_definitions(bench_support_${name} PRIVATE "GP_BENCH_FLAGS=\"${flags}\"")
  add_executable(benchmarks_${name} main.cpp ${workload_sources})
  target_link_libraries(benchmarks_${name} PRIVATE bench_support_${name} CLI11::CLI11)
  target_include_directories(benchmarks_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
benchmark_variant(native gp_own_flags -march=native)
benchmark_variant(header_only graphpatcher::graphpatcher -O2)
add_custom_target(benchmarks DEPENDS benchmarks_native benchmarks_header_only)
if(TARGET graphpatcher::compiled)
  benchmark_variant(compiled graphpatcher::compiled -O2)
  add_dependencies(benchmarks benchmarks_compiled)
endif()

foreach(program export scale)
  add_executable(bench_${program} ${program}.cpp)
  target_link_libraries(bench_${program} PRIVATE bench_support_native CLI11::CLI11)
endforeach()

# peer_program(<name> <libraries...>): the sparse products of another library, checked and timed.
find_package(OpenMP COMPONENTS CXX)
function(peer_program name)
  add_executable(peer_${name} peers/peer_main.cpp peers/${name}.cpp)
  target_link_libraries(peer_${name} PRIVATE gp_own_flags gp_native graphpatcher::io CLI11::CLI11 ${ARGN})
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
  target_link_libraries(tests_bench_support PRIVATE bench_support_native test_headers)
  target_include_directories(tests_bench_support PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support)
  add_test(NAME bench_support_tests COMMAND tests_bench_support)
  set_tests_properties(bench_support_tests PROPERTIES LABELS unit TIMEOUT 600)
endif()
