// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/frozen_model.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <type_traits>

#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "own_backbone/gin.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/slow_gcn.hpp"

using toy::node_id;

namespace {

template <class T>
using data_set = gp::dataset<T, node_id>;

/// Everything that can be asked for.
template <class T>
struct answer_room {
  gp::matrix<T> logits;
  gp::matrix<T> probabilities;
  gp::matrix<T> mean;

  answer_room(std::size_t anchors, std::size_t samples, std::size_t classes = 3)
      : logits(anchors * samples, classes), probabilities(anchors * samples, classes), mean(anchors, classes) {}
  gp::corrupted_answers<T> all() { return {logits.view(), probabilities.view(), mean.view()}; }
};

template <class T>
answer_room<T> answers_of(const gp::frozen_model<T, node_id>& frozen, const std::vector<node_id>& anchors,
                          const gp::corruption_options& options) {
  answer_room<T> room(anchors.size(), options.samples);
  frozen.answer(anchors, options, room.all());
  return room;
}

template <class T>
void check_close(const answer_room<T>& got, const answer_room<T>& expected, double tolerance) {
  CHECK(support::largest_difference(got.logits, expected.logits) < tolerance);
  CHECK(support::largest_difference(got.probabilities, expected.probabilities) < tolerance);
  CHECK(support::largest_difference(got.mean, expected.mean) < tolerance);
}

template <class T>
void check_same(const answer_room<T>& got, const answer_room<T>& expected) {
  CHECK(support::same_bits(got.logits, expected.logits));
  CHECK(support::same_bits(got.probabilities, expected.probabilities));
  CHECK(support::same_bits(got.mean, expected.mean));
}

/// Slow and obvious, for any graph and any model: the graph without what a mask drops, and the model on all of it.
template <class Model>
gp::matrix<double> on_cut_graphs(const data_set<double>& data, const Model& model, const std::vector<node_id>& anchors,
                                 const gp::corruption_options& options) {
  gp::matrix<double> logits(anchors.size() * options.samples, data.classes);
  const auto batch = gp::make_ego_batch({}, data.graph, anchors);
  const auto masks = gp::corrupt({}, batch, options);
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    for (std::size_t s = 0; s < options.samples; ++s) {
      std::set<node_id> dropped;
      for (std::size_t n = 0; n < batch.neighbors(b).size(); ++n) {
        if (masks.kept(b, s)[n] == 0) {
          dropped.insert(batch.neighbors(b)[n]);
        }
      }
      std::vector<gp::edge<node_id>> edges;
      for (std::size_t v = 0; v < data.nodes(); ++v) {
        for (const node_id source : data.graph.neighbors(v)) {
          if (dropped.count(source) + dropped.count(static_cast<node_id>(v)) == 0) {
            edges.push_back({source, static_cast<node_id>(v)});
          }
        }
      }
      const auto cut = odd::from(data.nodes(), edges, {.direction = gp::edge_direction::directed});
      const auto all = gp::predict(gp::cpu{}, model, cut, data.features);
      std::ranges::copy(all.row(static_cast<std::size_t>(anchors[b])), logits.row(b * options.samples + s).begin());
    }
  }
  return logits;
}

/// A class derived from a backbone may compute something else: its rows are not taken.
template <class T>
struct gin_without_rows : gin_backbone<T> {
  using gin_backbone<T>::gin_backbone;
};
const gp::random_stream some_start(1, gp::purpose::initialisation);

data_set<double> directed_data() {
  auto data = odd::data_on<double>(slow::random_graph<node_id>(25, 60, 4, true));
  REQUIRE_FALSE(gp::is_symmetric(data.graph));
  return data;
}

/// Sums of at most 150 terms of size below 100, in another order.
template <class T>
constexpr double rounding = 150 * 100 * 4 * static_cast<double>(std::numeric_limits<T>::epsilon());

}  // namespace

