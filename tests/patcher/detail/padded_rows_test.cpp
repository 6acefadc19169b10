// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/padded_rows.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace gp = graphpatcher;
namespace fast = gp::fast;

namespace {

/// Small whole numbers: every sum of products is exact, whatever its order.
template <class T>
gp::matrix<T> whole_numbers(std::size_t rows, std::size_t cols, int seed) {
  gp::matrix<T> result(rows, cols);
  int number = seed;
  for (T& value : result.values()) {
    number = (number * 37 + 11) % 101;
    value = static_cast<T>(number - 50);
  }
  return result;
}

}  // namespace

TEST_CASE("widths are padded to a multiple of eight", "[patcher][fast]") {
  CHECK(gp::padded(0) == 0);
  CHECK(gp::padded(1) == 8);
  CHECK(gp::padded(8) == 8);
  CHECK(gp::padded(9) == 16);
  static_assert(gp::padded(1000) == 1000);
}

TEMPLATE_TEST_CASE("rows that stand anywhere are summed, scaled or not", "[patcher][fast]", float, double) {
  using T = TestType;
  const auto table = whole_numbers<T>(12, 208, 3);
  for (const std::size_t width : {0, 8, 16, 56, 64, 72, 128, 200}) {  // with and without whole blocks of vectors
    for (const std::size_t count : {0, 1, 2, 11}) {
      INFO("width " << width << ", " << count << " sources");
      std::vector<const T*> rows;
      std::vector<T> scales;
      std::vector<T> plain(208, T(7));
      std::vector<T> scaled(208, T(7));
      std::fill_n(plain.begin(), width, T(0));
      std::fill_n(scaled.begin(), width, T(0));
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t row = 5 * k % 12;  // not in the order of the table
        rows.push_back(table.row(row).data());
        scales.push_back(static_cast<T>(k) - T(3));
        for (std::size_t c = 0; c < width; ++c) {
          plain[c] += table(row, c);
          scaled[c] += scales[k] * table(row, c);
        }
      }
      std::vector<T> out(208, T(7));  // what is beyond the width stays as it is
      fast::sum_sources<T>({nullptr, rows, {}}, width, out.data());
      CHECK(out == plain);
      out.assign(208, T(7));
      fast::sum_sources<T>({nullptr, rows, scales}, width, out.data());
      // without a source there is no scale, and nothing to scale
      CHECK(out == scaled);
    }
  }
}

TEMPLATE_TEST_CASE("one row times a matrix, and a row times its transpose", "[patcher][fast]", float, double) {
  using T = TestType;
  for (const std::size_t depth : {0, 1, 3, 4, 5, 8, 11}) {
    for (const std::size_t width : {8, 24}) {
      INFO(depth << " x " << width);
      const auto w = whole_numbers<T>(depth, width, 5);
      const auto x = whole_numbers<T>(1, depth, 8);
      const auto g = whole_numbers<T>(1, width, 9);
      std::vector<T> product(width, T(0));
      std::vector<T> transposed(depth, T(2));
      for (std::size_t k = 0; k < depth; ++k) {
        for (std::size_t c = 0; c < width; ++c) {
          product[c] += x(0, k) * w(k, c);
          transposed[k] += g(0, c) * w(k, c);
        }
      }
      std::vector<T> out(width, T(7));  // overwritten
      fast::row_times<T>(x.data(), w, out.data());
      CHECK(out == product);
      std::vector<T> sums(depth, T(2));  // added to
      fast::add_row_times_transposed<T>(g.data(), w, sums.data());
      CHECK(sums == transposed);
      std::vector<T> padded_sums(gp::padded(depth), T(2));
      fast::add_row_times<T>(g.data(), fast::pad_transposed(w), padded_sums.data());
      padded_sums.resize(depth);
      CHECK(padded_sums == transposed);
    }
  }
}

TEST_CASE("columns are packed beside each other", "[patcher][fast]") {
  gp::matrix<double> packed(2, 5);
  fast::pack_columns<double>({{1, 2}, {3, 4}}, 0, packed);
  fast::pack_columns<double>({{5}, {6}}, 3, packed);
  CHECK(std::vector<double>(packed.values().begin(), packed.values().end()) ==
        std::vector<double>{1, 2, 0, 5, 0, 3, 4, 0, 6, 0});
}
