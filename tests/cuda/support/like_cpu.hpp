// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "support/compare.hpp"

/// The check that most tests of kernels end with: the GPU gives the CPU's
/// results but for rounding, and the same bits whatever runs first.
namespace graphpatcher::test {

/// Numbers and indices that kernels are compiled for.
template <class Number, class Index>
struct numbers {
  using number = Number;
  using index = Index;
};
using all_numbers = std::tuple<numbers<float, std::int32_t>, numbers<double, std::int32_t>,
                               numbers<float, std::int64_t>, numbers<double, std::int64_t>>;

/// Everything that an operation reads and changes.
template <class T>
using matrices = std::vector<matrix<T>>;

/// A matrix without its first and last `gap` columns: a view with a stride, that
/// starts at no multiple of 16 bytes if `gap` is odd.
template <class T>
matrix_view<T> inner(matrix<T>& m, std::size_t gap) {
  return {m.data() + gap, m.rows(), m.cols() - 2 * gap, m.cols()};
}

/// One row or column as the operations that take a span want it.
template <class T>
std::span<const T> all_of(const matrix<T>& m) {
  return {m.data(), m.size()};
}

/// What change(exec, copies) makes of copies of `start` in the memory of `exec`.
template <class T, class Change>
matrices<T> changed(const executor& exec, const matrices<T>& start, Change&& change) {
  matrices<T> copies;
  for (const auto& m : start) {
    copies.push_back(m.copy_on(exec));
  }
  change(exec, copies);
  for (auto& m : copies) {
    m = m.copy_on(cpu{});
  }
  return copies;
}

template <class T>
matrices<T> absolute(matrices<T> numbers) {
  for (auto& m : numbers) {
    for (T& value : m.values()) {
      value = std::abs(value);
    }
  }
  return numbers;
}

/// Largest |got - expected| / magnitude over all elements; infinity for other
/// shapes. NaN is equal to NaN, and to nothing else.
template <class T>
double relative_error(const matrix<T>& got, const matrix<T>& expected, const matrix<T>& magnitude) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (got.rows() != expected.rows() || got.cols() != expected.cols()) {
    return infinity;
  }
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto x = static_cast<double>(got.values()[i]);
    const auto y = static_cast<double>(expected.values()[i]);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      continue;
    }
    const double error = std::abs(x - y) / static_cast<double>(magnitude.values()[i]);
    most = std::isnan(error) ? infinity : std::max(most, error);
  }
  return most;
}

/// Checks change() on the GPU: every element of every matrix is within
/// `tolerance` times its magnitude of the CPU's, and has the same bits under
/// every schedule. What change() leaves alone, such as the columns beside an
/// inner() view, has to be left alone.
template <class T, class Change>
void check_like_cpu(const matrices<T>& start, const matrices<T>& magnitudes, double tolerance, Change&& change) {
  const auto expected = changed(cpu{1}, start, change);
  matrices<T> first;
  for_each_schedule([&] {
    const auto got = changed(gpu(), start, change);
    for (std::size_t k = 0; k < got.size(); ++k) {
      INFO("matrix " << k);
      CHECK(relative_error(got[k], expected[k], magnitudes[k]) <= tolerance);
      CHECK((first.empty() || support::same_bits(got[k], first[k])));
    }
    first = got;
  });
}

/// The same for sums of products. Summing n terms in any order is off by at most
/// n / 2 epsilons of the sum of their magnitudes, so two orders differ by at most
/// n; that sum is what change() makes of the magnitudes of all numbers.
/// tolerance: rounding<T>(n), or 0 where nothing is rounded.
template <class T, class Change>
void check_like_cpu(const matrices<T>& start, double tolerance, Change&& change) {
  check_like_cpu(start, changed(cpu{1}, absolute(start), change), tolerance, change);
}

}  // namespace graphpatcher::test
