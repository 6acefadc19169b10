// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/patcher/detail/frozen_generator.hpp"
#include "graphpatcher/patcher/detail/patched_anchors.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "graphpatcher/patcher/patching_options.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// Test-time patching on the exact fast path, for a fixed set of anchors and
/// any number of generators: what the frozen backbone has to say is looked up
/// once. All anchors share one neighbourhood, in which a node is computed once
/// however many of them see it. Graph, features and model must outlive it.
template <class T, graph_index I, class Backbone>
class patching {
  using rows_type = fast::rows_type<Backbone>;

public:
  patching(const cpu& exec, const csr_graph<I>& graph, const feature_table<T, I>& features, const Backbone& model,
           std::span<const I> anchors, patch_edge edge)
      : exec_(exec),
        features_(&features),
        edge_(edge),
        anchors_(anchors.begin(), anchors.end()),
        rows_(rows_of(model)),
        neighborhood_(neighborhood(graph, anchors, 2)),
        tables_(exec, rows_, neighborhood_, features, neighborhood_.nodes_within(1)),
        patched_(rows_, edge),
        own_(predict(exec, model, neighborhood_, features)) {
    patched_.assign(tables_, neighborhood_);
    list_encoder_graph();
  }

  const rows_type& rows() const noexcept { return rows_; }
  std::size_t size() const noexcept { return anchors_.size(); }

  /// Fills rows [begin, begin + size()) of the results; with 0 patches they are
  /// the backbone's own, bit for bit. `advance(count)` is called as anchors are done.
  template <class Advance>
  void run(const frozen_generator<T>& generator, const patching_options& options, std::size_t begin,
           patched_predictions<T>& result, Advance&& advance) const {
    const auto& network = generator.generator();
    encoder_base<T> encoder{matrix<T>(cpu{}, size(), network.hidden(), contents::anything),
                            matrix<T>(cpu{}, size(), network.hidden(), contents::anything),
                            {}};
    encode_base<T, I>(exec_, *features_, encoder_graph_, network.encoder(0).weight.value.view(),
                      network.encoder(0).bias.value.row(0), encoder);
    for (std::size_t b = 0; b < size(); ++b) {
      std::copy_n(own_.row(b).data(), own_.cols(), result.logits[0].row(begin + b).data());
    }
    workspace space(*this, network, options.patches);
    for (std::size_t first = 0; first < size(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, size() - first);
      patch_rows(generator, options, encoder, first, count, begin, space, result);
      advance(count);
    }
  }

  /// The same patch of an anchor again and again: row b of `first_product` is
  /// x W of anchor b's, W the backbone's first weight.
  void repeat(matrix_view<const T> first_product, const patching_options& options, std::size_t begin,
              patched_predictions<T>& result) const {
    matrix<T> messages(size(), rows_.first.width());
    for (std::size_t b = 0; b < size(); ++b) {
      std::copy_n(own_.row(b).data(), own_.cols(), result.logits[0].row(begin + b).data());
      std::copy_n(first_product.row(b).data(), rows_.first.linear_width(), messages.row(b).data());
      rows_.first.finish(messages.row(b).data());
    }
    std::vector<matrix_view<const T>> patches;
    for (std::size_t k = 0; k < options.patches; ++k) {
      throw_if_interrupted("test-time patching");
      patches.push_back(std::as_const(messages).view());
      patched_.answer(exec_, 0, patches, size(), {}, [&](std::size_t b, std::span<const T> logits, std::span<T>) {
        std::copy(logits.begin(), logits.end(), result.logits[k + 1].row(begin + b).begin());
      });
    }
  }

private:
  /// Rows of a dense product: enough to pay for packing the weights, few enough
  /// to stay in a cache. Changes no bit of the result.
  static constexpr std::size_t rows_at_once = 512;

  struct workspace {
    matrix<T> activated, agg, h2, y1, y2, from_features, patch;
    std::vector<matrix<T>> encoded;   // p_k W_e1
    std::vector<matrix<T>> messages;  // of the patches in the backbone's layer 1

