// SPDX-License-Identifier: MIT
// Answers on corrupted ego-graphs on a GPU, as the oracle gives them.
#include "graphpatcher/cuda/corrupted_logits.hpp"
#include "graphpatcher/ops/corrupted_logits.hpp"

#include <catch2/catch.hpp>
#include <span>
#include <type_traits>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "cuda/support/graphs.hpp"
#include "cuda/support/pool.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "support/random_messages.hpp"
#include "support/slow_answers.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using gp::test::for_each_schedule;
using gp::test::gpu;
using gp::test::node_id;

namespace {

template <class S, class T>
gp::matrix<S> stored_as(const gp::matrix<T>& wide) {
  gp::matrix<S> result(wide.rows(), wide.cols());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if constexpr (std::is_same_v<S, gp::float16>) {
      result.values()[i] = gp::to_float16(wide.values()[i]);
    } else if constexpr (std::is_same_v<S, gp::bfloat16>) {
      result.values()[i] = gp::to_bfloat16(wide.values()[i]);
    } else {
      result.values()[i] = wide.values()[i];
    }
  }
  return result;
}

/// Sizes of a model; `gap`: numbers between two rows of every matrix that belong to nobody.
struct model_shape {
  std::size_t hidden = 16;
  std::size_t classes = 4;
  std::size_t gap = 0;
  gp::normalisation norm = gp::normalisation::mean;
};

/// A random model in the memory of an executor.
template <class T, class S>
struct random_model {
  model_shape shape;
  gp::matrix<S> projected;
  gp::matrix<T> hidden_bias;
  gp::matrix<T> weight;
  gp::matrix<T> bias;

  random_model(const gp::executor& exec, std::size_t nodes, const model_shape& sizes)
      : shape(sizes),
        projected(stored_as<S>(random_input::values<T>(nodes, sizes.hidden + sizes.gap, 1)).copy_on(exec)),
        hidden_bias(random_input::values<T>(1, sizes.hidden, 2).copy_on(exec)),
        weight(random_input::values<T>(sizes.hidden, sizes.classes + sizes.gap, 3).copy_on(exec)),
        bias(random_input::values<T>(1, sizes.classes, 4).copy_on(exec)) {}

  gp::frozen_gcn<T, S> frozen() const {
    return {{projected.data(), projected.rows(), shape.hidden, projected.cols()},
            {hidden_bias.data(), shape.hidden},
            {weight.data(), shape.hidden, shape.classes, weight.cols()},
            {bias.data(), shape.classes},
            shape.norm};
  }
};

/// Room for the answers, `gap` numbers after every row that must stay zero.
template <class T>
struct answer_space {
  std::size_t classes;
  gp::matrix<T> logits;
  gp::matrix<T> probabilities;
  gp::matrix<T> mean;

  answer_space(const gp::executor& exec, std::size_t anchors, std::size_t samples, const model_shape& shape)
      : classes(shape.classes),
        logits(exec, anchors * samples, shape.classes + shape.gap),
        probabilities(exec, anchors * samples, shape.classes + shape.gap),
        mean(exec, anchors, shape.classes + shape.gap) {}

  /// Bits 0, 1 and 2 of `which`: logits, probabilities and their mean are wanted.
  gp::corrupted_answers<T> wanted(int which) {
    const auto part = [&](gp::matrix<T>& from, int bit) {
      return (which & bit) != 0 ? gp::matrix_view<T>(from.data(), from.rows(), classes, from.cols())
                                : gp::matrix_view<T>();
    };
    return {part(logits, 1), part(probabilities, 2), part(mean, 4)};
  }
};

/// A graph in both memories, and a run of the kernels and of the oracle on it. The graph has to outlive it.
class comparison {
public:
  comparison(const gp::csr_graph<node_id>& graph, std::vector<node_id> anchors)
      : host_(graph), device_(gpu(), graph), anchors_(std::move(anchors)) {}

