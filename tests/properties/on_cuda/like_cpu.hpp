// SPDX-License-Identifier: MIT
#pragma once

#include <rapidcheck/catch.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "cuda/support/like_cpu.hpp"
#include "properties/arbitrary.hpp"
#include "properties/on_cuda/counted_device.hpp"
#include "support/random_messages.hpp"

/// Inputs that are drawn, and the comparison of what the processor and the CUDA backend make of them.
namespace on_cuda {

namespace gp = graphpatcher;
using arbitrary::size;
using gp::test::inner;
using gp::test::matrices;
using gp::test::rounding;

/// A matrix, and how many columns stand beside it on either side: views with strides, on no multiple of 16 bytes.
struct layout {
  std::size_t rows, cols, gap;

  static layout draw(std::size_t least_rows = 0, std::size_t least_cols = 0) {
    return {size(least_rows, 40), size(least_cols, 70), size(0, 4)};
  }
  std::size_t wide() const { return cols + 2 * gap; }
};

/// Numbers in [-1, 1).
template <class T>
gp::matrix<T> numbers(std::size_t rows, std::size_t cols) {
  return random_input::values<T>(rows, cols, arbitrary::seed());
}

template <class T>
gp::matrix<T> all_equal(std::size_t rows, std::size_t cols, double value) {
  gp::matrix<T> result(rows, cols);
  result.fill(static_cast<T>(value));
  return result;
}

/// Rows of no, one, some and, now and then, so many edges that kernels cut them into pieces. Sources stand in a row
/// more than once, some nodes send nothing, and node 3 sends to most (cuda/support/hubs.hpp).
template <gp::graph_index I>
gp::message_graph<I> messages() {
  const auto degree = rc::gen::weightedOneOf<std::size_t>({{20, rc::gen::inRange<std::size_t>(0, 7)},
                                                           {2, rc::gen::inRange<std::size_t>(30, 35)},
                                                           {1, rc::gen::inRange<std::size_t>(500, 800)}});
  const auto degrees = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(degree));
  const std::size_t one_hop = size(std::min<std::size_t>(4, degrees.size()), degrees.size());
  return gp::test::messages_of_degrees<I>(degrees, size(1, one_hop), one_hop);
}

/// The graph, or the rows of it that a layer is given.
template <gp::graph_index I>
gp::message_block<I> block_of(const gp::message_graph<I>& graph) {
  return random_input::blocks(graph)[size(0, 2)];
}

/// Any rows, some of them more than once.
template <gp::graph_index I>
std::vector<I> ids_below(std::size_t rows, I least = 0) {
  return *rc::gen::container<std::vector<I>>(rc::gen::inRange<I>(least, static_cast<I>(rows)));
}

/// change(exec, copies) of copies of `start`: each number is within `tolerance` times its magnitude of the processor's.
/// Where the magnitude is 0 it is the same number; what change() leaves alone, such as a gap, is left alone.
template <class T, class Change>
void expect_like_cpu(const matrices<T>& start, const matrices<T>& magnitudes, double tolerance, const Change& change) {
  gp::test::use_schedule(static_cast<int>(size(0, static_cast<std::size_t>(gp::test::schedules()) - 1)));
  const auto expected = gp::test::changed(gp::cpu{1}, start, change);
  const auto got = gp::test::changed(counted::device(), start, change);
  for (std::size_t k = 0; k < got.size(); ++k) {
    RC_LOG() << "matrix " << k << ", " << got[k].rows() << " x " << got[k].cols() << '\n';
    RC_ASSERT(gp::test::relative_error(got[k], expected[k], magnitudes[k]) <= tolerance);
  }
}

/// The same of sums of products: their magnitudes are what change() makes of absolute values.
template <class T, class Change>
void expect_like_cpu(const matrices<T>& start, double tolerance, const Change& change) {
  expect_like_cpu(start, gp::test::changed(gp::cpu{1}, gp::test::absolute(start), change), tolerance, change);
}

/// Each result has one rounding, or the same ones everywhere.
template <class T, class Change>
void expect_same(const matrices<T>& start, const Change& change) {
  matrices<T> none;
  for (const auto& m : start) {
    none.emplace_back(m.rows(), m.cols());
  }
  expect_like_cpu(start, none, 0, change);
}

/// No number that takes part is above `largest`.
template <class T, class Change>
void expect_like_cpu_up_to(double largest, const matrices<T>& start, double tolerance, const Change& change) {
  matrices<T> magnitudes;
  for (const auto& m : start) {
    magnitudes.push_back(all_equal<T>(m.rows(), m.cols(), largest));
  }
  expect_like_cpu(start, magnitudes, tolerance, change);
}

}  // namespace on_cuda
