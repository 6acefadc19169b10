// SPDX-License-Identifier: MIT
// A little of all that the core computes, printed with how far two processors may be apart (report.hpp). It is compiled
// for this machine and for another, and what both print is compared (compare.py).
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/whole_graph.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/ops/edge_softmax.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "inputs.hpp"
#include "report.hpp"

namespace {

using namespace cross;

const gp::cpu exec{.threads = 2};

void random_draws() {
  for (const auto use : {gp::purpose::initialisation, gp::purpose::dropout, gp::purpose::corruption}) {
    const auto stream = gp::random_stream(0x0123456789abcdefull, use).fork(~0ull);
    print_exact("philox", stream.bits(~0ull, 3));
    print_exact("philox_run", stream.run(7, ~0ull - 5));
  }
}

void masks(const gp::csr_graph<int>& graph) {
  print_exact("graph_offsets", graph.offsets());
  print_exact("graph_neighbors", graph.neighbors());
  const std::vector<int> anchors{0, 3, 5, 17};
  const auto batch = gp::make_ego_batch(exec, graph, std::span<const int>(anchors), {.hops = 2});
  print_exact("ego_nodes", batch.nodes);
  print_exact("ego_sources", batch.edge_sources);
  print_exact("masks", gp::corrupt(exec, batch, {.strength = 0.3, .samples = 10, .seed = 7}).keep);
}

template <class T>
void products(const char* name) {
  constexpr std::size_t depth = 67;  // no multiple of any vector
  const auto a = random_matrix<T>(37, depth, 2);
  const auto b = random_matrix<T>(depth, 41, 3);
  gp::matrix<T> c(37, 41), magnitude(37, 41);
  gp::gemm<T>(exec, a, b, c);
  gp::gemm<T>(exec, absolute(a), absolute(b), magnitude);
  print_close<T>(name, c.view(), magnitude.view(), depth);
}

void messages(const gp::csr_graph<int>& graph) {
  const auto edges = gp::whole_graph(graph);
  const std::span<const int> offsets(edges.offsets);
  const std::span<const int> sources(edges.sources);
  const auto x = random_matrix<float>(graph.nodes(), 37, 4);
  const auto weights = random_matrix<float>(edges.sources.size(), 1, 5);
  const auto absolute_weights = absolute(weights);
  gp::matrix<float> out(graph.nodes(), 37), magnitude(graph.nodes(), 37);
  gp::spmm<float, int>(exec, offsets, sources, {.weights = weights}, x, out);
  gp::spmm<float, int>(exec, offsets, sources, {.weights = absolute_weights}, absolute(x), magnitude);
  const std::size_t degree = largest_degree(graph) + 1;
  print_close<float>("spmm", out.view(), magnitude.view(), degree + 1);

  // An exponential is good to 2 ulp, 4 roundings; it is divided by a sum of as many of them: relative to itself.
  const auto scores = random_matrix<float>(edges.sources.size(), 2, 6);
  gp::matrix<float> alpha(edges.sources.size(), 2);
  gp::edge_softmax<float, int>(exec, offsets, scores, alpha);
  print_close<float>("edge_softmax", alpha.view(), alpha.view(), 2 * 4 + 2 + degree);
}

/// What a term of a row goes through in a dense layer: the drawing of its weight, product, sum, bias.
std::size_t dense_roundings(std::size_t inputs) {
  return 2 + inputs + 1;
}

/// And in a graph convolution: the sum over messages and its scales too.
std::size_t convolution_roundings(std::size_t inputs, std::size_t degree) {
  return dense_roundings(inputs) + degree + 4;
}

void forward_and_training() {
  constexpr std::size_t hidden = 32;
  const auto small = make_data<float>(60, 40);
  const gp::gcn_backbone<float> model({.hidden = hidden, .seed = 3}, 40, small.classes);
  const std::size_t degree = largest_degree(small.graph) + 1;
  const std::size_t roundings = convolution_roundings(40, degree) + convolution_roundings(hidden, degree);
  print_close<float>("gcn_logits", gp::predict(exec, model, small.graph, small.features).view(),
                     gp::predict(exec, absolute_model(model), small.graph, small.features).view(), roundings);

  // Adam divides a gradient by its size plus 1e-8. Where its terms, none above 1, cancel, what rounding did to it is
  // divided by 1e-8: a weight may be off by lr · rounding / 1e-8 after each step, and the loss by as much for each of
  // the 16 hidden units. In double that is far below the loss; in float it wouldn't be.
  constexpr double lr = 0.01;
  constexpr std::size_t epochs = 8;
  const auto data = make_data<double>(60, 40);
  const auto trained = gp::train_backbone(exec, data, gp::gcn_config{.hidden = 16, .seed = 3},
                                          {.learning_rate = lr, .max_epochs = epochs});
  const double weight = epochs * lr * rounding<double>(2 * roundings, 1) / 1e-8;
  for (const double loss : trained.history.loss) {
    print_close("loss", loss, 16 * weight);
  }
  print_exact("best_epoch", std::vector{trained.history.best_epoch});
}

void patches() {
  constexpr std::size_t features = 8, hidden = 8, steps = 5;
  const auto data = make_data<double>(60, features);
  const std::size_t degree = largest_degree(data.graph) + 1 + steps;
  const gp::gcn_backbone<double> model({.hidden = hidden, .seed = 4}, features, data.classes);
  const gp::patch_generator<double> generator({.features = features, .hidden = hidden, .seed = 5});
  const std::vector<int> anchors{0, 1, 2, 3, 29, 30, 58, 59};
  const gp::patching_options options{.patches = steps, .keep_features = true};
  const auto run = [&](const auto& backbone, const auto& network) {
    return gp::patch_nodes(exec, data.graph, data.features, backbone, network, anchors, options);
  };
  const auto patched = run(model, generator);
  const auto magnitudes = run(absolute_model(model), absolute_model(generator));
  // two convolutions, then three layers of which the first takes [hidden, features]; patch k sees those before it
  const std::size_t a_patch = convolution_roundings(features, degree) + convolution_roundings(hidden, degree) +
                              dense_roundings(hidden + features) + 2 * dense_roundings(hidden);
  const std::size_t logits = convolution_roundings(features, degree) + convolution_roundings(hidden, degree);
  for (std::size_t k = 0; k <= steps; ++k) {
    print_close<double>("patched_logits", patched.logits[k].view(), magnitudes.logits[k].view(), k * a_patch + logits);
    if (k < steps) {
      print_close<double>("patch", patched.features[k].view(), magnitudes.features[k].view(), (k + 1) * a_patch);
    }
  }
}

}  // namespace

int main() {
  random_draws();
  const auto data = make_data<float>(60, 40);
  masks(data.graph);
  products<float>("gemm_float");
  products<double>("gemm_double");
  messages(data.graph);
  forward_and_training();
  patches();
}
