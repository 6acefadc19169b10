// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "cuda/support/gpu.hpp"
#include "support/random_messages.hpp"

/// The same operation on the same numbers, on the CPU and on a GPU.
namespace graphpatcher::test {

/// Numbers in [0.5, 1.5). Sums of n of them, or of their products, don't cancel:
/// two orders of adding them up differ by at most n roundings of the sum itself.
template <class T>
matrix<T> positive(std::size_t rows, std::size_t cols, unsigned seed) {
  auto result = random_input::values<T>(rows, cols, seed);
  for (T& value : result.values()) {
    value = T(1) + value / 2;
  }
  return result;
}

/// Columns to both sides of a window onto a larger matrix.
struct margins {
  std::size_t left = 0;
  std::size_t right = 0;
};

/// Rows that stand together; that start on no multiple of 16 bytes; that do for
/// some widths, with a few columns left over; that do if their length does.
inline constexpr margins layouts[] = {{0, 0}, {1, 0}, {0, 3}, {4, 4}};

/// A matrix on the CPU and its copy on a GPU, both windows with margins around
/// them that nothing may touch.
template <class T>
class twin {
public:
  explicit twin(const matrix<T>& values, margins around = {})
      : cols_(values.cols()), left_(around.left), host_(with_margins(values, around)), device_(to_gpu(host_)) {}
  /// Numbers in [-1, 1).
  twin(std::size_t rows, std::size_t cols, unsigned seed, margins around = {})
      : twin(random_input::values<T>(rows, cols, seed), around) {}

  matrix_view<T> on(const executor& exec) { return window(exec.on_host() ? host_ : device_); }
  /// The numbers of a single row.
  std::span<T> row_on(const executor& exec) { return {on(exec).data(), cols_}; }
  matrix<T> host() { return copy_of(window(host_)); }
  matrix<T> device() {
    matrix<T> there = device_.copy_on(cpu{});
    return copy_of(window(there));
  }

  /// relative_difference() of what is on the GPU; infinity if a margin was touched.
  double difference() {
    matrix<T> there = device_.copy_on(cpu{});
    for (std::size_t r = 0; r < host_.rows(); ++r) {
      const auto same = [&](std::size_t begin, std::size_t end) {
        return std::equal(host_.row(r).begin() + begin, host_.row(r).begin() + end, there.row(r).begin() + begin);
      };
      if (!same(0, left_) || !same(left_ + cols_, host_.cols())) {
        return std::numeric_limits<double>::infinity();
      }
    }
    return relative_difference(copy_of(window(there)), copy_of(window(host_)));
  }

  /// Gives the GPU the CPU's numbers: what one operation has rounded otherwise is not the next one's input.
  void agree() { backend::upload(gpu(), device_.data(), host_.data(), host_.size() * sizeof(T)); }

  std::string shape() const {
    return text(host_.rows(), " x ", cols_, ", stride ", host_.cols(), ", first column ", left_);
  }

private:
  static matrix<T> with_margins(const matrix<T>& values, margins around) {
    auto result = random_input::values<T>(values.rows(), around.left + values.cols() + around.right, 77);
    for (std::size_t r = 0; r < values.rows(); ++r) {
      std::copy(values.row(r).begin(), values.row(r).end(), result.row(r).begin() + around.left);
    }
    return result;
  }

  matrix_view<T> window(matrix<T>& whole) const {
    return {whole.empty() ? whole.data() : whole.data() + left_, whole.rows(), cols_, whole.cols()};
  }

  std::size_t cols_;
  std::size_t left_;
  matrix<T> host_;
  matrix<T> device_;
};

/// Runs work(exec) on the CPU and on the GPU, and compares all results.
template <class Work, class... Twins>
void compare(const std::string& name, double tolerance, Work&& work, Twins&... results) {
  for (const executor& exec : {executor(cpu{1}), executor(gpu())}) {
    work(exec);
  }
  const auto check = [&](auto& result) {
    INFO(name << ": " << result.shape());
    CHECK(result.difference() <= tolerance);
    result.agree();
  };
  (check(results), ...);
}

/// Shapes around and far above a warp and a block of threads, and without any elements.
inline constexpr std::pair<std::size_t, std::size_t> shapes[] = {
    {1, 1}, {5, 3}, {2, 31}, {33, 32}, {32, 33}, {7, 64}, {3, 130}, {2, 257}, {1, 1024}, {300, 4}, {0, 5}, {5, 0}};

/// body(rows, cols, margins) for all shapes and layouts, under every schedule.
template <class Body>
void for_each_shape(Body&& body) {
  for_each_schedule([&] {
    for (const auto& [rows, cols] : shapes) {
      for (const margins around : layouts) {
        body(rows, cols, around);
      }
    }
  });
}

}  // namespace graphpatcher::test
