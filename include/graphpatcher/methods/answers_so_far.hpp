// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/methods/answers.hpp"
#include "graphpatcher/methods/likeliest.hpp"
#include "graphpatcher/methods/method.hpp"

namespace graphpatcher {

/// Probabilities of all nodes as the methods before left them, with the likeliest number of patches. A method that
/// works on answers begins with them.
template <class T, graph_index I>
matrix<T> answers_so_far(const method_run<T, I>& run) {
  likeliest<T, I> choice(*run.data);
  for (const auto& logits : run.predict(every_node<I>(run.data->nodes()), run.patcher.patches)) {
    choice.offer(probabilities_of(run.exec.host(), logits), "");
  }
  return choice.best();
}

}  // namespace graphpatcher
