// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/nearest_hops.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/detail/fast_patching.hpp"
#include "graphpatcher/patcher/detail/training_loss.hpp"
#include "graphpatcher/patcher/fast_path.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "graphpatcher/patcher/patching_options.hpp"

namespace graphpatcher {

namespace detail {

/// Anchors that share a neighbourhood on the fast path: many, so that a node is
/// computed once for most of its receivers, but not so many that their rows fill
/// the memory.
inline constexpr std::size_t anchors_a_part = 8192;

/// Copies rows of a batch to their place in a result.
template <class T>
void store_rows(const executor& exec, matrix_view<const T> rows, std::size_t begin, matrix<T>& result) {
  copy(exec, rows, result.view().middle_rows(begin, begin + rows.rows()));
}

/// Room for the answers, in the memory of `exec`.
template <class T>
patched_predictions<T> room_for_predictions(const executor& exec, std::size_t anchors, std::size_t classes,
                                            std::size_t features, const patching_options& options) {
  patched_predictions<T> result;
  for (std::size_t k = 0; k <= options.patches; ++k) {
    result.logits.emplace_back(exec, anchors, classes, contents::anything);
    if (options.keep_features && k < options.patches) {
      result.features.emplace_back(exec, anchors, features, contents::anything);
    }
  }
  return result;
}

/// The backbone's own logits of the anchors, in the memory of `exec`, which has the
/// model too. Anchors share their neighbourhoods: with degrees of the graph that
/// gives the bits of their ego-graphs, and a node is computed once, not once for
/// every anchor that sees it.
template <class T, graph_index I, backbone_for<T, I> Backbone>
void fill_own_logits(tape<T>& t, const csr_graph<I>& graph, const feature_table<T, I>& table, const Backbone& model,
                     std::span<const I> anchors, matrix<T>& logits) {
  for (std::size_t begin = 0; begin < anchors.size(); begin += anchors_a_part) {
    throw_if_interrupted("test-time patching");
    t.reset();
    const auto part = anchors.subspan(begin, std::min(anchors_a_part, anchors.size() - begin));
    const auto messages = neighborhood(graph, part, model.hops());
    store_rows<T>(t.exec(), frozen_forward(t, model, messages, node_features<T, I>{&table, &messages, {}}).value(),
                  begin, logits);
  }
}

/// The generic path; the backbone has its parameters in the memory of `exec`.
/// next_patch(tape, messages, features, begin) gives the next patch of the
/// anchors from `begin` on, a row each.
template <class T, graph_index I, backbone_for<T, I> Backbone, class NextPatch>
patched_predictions<T> patch_generically(const executor& exec, const csr_graph<I>& graph,
                                         const feature_table<T, I>& table, const Backbone& model,
                                         std::span<const I> anchors, const patching_options& options,
                                         NextPatch&& next_patch) {
  auto result = room_for_predictions<T>(exec, anchors.size(), model.classes(), table.cols(), options);
  tape<T> t(exec);
  const auto frozen = t.freeze();
  const bool shares = options.degree == degree_mode::graph;
  if (shares) {
    fill_own_logits<T, I>(t, graph, table, model, anchors, result.logits[0]);
  }
  const bool done = shares && options.patches == 0;
  std::vector<matrix<T>> patches(options.patches);
  progress bar("patching nodes", anchors.size(), {.quiet = options.quiet});
  bar.advance(done ? anchors.size() : 0);
  for (std::size_t begin = 0; begin < anchors.size() && !done; begin += options.batch) {
    throw_if_interrupted("test-time patching");
    const auto count = std::min(options.batch, anchors.size() - begin);
    const auto batch = make_ego_batch(exec.host(), graph, anchors.subspan(begin, count), {.hops = model.hops()});
    const bool near = reads_less(batch, options.degree);
    const auto read = near ? nearest_hops(batch, generator_hops) : ego_batch<I>{};
    for (std::size_t k = 0; k <= options.patches; ++k) {
      t.reset();
      const auto messages_of = [&](const ego_batch<I>& egos) {
        return materialise(exec.host(), egos, message_options{options.degree, options.edge, k});
      };
      const bool answers = k > 0 || !shares;
      const auto messages = answers || !near ? messages_of(batch) : message_graph<I>{};
      node_features<T, I> x{&table, &messages, {}};
      for (std::size_t step = 0; step < k; ++step) {
        x.patches.push_back(t.constant(patches[step].view()));
      }
      if (answers) {
        store_rows<T>(exec, frozen_forward(t, model, messages, x).value(), begin, result.logits[k]);
      }
      if (k < options.patches) {
        const auto few = near ? messages_of(read) : message_graph<I>{};
        x.graph = near ? &few : &messages;
        const matrix_view<const T> patch = next_patch(t, *x.graph, x, begin);
        patches[k] = matrix<T>(exec, patch.rows(), patch.cols(), contents::anything);
        copy(exec, patch, patches[k].view());
        if (options.keep_features) {
          store_rows<T>(exec, patch, begin, result.features[k]);
        }
      }
    }
    bar.advance(count);
  }
  if (!exec.on_host()) {  // read back once, at the end
    for (auto* part : {&result.logits, &result.features}) {
      for (auto& values : *part) {
        values = values.copy_on(cpu{});
      }
    }
  }
  return result;
}

/// The work of node_patching, compiled where it is made.
template <class T, graph_index I, backbone_for<T, I> Backbone>
class patching_here final : public patching_work<T> {
public:
  patching_here(const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& table,
                const Backbone& model, std::span<const I> anchors, const patching_options& options)
      : exec_(exec),
        graph_(&graph),
        table_(&table),
        placed_(exec, model),
        anchors_(anchors.begin(), anchors.end()),
        options_(options),
        path_(choose_path(options.path, why_not_fast(exec, model, options.degree, options.edge))) {
    expects(options.batch >= 1, "patching: expected a batch of at least 1 anchor, got 0");
    expects<shape_error>(table.rows() == graph.nodes(), "patching: expected features of ", graph.nodes(),
                         " nodes, got ", table.rows());
    check_anchors(graph, anchors);
    if (path_ == patch_path::generic && !options.quiet) {
      const auto cost = measure_ego_cost<I>(graph, anchors, model.hops());
      if (const auto warning = warning_of(cost, std::min(options.batch, anchors.size())); !warning.empty()) {
        show_note("patching nodes: " + warning);
      }
    }
  }

