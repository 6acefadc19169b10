// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>

#include "graphpatcher/cpu/operations.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"

/// All that graphpatcher::compiled has of one instruction level. A level's objects
/// are linked into one whose only global name is its table (cmake/levels.cmake), so
/// that no function compiled for a newer processor gets into the rest of a program.
namespace graphpatcher::compiled {

namespace detail {

template <class... Tables>
using pointers_to = std::tuple<const Tables*...>;

template <class T, graph_index I, template <class> class... Backbones>
using functions_for = pointers_to<backend::graph_operations<cpu, T, I>, backbone_functions<T, I, Backbones<T>>...,
                                  patcher_functions<T, I, Backbones<T>>...>;

template <class T, graph_index I>
using functions_of = functions_for<T, I, gcn_backbone, sage_backbone, gat_backbone>;

}  // namespace detail

struct level_table {
  detail::pointers_to<backend::id_checks<std::int32_t>, backend::id_checks<std::int64_t>> ids;
  detail::pointers_to<backend::dense_operations<cpu, float>, backend::dense_operations<cpu, double>> dense;
  detail::functions_of<float, std::int32_t> float_32;
  detail::functions_of<float, std::int64_t> float_64;
  detail::functions_of<double, std::int32_t> double_32;
  detail::functions_of<double, std::int64_t> double_64;
};

}  // namespace graphpatcher::compiled
