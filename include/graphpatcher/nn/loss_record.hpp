// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/ops/elementwise.hpp"

namespace graphpatcher {

/// The losses of iterations. Reading one means waiting for it, so on a GPU they
/// are kept in a list there and read back together, every `read_every`
/// iterations and when their mean is asked for.
template <class T>
class loss_record {
public:
  /// `name`: of the training, for the error about a loss that isn't finite.
  loss_record(const executor& exec, std::string_view name)
      : exec_(exec), name_(name), waiting_(exec, 1, exec.on_host() ? 1 : read_every) {}

  /// Throws numeric_error if a loss that was read is not finite.
  void add(matrix_view<const T> loss, std::size_t iteration) {
    copy(exec_, loss, matrix_view<T>(waiting_.data() + count_, 1, 1));
    first_ = count_++ == 0 ? iteration : first_;
    if (count_ == waiting_.cols()) {
      read();
    }
  }

  /// Sum and number of losses since their mean was last taken; may be set again.
  struct total {
    double sum = 0;
    std::size_t count = 0;
  };
  total since_mean() {
    read();
    return since_;
  }
  void set_since_mean(total before) noexcept { since_ = before; }

  /// Of the last iteration that was read.
  double latest() const noexcept { return latest_; }
  /// Mean since it was last taken.
  double take_mean() {
    read();
    const auto [sum, count] = std::exchange(since_, total{});
    return sum / static_cast<double>(count);
  }

private:
  static constexpr std::size_t read_every = 16;

  void read() {
    const auto values = to_host(exec_, matrix_view<const T>(waiting_.data(), 1, count_));
    for (std::size_t i = 0; i < count_; ++i) {
      latest_ = static_cast<double>(values(0, i));
      expects<numeric_error>(std::isfinite(latest_), name_, ": the loss became ", latest_, " at iteration ", first_ + i,
                             "; try a smaller learning rate or weight decay");
      since_.sum += latest_;
    }
    since_.count += std::exchange(count_, std::size_t{0});
  }

  executor exec_;
  std::string name_;
  matrix<T> waiting_;
  std::size_t count_ = 0;
  std::size_t first_ = 0;
  total since_;
  double latest_ = 0;
};

}  // namespace graphpatcher