  patch_path path() const noexcept override { return path_; }

  /// The generator's parameters are on the host, or in the memory of the executor.
  patched_predictions<T> run(const patch_generator<T>& generator) override {
    expects<shape_error>(table_->cols() == generator.features(), "patching: expected ", generator.features(),
                         " features a node, as the generator makes, got ", table_->cols());
    if constexpr (has_rows<Backbone>) {
      if (path_ == patch_path::fast) {
        return run_fast(generator);
      }
    }
    const auto patch_with = [&](const patch_generator<T>& network) {
      return patch_generically<T, I>(exec_, *graph_, *table_, *placed_, anchors_, options_,
                                     [&](tape<T>& t, const message_graph<I>& messages, const node_features<T, I>& x,
                                         std::size_t) { return network.forward(t, messages, x).value(); });
    };
    const bool there = generator.encoder(0).weight.value.on_host() == exec_.on_host();
    if (there) {
      return patch_with(generator);
    }
    const placed_model<patch_generator<T>> placed(exec_, generator);
    return patch_with(*placed);
  }

private:
  patched_predictions<T> run_fast(const patch_generator<T>& generator) requires has_rows<Backbone> {
    using part_type = fast::patching<T, I, Backbone>;
    const cpu exec = exec_.host();
    const auto part_at = [&](std::size_t begin) {
      const std::size_t count = std::min(anchors_a_part, anchors_.size() - begin);
      return std::make_shared<const part_type>(exec, *graph_, *table_, *placed_,
                                               std::span<const I>(anchors_).subspan(begin, count), options_.edge);
    };
    auto result = room_for_predictions<T>(exec, anchors_.size(), (*placed_).classes(), generator.features(), options_);
    const fast::frozen_generator<T> frozen(exec, generator, fast::rows_of(*placed_).first.weight());
    progress bar("patching nodes", anchors_.size(), {.quiet = options_.quiet});
    for (std::size_t begin = 0; begin < anchors_.size(); begin += anchors_a_part) {
      auto part = std::static_pointer_cast<const part_type>(only_part_);
      if (!part) {
        part = part_at(begin);
      }
      part->run(frozen, options_, begin, result, [&](std::size_t count) {
        bar.advance(count);
        throw_if_interrupted("test-time patching");
      });
      only_part_ = anchors_.size() <= anchors_a_part ? part : nullptr;
    }
    return result;
  }

  const executor exec_;
  const csr_graph<I>* graph_;
  const feature_table<T, I>* table_;
  const placed_model<Backbone> placed_;
  std::vector<I> anchors_;
  patching_options options_;
  patch_path path_;
  std::shared_ptr<const void> only_part_;  // of the fast path, when one does for all anchors
};

template <class T, graph_index I, backbone_for<T, I> Backbone>
std::unique_ptr<patching_work<T>> make_patching(const executor& exec, const csr_graph<I>& graph,
                                                const feature_table<T, I>& table, const Backbone& model,
                                                std::span<const I> anchors, const patching_options& options) {
  if constexpr (compiled::holds<Backbone>) {
    using known = compiled::built_in_t<Backbone>;
    return compiled::patcher_functions_of<T, I, known>().make_patching(exec, graph, table, model, anchors, options);
  } else {
    return std::make_unique<patching_here<T, I, Backbone>>(exec, graph, table, model, anchors, options);
  }
}

}  // namespace detail

/// Test-time patching of a fixed set of anchors: starts from the whole ego-graph
/// of each, adds patches one by one and predicts after each. The backbone stays
/// frozen; what it has to say is kept from one run to the next where it pays
/// (during training the validation nodes are patched again and again). Graph,
/// features and model must outlive it.
template <class T, graph_index I, backbone_for<T, I> Backbone>
class node_patching {
public:
  node_patching(const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& table,
                const Backbone& model, std::type_identity_t<std::span<const I>> anchors,
                const patching_options& options = {})
      : work_(detail::make_patching<T, I>(exec, graph, table, model, anchors, options)) {}
  // It keeps a pointer to the table, and a temporary would be gone before the first run.
  node_patching(const executor&, const csr_graph<I>&, const feature_table<T, I>&&, const Backbone&,
                std::type_identity_t<std::span<const I>>, const patching_options& = {}) = delete;

  patch_path path() const noexcept { return work_->path(); }

  /// The generator's parameters are on the host, or in the memory of the executor.
  patched_predictions<T> run(const patch_generator<T>& generator) { return work_->run(generator); }

private:
  std::unique_ptr<detail::patching_work<T>> work_;
};

/// Patches nodes once: see node_patching.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patched_predictions<T> patch_nodes(const executor& exec, const csr_graph<I>& graph, const feature_table<T, I>& table,
                                   const Backbone& model, const patch_generator<T>& generator,
                                   std::type_identity_t<std::span<const I>> anchors,
                                   const patching_options& options = {}) {
  return node_patching<T, I, Backbone>(exec, graph, table, model, anchors, options).run(generator);
}

}  // namespace graphpatcher
