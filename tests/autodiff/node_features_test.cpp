// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/node_features.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::random_parameter;
using support::same_bits;

namespace {

using node_id = std::int32_t;

const random_stream stream(11, purpose::dropout);

/// Only what features look at: two targets, two steps of patches, three more
/// nodes; edges do not matter here.
message_graph<node_id> patched_graph() {
  message_graph<node_id> graph;
  graph.global_ids = {3, 0, -1, -1, -1, -1, 4, 0, 2};
  graph.within = {2, 9};
  graph.patches = 2;
  graph.offsets.assign(10, 0);
  return graph;
}

/// 5 nodes, 6 features, about half of them zero.
template <class T>
matrix<T> half_empty() {
  auto table = random_matrix<T>(5, 6, 1);
  for (std::size_t i = 0; i < table.size(); i += 2) {
    table.values()[i] = 0;
  }
  table(0, 1) = 0;
  return table;
}

variable<double> loss_of(const variable<double>& x) {
  auto weights = x.owner().allocate(x.rows(), x.cols());
  copy(x.exec(), random_matrix<double>(x.rows(), x.cols(), 99), weights);
  return sum_all(multiply(multiply(x, x), x.owner().constant(weights)));
}

/// Table, graph and patches that live as long as a test.
struct fixture {
  matrix<double> dense = half_empty<double>();
  feature_table<double, node_id> table;
  message_graph<node_id> graph = patched_graph();
  parameter<double> first = random_parameter<double>("first", 2, 6, 2);
  parameter<double> second = random_parameter<double>("second", 2, 6, 3);
  parameter<double> w = random_parameter<double>("w", 6, 5, 4);

  explicit fixture(bool is_dense = false) {
    if (is_dense) {
      table = matrix<double>(dense);
    } else {
      table = sparse_from_dense<node_id>(dense.view());
    }
  }

  node_features<double, node_id> features(tape<double>& t) const {
    return {&table, &graph, {t.use(first), t.use(second)}};
  }
  /// All nine rows, gathered by hand.
  matrix<double> rows_by_hand() const {
    matrix<double> result(9, 6);
    for (std::size_t r = 0; r < 9; ++r) {
      const auto id = graph.global_ids[r];
      const auto source = r == 2 || r == 3   ? first.value.row(r - 2)
                          : r == 4 || r == 5 ? second.value.row(r - 4)
                                             : dense.row(static_cast<std::size_t>(id));
      std::copy(source.begin(), source.end(), result.row(r).begin());
    }
    return result;
  }
};

}  // namespace

TEST_CASE("node features: rows come from the table and from the patches") {
  const fixture f(GENERATE(false, true));
  tape<double> t;
  const auto x = f.features(t);
  CHECK(x.cols() == 6);
  const auto expected = f.rows_by_hand();
  for (std::size_t count = 0; count <= 9; ++count) {  // also counts that end among the patches
    CHECK(same_bits(dense_rows(t, x, count).value(), expected.view().middle_rows(0, count)));
    const auto product = matmul(t.constant(expected.view().middle_rows(0, count)), t.use(f.w));
    CHECK(support::largest_difference(project(x, t.use(f.w), count).value(), product.value()) < 1e-14);
  }
}

TEST_CASE("node features: a projected row has the same bits in any batch and on any threads") {
  const fixture f(GENERATE(false, true));
  tape<double> one(cpu{.threads = 1});
  tape<double> three(cpu{.threads = 3});
  const auto whole = project(f.features(one), one.use(f.w), 9);
  for (std::size_t count = 1; count <= 9; ++count) {
    CHECK(same_bits(project(f.features(three), three.use(f.w), count).value(), whole.value().middle_rows(0, count)));
  }
}

TEST_CASE("node features: adjoints agree with finite differences") {
  fixture f(GENERATE(false, true));
  const parameter_list<double> all{&f.w, &f.first, &f.second};
  for (const std::size_t count : {9u, 6u, 5u, 3u, 2u}) {
    CHECK(gradient_check(all, [&](tape<double>& t) { return loss_of(project(f.features(t), t.use(f.w), count)); }) <
          1e-6);
    CHECK(gradient_check({&f.first, &f.second, &f.w}, [&](tape<double>& t) {
            return loss_of(matmul(dense_rows(t, f.features(t), count), t.use(f.w)));
          }) < 1e-6);
  }
  CHECK(gradient_check(all, [&](tape<double>& t) {
          t.train(stream);
          return loss_of(project(dropout(t, f.features(t), 0.4), t.use(f.w), 9));
        }) < 1e-6);
  CHECK(gradient_check({&f.w}, [&](tape<double>& t) { return loss_of(project(t.constant(f.dense), t.use(f.w), 3)); }) <
        1e-6);
}

TEST_CASE("node features: frozen weights still let the patches learn") {
  const fixture f;
  tape<double> t;
  const auto x = f.features(t);
  const auto guard = t.freeze();
  t.backward(loss_of(project(x, t.use(f.w), 9)));
  CHECK_FALSE(f.w.has_gradient);
  CHECK(f.first.has_gradient);
  CHECK(f.second.has_gradient);
}

