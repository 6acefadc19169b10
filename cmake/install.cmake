# SPDX-License-Identifier: MIT
# `cmake --install`: headers, a CMake package and a pkg-config file. Nothing of these depends on the processor, so all
# goes under include/ and share/; the CUDA backend adds a library under lib/. No file holds an absolute path, so the tree
# can be moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/graphpatcher)

install(TARGETS graphpatcher EXPORT graphpatcher-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT graphpatcher-targets NAMESPACE graphpatcher:: DESTINATION ${package_dir})

# The CUDA backend, where it was built: the library, and the kernels as headers.
if(GRAPHPATCHER_CUDA)
  install(TARGETS cuda cuda_headers EXPORT graphpatcher-cuda-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT graphpatcher-cuda-targets NAMESPACE graphpatcher:: DESTINATION ${package_dir})
  install(DIRECTORY kernels/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/graphpatcher/kernels
          FILES_MATCHING PATTERN "*.cuh" PATTERN "*.hpp")
endif()

configure_package_config_file(cmake/graphpatcher-config.cmake.in graphpatcher-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(graphpatcher-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/graphpatcher-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/graphpatcher-config-version.cmake DESTINATION ${package_dir})

configure_file(cmake/graphpatcher.pc.in graphpatcher.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/graphpatcher.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphpatcher)
