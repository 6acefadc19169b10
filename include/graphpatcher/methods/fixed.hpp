// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/methods/method.hpp"

/// The methods that train nothing: the backbone alone, and patches whose
/// features are fixed (patcher/fixed_patches.hpp).
namespace graphpatcher {

struct no_method {
  static constexpr method_info info{"none", "the backbone as it is, without patches", method_role::baseline, "none"};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    run.answer_as_backbone();
  }
};

namespace detail {

template <fixed_patch kind>
struct fixed_method {
  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    run.patch_with(kind, {});
  }
};

}  // namespace detail

struct zero_patches : detail::fixed_method<fixed_patch::zero> {
  static constexpr method_info info{"zero", "patches whose features are all zero", method_role::control};
};

struct mean_patches : detail::fixed_method<fixed_patch::mean> {
  static constexpr method_info info{"mean", "patches with the mean features of all nodes", method_role::control};
};

struct copied_patches : detail::fixed_method<fixed_patch::copy> {
  static constexpr method_info info{"copy", "patches that are copies of the node", method_role::control};
};

}  // namespace graphpatcher
