// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/methods/dropedge.hpp>
#include <graphpatcher/methods/fixed.hpp>
#include <graphpatcher/methods/method_list.hpp>
#include <graphpatcher/methods/run_method.hpp>

namespace gp = graphpatcher;

/// A node's answer is the mean of its own probabilities and those of its neighbours, whatever answers there were
/// before.
struct votes {
  static constexpr gp::method_info info{"votes", "answers averaged with those of the neighbours"};

  template <class T, gp::graph_index I>
  static void run(gp::method_run<T, I>& run) {
    run.predict = [data = run.data, before = run.predict](std::span<const I> nodes, std::size_t) {
      std::vector<I> everyone(data->nodes());
      std::iota(everyone.begin(), everyone.end(), I(0));
      gp::matrix<T> p = before(everyone, 0).front();
      gp::softmax(gp::cpu{1}, p.view(), p.view());
      gp::matrix<T> mean(nodes.size(), p.cols());
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto v = static_cast<std::size_t>(nodes[i]);
        const T share = T(1) / static_cast<T>(1 + data->graph.degree(v));
        for (std::size_t c = 0; c < p.cols(); ++c) {
          T sum = p(v, c);
          for (const I u : data->graph.neighbors(v)) {
            sum += p(static_cast<std::size_t>(u), c);
          }
          mean(i, c) = std::log(share * sum);  // logits: softmax gives the mean back
        }
      }
      return std::vector<gp::matrix<T>>{mean};
    };
  }
};

/// The library's methods it is compared with, and itself.
using my_methods = gp::method_list<gp::no_method, gp::dropedge, votes>;