TEMPLATE_TEST_CASE("a frozen GCN answers as its oracle does, on either path", "[patcher][frozen]", float, double) {
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  const auto path = GENERATE(gp::frozen_path::automatic, gp::frozen_path::generic);
  const auto data = odd::data_on<TestType>(slow::random_graph<node_id>(60, 110, 3));
  const auto model = backbones::shaken(gp::gcn_backbone<TestType>({.hidden = 8, .norm = norm}, 12, 3));
  const gp::frozen_model frozen(gp::cpu{2}, model, data, {.path = path});
  const gp::host_graph<node_id> host(data.graph);
  const slow::projected_gcn<TestType> oracle(model, data.features);
  for (const double strength : {0.0, 0.4, 1.0}) {
    const gp::corruption_options options{.strength = strength, .samples = 5, .seed = 11, .iteration = 2, .step = 1};
    const std::vector<node_id> anchors{7, 0, 59, 7, 31, 2};  // any order, repeats
    answer_room<TestType> expected(anchors.size(), 5);
    slow::corrupted_logits(host.view(), oracle.frozen(), anchors, options, expected.all());
    check_close(answers_of(frozen, anchors, options), expected, rounding<TestType>);
  }
}

TEST_CASE("every backbone has the same answers on both paths", "[patcher][frozen]") {
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    const std::vector<node_id> anchors{0, 8, 3, 5, 0};
    backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
      INFO(name << ", " << kind);
      const gp::frozen_model rows(gp::cpu{}, model, data.graph, data.features);
      const gp::frozen_model generic(gp::cpu{}, model, data, {.path = gp::frozen_path::generic});
      CHECK(rows.path() == gp::frozen_path::rows);
      CHECK_THAT(rows.why(), Catch::Contains("undirected"));
      CHECK(generic.path() == gp::frozen_path::generic);
      CHECK(generic.why() == "it was asked for");
      const gp::corruption_options options{.strength = 0.5, .samples = 3, .seed = 8};
      check_close(answers_of(rows, anchors, options), answers_of(generic, anchors, options), rounding<double>);

      const gp::corruption_options exact{.strength = 0.3, .samples = 2, .estimator = gp::estimator::exact};
      gp::matrix<double> one(anchors.size(), 3);
      gp::matrix<double> other(anchors.size(), 3);
      rows.answer(anchors, exact, {.mean_probabilities = one.view()});
      generic.answer(anchors, exact, {.mean_probabilities = other.view()});
      CHECK(support::largest_difference(one, other) < rounding<double>);
    });
  }
}

TEST_CASE("directed graphs, other depths and one's own backbone take the generic path", "[patcher][frozen]") {
  const std::vector<node_id> anchors{0, 3, 24, 11};
  const auto check = [&](const data_set<double>& data, const auto& model, const char* reason) {
    const gp::frozen_model frozen(gp::cpu{2}, model, data);
    CHECK(frozen.path() == gp::frozen_path::generic);
    CHECK_THAT(frozen.why(), Catch::Contains(reason));
    const gp::corruption_options options{.strength = 0.5, .samples = 3, .seed = 2};
    gp::matrix<double> logits(anchors.size() * 3, 3);
    frozen.answer(anchors, options, {.logits = logits.view()});
    CHECK(support::largest_difference(logits, on_cut_graphs(data, model, anchors, options)) < rounding<double>);
  };
  const auto one_way = directed_data();
  check(one_way,
        backbones::shaken(gp::gcn_backbone<double>({.hidden = 8, .norm = gp::normalisation::symmetric}, 12, 3)),
        "directed");
  check(one_way, backbones::shaken(gp::sage_backbone<double>({.hidden = 8}, 12, 3)), "directed");
  const auto both_ways = odd::data_on<double>(slow::random_graph<node_id>(25, 40, 4));
  check(both_ways, backbones::shaken(gp::gcn_backbone<double>({.layers = 3, .hidden = 8}, 12, 3)),
        "2 layers, this one has 3");
  check(both_ways, backbones::shaken(gp::gcn_backbone<double>({.layers = 1}, 12, 3)), "2 layers, this one has 1");
  check(both_ways, backbones::shaken(gin_without_rows<double>(12, 6, 3, some_start)), "derived from");
}

