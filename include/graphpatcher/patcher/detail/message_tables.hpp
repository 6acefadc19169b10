// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/patcher/detail/packed_rows.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// The message of every node in both layers of a frozen model, uncorrupted: one
/// row a node. Of a message graph layer 2's rows exist for nodes whose own row is
/// complete.
template <class T, graph_index I>
class message_tables {
public:
  /// All nodes of a graph; rows are named by node.
  template <class Rows>
  message_tables(const cpu& exec, const Rows& rows, const csr_graph<I>& graph, const feature_table<T, I>& features)
      : first_(cpu{}, graph.nodes(), rows.first.width()), second_(cpu{}, graph.nodes(), rows.second.width()) {
    std::vector<I> everyone(graph.nodes());
    std::iota(everyone.begin(), everyone.end(), I(0));
    fill_first(exec, rows, features, everyone);
    fill_scales(rows, [&](std::size_t v) {
      const auto row = graph.neighbors(v);
      const auto loops = std::equal_range(row.begin(), row.end(), static_cast<I>(v));
      return static_cast<I>(graph.out_degree(v)) - static_cast<I>(loops.second - loops.first) + 1;
    });
    fill_second(exec, rows, [&](std::size_t v, auto&& body) {
      body(static_cast<I>(v));
      for (const I neighbor : graph.neighbors(v)) {
        if (static_cast<std::size_t>(neighbor) != v) {
          body(neighbor);
        }
      }
    });
  }

  /// The nodes of a message graph; rows are named by local id. `complete`:
  /// nodes whose layer 2 is wanted, a prefix.
  template <class Rows>
  message_tables(const cpu& exec, const Rows& rows, const message_graph<I>& graph, const feature_table<T, I>& features,
                 std::size_t complete)
      : first_(cpu{}, graph.nodes(), rows.first.width()), second_(cpu{}, complete, rows.second.width()) {
    fill_first(exec, rows, features, graph.global_ids);
    fill_scales(rows, [&](std::size_t v) { return graph.out_degree[v]; });
    fill_second(exec, rows, [&](std::size_t v, auto&& body) {
      for (I e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
        body(graph.sources[static_cast<std::size_t>(e)]);
      }
    });
  }

  const T* first_row(I node) const noexcept { return first_.data() + static_cast<std::size_t>(node) * first_.cols(); }
  const T* second_row(I node) const noexcept {
    return second_.data() + static_cast<std::size_t>(node) * second_.cols();
  }
  /// Of a source, loop counted; only with symmetric normalisation.
  T scale(I node) const noexcept { return scales_[static_cast<std::size_t>(node)]; }
  I out_degree(I node) const noexcept { return out_degrees_[static_cast<std::size_t>(node)]; }

private:
  template <class Rows>
  void fill_first(const cpu& exec, const Rows& rows, const feature_table<T, I>& features, std::span<const I> ids) {
    expects<shape_error>(features.cols() == rows.first.inputs(), "fast path: expected ", rows.first.inputs(),
                         " features, as the backbone has, got ", features.cols());
    const matrix_view<T> linear(first_.data(), first_.rows(), rows.first.linear_width(), first_.cols());
    sparse_gemm<T, I>(exec, feature_rows<T, I>{&features, ids, {}, {}}, rows.first.weight(), linear);
    parallel_for(exec, first_.rows(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        rows.first.finish(first_.row(v).data());
      }
    });
  }

  template <class Rows, class Degree>
  void fill_scales(const Rows& rows, Degree&& degree) {
    for (std::size_t v = 0; rows.scales_sources() && v < first_.rows(); ++v) {
      out_degrees_.push_back(degree(v));
      scales_.push_back(degree_scale<T>(normalisation::symmetric, out_degrees_.back()));
    }
  }

  /// `for_each_source(v, body)` calls body(source) for every source of node v, itself first.
  template <class Rows, class Sources>
  void fill_second(const cpu& exec, const Rows& rows, Sources&& for_each_source) {
    parallel_for(exec, second_.rows(), 64, [&](std::size_t begin, std::size_t end) {
      row_scratch<T> scratch;
      std::vector<const T*> messages;
      std::vector<T> scales;
      for (std::size_t v = begin; v < end; ++v) {
        messages.clear();
        scales.clear();
        for_each_source(v, [&](I source) {
          messages.push_back(first_row(source));
          if (!scales_.empty()) {
            scales.push_back(scale(source));
          }
        });
        rows.make_message({first_row(static_cast<I>(v)), messages, scales}, second_.row(v).data(), scratch);
      }
    });
  }

  matrix<T> first_;
  matrix<T> second_;
  std::vector<I> out_degrees_;
  std::vector<T> scales_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