    workspace(const patching& owner, const patch_generator<T>& network, std::size_t patches) {
      const std::size_t rows = std::min(rows_at_once, owner.size());
      for (auto* buffer : {&activated, &agg, &h2, &y1, &y2, &from_features}) {
        *buffer = matrix<T>(cpu{}, rows, network.hidden(), contents::anything);
      }
      for (std::size_t k = 0; k < patches; ++k) {
        messages.emplace_back(rows, owner.rows_.first.width());
        if (k + 1 < patches) {
          encoded.emplace_back(cpu{}, rows, network.hidden(), contents::anything);
        }
      }
    }
  };

  /// Anchors [first, first + count): patches one after the other, an answer after each.
  void patch_rows(const frozen_generator<T>& generator, const patching_options& options, const encoder_base<T>& encoder,
                  std::size_t first, std::size_t count, std::size_t begin, workspace& space,
                  patched_predictions<T>& result) const {
    const auto top = [count](matrix<T>& buffer) { return buffer.view().middle_rows(0, count); };
    const auto keys = std::span<const I>(anchors_).subspan(first, count);
    const auto bias = generator.generator().encoder(0).bias.value.row(0);
    generator.template read_features<I>(exec_, *features_, keys, top(space.from_features));
    std::vector<matrix_view<const T>> encoded;
    std::vector<matrix_view<const T>> messages;
    for (std::size_t k = 0; k < options.patches; ++k) {
      throw_if_interrupted("test-time patching");
      join_patches<T, I>(exec_, encoder_graph_, encoder, first, bias, {encoded, edge_ == patch_edge::to_anchor_loop},
                         top(space.activated), top(space.agg));
      generator.template run<I>(exec_, top(space.from_features), top(space.agg), top(space.h2), top(space.y1),
                                top(space.y2));
      if (k + 1 < options.patches) {
        gemm<T>(exec_, top(space.y2), generator.to_encoder(), top(space.encoded[k]));
        encoded.push_back(top(space.encoded[k]));
      }
      if (options.keep_features) {
        gemm<T>(exec_, top(space.y2), generator.last(),
                result.features[k].view().middle_rows(begin + first, begin + first + count));
      }
      const auto rows = top(space.messages[k]);
      const matrix_view<T> linear(rows.data(), count, rows_.first.linear_width(), rows.stride());
      gemm<T>(exec_, top(space.y2), generator.to_backbone(), linear);
      for (std::size_t b = 0; b < count; ++b) {
        rows_.first.finish(rows.row(b).data());
      }
      messages.push_back(rows);
      patched_.answer(exec_, first, messages, count, {}, [&](std::size_t b, std::span<const T> logits, std::span<T>) {
        std::copy(logits.begin(), logits.end(), result.logits[k + 1].row(begin + first + b).begin());
      });
    }
  }

  /// The neighbourhood as the generator's encoder reads it: hidden row r is local node r.
  void list_encoder_graph() {
    const auto& graph = neighborhood_;
    encoder_graph_.nodes = graph.global_ids;
    const auto row = [&](std::size_t r) {
      return std::span<const I>(graph.sources)
          .subspan(static_cast<std::size_t>(graph.offsets[r]),
                   static_cast<std::size_t>(graph.offsets[r + 1] - graph.offsets[r]));
    };
    const auto append = [](list_of_lists<I>& lists, std::span<const I> list) {
      lists.entries.insert(lists.entries.end(), list.begin(), list.end());
      lists.close();
    };
    for (std::size_t r = 0; r < graph.nodes_within(1); ++r) {
      append(encoder_graph_.hidden, row(r));
    }
    for (std::size_t b = 0; b < graph.targets(); ++b) {
      append(encoder_graph_.anchors, row(b));
      append(encoder_graph_.anchor_neighbors, row(b).subspan(1));  // the loop comes first
    }
  }

  const cpu exec_;
  const feature_table<T, I>* features_;
  patch_edge edge_;
  std::vector<I> anchors_;
  rows_type rows_;
  message_graph<I> neighborhood_;
  message_tables<T, I> tables_;
  patched_anchors<T, I, rows_type> patched_;
  matrix<T> own_;
  encoder_graph<I> encoder_graph_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
