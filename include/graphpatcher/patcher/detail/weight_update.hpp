// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/cpu/optimizer.hpp"
#include "graphpatcher/cpu/pieces.hpp"
#include "graphpatcher/nn/optimizer.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// Takes gradients of weights as products, and steps AdamW. With one batch a
/// step a gradient goes straight from the product into the update and is never
/// written to memory; otherwise it is added up until enough batches are there.
template <class T>
class weight_update {
public:
  weight_update(const cpu& exec, adamw<T>& optimizer, std::size_t accumulate)
      : exec_(exec), optimizer_(&optimizer), accumulate_(accumulate) {}

  /// The rows of `p` from `row` on get the gradient a b, plus `extra` if there is one.
  void apply(parameter<T>& p, std::size_t row, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> extra = {}) {
    if (accumulate_ > 1) {
      const auto gradient = p.open_gradient().middle_rows(row, row + a.rows());
      backend::gemm<T>(exec_, a, b, gradient, true);  // extra is part of it already
      return;
    }
    backend::gemm_adam_step<T>(exec_, a, b, extra, item_of(p, row, a.rows()));
  }

  /// Zeros for a gradient that is added up row by row, `rows` rows from `row` on.
  matrix_view<T> open_sparse(parameter<T>& p, std::size_t row, std::size_t rows) {
    if (accumulate_ > 1) {
      return p.open_gradient().middle_rows(row, row + rows);
    }
    if (sparse_.rows() != rows || sparse_.cols() != p.value.cols()) {
      sparse_ = matrix<T>(cpu{}, rows, p.value.cols(), contents::anything);
    }
    backend::for_each_row(exec_, rows, sparse_.cols(),
                          [&](std::size_t r) { std::fill_n(sparse_.row(r).data(), sparse_.cols(), T(0)); });
    return sparse_.view();
  }
  /// Uses it, unless apply() did.
  void apply_sparse(parameter<T>& p, std::size_t row, matrix_view<const T> gradient) {
    if (accumulate_ == 1) {
      auto item = item_of(p, row, gradient.rows());
      item.gradient = gradient.data();
      backend::adam_step<T>(exec_, std::span<const adam_item<T>>(&item, 1));
    }
  }

  /// The end of a batch: what has a gradient of its own (biases; everything
  /// when batches are added up) is stepped.
  void finish() {
    if (++batches_ % accumulate_ == 0) {
      optimizer_->step(exec_, T(1) / static_cast<T>(accumulate_));
    }
  }

private:
  /// The update of some rows of a parameter; its step counter moves with row 0.
  adam_item<T> item_of(parameter<T>& p, std::size_t row, std::size_t rows) {
    auto item = optimizer_->item(p, row == 0);
    const std::size_t offset = row * p.value.cols();
    item.size = rows * p.value.cols();
    item.value += offset;
    item.mean += offset;
    item.square += offset;
    item.gradient = nullptr;
    return item;
  }

  const cpu exec_;
  adamw<T>* optimizer_;
  std::size_t accumulate_;
  std::size_t batches_ = 0;
  matrix<T> sparse_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
