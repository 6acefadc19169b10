// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

/// The table of a level: graphpatcher_level_baseline, graphpatcher_level_v3, graphpatcher_level_v4.
#define GP_JOIN(a, b) a##b
#define GP_TABLE_OF(level) GP_JOIN(graphpatcher_level_, level)
