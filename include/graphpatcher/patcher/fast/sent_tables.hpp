// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "graphpatcher/graph/whole_graph.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/patcher/fast/row_model.hpp"

namespace graphpatcher::fast {

/// What every node sends in both layers of a frozen model on an uncorrupted
/// message graph: one row a node that is there. Layer 2's rows exist for nodes
/// whose row in the graph is complete.
template <class T, graph_index I>
class sent_tables {
public:
  /// All nodes of a graph; rows are named by node.
  template <class Rows>
  sent_tables(const cpu& exec, const Rows& rows, const csr_graph<I>& graph, const sparse_matrix<T, I>& features)
      : sent_tables(exec, rows, whole_graph(graph), features, graph.nodes()) {}

  /// The nodes of a message graph; rows are named by local id. `complete`:
  /// nodes whose layer 2 is wanted, a prefix.
  template <class Rows>
  sent_tables(const cpu& exec, const Rows& rows, const message_graph<I>& graph, const sparse_matrix<T, I>& features,
              std::size_t complete)
      : first_(cpu{}, graph.nodes(), rows.first.width(), contents::zero),
        second_(cpu{}, complete, rows.second.width(), contents::anything) {
    expects<shape_error>(features.cols() == rows.first.inputs(), "fast path: expected ", rows.first.inputs(),
                         " features, as the backbone has, got ", features.cols());
    const sparse_rows<T, I> inputs{&features, graph.global_ids, {}, {}};
    const matrix_view<T> linear(first_.data(), first_.rows(), rows.first.linear_width(), first_.cols());
    sparse_gemm<T, I>(exec, inputs, rows.first_weight, linear);
    parallel_for(exec, first_.rows(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        rows.first.finish(first_.row(v).data());
      }
    });
    if (rows.first.scales_sources()) {
      out_degrees_.assign(graph.out_degree.begin(), graph.out_degree.end());
      for (const I degree : out_degrees_) {
        scales_.push_back(degree_scale<T>(normalisation::symmetric, degree));
      }
    }
    fill_second(exec, rows, graph);
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
  void fill_second(const cpu& exec, const Rows& rows, const message_graph<I>& graph) {
    parallel_for(exec, second_.rows(), 64, [&](std::size_t begin, std::size_t end) {
      row_scratch<T> scratch;
      std::vector<const T*> heard;
      std::vector<T> scales;
      for (std::size_t v = begin; v < end; ++v) {
        heard.clear();
        scales.clear();
        for (I e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
          const I source = graph.sources[static_cast<std::size_t>(e)];
          heard.push_back(first_row(source));
          if (!scales_.empty()) {
            scales.push_back(scale(source));
          }
        }
        rows.send_on({first_row(static_cast<I>(v)), heard, scales}, second_.row(v).data(), scratch);
      }
    });
  }

  matrix<T> first_;
  matrix<T> second_;
  std::vector<I> out_degrees_;
  std::vector<T> scales_;
};

}  // namespace graphpatcher::fast
