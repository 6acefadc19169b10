// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// More of dropout on the GPU (kernels/dropout.cu): the masks of the CPU, bit for
/// bit, drawn in the kernel. All spans and views are device memory.
namespace graphpatcher::backend {

/// y = dropout(relu(x + bias)) in one pass; bias 1 x n. With probability 0
/// nothing is dropped; without keys a row's key is its number.
template <class T, graph_index I>
void bias_relu_dropout(const cuda& exec, random_stream stream, double probability, std::span<const I> keys,
                       matrix_view<const T> x, matrix_view<const T> bias, matrix_view<T> y);

}  // namespace graphpatcher::backend
