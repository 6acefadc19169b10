# SPDX-License-Identifier: MIT
# `cmake --install`: headers, a CMake package, pkg-config files and the compiled libraries that were built. The package
# files stand beside the libraries, under lib/. No file holds an absolute path but
# that of the CUDA toolkit, so the tree can be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/graphpatcher)

# install_component(<name> <targets...>): an export set of its own, which the package reads where it is there.
function(install_component name)
  install(TARGETS ${ARGN} EXPORT graphpatcher-${name}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT graphpatcher-${name}-targets NAMESPACE graphpatcher:: DESTINATION ${package_dir})
endfunction()

# install_pkg_config(<name>): <name>.pc, which finds the tree from where it stands.
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
function(install_pkg_config name)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

install(TARGETS graphpatcher EXPORT graphpatcher-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT graphpatcher-targets NAMESPACE graphpatcher:: DESTINATION ${package_dir})
install_pkg_config(graphpatcher)

# Files, checkpoints and reports.
if(TARGET io)
  install_component(io io)
  if(NOT BUILD_SHARED_LIBS)
    set(zlib_to_link ", zlib")  # who links the archive links zlib too; the shared library brings it along
  endif()
  install_pkg_config(graphpatcher-io)
endif()

# The CPU kernels, compiled for every level.
install_component(compiled compiled)
if(TARGET io)
  set(io_to_link ", graphpatcher-io = ${PROJECT_VERSION}")  # a program that links the one gets the other
endif()
install_pkg_config(graphpatcher-compiled)

# The CUDA backend, where it was built: the library, and the kernels as headers.
if(GRAPHPATCHER_CUDA)
  install_component(cuda cuda cuda_headers)
  install_pkg_config(graphpatcher-cuda)
  install(DIRECTORY kernels/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/graphpatcher/kernels
          FILES_MATCHING PATTERN "*.cuh" PATTERN "*.hpp")
endif()

configure_package_config_file(cmake/graphpatcher-config.cmake.in graphpatcher-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(graphpatcher-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/graphpatcher-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/graphpatcher-config-version.cmake DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphpatcher)
