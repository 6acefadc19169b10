// SPDX-License-Identifier: MIT
// What headers say that a library has (GP_EXTERN, core/level.hpp), compiled here for programs that link
// graphpatcher::compiled.
#define GP_EXTERN
#include "graphpatcher/eval/add_answer.hpp"
#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