TEST_CASE("the answers are the same bits for any threads and any split of the anchors", "[patcher][frozen]") {
  const auto path = GENERATE(gp::frozen_path::rows, gp::frozen_path::generic);
  // The hub's ego-graph is everybody's: 80 anchors with 20 masks are more than the generic path builds at once.
  const auto data = odd::data_on<float>(odd::graphs()[2].graph);
  auto anchors = toy::all_nodes(80);
  anchors.push_back(0);
  const auto model = backbones::shaken(gp::gcn_backbone<float>({.hidden = 4}, 12, 3));
  const gp::frozen_model one(gp::cpu{1}, model, data, {.path = path});
  const gp::frozen_model three(gp::cpu{3}, model, data, {.path = path});
  const gp::corruption_options options{.strength = 0.5, .samples = 20, .seed = 4};
  const auto all = answers_of(one, anchors, options);
  check_same(answers_of(three, anchors, options), all);

  answer_room<float> split(anchors.size(), 20);
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 1}, {1, 70}, {70, 81}}) {
    one.answer(std::span<const node_id>(anchors).subspan(begin, end - begin), options,
               {.logits = split.logits.view().middle_rows(begin * 20, end * 20),
                .probabilities = split.probabilities.view().middle_rows(begin * 20, end * 20),
                .mean_probabilities = split.mean.view().middle_rows(begin, end)});
  }
  check_same(split, all);

  const auto copy = one;  // shares what was computed
  check_same(answers_of(copy, anchors, options), all);
}

TEST_CASE("probabilities and their mean belong to the logits; what is not asked for is not written",
          "[patcher][frozen]") {
  const auto path = GENERATE(gp::frozen_path::rows, gp::frozen_path::generic);
  const auto data = odd::data_on<double>(slow::random_graph<node_id>(40, 50, 2));
  const auto model = backbones::shaken(gp::gcn_backbone<double>({.hidden = 8}, 12, 3));
  const gp::frozen_model frozen(gp::cpu{2}, model, data, {.path = path});
  const std::vector<node_id> anchors{3, 39};
  const gp::corruption_options options{.strength = 0.5, .samples = 6, .seed = 1};
  const auto all = answers_of(frozen, anchors, options);
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    for (std::size_t c = 0; c < 3; ++c) {
      double mean = 0;
      for (std::size_t s = 0; s < 6; ++s) {
        const auto row = all.logits.row(b * 6 + s);
        const double share = std::exp(row[c]) / (std::exp(row[0]) + std::exp(row[1]) + std::exp(row[2]));
        CHECK(all.probabilities(b * 6 + s, c) == Approx(share).epsilon(1e-12));
        mean += share / 6;
      }
      CHECK(all.mean(b, c) == Approx(mean).epsilon(1e-12));
    }
  }
  for (int which = 1; which < 8; ++which) {
    answer_room<double> room(2, 6);
    frozen.answer(anchors, options,
                  {.logits = which & 1 ? room.logits.view() : gp::matrix_view<double>(),
                   .probabilities = which & 2 ? room.probabilities.view() : gp::matrix_view<double>(),
                   .mean_probabilities = which & 4 ? room.mean.view() : gp::matrix_view<double>()});
    const gp::matrix<double> zeros(12, 3);
    const gp::matrix<double> zero_means(2, 3);
    CHECK(support::same_bits(room.logits, which & 1 ? all.logits : zeros));
    CHECK(support::same_bits(room.probabilities, which & 2 ? all.probabilities : zeros));
    CHECK(support::same_bits(room.mean, which & 4 ? all.mean : zero_means));
  }
  CHECK_NOTHROW(frozen.answer({}, options, {}));  // nobody, nothing to write
}

