// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>

#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/patcher/detail/frozen_answers.hpp"
#include "graphpatcher/patcher/detail/fused_gcn.hpp"

namespace graphpatcher::detail {

/// frozen_path::fused. Model and features must outlive it; the graph is copied.
template <class T, graph_index I, class Backbone>
class fused_answers final : public frozen_answers<T, I> {
public:
  fused_answers(const device& exec, const Backbone& model, const csr_graph<I>& graph,
                const feature_table<T, I>& features, std::string why)
      : frozen_answers<T, I>(frozen_path::fused, std::move(why)),
        placed_(exec, model),
        gcn_(exec, *placed_, graph, features) {}

  void answer(std::span<const I> anchors, const corruption_options& options,
              const corrupted_answers<T>& answers) const override {
    expects(options.estimator == estimator::sampled,
            "frozen_model: the fused path has estimator::sampled only; make it with {.path = frozen_path::generic}");
    gcn_.answer(anchors, options, answers);
  }

private:
  placed_model<Backbone> placed_;
  fused_gcn<T, I> gcn_;
};

}  // namespace graphpatcher::detail
