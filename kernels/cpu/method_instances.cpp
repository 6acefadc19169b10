// SPDX-License-Identifier: MIT
// The same as instances.cpp for what the registry's methods need: backbones of any kind, the rule, a whole run.
#include "graphpatcher/eval/add_answer.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#undef GP_EXTERN
#define GP_EXTERN
#include "graphpatcher/methods/run_method.hpp"
#include "graphpatcher/methods/score_weighted.hpp"
