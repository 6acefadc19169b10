// SPDX-License-Identifier: MIT
// What the CUDA backend makes of dense matrices of any shape is what the processor makes of them, to rounding. The
// bounds are those of tests/cuda: n terms are added up with n roundings, exp and log are right to two units.
#include <catch2/catch.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/edge_softmax.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/norm.hpp"
#include "graphpatcher/ops/optimizer.hpp"
#include "properties/on_cuda/like_cpu.hpp"

using namespace on_cuda;
using gp::executor;

namespace {

template <class T>
std::span<T> row_of(gp::matrix<T>& m) {
  return {m.data(), m.size()};
}

/// Logits in [-4, 4).
template <class T>
gp::matrix<T> logits(std::size_t rows, std::size_t cols) {
  auto drawn = numbers<T>(rows, cols);
  gp::scale(gp::cpu{1}, drawn, T(4), drawn.view());
  return drawn;
}

}  // namespace

TEMPLATE_TEST_CASE("CUDA as the processor: dense matrices, element by element", "[properties]", float, double) {
  using T = TestType;
  rc::prop("one operation of IEEE arithmetic", [] {
    const auto at = layout::draw();
    const auto one = [&] { return numbers<T>(at.rows, at.wide()); };
    matrices<T> start{one(), one(), numbers<T>(1, at.cols), numbers<T>(1, 1), numbers<T>(1, at.rows)};
    for (int result = 0; result < 12; ++result) {
      start.push_back(one());
    }
    expect_same(start, [&](const executor& on, matrices<T>& m) {
      const auto x = inner(m[0], at.gap), z = inner(m[1], at.gap);
      const auto out = [&](std::size_t k) { return inner(m[5 + k], at.gap); };
      gp::fill(on, T(1.5), out(0));
      gp::copy(on, x, out(1));
      gp::add(on, x, z, out(2));
      gp::subtract(on, x, z, out(3));
      gp::multiply(on, x, z, out(4));
      gp::scale(on, x, T(0.3), out(5));
      gp::accumulate(on, x, out(6));
      gp::add_bias(on, x, m[2].view(), out(7));
      gp::add_scalar(on, m[3].view(), out(8));
      gp::scale_rows(on, row_of(m[4]), out(9));
      gp::relu(on, x, out(10));
      gp::leaky_relu(on, x, T(0.1), out(11));
    });
  });
  rc::prop("one rounding or two, and exponentials", [] {
    const auto at = layout::draw(0, 1);
    const auto one = [&] { return numbers<T>(at.rows, at.wide()); };
    const std::size_t slopes = size(0, 1) == 0 ? 1 : at.cols;
    matrices<T> start{one(), one(), one(), numbers<T>(1, slopes)};
    for (int result = 0; result < 8; ++result) {
      start.push_back(one());
    }
    // |x|, |z|, |y| and every slope are at most 1
    expect_like_cpu_up_to(2, start, rounding<T>(1), [&](const executor& on, matrices<T>& m) {
      const auto x = inner(m[0], at.gap), z = inner(m[1], at.gap), y = inner(m[2], at.gap);
      const auto out = [&](std::size_t k) { return inner(m[4 + k], at.gap); };
      gp::multiply_add(on, x, z, out(0));
      gp::add_scaled(on, x, T(0.7), out(1));
      gp::relu_adjoint(on, y, z, out(2));
      gp::elu(on, x, T(0.9), out(3));
      gp::elu_adjoint(on, x, y, T(0.9), z, out(4));
      gp::leaky_relu_adjoint(on, x, T(0.1), z, out(5));
      gp::prelu(on, x, m[3].view(), out(6));
      gp::prelu_adjoint(on, x, m[3].view(), z, out(7));
    });
  });
  rc::prop("steps of the optimisers", [] {
    const std::size_t items = size(1, 60);
    matrices<T> start;
    for (std::size_t k = 0; k < items; ++k) {
      const std::size_t count = size(0, k == 0 ? 3000 : 40);
      for (int part = 0; part < 4; ++part) {  // value, gradient, mean, square
        start.push_back(numbers<T>(1, count));
      }
      for (T& square : start.back().values()) {
        square = T(1) + square / 2;  // a root of a small one would enlarge its rounding
      }
    }
    const bool momentum = size(0, 1) == 1;
    // A dozen roundings of numbers up to 2; a step divides by at least 0.7.
    expect_like_cpu_up_to(4, start, rounding<T>(12), [&](const executor& on, matrices<T>& m) {
      std::vector<gp::adam_item<T>> adam;
      std::vector<gp::sgd_item<T>> sgd;
      for (std::size_t k = 0; k < m.size(); k += 4) {
        const T decay = static_cast<T>(k % 3) * T(0.01);
        adam.push_back({m[k].size(), m[k].data(), m[k + 1].data(), m[k + 2].data(), m[k + 3].data(), T(0.5), decay,
                        T(1) - decay, T(0.1), T(0.999), T(0.001), T(0.01), T(1.1), T(1e-8)});
        sgd.push_back({m[k].size(), m[k].data(), m[k + 1].data(), momentum ? m[k + 2].data() : nullptr, T(0.5), decay,
                       T(0.1), T(0.9)});
      }
      gp::adam_step<T>(on, adam);
      gp::sgd_step<T>(on, sgd);
    });
  });
  rc::prop("products", [] {
    const auto at = layout::draw();
    const std::size_t depth = size(0, 70);
    const auto of = [&](std::size_t rows, std::size_t cols) { return numbers<T>(rows, cols + 2 * at.gap); };
    matrices<T> start{of(at.rows, depth), of(depth, at.cols), of(at.cols, depth), of(depth, at.rows),
                      numbers<T>(1, at.cols)};
    for (int result = 0; result < 7; ++result) {
      start.push_back(of(at.rows, at.cols));
    }
    expect_like_cpu(start, rounding<T>(depth + 1), [&](const executor& on, matrices<T>& m) {
      const auto a = inner(m[0], at.gap), b = inner(m[1], at.gap), bt = inner(m[2], at.gap), at_ = inner(m[3], at.gap);
      const auto c = [&](std::size_t k) { return inner(m[5 + k], at.gap); };
      gp::gemm(on, a, b, c(0));
      gp::gemm_add(on, a, b, c(1));
      gp::gemm_abt(on, a, bt, c(2));
      gp::gemm_abt_add(on, a, bt, c(3));
      gp::gemm_atb_add(on, at_, b, c(4));
      on.visit([&](const auto& there) {
        gp::backend::gemm_bias<T>(there, {a, false}, {b, false}, m[4].view(), false, c(5));
        gp::backend::gemm_bias<T>(there, {a, false}, {bt, true}, m[4].view(), true, c(6));
      });
    });
  });
  rc::prop("sums", [] {
    const auto at = layout::draw(0, 1);
    // a slope counts where x <= 0, which is everywhere, in the magnitudes too
    auto x = numbers<T>(at.rows, at.wide());
    for (T& value : x.values()) {
      value = -std::abs(value);
    }
    const matrices<T> start{x,
                            numbers<T>(at.rows, at.wide()),
                            numbers<T>(1, at.cols),
                            numbers<T>(1, 1),
                            numbers<T>(1, 1),
                            gp::matrix<T>(1, at.cols),
                            gp::matrix<T>(1, 1)};
    const auto sums = [&](const executor& on, matrices<T>& m) {
      const auto values = inner(m[0], at.gap), g = inner(m[1], at.gap);
      gp::add_column_sums(on, values, m[2].view());
      gp::sum_all(on, g, T(0.5), m[3].view());
      on.visit([&](const auto& there) { gp::backend::sum_all<T>(there, g, T(2), true, m[4].view()); });
      gp::prelu_slope_adjoint(on, values, g, m[5].view());
      gp::prelu_slope_adjoint(on, values, g, m[6].view());
    };
    auto sizes = gp::test::absolute(start);
    sizes[0] = x;
    sizes[2].fill(T(-1));  // so that the sums of x below 0 don't meet one above
    expect_like_cpu(start, gp::test::absolute(gp::test::changed(gp::cpu{1}, sizes, sums)),
                    rounding<T>(at.rows * at.cols + 1), sums);
  });
  rc::prop("products with heads", [] {
    const std::size_t rows = size(0, 40), heads = size(1, 8), width = size(1, 40), gap = size(0, 4);
    const std::size_t cols = heads * width + 2 * gap;
    const matrices<T> start{numbers<T>(rows, cols),      numbers<T>(1, cols),    numbers<T>(rows, heads + 2),
                            numbers<T>(rows, heads + 2), numbers<T>(rows, cols), numbers<T>(1, cols)};
    expect_like_cpu(start, rounding<T>(std::max(rows, width)), [&](const executor& on, matrices<T>& m) {
      gp::head_dot(on, inner(m[0], gap), inner(m[1], gap), inner(m[3], 1));
      gp::head_dot_adjoint_z(on, inner(m[1], gap), inner(m[2], 1), inner(m[4], gap));
      gp::head_dot_adjoint_l(on, inner(m[0], gap), inner(m[2], 1), inner(m[5], gap));
    });
  });
  rc::prop("norms", [] {
    const auto at = layout::draw(2, 1);
    const auto one = [&] { return numbers<T>(at.rows, at.wide()); };
    const auto row = [&](std::size_t count) { return numbers<T>(1, count); };
    const T eps = T(0.1);  // no inverse deviation is above 3.2
    // x, gain, shift, gradient; then of rows: mean, inverse deviation, out, three adjoints; then the same of columns
    const matrices<T> start{one(), row(at.cols), row(at.cols), one(),        row(at.rows), row(at.rows), one(),
                            one(), row(at.cols), row(at.cols), row(at.cols), row(at.cols), one(),        one(),
                            one(), row(at.cols), row(at.cols), row(at.cols), one()};
    const double terms = 3.2 * (rounding<T>(12) + rounding<double>(at.rows + at.cols));
    // An adjoint adds up 3.2 (1 + 1 + 3.2) and what was there, the one of the gain 3.2 a row or more.
    const double largest = 20 + 4 * static_cast<double>(at.rows);
    expect_like_cpu_up_to(largest, start, terms, [&](const executor& on, matrices<T>& m) {
      const auto x = inner(m[0], at.gap), g = inner(m[3], at.gap);
      const auto gain = m[1].view(), shift = m[2].view();
      const gp::norm_statistics<T> rows{row_of(m[4]), row_of(m[5])};
      gp::layer_norm(on, x, gain, shift, eps, rows, inner(m[6], at.gap));
      gp::layer_norm_adjoint(on, x, gain, rows, g, inner(m[7], at.gap));
      gp::norm_gain_adjoint(on, gp::norm_axis::rows, x, rows, g, m[8].view());
      gp::norm_shift_adjoint(on, g, m[9].view());
      const gp::norm_statistics<T> columns{row_of(m[10]), row_of(m[11])};
      gp::batch_statistics<T> running(at.cols);
      running.mean = running.mean.copy_on(on);
      running.variance = running.variance.copy_on(on);
      gp::batch_norm_training(on, x, gain, shift, running, T(0.1), eps, columns, inner(m[12], at.gap));
      gp::batch_norm_adjoint(on, true, x, gain, columns, g, inner(m[13], at.gap));
      gp::norm_gain_adjoint(on, gp::norm_axis::columns, x, columns, g, m[15].view());
      gp::batch_norm_evaluation(on, x, gain, shift, running, eps, columns, inner(m[14], at.gap));
      gp::batch_norm_adjoint(on, false, x, gain, columns, g, inner(m[18], at.gap));
      gp::copy(on, running.mean.view(), m[16].view());
      gp::copy(on, running.variance.view(), m[17].view());
    });
  });
  rc::prop("softmax, its logarithm and the losses", [] {
    const auto at = layout::draw(0, 1);
    const std::size_t samples = size(1, 4);
    auto targets = logits<T>(at.rows * samples, at.cols);
    const auto target_logits = targets;
    gp::softmax(gp::cpu{1}, targets, targets.view());
    auto p = logits<T>(at.rows, at.cols), log_p = p;
    gp::softmax(gp::cpu{1}, p, p.view());
    gp::log_softmax(gp::cpu{1}, log_p, log_p.view());
    const auto one = [&] { return numbers<T>(at.rows, at.wide()); };
    const auto losses = [&] { return numbers<T>(1, at.rows); };
    matrices<T> start{logits<T>(at.rows, at.wide()), numbers<T>(at.rows, at.cols), p, log_p, targets, target_logits};
    for (auto result : {one(), one(), one(), one(), losses(), one(), losses(), one()}) {
      start.push_back(std::move(result));
    }
    // Logarithms are at most 8 + log(cols) < 13, added up for all samples; a gradient of a row's logarithms adds up
    // cols.
    const double largest = std::max(13.0 * static_cast<double>(samples), static_cast<double>(at.cols + 2));
    expect_like_cpu_up_to(largest, start, rounding<T>(at.cols * samples + 12), [&](const executor& on, matrices<T>& m) {
      const auto x = inner(m[0], at.gap);
      const auto out = [&](std::size_t k) { return inner(m[6 + k], at.gap); };
      gp::softmax(on, x, out(0));
      gp::log_softmax(on, x, out(1));
      gp::softmax_adjoint(on, m[2].view(), m[1].view(), out(2));
      gp::log_softmax_adjoint(on, m[3].view(), m[1].view(), out(3));
      gp::kl_divergence(on, m[4].view(), x, samples, T(1e-3), row_of(m[10]), out(5));
      gp::released_sample_loss(on, m[5].view(), x, samples, row_of(m[12]), out(7));
    });
  });
  SECTION("no operation was left out") {
    CHECK(counted::missing_dense<T>() == "");
  }
}
