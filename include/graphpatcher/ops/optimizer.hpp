// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/cpu/optimizer.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"

/// Steps of the optimisers in nn/optimizer.hpp, for several parameters at once.
/// What the items point to is in the memory of `exec`, the span is the host's.
namespace graphpatcher {

/// A step of Adam or AdamW: the formulas of adam_item.
template <class T>
void adam_step(const executor& exec, std::type_identity_t<std::span<const adam_item<T>>> items) {
  exec.visit([&](const auto& on) { backend::adam_step<T>(on, items); });
}

/// A step of gradient descent: the formulas of sgd_item.
template <class T>
void sgd_step(const executor& exec, std::type_identity_t<std::span<const sgd_item<T>>> items) {
  exec.visit([&](const auto& on) { backend::sgd_step<T>(on, items); });
}

}  // namespace graphpatcher
