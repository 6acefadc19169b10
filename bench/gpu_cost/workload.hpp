// SPDX-License-Identifier: MIT
// What is run and counted. Each workload is a call of the CUDA backend on the sizes that training has.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "costs.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "inputs.hpp"

namespace gpu_cost {

/// Counts launches on the GPU in software.
class meter {
public:
  explicit meter(gp::cuda exec) : exec_(std::move(exec)) {}
  const gp::cuda& exec() const { return exec_; }

  /// Calls work() and keeps the costs of what it launches; everything else is preparation.
  void count(const std::function<void()>& work);
  std::vector<launch> take() { return std::exchange(launches_, {}); }

private:
  gp::cuda exec_;
  std::vector<launch> launches_;
};

struct workload {
  std::string name;
  /// Floating-point operations of the equation: N rows, E edges, C columns, and what else a workload names.
  /// Exponentials, roots, quotients and comparisons count as one each.
  std::string formula;
  bool every_graph;                                     // false: only the first, on matrices as large as its batch
  bool needs_features;                                  // graphs without are left out
  std::function<double(const ego_input&, meter&)> run;  // returns the flops
};

std::vector<workload> aggregation_workloads();  // over the edges of a batch
std::vector<workload> row_workloads();          // gathers, segments, sparse features
std::vector<workload> dense_workloads();        // element by element, norms, losses, optimiser
std::vector<workload> ego_workloads();          // ego-graphs, and the fused kernel over them

std::vector<workload> all_workloads();

measurement measure(const workload& what, const ego_input& input, meter& counter);

// ---------------------------------------------------------------------------------------------- numbers for the inputs

/// A matrix in device memory with numbers in [-1, 1), none of them special.
gp::matrix<float> some_matrix(const gp::cuda& exec, std::size_t rows, std::size_t cols);
/// The same, not negative and with rows that sum to 1.
gp::matrix<float> some_probabilities(const gp::cuda& exec, std::size_t rows, std::size_t cols);

inline std::span<const float> row_of(const gp::matrix<float>& values) {
  return {values.data(), values.size()};
}
inline std::span<float> row_of(gp::matrix<float>& values) {
  return {values.data(), values.size()};
}

}  // namespace gpu_cost
