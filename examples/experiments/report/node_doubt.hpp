// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "experiments/report/comparison.hpp"

/// The other source of doubt: which nodes happened to be tested. Seeds have their own interval (paired.hpp).
namespace graphpatcher {

/// A gain in accuracy over the backbone, in points, and the 95 % interval of which nodes are tested.
struct node_doubt {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::size_t nodes = 0;  ///< different ones
};

/// By bootstrap over test nodes. A node is drawn with all its results, of every seed that tests it (clustered), so the
/// seeds stay as they are: as many nodes as there are, with replacement, `draws` times; the interval is from the 2.5 to
/// the 97.5 % quantile of the mean gain. The same bits for the same `seed`. Cells without outcomes are left out, and
/// nothing is known where none has any, or where their graphs differ in size.
node_doubt doubt_of_nodes(const cell_index::by_seed& cells, node_group group, std::size_t draws = 1000,
                          std::uint64_t seed = 1);

}  // namespace graphpatcher