  template <class T, class S = T>
  void check(const model_shape& shape, const gp::corruption_options& options, int which = 7, bool once = false) const {
    INFO(shape.hidden << " hidden, " << shape.classes << " classes, gap " << shape.gap << ", strength "
                      << options.strength << ", " << options.samples << " samples, wanted " << which);
    const auto expected = run_slowly<T, S>(shape, options, which);
    const auto compare = [&] {
      const auto got = run<T, S>(shape, options, which);
      // Sums of an anchor, of a hidden row and of a product with the weights, of terms below 1, in the same order on
      // both sides; a GPU rounds a product and a sum once, a CPU may do it twice.
      const double tolerance = gp::test::rounding<T>(2 * host_.view().largest_degree + shape.hidden);
      CHECK(gp::test::relative_difference(gp::test::to_host(got.logits), expected.logits) <= tolerance);
      CHECK(gp::test::relative_difference(gp::test::to_host(got.probabilities), expected.probabilities) <= tolerance);
      CHECK(gp::test::relative_difference(gp::test::to_host(got.mean), expected.mean) <= tolerance);
    };
    if (once) {
      compare();
    } else {
      for_each_schedule(compare);
    }
  }

private:
  template <class T, class S>
  answer_space<T> run(const model_shape& shape, const gp::corruption_options& options, int which) const {
    const random_model<T, S> model(gpu(), host_.view().nodes(), shape);
    answer_space<T> answers(gpu(), anchors_.size(), options.samples, shape);
    gp::corrupted_logits(gpu(), device_.view(), model.frozen(), anchors_, options, answers.wanted(which));
    return answers;
  }
  template <class T, class S>
  answer_space<T> run_slowly(const model_shape& shape, const gp::corruption_options& options, int which) const {
    const random_model<T, S> model(gp::cpu{1}, host_.view().nodes(), shape);
    answer_space<T> answers(gp::cpu{1}, anchors_.size(), options.samples, shape);
    slow::corrupted_logits(host_.view(), model.frozen(), anchors_, options, answers.wanted(which));
    return answers;
  }

  gp::host_graph<node_id> host_;
  gp::device_graph<node_id> device_;
  std::vector<node_id> anchors_;
};

}  // namespace

TEMPLATE_TEST_CASE("corrupted logits: every width, aligned or not", "[cuda]", float, double) {
  const auto graph = slow::random_graph<node_id>(60, 150, 1);
  const comparison both(graph, {0, 7, 59, 7});  // the hub, another node twice, an isolated one
  std::size_t number = 0;
  for (const std::size_t hidden : {1, 31, 32, 33, 64, 100, 128, 130, 256, 260}) {
    const auto norm = ++number % 2 == 0 ? gp::normalisation::mean : gp::normalisation::symmetric;
    for (const std::size_t gap : {0, 1, 4}) {
      both.template check<TestType>({hidden, 3 + number, gap, norm}, {.strength = 0.4, .samples = 3, .seed = 1}, 7,
                                    gap > 0);
    }
  }
  both.template check<TestType>({16, 1, 0, gp::normalisation::mean}, {.strength = 0.4, .samples = 2});
  both.template check<TestType>({16, 70, 0, gp::normalisation::mean}, {.strength = 0.4, .samples = 2});
}

TEMPLATE_TEST_CASE("corrupted logits: every strength, every node, loops", "[cuda]", float, double) {
  const auto graph =
      GENERATE(gp::test::clique(12), gp::test::with_loops(slow::random_graph<node_id>(30, 60, 3)), gp::test::ring(3));
  const comparison both(graph, gp::test::every_node(graph));
  for (const double strength : {0.0, 0.5, 1.0}) {
    for (const auto norm : {gp::normalisation::mean, gp::normalisation::symmetric}) {
      both.template check<TestType>({.hidden = 20, .norm = norm}, {.strength = strength, .samples = 2, .seed = 5}, 7,
                                    strength != 0.5);
    }
  }
}

TEMPLATE_TEST_CASE("corrupted logits: what is not wanted is not written", "[cuda]", float, double) {
  const auto graph = slow::random_graph<node_id>(300, 760, 4);
  REQUIRE(graph.degree(0) > 128);  // a hub: the second kernel, too
  const comparison both(graph, {0, 5, 299});
  for (int which = 0; which < 8; ++which) {
    both.template check<TestType>({.gap = 2}, {.strength = 0.4, .samples = 5}, which, true);
  }
}

