// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"

namespace graphpatcher {

namespace detail {

/// Calls body(begin, end, winners) for strips of the `cols` columns of pooled messages. On the host a strip of all
/// messages is small enough to stay in the cache from the product to the maximum; a GPU takes them whole. `winners` has
/// a place for each of `rows` x the strip's columns.
template <graph_index I, class Body>
void for_each_message_strip(bool on_host, std::size_t rows, std::size_t cols, std::span<I> winners, Body&& body) {
  const std::size_t width = on_host ? std::min<std::size_t>(cols, 256) : cols;
  for (std::size_t begin = 0; begin < cols; begin += width) {
    const std::size_t end = std::min(begin + width, cols);
    body(begin, end, winners.subspan(rows * begin, rows * (end - begin)));
  }
}

}  // namespace detail

/// The elementwise maximum of the messages relu(x_j P + p) over the sources j of each row of a block, 0 without any:
///
///   segment_max(block, relu(add_bias(project(x, P, ...), p)))
///
/// and the same bits, for features without patches. The messages, as wide as the features and one a source, are never
/// there as a whole, nor are their gradients. A message that is the maximum is positive just when the maximum is, so
/// the adjoint needs the winners and the result alone.
template <class T, graph_index I>
variable<T> pooled_messages(const message_block<I>& block, const node_features<T, I>& x, const variable<T>& weight,
                            const variable<T>& bias) {
  auto& t = common_tape("pooled_messages", weight, bias);
  expects_block(block, "pooled_messages");
  expects(x.patches.empty(), "pooled_messages: expected features without patches, got ", x.patches.size());
  const std::size_t sources = block.source_rows();
  detail::check_node_features(x, sources, "pooled_messages");
  expects_shape(weight.value(), x.cols(), weight.cols(), "pooled_messages: weights");
  expects_shape(bias.value(), 1, weight.cols(), "pooled_messages: bias");

  const bool on_host = t.exec().on_host();
  auto y = t.allocate(block.rows(), weight.cols());
  const std::span<I> winners(t.memory().template allocate<I>(y.size()), y.size());
  detail::for_each_message_strip(
      on_host, y.rows(), y.cols(), winners, [&, messages = matrix_view<T>()](auto begin, auto end, auto won) mutable {
        messages = messages.cols() == end - begin ? messages : t.allocate(sources, end - begin);
        sparse_gemm(t.exec(), x.table_rows(sources), weight.value().middle_cols(begin, end), messages);
        add_bias(t.exec(), messages, bias.value().middle_cols(begin, end), messages);
        relu(t.exec(), messages, messages);
        segment_max(t.exec(), block, messages, won, y.middle_cols(begin, end));
      });

  return t.record(y, {weight, bias}, [block, x, weight, bias, winners, sources](const variable<T>& result) {
    auto& owner = result.owner();
    const auto& exec = owner.exec();
    matrix_view<T> passed;   // gradient of the maximum, where it is positive
    matrix_view<T> reached;  // and of the messages
    const auto strip = [&](std::size_t begin, std::size_t end, std::span<const I> won) {
      if (reached.cols() != end - begin) {
        passed = owner.allocate(block.rows(), end - begin);
        reached = owner.allocate(sources, end - begin);
      }
      fill(exec, T(0), passed);
      fill(exec, T(0), reached);
      relu_adjoint(exec, result.value().middle_cols(begin, end), result.gradient().middle_cols(begin, end), passed);
      segment_max_adjoint(exec, block, won, passed, reached);
      if (bias.needs_gradient()) {
        add_column_sums(exec, reached, bias.gradient().middle_cols(begin, end));
      }
      if (weight.needs_gradient()) {
        sparse_gemm_adjoint(exec, x.table_rows(sources), reached, weight.gradient().middle_cols(begin, end));
      }
    };
    detail::for_each_message_strip(exec.on_host(), block.rows(), weight.cols(), winners, strip);
  });
}

}  // namespace graphpatcher
