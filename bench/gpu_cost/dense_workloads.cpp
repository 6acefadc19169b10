// SPDX-License-Identifier: MIT
// On dense matrices as large as the batch: a row a node, or a row an anchor for losses.
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/device/operations.hpp"
#include "workload.hpp"

namespace gpu_cost {

namespace {

constexpr std::size_t hidden = 64;
constexpr std::size_t samples = 10;

std::size_t nodes_of(const ego_input& input) {
  return input.messages.nodes();
}

double numbers_in(const gp::matrix<float>& x) {
  return static_cast<double>(x.size());
}

double run_relu(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  gp::matrix<float> out(exec, x.rows(), hidden);
  counter.count([&] { gp::backend::map(exec, out.view(), gp::elements::relu<float>{}, x.view()); });
  return numbers_in(x);
}

double run_add_bias(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  const auto bias = some_matrix(exec, 1, hidden);
  gp::matrix<float> out(exec, x.rows(), hidden);
  const gp::matrix_view<const float> every_row(bias.data(), x.rows(), hidden, 0);
  counter.count([&] { gp::backend::map(exec, out.view(), gp::elements::sum<float>{}, x.view(), every_row); });
  return numbers_in(x);
}

double run_column_sums(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  auto sums = some_matrix(exec, 1, hidden);
  counter.count([&] { gp::backend::add_column_sums(exec, x.view(), sums.data()); });
  return numbers_in(x);
}

double run_sum_all(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  gp::matrix<float> out(exec, 1, 1);
  counter.count([&] { gp::backend::sum_all(exec, x.view(), 1.0f, false, out.view()); });
  return numbers_in(x);
}

double run_dropout(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  gp::matrix<float> out(exec, x.rows(), hidden);
  const gp::random_stream stream(1, gp::purpose::dropout);
  counter.count([&] { gp::backend::dropout<float, index>(exec, stream, 0.5, {}, x.view(), out.view()); });
  return numbers_in(x);
}

/// Forward, then backward: the gradients of rows, gain and shift.
double run_layer_norm(const ego_input& input, meter& counter, bool backward) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  const auto gain = some_matrix(exec, 1, hidden);
  const auto shift = some_matrix(exec, 1, hidden);
  gp::matrix<float> out(exec, x.rows(), hidden), mean(exec, 1, x.rows()), deviation(exec, 1, x.rows());
  const auto forward = [&] {
    gp::backend::layer_norm<float>(exec, x.view(), gain.view(), shift.view(), 1e-5f, row_of(mean), row_of(deviation),
                                   out.view());
  };
  if (!backward) {
    counter.count(forward);
    return 8 * numbers_in(x);
  }
  forward();
  auto x_gradient = some_matrix(exec, x.rows(), hidden);
  auto gain_gradient = some_matrix(exec, 1, hidden);
  auto shift_gradient = some_matrix(exec, 1, hidden);
  const auto& gradient = out;  // any numbers will do
  counter.count([&] {
    gp::backend::layer_norm_adjoint<float>(exec, x.view(), gain.view(), row_of(mean), row_of(deviation),
                                           gradient.view(), x_gradient.view());
    gp::backend::norm_gain_adjoint<float>(exec, true, x.view(), row_of(mean), row_of(deviation), gradient.view(),
                                          gain_gradient.view());
    gp::backend::norm_shift_adjoint<float>(exec, gradient.view(), shift_gradient.view());
  });
  return 16 * numbers_in(x);
}

double run_batch_moments(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, nodes_of(input), hidden);
  auto running_mean = some_matrix(exec, 1, hidden), running_variance = some_probabilities(exec, 1, hidden);
  gp::matrix<float> mean(exec, 1, hidden), deviation(exec, 1, hidden);
  counter.count([&] {
    gp::backend::batch_moments<float>(exec, x.view(), 0.1f, 1e-5f, row_of(running_mean), row_of(running_variance),
                                      row_of(mean), row_of(deviation));
  });
  return 4 * numbers_in(x);
}

double run_softmax(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const auto x = some_matrix(exec, input.anchors.size() * samples, input.classes);
  gp::matrix<float> out(exec, x.rows(), x.cols());
  counter.count([&] { gp::backend::softmax<float>(exec, x.view(), out.view()); });
  return 5 * numbers_in(x);
}

double run_kl_divergence(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const std::size_t rows = input.anchors.size();
  const auto targets = some_probabilities(exec, rows * samples, input.classes);
  const auto logits = some_matrix(exec, rows, input.classes);
  gp::matrix<float> losses(exec, 1, rows), slopes(exec, rows, input.classes);
  counter.count([&] {
    gp::backend::kl_divergence<float>(exec, targets.view(), logits.view(), samples, 1e-12f, row_of(losses),
                                      slopes.view());
  });
  return 12 * numbers_in(logits) + 6 * numbers_in(targets);
}

/// The parameters of a patcher with 64 hidden units: two layers, their biases and norms.
double run_adamw(const ego_input& input, meter& counter) {
  const gp::cuda& exec = counter.exec();
  const std::size_t words = input.features.rows() == 0 ? 500 : input.features.cols();
  std::deque<gp::matrix<float>> memory;
  std::vector<gp::adam_item<float>> items;
  double numbers = 0;
  for (const std::size_t size : {words * hidden, hidden, hidden, hidden, hidden * words, words}) {
    for (int k = 0; k < 3; ++k) {
      memory.push_back(some_matrix(exec, 1, size));  // value, gradient, mean
    }
    memory.push_back(some_probabilities(exec, 1, size));  // square
    float* const first[] = {memory[memory.size() - 4].data(), memory[memory.size() - 3].data(),
                            memory[memory.size() - 2].data(), memory[memory.size() - 1].data()};
    items.push_back(
        {size, first[0], first[1], first[2], first[3], 1.0f, 0.0f, 0.9999f, 0.1f, 0.999f, 0.001f, 0.01f, 31.6f, 1e-8f});
    numbers += static_cast<double>(size);
  }
  counter.count([&] { gp::backend::adam_step<float>(exec, items); });
  return 17 * numbers;
}

}  // namespace

std::vector<workload> dense_workloads() {
  return {
      {"relu_64", "N C", false, false, run_relu},
      {"add_bias_64", "N C", false, false, run_add_bias},
      {"column_sums_64", "N C", false, false, run_column_sums},
      {"sum_all_64", "N C", false, false, run_sum_all},
      {"dropout_64", "N C", false, false, run_dropout},
      {"layer_norm_64", "8 N C", false, false,
       [](const ego_input& input, meter& counter) { return run_layer_norm(input, counter, false); }},
      {"layer_norm_adjoint_64", "16 N C", false, false,
       [](const ego_input& input, meter& counter) { return run_layer_norm(input, counter, true); }},
      {"batch_moments_64", "4 N C", false, false, run_batch_moments},
      {"softmax", "5 N C", false, false, run_softmax},
      {"kl_divergence", "12 N C + 6 N L C, L samples", false, false, run_kl_divergence},
      {"adamw", "17 P, P parameters", false, false, run_adamw},
  };
}

}  // namespace gpu_cost
