// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Dropout on the GPU (kernels/dropout.cu): the masks of the CPU, bit for bit,
/// drawn in the kernel. All spans and views are device memory.
namespace graphpatcher::backend {

/// y = (or += with Accumulate) the kept elements of x, scaled. Without keys a
/// row's key is its number.
template <bool Accumulate, class T, graph_index I>
void dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
             matrix_view<const T> x, matrix_view<T> y);

/// y = dropout(relu(x + bias)) in one pass; bias 1 x n. With probability 0
/// nothing is dropped.
template <class T, graph_index I>
void bias_relu_dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
                       matrix_view<const T> x, matrix_view<const T> bias, matrix_view<T> y);

}  // namespace graphpatcher::backend
