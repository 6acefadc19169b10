// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/dropout.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphpatcher/ops/sparse_gemm.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

namespace {

const random_stream stream(42, purpose::dropout);

template <class I>
std::span<const I> view_of(const std::vector<I>& values) {
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE("dropout: elements are dropped by the bits of their key and column", "[dropout]", std::int32_t,
                   std::int64_t) {
  const std::vector<TestType> keys{7, 0, 7, 123456, 2, 1, 3, 9, 8, 4, 5, 6, 10, 12, 11, 14, 13, 20, 17};
  // Rows whose blocks are computed together, up to 32 columns, and rows that have theirs to themselves.
  for (const std::size_t cols : {1u, 4u, 5u, 8u, 11u, 31u, 32u, 33u, 64u, 65u}) {
    const auto x = random_matrix<float>(keys.size(), cols, 1);
    matrix<float> y(keys.size(), cols), dx(keys.size(), cols);
    dx.fill(3);
    dropout(cpu{1}, {stream, 0.25}, view_of(keys), x, y.view());
    dropout_adjoint(cpu{2}, {stream, 0.25}, view_of(keys), x, dx.view());
    for (std::size_t r = 0; r < keys.size(); ++r) {
      for (std::size_t c = 0; c < cols; ++c) {
        const auto bits = stream.bits(static_cast<std::uint64_t>(keys[r]), c / 4)[c % 4];
        const float kept = bits < 0x40000000u ? 0.0f : x(r, c) * (1 / 0.75f);
        CHECK(y(r, c) == kept);
        CHECK(dx(r, c) == Approx(3 + kept).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("dropout: without keys a row's key is its number", "[dropout]") {
  const auto x = random_matrix<double>(4, 9, 2);
  matrix<double> y(4, 9);
  matrix<double> keyed(4, 9);
  dropout(cpu{1}, {stream, 0.5}, std::span<const std::int32_t>{}, x, y.view());
  dropout(cpu{1}, {stream, 0.5}, view_of(std::vector<std::int32_t>{0, 1, 2, 3}), x, keyed.view());
  CHECK(same_bits(y, keyed));
}

TEST_CASE("dropout: a node's mask does not depend on its place or on the threads", "[dropout]") {
  const auto x = random_matrix<float>(300, 70, 3);
  std::vector<std::int32_t> keys(300);
  for (std::size_t r = 0; r < 300; ++r) {
    keys[r] = static_cast<std::int32_t>(1000 - 3 * r);
  }
  matrix<float> whole(300, 70);
  dropout(cpu{1}, {stream, 0.6}, view_of(keys), x, whole.view());
  matrix<float> threaded(300, 70);
  dropout(cpu{3}, {stream, 0.6}, view_of(keys), x, threaded.view());
  CHECK(same_bits(whole, threaded));
  matrix<float> part(50, 70);
  dropout(cpu{2}, {stream, 0.6}, view_of(keys).subspan(200, 50), x.view().middle_rows(200, 250), part.view());
  CHECK(same_bits(part, whole.view().middle_rows(200, 250)));
}

TEST_CASE("dropout: the share of dropped elements is p, and the mean stays", "[dropout]") {
  matrix<float> ones(1000, 1000);
  ones.fill(1);
  matrix<float> y(1000, 1000);
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    dropout(cpu{2}, {stream, p}, std::span<const std::int32_t>{}, ones, y.view());
    double dropped = 0;
    double total = 0;
    for (const float v : y.values()) {
      dropped += v == 0.0f;
      total += v;
    }
    const double five_sigma = 5 * std::sqrt(p * (1 - p) * 1e6);
    CHECK(std::abs(dropped - p * 1e6) <= five_sigma);
    CHECK(std::abs(total - 1e6) <= five_sigma / (1 - p) + 1);
  }
}

TEST_CASE("dropout: the adjoint has the same mask and adds", "[dropout]") {
  const auto x = random_matrix<double>(6, 13, 4);
  const std::vector<std::int64_t> keys{5, 4, 3, 2, 1, 0};
  matrix<double> y(6, 13);
  matrix<double> dx(6, 13);
  dx.fill(2);
  dropout(cpu{1}, {stream, 0.4}, view_of(keys), x, y.view());
  dropout_adjoint(cpu{2}, {stream, 0.4}, view_of(keys), x, dx.view());
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(dx.values()[i] == Approx(2 + y.values()[i]).epsilon(1e-15));
  }
}

TEST_CASE("dropout: sparse rows lose the elements that dense rows with the same ids lose", "[dropout]") {
  auto dense = random_matrix<float>(4, 37, 5);
  for (std::size_t i = 0; i < dense.size(); i += 3) {
    dense.values()[i] = 0;
  }
  const feature_table table = sparse_from_dense<std::int32_t>(dense.view());
  const std::vector<std::int32_t> ids{3, -1, 0, 3};
  feature_rows<float, std::int32_t> rows{&table, ids};
  std::vector<std::size_t> offsets{0};
  for (std::size_t r = 0; r < ids.size(); ++r) {
    offsets.push_back(offsets.back() + rows.stored(r));
  }
  std::vector<float> values(offsets.back());
  sparse_dropout(cpu{2}, {stream, 0.5}, rows, offsets, std::span<float>(values));
  rows.values = values;
  rows.value_offsets = offsets;
  matrix<float> result(4, 37);
  sparse_to_dense(cpu{1}, rows, result.view());

  matrix<float> gathered(4, 37);
  for (const std::size_t r : {0u, 2u, 3u}) {
    std::copy_n(dense.row(static_cast<std::size_t>(ids[r])).data(), 37, gathered.row(r).data());
  }
  matrix<float> expected(4, 37);
  dropout(cpu{1}, {stream, 0.5}, view_of(ids), gathered, expected.view());
  CHECK(support::largest_difference(result, expected) == 0);
  CHECK_THROWS_AS(sparse_dropout(cpu{1}, {stream, 0.5}, rows, offsets, std::span<float>(values).first(3)), shape_error);
}

TEST_CASE("dropout: probabilities outside [0, 1) and sizes that do not fit are refused", "[dropout]") {
  const matrix<float> x(2, 3);
  matrix<float> y(2, 3);
  const std::span<const std::int32_t> none;
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
    CHECK_THROWS_AS(dropout(cpu{1}, {stream, p}, none, x, y.view()), argument_error);
    CHECK_THROWS_AS(dropout_adjoint(cpu{1}, {stream, p}, none, x, y.view()), argument_error);
  }
  CHECK(support::message_of<argument_error>([&] {
          dropout(cpu{1}, {stream, 1.5}, none, x, y.view());
        }) == "dropout: expected a probability in [0, 1), got 1.5");
  matrix<float> wrong(3, 3);
  CHECK_THROWS_AS(dropout(cpu{1}, {stream, 0.5}, none, x, wrong.view()), shape_error);
  CHECK_THROWS_AS(dropout_adjoint(cpu{1}, {stream, 0.5}, none, x, wrong.view()), shape_error);
  const std::vector<std::int32_t> keys{1, 2, 3};
  CHECK_THROWS_AS(dropout(cpu{1}, {stream, 0.5}, view_of(keys), x, y.view()), shape_error);
  CHECK_THROWS_AS(dropout_adjoint(cpu{1}, {stream, 0.5}, view_of(keys), x, y.view()), shape_error);
}
