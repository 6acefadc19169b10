// SPDX-License-Identifier: MIT
// What headers say that a library has (GP_EXTERN, core/level.hpp), compiled here for the files of graphpatcher::io.
#define GP_EXTERN
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
