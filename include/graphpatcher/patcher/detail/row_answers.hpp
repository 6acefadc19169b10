// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/patcher/detail/frozen_answers.hpp"
#include "graphpatcher/patcher/detail/frozen_egos.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// frozen_path::rows. Model, graph and features must outlive it.
template <class T, graph_index I, class Backbone>
class row_answers final : public graphpatcher::detail::frozen_answers<T, I> {
public:
  row_answers(const cpu& exec, const Backbone& model, const csr_graph<I>& graph, const feature_table<T, I>& features,
              std::string why)
      : graphpatcher::detail::frozen_answers<T, I>(frozen_path::rows, std::move(why)),
        exec_(exec),
        egos_(exec, rows_of(model), graph, features) {}

  void answer(std::span<const I> anchors, const corruption_options& options,
              const corrupted_answers<T>& answers) const override {
    egos_.answer(exec_, anchors, options, answers);
  }

private:
  cpu exec_;
  frozen_egos<T, I, rows_type<Backbone>> egos_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
