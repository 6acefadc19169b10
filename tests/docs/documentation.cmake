# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# Code shown in the documentation is the code that is compiled, and links between its pages lead somewhere.
# A block of code that follows "<!-- the same as FILE -->" must equal FILE, its licence line left out.
file(GLOB_RECURSE pages ${root}/docs/*.md)
list(APPEND pages ${root}/README.md ${root}/CONTRIBUTING.md)
set(failures "")

foreach(page IN LISTS pages)
  file(READ ${page} rest)
  cmake_path(GET page PARENT_PATH folder)

  string(REGEX MATCHALL "<!-- the same as [^ ]+ -->" marks "${rest}")
  foreach(mark IN LISTS marks)
    string(REGEX REPLACE "<!-- the same as ([^ ]+) -->" "\\1" shown "${mark}")
    string(FIND "${rest}" "${mark}\n```cpp\n" begin)
    string(LENGTH "${mark}\n```cpp\n" skipped)
    math(EXPR begin "${begin} + ${skipped}")
    string(SUBSTRING "${rest}" ${begin} -1 block)
    string(FIND "${block}" "```" end)
    string(SUBSTRING "${block}" 0 ${end} block)
    file(READ ${root}/${shown} source)
    string(REGEX REPLACE "^// SPDX[^\n]*\n" "" source "${source}")
    if(NOT block STREQUAL source)
      list(APPEND failures "${page}: the code shown is not that of ${shown}")
    endif()
  endforeach()

  # Brackets and semicolons upset CMake's lists: only the "(target)" of a link is looked at.
  string(REGEX REPLACE "[;[]" " " rest "${rest}")
  string(REPLACE "](" "\n@link@(" rest "${rest}")
  string(REGEX MATCHALL "@link@\\([A-Za-z0-9_./:-]+[#)]" links "${rest}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^@link@.(.*).$" "\\1" target "${link}")
    if(NOT target MATCHES "^(https?|mailto):" AND NOT EXISTS ${folder}/${target})
      list(APPEND failures "${page}: ${target} does not exist")
    endif()
  endforeach()
endforeach()

if(failures)
  list(JOIN failures "\n  " failures)
  message(FATAL_ERROR "the documentation is out of step:\n  ${failures}")
endif()
