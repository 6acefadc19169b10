// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/eval/evidence.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// Of several answers keeps the one whose probabilities, each at its own temperature, give the labels of the validation
/// nodes the highest likelihood; of equals the first. Without validation nodes that is the first.
template <class T, graph_index I>
class likeliest {
public:
  explicit likeliest(const dataset<T, I>& data) : nodes_(data.split.validation), labels_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      labels_[i] = static_cast<std::size_t>(data.labels[static_cast<std::size_t>(nodes_[i])]);
    }
  }

  /// Probabilities of all nodes; true if they are the best so far.
  bool offer(const matrix<T>& p, std::string name) {
    const auto logs = log_probabilities<T, I>(p, nodes_);
    const double beta = temperature_of(p);
    const double now = log_likelihood(logs, labels_, rows(), beta);
    const bool better = best_.empty() || now > likelihood_;
    if (better) {
      best_ = p;
      name_ = std::move(name);
      likelihood_ = now;
    }
    return better;
  }

  /// The temperature of such probabilities.
  double temperature_of(const matrix<T>& p) const {
    return fit_temperature(log_probabilities<T, I>(p, nodes_), labels_, rows());
  }

  const matrix<T>& best() const noexcept { return best_; }
  const std::string& name() const noexcept { return name_; }

  /// Logits that a softmax turns into the best.
  matrix<T> logits() const {
    matrix<T> result = best_;
    for (T& value : result.values()) {
      value = static_cast<T>(safe_log(static_cast<double>(value)));
    }
    return result;
  }

private:
  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> all(labels_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  std::vector<I> nodes_;
  std::vector<std::size_t> labels_;
  matrix<T> best_;
  std::string name_;
  double likelihood_ = 0;
};

}  // namespace graphpatcher
