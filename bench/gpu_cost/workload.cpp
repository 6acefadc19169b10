// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>

#include "graphpatcher/core/device_memory.hpp"

namespace gpu_cost {

void meter::count(const std::function<void()>& work) {
  exec_.synchronize();
  auto& settings = gpu_host::current_settings();
  const auto before = settings;
  settings.count = true;
  settings.detect_races = false;  // the test suite looks for those; here they would only take time
  work();
  exec_.synchronize();
  settings = before;
  for (launch& each : gpu_host::take_costs()) {
    launches_.push_back(std::move(each));
  }
}

std::vector<workload> all_workloads() {
  std::vector<workload> all;
  for (auto* family : {aggregation_workloads, row_workloads, dense_workloads, ego_workloads}) {
    auto some = family();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

measurement measure(const workload& what, const ego_input& input, meter& counter) {
  measurement result{what.name, input.name, what.formula, what.run(input, counter), {}};
  result.launches = counter.take();
  return result;
}

namespace {

std::vector<float> some_numbers(std::size_t count) {
  std::vector<float> result(count);
  std::uint32_t state = 1;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator: any numbers will do
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return result;
}

gp::matrix<float> on_device(const gp::cuda& exec, std::size_t rows, std::size_t cols, const std::vector<float>& host) {
  gp::matrix<float> result(exec, rows, cols, gp::contents::anything);
  gp::backend::upload(exec, result.data(), host.data(), host.size() * sizeof(float));
  return result;
}

}  // namespace

gp::matrix<float> some_matrix(const gp::cuda& exec, std::size_t rows, std::size_t cols) {
  return on_device(exec, rows, cols, some_numbers(rows * cols));
}

gp::matrix<float> some_probabilities(const gp::cuda& exec, std::size_t rows, std::size_t cols) {
  auto values = some_numbers(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<float> row(values.data() + r * cols, cols);
    float sum = 0;
    for (float& value : row) {
      value = std::exp(value);
      sum += value;
    }
    for (float& value : row) {
      value /= sum;
    }
  }
  return on_device(exec, rows, cols, values);
}

}  // namespace gpu_cost