TEMPLATE_TEST_CASE("corrupted logits: a table in 16 bits", "[cuda]", gp::float16, gp::bfloat16) {
  const auto graph = slow::random_graph<node_id>(300, 760, 4);
  const comparison both(graph, {0, 5, 299});
  for (const std::size_t hidden : {3, 32, 64, 128, 130, 264}) {
    for (const std::size_t gap : {0, 1}) {
      both.template check<float, TestType>({.hidden = hidden, .gap = gap}, {.strength = 0.4, .samples = 2}, 7, gap > 0);
    }
  }
}

TEMPLATE_TEST_CASE("corrupted logits: degrees around those a warp and a block take at a look", "[cuda]", float,
                   double) {
  const node_id leaves = GENERATE(31, 32, 33, 127, 128, 129, 256, 257);
  const auto graph = gp::test::star(leaves);
  const comparison both(graph, {0, leaves, leaves + 1});
  both.template check<TestType>({.hidden = 9, .norm = gp::normalisation::symmetric},
                                {.strength = 0.3, .samples = 2, .seed = 2});
}

TEMPLATE_TEST_CASE("corrupted logits: nothing beyond the last row, column and neighbour", "[cuda]", float, double) {
  const node_id leaves = GENERATE(64, 128, 129);  // of a warp, the most of a warp, of a block
  const auto graph = gp::test::star_around_last(leaves);
  const comparison both(graph, {leaves, 1});
  for (const std::size_t hidden : {31, 32, 64}) {
    for (const double strength : {0.0, 0.6}) {
      both.template check<TestType>({hidden, 3, 0, gp::normalisation::symmetric}, {.strength = strength, .samples = 1},
                                    7, true);
    }
  }
}

TEST_CASE("corrupted logits: a draw that is just as large as the strength keeps its neighbour", "[cuda]") {
  const auto stream = gp::random_stream(3, gp::purpose::corruption).fork(0).fork(0);
  for (const node_id leaves : {5, 140}) {  // of a warp, of a block
    const auto graph = gp::test::star(leaves);
    const comparison both(graph, {0});
    const auto draws = gp::neighbor_draws(stream, 0, 4, 0);
    for (const std::uint32_t draw : draws) {
      both.check<double>({.hidden = 5, .classes = 3}, {.strength = draw * 0x1.0p-32, .samples = 4, .seed = 3}, 7, true);
    }
  }
}

TEMPLATE_TEST_CASE("corrupted logits: hubs of degree > 1000", "[cuda]", float, double) {
  const auto graph = slow::random_graph<node_id>(2200, 6000, 6);
  REQUIRE(graph.degree(0) > 1000);
  const comparison both(graph, {0, 1, 2, 2199});
  both.template check<TestType>({.hidden = 70, .norm = gp::normalisation::symmetric},
                                {.strength = 0.6, .samples = 1, .seed = 3}, 7, true);
  both.template check<TestType>({.hidden = 64}, {.strength = 0.9, .samples = 2, .seed = 3}, 7, true);
}

TEST_CASE("corrupted logits: more than 16384 pairs in one call", "[cuda]") {
  const auto graph = gp::test::ring(4100);
  const comparison both(graph, gp::test::every_node(graph));
  both.check<float>({.hidden = 8, .classes = 3}, {.strength = 0.5, .samples = 4, .seed = 8}, 7, true);
}

TEST_CASE("corrupted logits: no anchors, and nothing wanted", "[cuda]") {
  const auto graph = gp::test::ring(4);
  const comparison nobody(graph, {});
  nobody.check<float>({}, {.samples = 2});
}