TEST_CASE("node features: constants alone need no gradient") {
  const fixture f;
  tape<double> t;
  const auto guard = t.freeze();
  CHECK_FALSE(project(f.features(t), t.use(f.w), 9).needs_gradient());
  CHECK_FALSE(dense_rows(t, f.features(t), 9).needs_gradient());
}

TEST_CASE("node features: dropout is that of dense rows keyed by the ids") {
  const fixture f(GENERATE(false, true));
  tape<double> t;
  t.train(stream);
  const auto dropped = dropout(t, f.features(t), 0.5);
  const auto left = dense_rows(t, dropped, 9);
  CHECK(dropped.table == &f.table);

  const auto rows_before = f.rows_by_hand();
  const auto& ids = f.graph.global_ids;
  matrix<double> expected(9, 6);
  const std::vector<node_id> target_ids{3, 0};
  const std::span<const node_id> keys(ids);
  // One stream for the table, then one a step of patches.
  dropout(cpu{1}, {stream.fork(0), 0.5}, keys, rows_before, expected.view());
  for (std::size_t step = 0; step < 2; ++step) {
    const std::size_t begin = 2 + 2 * step;
    dropout(cpu{1}, {stream.fork(1 + step), 0.5}, std::span<const node_id>(target_ids),
            rows_before.view().middle_rows(begin, begin + 2), expected.view().middle_rows(begin, begin + 2));
  }
  CHECK(support::largest_difference(left.value(), expected) == 0);
  CHECK_FALSE(same_bits(expected, rows_before));
  CHECK(same_bits(left.value().middle_rows(1, 2), left.value().middle_rows(7, 8)));  // both are node 0

  const auto twice = dropout(t, dropped, 0.5);  // drops among what is left
  CHECK(twice.values.size() == dropped.values.size());
  for (std::size_t i = 0; i < twice.values.size(); ++i) {
    CHECK((twice.values[i] == 0 || twice.values[i] == 2 * dropped.values[i]));
  }
}

TEST_CASE("node features: dropout does nothing outside training") {
  const fixture f;
  tape<double> t;
  const auto x = f.features(t);
  CHECK(dropout(t, x, 0.5).values.empty());
  CHECK(same_bits(dense_rows(t, dropout(t, x, 0.5), 9).value(), f.rows_by_hand()));
  t.train(stream);
  CHECK(dropout(t, x, 0).values.empty());
}

TEST_CASE("node features: parts that do not fit are refused") {
  fixture f;
  tape<double> t;
  t.train(stream);
  const auto x = f.features(t);
  const auto w = t.use(f.w);
  const auto refused_as_shape = [&](const node_features<double, node_id>& features, std::size_t count) {
    CHECK_THROWS_AS(project(features, w, count), shape_error);
    CHECK_THROWS_AS(dense_rows(t, features, count), shape_error);
  };
  refused_as_shape(x, 10);
  auto fewer = x;
  fewer.patches.pop_back();
  refused_as_shape(fewer, 9);
  CHECK_THROWS_AS(dropout(t, fewer, 0.5), shape_error);
  CHECK(support::message_of<shape_error>([&] { project(fewer, w, 9); }) ==
        "project: expected 2 patch matrices, as the graph has, got 1");
  auto narrow = x;
  narrow.patches[1] = w;
  refused_as_shape(narrow, 9);
  CHECK_THROWS_AS(project(x, t.constant(f.dense), 9), shape_error);  // 5 rows of weights for 6 features
  CHECK_THROWS_AS(project(t.constant(f.dense), w, 6), shape_error);
  CHECK_THROWS_AS(project(t.constant(f.w.value), w, 2), shape_error);

  auto empty_patch = x;
  empty_patch.patches[0] = {};
  CHECK_THROWS_AS(project(empty_patch, w, 9), argument_error);
  tape<double> other;
  auto elsewhere = x;
  elsewhere.patches[0] = other.use(f.first);
  CHECK_THROWS_AS(project(elsewhere, w, 9), argument_error);
  CHECK_THROWS_AS(dropout(t, x, 1), argument_error);
  CHECK_THROWS_AS(project(node_features<double, node_id>{}, w, 0), argument_error);
  CHECK_THROWS_AS(dropout(t, node_features<double, node_id>{}, 0.5), argument_error);

  f.graph.global_ids[7] = 5;  // beyond the table
  CHECK_THROWS_AS(project(x, w, 9), index_error);
  CHECK_THROWS_AS(dense_rows(t, x, 9), index_error);
  CHECK_THROWS_AS(dropout(t, x, 0.5), index_error);
  CHECK_NOTHROW(project(x, w, 7));
  f.graph.global_ids[7] = -1;  // a patch where none should be
  CHECK_THROWS_AS(project(x, w, 9), index_error);
  f.graph.global_ids[7] = 0;
  f.graph.global_ids[3] = 1;  // a node where a patch should be
  CHECK_THROWS_AS(project(x, w, 9), index_error);
  CHECK(support::message_of<index_error>([&] { project(x, w, 9); }) ==
        "project: local node 3: expected a patch, id -1, got id 1");
}
