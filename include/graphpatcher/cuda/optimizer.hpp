// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"

/// Steps of the optimisers on the GPU (kernels/optimizer.cu): the list of
/// parameters is a kernel's argument, so that one launch serves all that fit
/// into it (48 in float for Adam). The span is host memory, what it points to is
/// device memory.
namespace graphpatcher::backend {

template <class T>
void adam_step(const cuda& exec, std::span<const adam_item<T>> items);
template <class T>
void sgd_step(const cuda& exec, std::span<const sgd_item<T>> items);

}  // namespace graphpatcher::backend