TEST_CASE("a frozen model refuses what it can't do, and says why", "[patcher][frozen]") {
  const auto data = odd::data_on<float>(slow::random_graph<node_id>(20, 30, 2));
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const gp::frozen_model frozen(gp::cpu{1}, model, data);
  const std::vector<node_id> anchors{1, 4};
  const auto refused = [&](gp::corruption_options options, gp::corrupted_answers<float> answers) {
    return support::message_of<gp::error>([&] { frozen.answer(anchors, options, answers); });
  };
  answer_room<float> room(2, 1);
  CHECK(refused({.samples = 10}, {.logits = room.logits}) ==
        "frozen_model: logits: expected 20 x 3 (anchors * samples x classes), got 2 x 3");
  CHECK(refused({.samples = 2}, {.probabilities = room.probabilities}) ==
        "frozen_model: probabilities: expected 4 x 3 (anchors * samples x classes), got 2 x 3");
  CHECK(refused({}, {.mean_probabilities = room.mean.view().middle_cols(0, 2)}) ==
        "frozen_model: mean_probabilities: expected 2 x 3 (anchors x classes), got 2 x 2");
  gp::matrix<float> nothing(0, 3);
  CHECK_THROWS_AS(frozen.answer(anchors, {}, {.logits = nothing}), gp::shape_error);
  CHECK_THROWS_AS(frozen.answer(anchors, {}, {}), gp::argument_error);
  CHECK_THROWS_AS(frozen.answer(std::vector<node_id>{20}, {}, {.mean_probabilities = room.mean}), gp::index_error);
  CHECK_THROWS_AS(frozen.answer(std::vector<node_id>{0, -1}, {}, {.logits = room.logits}), gp::index_error);
  CHECK_THAT(refused({.strength = 1.5}, room.all()), Catch::Contains("strength"));
  CHECK_THAT(refused({.strength = std::nan("")}, room.all()), Catch::Contains("strength"));
  CHECK_THAT(refused({.samples = 0}, room.all()), Catch::Contains("at least 1 sample"));
  CHECK_THAT(refused({.estimator = gp::estimator::exact}, room.all()), Catch::Contains("mean_probabilities only"));

  CHECK_THROWS_AS(gp::frozen_model(gp::cpu{0}, model, data), gp::argument_error);
  const auto features = toy::random_features<float>(21, 12, 1);
  CHECK_THROWS_AS(gp::frozen_model(gp::cpu{1}, model, data.graph, features), gp::shape_error);
  const gp::gcn_backbone<float> wider({.hidden = 8}, 13, 3);
  CHECK_THROWS_AS(gp::frozen_model(gp::cpu{1}, wider, data), gp::shape_error);

  const auto cant = [](const auto& which, const auto& on, gp::frozen_path path) {
    return support::message_of<gp::argument_error>([&] { gp::frozen_model(gp::cpu{1}, which, on, {.path = path}); });
  };
  const auto one_way = directed_data();
  CHECK(cant(gp::gcn_backbone<double>({}, 12, 3), one_way, gp::frozen_path::rows) ==
        "frozen_model: the path 'rows' can't be taken: the graph is directed; leave the choice to "
        "frozen_path::automatic");
  CHECK_THAT(cant(gin_without_rows<float>(12, 6, 3, some_start), data, gp::frozen_path::rows),
             Catch::Contains("it needs rows() of its own"));
  CHECK_THAT(cant(model, data, gp::frozen_path::fused), Catch::Contains("for a GPU"));
  CHECK(gp::word_of(frozen.path()) == "rows");
}

TEST_CASE("what is kept by pointer can't be a temporary", "[patcher][frozen]") {
  using model = gp::gcn_backbone<float>;
  using graph = gp::csr_graph<node_id>;
  using table = gp::feature_table<float, node_id>;
  using data = data_set<float>;
  using frozen = gp::frozen_model<float, node_id>;
  STATIC_REQUIRE(std::is_constructible_v<frozen, gp::cpu, const model&, const data&>);
  STATIC_REQUIRE(std::is_constructible_v<frozen, gp::cpu, model&, data&, gp::frozen_options>);
  STATIC_REQUIRE(std::is_constructible_v<frozen, gp::cpu, const gp::trained<model>&, const graph&, const table&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, model, const data&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, gp::trained<model>, const data&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, const model&, data>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, const model, const data>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, model, const graph&, const table&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, const model&, graph, const table&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, const model&, const graph&, table>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<frozen, gp::cpu, const gp::gcn_backbone<double>&, const data&>);

  using rows = gp::fast::rows_type<gp::gcn_backbone<float>>;
  using egos = gp::fast::frozen_egos<float, node_id, rows>;
  STATIC_REQUIRE(std::is_constructible_v<egos, gp::cpu, rows, const graph&, const table&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<egos, gp::cpu, rows, graph, const table&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<egos, gp::cpu, rows, const graph&, table>);
  const auto has_rows_of = [](auto&& value) {
    return requires {
      gp::fast::rows_of(std::forward<decltype(value)>(value));
    };
  };
  const model there({.hidden = 4}, 5, 3);
  CHECK(has_rows_of(there));
  CHECK_FALSE(has_rows_of(model({.hidden = 4}, 5, 3)));
  CHECK_FALSE(has_rows_of(gp::trained<gp::sage_backbone<float>>{{{.hidden = 4}, 5, 3}, {}}));
  CHECK_FALSE(has_rows_of(gp::gat_backbone<float>({.hidden = 4}, 5, 3)));
}
