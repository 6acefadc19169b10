# SPDX-License-Identifier: MIT
# tests_cuda_mutants, for scripts/mutate-kernels: the tests of tests_cuda_host, and those of small devices and of memory
# traffic, with kernels that can be broken. Compiled without optimisation, where every comparison of the source is one
# instruction; not part of an ordinary build.
set(cuda_includes $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:cuda_objects,INCLUDE_DIRECTORIES>>)
gpu_host_compile_ptx(mutable_ptx SOURCES ${kernel_sources}
                     OPTIONS -G --expt-relaxed-constexpr -DNDEBUG
                             "-I$<JOIN:${cuda_includes},;-I>")
gpu_host_translate(mutable_kernels PTX ${mutable_ptx} MUTABLE ${PROJECT_SOURCE_DIR}/kernels)
set_target_properties(mutable_kernels PROPERTIES EXCLUDE_FROM_ALL ON)

add_executable(tests_cuda_mutants EXCLUDE_FROM_ALL support/on_host.cpp support/mutants.cpp
               host_only/launch_policy_test.cpp host_only/small_device_test.cpp host_only/traffic_test.cpp
               $<TARGET_OBJECTS:test_main>
               $<TARGET_OBJECTS:cuda_test_objects> $<TARGET_OBJECTS:cuda_objects>)
target_include_directories(tests_cuda_mutants PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(tests_cuda_mutants PRIVATE test_support mutable_kernels gpu_host_runtime gpu_host_engine)
set_target_properties(tests_cuda_mutants PROPERTIES LINKER_LANGUAGE CXX)
add_test(NAME mutate_kernels_script
         COMMAND ${Python3_EXECUTABLE} -B -m unittest discover -s tests/mutate_kernels -t tests/mutate_kernels
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(mutate_kernels_script PROPERTIES LABELS cuda TIMEOUT 60)
