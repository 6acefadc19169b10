// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/methods/answers_so_far.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

namespace graphpatcher {

/// Answers spread over edges and similar nodes (spread_probabilities()), sharpened before or not. Weight and steps are
/// the likeliest on validation nodes, and so is whether anything is spread at all.
struct spread_answers {
  static constexpr method_info info{"spread", "answers spread over neighbours and nodes with similar features",
                                    method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    const cpu exec = run.exec.host();
    const auto own = answers_so_far(run);
    const auto alike = similar_nodes(exec, run.data->features, spread_options{}.similar);
    likeliest<T, I> choice(*run.data);
    choice.offer(own, "no");
    for (const bool sharpened : {false, true}) {
      const auto start = sharpened ? sharpen(exec, own, choice.temperature_of(own)) : own;
      const auto offer = [&](std::string_view whom, spread_over over, double kappa) {
        auto now = start;
        for (std::size_t step = 1; step <= 2; ++step) {
          now = spread_probabilities(exec, run.data->graph, alike, now, {.over = over, .weight = kappa, .steps = 1});
          choice.offer(now, text(whom, ", kappa ", kappa, ", steps ", step, sharpened ? ", sharpened" : ""));
        }
      };
      offer("edges", spread_over::both, 0);
      for (const double kappa : {0.5, 1.0, 2.0, 4.0}) {
        offer("similar nodes", spread_over::similar, kappa);
        offer("both", spread_over::both, kappa);
      }
    }
    run.settings.set("spread", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
