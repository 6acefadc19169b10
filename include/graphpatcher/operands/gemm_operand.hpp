// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// A factor of a dense product: a matrix as it is stored, or its transpose.
template <class T>
struct gemm_operand {
  matrix_view<const T> stored;
  bool transposed;

  std::size_t rows() const noexcept { return transposed ? stored.cols() : stored.rows(); }
  std::size_t cols() const noexcept { return transposed ? stored.rows() : stored.cols(); }
  const T* row(std::size_t index) const noexcept { return stored.data() + index * (transposed ? 1 : stored.stride()); }
  const T* col(std::size_t index) const noexcept { return stored.data() + index * (transposed ? stored.stride() : 1); }
};

}  // namespace graphpatcher
