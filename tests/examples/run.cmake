# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)
# usage: cmake -D program=P -D expected=F -P run.cmake; P must print what F holds, where # stands for any digit and
# #+ for some of them
execute_process(COMMAND ${program} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${expected} pattern)
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${pattern}")
string(REPLACE "#\\+" "[0-9]+" pattern "${pattern}")
string(REPLACE "#" "[0-9]" pattern "${pattern}")
if(NOT printed MATCHES "^${pattern}$")
  file(READ ${expected} pattern)
  message(FATAL_ERROR "expected\n${pattern}\ngot\n${printed}")
endif()