TEST_CASE("corrupted logits: what can't be computed is an error", "[cuda]") {
  const gp::device_graph<node_id> graph(gpu(), gp::test::ring(6));
  const random_model<float, float> random(gpu(), 6, {});
  const auto model = random.frozen();
  answer_space<float> space(gpu(), 2, 1, {});
  const auto run = [&](const gp::frozen_gcn<float>& which, std::vector<node_id> anchors,
                       gp::corruption_options options = {}) {
    gp::corrupted_logits(gpu(), graph.view(), which, anchors, options, space.wanted(7));
  };
  CHECK_NOTHROW(run(model, {1, 1}));  // repeats are fine
  CHECK_THROWS_AS(run(model, {0, 6}), gp::index_error);
  CHECK_THROWS_AS(run(model, {-1, 0}), gp::index_error);
  CHECK_THROWS_AS(run(model, {0}), gp::shape_error);  // answers for two
  CHECK_THROWS_AS(run(model, {0, 1}, {.samples = 2}), gp::shape_error);
  CHECK_THROWS_AS(run(model, {0, 1}, {.samples = 0}), gp::argument_error);
  CHECK_THROWS_AS(run(model, {0, 1}, {.strength = 2}), gp::argument_error);
  CHECK_THROWS_AS(run(model, {0, 1}, {.estimator = gp::estimator::exact}), gp::argument_error);
  auto wrong = model;
  wrong.norm = gp::normalisation::sum;
  CHECK_THROWS_AS(run(wrong, {0, 1}), gp::argument_error);
  wrong = model;
  wrong.projected = wrong.projected.middle_rows(0, 5);
  CHECK_THROWS_AS(run(wrong, {0, 1}), gp::shape_error);
  wrong = model;
  wrong.hidden_bias = wrong.hidden_bias.first(3);
  CHECK_THROWS_AS(run(wrong, {0, 1}), gp::shape_error);
  wrong = model;
  wrong.weight = wrong.weight.middle_rows(0, 3);
  CHECK_THROWS_AS(run(wrong, {0, 1}), gp::shape_error);
  wrong = model;
  wrong.bias = wrong.bias.first(3);
  CHECK_THROWS_AS(run(wrong, {0, 1}), gp::shape_error);

  const gp::device_graph<node_id> directed(gpu(), slow::random_graph<node_id>(6, 9, 1, true));
  const std::vector<node_id> anchors{0, 1};
  const auto one_way = [&] { gp::corrupted_logits(gpu(), directed.view(), model, anchors, {}, space.wanted(1)); };
  CHECK_THROWS_AS(one_way(), gp::argument_error);
  CHECK_THROWS_WITH(one_way(), Catch::Contains("undirected"));
}

TEST_CASE("corrupted logits: the plan names the memory that a call takes", "[cuda]") {
  const auto graph = gp::test::ring(500);
  const auto anchors = gp::test::every_node(graph);
  const std::size_t samples = 3;
  const model_shape shape{.hidden = 40, .classes = 5};
  for (const int which : {1, 4, 5, 7}) {  // the mean alone needs room for what it is the mean of
    const gp::cuda exec;                  // with a pool of its own
    const gp::device_graph<node_id> there(exec, graph);
    const random_model<float, float> model(exec, graph.nodes(), shape);
    answer_space<float> space(exec, anchors.size(), samples, shape);
    const auto answers = space.wanted(which);
    const auto plan = gp::backend::plan_corrupted_logits<float, float, node_id>(exec, model.frozen(), anchors.size(),
                                                                                samples, answers);
    CHECK(plan.pairs == anchors.size() * samples);
    CHECK(plan.blocks * plan.pairs_a_block >= plan.pairs);
    CHECK((plan.blocks - 1) * plan.pairs_a_block < plan.pairs);
    CHECK(plan.passes == 1);
    const auto before = gp::backend::memory_use_of(exec);
    gp::corrupted_logits(exec, there.view(), model.frozen(), anchors, {.samples = samples}, answers);
    const auto after = gp::backend::memory_use_of(exec);
    CHECK(after.bytes_in_use == before.bytes_in_use);
    CHECK(after.bytes_held - before.bytes_held >= plan.workspace_bytes);
    CHECK(after.bytes_held - before.bytes_held <= gp::test::largest_blocks(plan.workspace_bytes, 2));
  }
}
