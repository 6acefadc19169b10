// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/weight_update.hpp"

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/random_matrix.hpp"

namespace gp = graphpatcher;
using support::random_matrix;
using update_type = gp::fast::weight_update<double>;

namespace {

constexpr std::size_t rows = 11;  // neither a multiple of a vector nor of a tile
constexpr std::size_t cols = 5;
constexpr std::size_t top = 4;  // rows of the first part, where a parameter has two

gp::adamw_options options() {
  return {.learning_rate = 0.1, .weight_decay = 0.01};
}

/// a^T b for b(atch) number `seed`, and the rest of the gradient.
struct batch {
  gp::matrix<double> a;  // 6 x rows
  gp::matrix<double> b;  // 6 x cols
  gp::matrix<double> extra = random_matrix<double>(rows, cols, 77);

  explicit batch(unsigned seed)
      : a(random_matrix<double>(6, rows, seed)), b(random_matrix<double>(6, cols, seed + 9)) {}

  gp::matrix<double> gradient() const {
    gp::matrix<double> sum = extra;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) {
        for (std::size_t k = 0; k < 6; ++k) {
          sum(r, c) += a(k, r) * b(k, c);
        }
      }
    }
    return sum;
  }
};

/// The parameter after two steps of AdamW, each from `accumulate` batches: slow and obvious.
gp::matrix<double> expected_value(std::size_t accumulate) {
  auto p = support::random_parameter<double>("w", rows, cols, 1);
  gp::adamw<double> optimizer({&p}, options());
  for (unsigned step = 0; step < 2; ++step) {
    for (unsigned i = 0; i < accumulate; ++i) {
      const auto gradient = batch(10 * step + i).gradient();
      const auto sum = p.open_gradient();
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < cols; ++c) {
          sum(r, c) += gradient(r, c);
        }
      }
    }
    optimizer.step(gp::cpu{}, 1 / static_cast<double>(accumulate));
  }
  return p.value;
}

/// The same through weight_update; body(update, p, batch) gives it the gradient of a batch.
template <class Body>
gp::matrix<double> updated_value(std::size_t accumulate, Body&& body) {
  auto p = support::random_parameter<double>("w", rows, cols, 1);
  gp::adamw<double> optimizer({&p}, options());
  update_type update(gp::cpu{2}, optimizer, accumulate);
  for (unsigned step = 0; step < 2; ++step) {
    for (unsigned i = 0; i < accumulate; ++i) {
      body(update, p, batch(10 * step + i));
      update.finish();
    }
  }
  return p.value;
}

/// Copies a matrix onto rows that are open for a gradient, as one adds it up row by row.
void add_rows(gp::matrix_view<const double> from, gp::matrix_view<double> onto) {
  REQUIRE(from.rows() == onto.rows());
  for (std::size_t r = 0; r < from.rows(); ++r) {
    for (std::size_t c = 0; c < from.cols(); ++c) {
      onto(r, c) += from(r, c);
    }
  }
}

/// Eight steps of numbers below 10, in double: products are summed in another order.
constexpr double rounding = 1e-13;

}  // namespace

TEST_CASE("a product goes into AdamW as its gradient would", "[patcher][fast]") {
  for (const std::size_t accumulate : {1, 3}) {
    INFO(accumulate << " batches a step");
    const auto expected = expected_value(accumulate);
    const auto whole = updated_value(accumulate, [](update_type& update, gp::parameter<double>& p, const batch& data) {
      const auto extra = update.open_sparse(p, 0, rows);
      add_rows(data.extra, extra);
      update.apply(p, 0, {data.a, true}, {data.b, false}, extra);
    });
    CHECK(support::largest_difference(whole, expected) < rounding);

    const auto in_parts =
        updated_value(accumulate, [](update_type& update, gp::parameter<double>& p, const batch& data) {
          gp::matrix<double> lower(rows - top, 6);  // the lower rows of a^T
          for (std::size_t r = top; r < rows; ++r) {
            for (std::size_t k = 0; k < 6; ++k) {
              lower(r - top, k) = data.a(k, r);
            }
          }
          const auto extra = update.open_sparse(p, 0, top);
          add_rows(data.extra.view().middle_rows(0, top), extra);
          update.apply(p, 0, {data.a.view().middle_cols(0, top), true}, {data.b, false}, extra);
          const auto rest = update.open_sparse(p, top, rows - top);
          add_rows(data.extra.view().middle_rows(top, rows), rest);
          update.apply(p, top, {lower, false}, {data.b, false}, rest);
        });
    CHECK(support::largest_difference(in_parts, expected) < rounding);
  }
}

TEST_CASE("a gradient that is added up row by row is used once", "[patcher][fast]") {
  for (const std::size_t accumulate : {1, 2}) {
    INFO(accumulate << " batches a step");
    const auto sparse = updated_value(accumulate, [](update_type& update, gp::parameter<double>& p, const batch& data) {
      const auto gradient = update.open_sparse(p, 0, rows);
      add_rows(data.gradient(), gradient);
      update.apply_sparse(p, 0, gradient);
    });
    CHECK(support::largest_difference(sparse, expected_value(accumulate)) < rounding);
  }
}

TEST_CASE("what has a gradient of its own is stepped when a batch, or the last of some, is done", "[patcher][fast]") {
  for (const std::size_t accumulate : {1, 2}) {
    auto bias = support::random_parameter<double>("b", 1, 3, 2);
    auto idle = support::random_parameter<double>("idle", 1, 3, 3);
    const auto untouched = idle.value;
    auto same = bias;
    gp::adamw<double> optimizer({&bias, &idle}, options());
    gp::adamw<double> slow({&same}, options());
    update_type update(gp::cpu{}, optimizer, accumulate);
    for (std::size_t i = 0; i < accumulate; ++i) {
      const auto before = bias.value;
      add_rows(random_matrix<double>(1, 3, 4), bias.open_gradient());
      add_rows(random_matrix<double>(1, 3, 4), same.open_gradient());
      update.finish();
      CHECK(support::same_bits(bias.value, before) == (i + 1 < accumulate));
    }
    slow.step(gp::cpu{}, 1 / static_cast<double>(accumulate));
    CHECK(support::same_bits(bias.value, same.value));
    CHECK(support::same_bits(idle.value, untouched));
  }
}
