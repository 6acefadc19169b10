// SPDX-License-Identifier: MIT
#pragma once

/// Every function that a tape can record and differentiate.
#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "graphpatcher/autodiff/loss_functions.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/autodiff/norm_functions.hpp"
#include "graphpatcher/autodiff/pooled_messages.hpp"
