# SPDX-License-Identifier: MIT
# The library hands its users include folders, libraries and "C++20 or later", and no flag or macro.
foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_OPTIONS)
  get_target_property(leaked graphpatcher::graphpatcher INTERFACE_${property})
  if(leaked)
    message(FATAL_ERROR "graphpatcher::graphpatcher hands ${property} to its users: ${leaked}")
  endif()
endforeach()
if(TARGET gp_own_flags)
  message(FATAL_ERROR "the project's own flags are defined in a user's build")
endif()
