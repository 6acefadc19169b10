// SPDX-License-Identifier: MIT
// Nothing of its own: what the headers define must be allowed to stand in two files of one program.
#include <graphpatcher/graphpatcher.hpp>
