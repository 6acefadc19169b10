// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/methods/correct_and_smooth.hpp"
#include "graphpatcher/methods/densify.hpp"
#include "graphpatcher/methods/distilled_mlp.hpp"
#include "graphpatcher/methods/dropedge.hpp"
#include "graphpatcher/methods/duplicate.hpp"
#include "graphpatcher/methods/fixed.hpp"
#include "graphpatcher/methods/graphpatcher.hpp"
#include "graphpatcher/methods/method_list.hpp"
#include "graphpatcher/methods/propagate.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/methods/spread.hpp"
#include "graphpatcher/methods/tuneup.hpp"
#include "graphpatcher/methods/weighted.hpp"

/// The methods of the registry, compiled once and not for a level (methods/registry.hpp says why).
namespace graphpatcher {

/// Every method. A new one is a header of its own and a name here.
using all_methods = method_list<no_method, zero_patches, mean_patches, copied_patches, untrained_patches,
                                trained_patches, weighted, weighted_fast, weighted_controls, spread_answers, densify,
                                duplicate, distilled_mlp, propagate, correct_and_smooth, dropedge, tuneup>;

template <class T, graph_index I>
void methods::run(std::string_view name, method_run<T, I>& run) {
  all_methods::run(name, run);
}

}  // namespace graphpatcher
