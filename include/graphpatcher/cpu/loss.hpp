// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/kl_rows.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/cpu/softmax_row.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// Calls body(lanes, first, last) on ranges of the rows of a matrix that has columns, `lanes` being how many columns to
/// compute together, a constant; an exponential costs about as much as eight numbers of other work.
template <class T, class Body>
void for_logit_ranges(const cpu& exec, matrix_view<T> x, std::size_t samples, Body&& body) {
  if (x.cols() > 0) {
    with_lanes<std::remove_const_t<T>>(x.cols(), [&](auto lanes) {
      for_each_row_range(exec, x.rows(), 8 * samples * x.cols(),
                         [&](std::size_t first, std::size_t last) { body(lanes, first, last); });
    });
  }
}
/// body(lanes, r) for every row.
template <class T, class Body>
void for_logit_rows(const cpu& exec, matrix_view<T> x, std::size_t samples, Body&& body) {
  for_logit_ranges(exec, x, samples, [&](auto lanes, std::size_t first, std::size_t last) {
    for (; first < last; ++first) {
      body(lanes, first);
    }
  });
}

/// The rows [r, last), two at a time where two fit into a vector.
template <std::size_t Lanes, class T>
void softmax_rows(matrix_view<const T> x, std::size_t r, std::size_t last, matrix_view<T> out) {
  if constexpr (2 * Lanes <= vector_lanes<T>) {
    for (; r + 2 <= last; r += 2) {
      const row_pair<Lanes, T> rows(x.row(r).data(), x.cols(), x.row(r + 1).data(), x.cols());
      rows.store(rows.softmax(), out.row(r).data(), out.row(r + 1).data());
    }
  }
  for (; r < last; ++r) {
    softmax_row<Lanes>(x.row(r).data(), x.cols(), out.row(r).data());
  }
}

template <class T>
void softmax(const cpu& exec, matrix_view<const T> x, matrix_view<T> out) {
  for_logit_ranges(exec, x, 1,
                   [&](auto lanes, std::size_t first, std::size_t last) { softmax_rows<lanes>(x, first, last, out); });
}

template <class T>
void softmax_adjoint(const cpu& exec, matrix_view<const T> p, matrix_view<const T> gradient,
                     matrix_view<T> x_gradient) {
  for_logit_rows(exec, p, 1, [&](auto, std::size_t r) {
    const T mean = dot(p.row(r).data(), gradient.row(r).data(), p.cols());
    for (std::size_t c = 0; c < p.cols(); ++c) {
      x_gradient(r, c) += p(r, c) * (gradient(r, c) - mean);
    }
  });
}

template <class T>
void log_softmax(const cpu& exec, matrix_view<const T> x, matrix_view<T> out) {
  for_logit_ranges(exec, x, 1, [&](auto lanes, std::size_t r, std::size_t last) {
    if constexpr (2 * lanes <= vector_lanes<T>) {
      for (; r + 2 <= last; r += 2) {
        const row_pair<lanes, T> rows(x.row(r).data(), x.cols(), x.row(r + 1).data(), x.cols());
        rows.store(rows.x - rows.largest - logarithm(rows.sum), out.row(r).data(), out.row(r + 1).data());
      }
    }
    for (; r < last; ++r) {
      const T* const row = x.row(r).data();
      const auto scale = scale_of<lanes>(row, x.cols());
      const auto log_sum = logarithm(scale.sum);
      for_each_vector<lanes>(x.cols(), [&](std::size_t c, auto count) {
        store_first(&out(r, c), load_logits<lanes>(row + c, count) - scale.largest - log_sum, count);
      });
    }
  });
}

template <class T>
void log_softmax_adjoint(const cpu& exec, matrix_view<const T> y, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  for_logit_rows(exec, y, 1, [&](auto lanes, std::size_t r) {
    const T sum = lane_sum<T>(y.cols(), [&](std::size_t c) { return gradient(r, c); });
    for_each_vector<lanes>(y.cols(), [&](std::size_t c, auto count) {
      const auto part = [&](auto of) { return load_first<lanes>(&of(r, c), count, T(0)); };
      store_first(&x_gradient(r, c), part(x_gradient) + (part(gradient) - exponential(part(y)) * sum), count);
    });
  });
}

template <class T, graph_index I>
void cross_entropy(const cpu& exec, matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels,
                   std::span<T> losses, matrix_view<T> slopes) {
  const auto row = [&](std::size_t k) { return logits.row(static_cast<std::size_t>(rows[k])).data(); };
  const auto finish = [&](std::size_t k, T largest, T log_sum) {
    const auto label = static_cast<std::size_t>(labels[k]);
    slopes(k, label) -= T(1);
    losses[k] = -(row(k)[label] - largest - log_sum);
  };
  for_logit_ranges(exec, slopes, 1, [&](auto lanes, std::size_t k, std::size_t last) {
    if constexpr (2 * lanes <= vector_lanes<T>) {
      for (; k + 2 <= last; k += 2) {
        const row_pair<lanes, T> pair(row(k), slopes.cols(), row(k + 1), slopes.cols());
        pair.store(pair.softmax(), slopes.row(k).data(), slopes.row(k + 1).data());
        const auto log_sum = logarithm(pair.sum);
        finish(k, pair.largest[0], log_sum[0]);
        finish(k + 1, pair.largest[lanes.value], log_sum[lanes.value]);
      }
    }
    for (; k < last; ++k) {
      const auto scale = softmax_row<lanes>(row(k), slopes.cols(), slopes.row(k).data());
      finish(k, scale.largest[0], logarithm(scale.sum)[0]);
    }
  });
}

template <class T>
void kl_divergence(const cpu& exec, matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,
                   T eps, std::span<T> losses, matrix_view<T> slopes) {
  constexpr std::size_t lanes = vector_lanes<T>;
  const std::size_t blocks = (logits.rows() + lanes - 1) / lanes;
  const std::size_t together = targets.stride() == targets.cols() ? samples : 1;
  for_each_row_range(exec, blocks, 8 * lanes * samples * logits.cols(), [&](std::size_t block, std::size_t last) {
    std::vector<typename kl_rows<T>::column> classes(logits.cols());
    for (; block < last; ++block) {
      const std::size_t r = block * lanes;
      const std::size_t count = std::min(lanes, logits.rows() - r);
      kl_rows<T> divergences(classes, eps);
      divergences.read_logits({logits.row(r).data(), logits.stride(), count});
      for (std::size_t l = 0; l < samples; l += together) {
        divergences.add_targets(together, {targets.row(r * samples + l).data(), samples * targets.stride(), count});
      }
      store_first(&losses[r], divergences.finish({slopes.row(r).data(), slopes.stride(), count}), count);
    }
  });
}

/// The softmax runs down the samples, so every lane has its own.
template <class T>
void released_sample_loss(const cpu& exec, matrix_view<const T> target_logits, matrix_view<const T> logits,
                          std::size_t samples, std::span<T> losses, matrix_view<T> slopes) {
  std::fill(losses.begin(), losses.end(), T(0));
  for_logit_rows(exec, logits, samples, [&](auto lanes, std::size_t r) {
    using Vector = typename vector_of<T, lanes>::type;
    Vector loss{};
    for_each_vector<lanes>(logits.cols(), [&](std::size_t c, auto count) {
      const auto target = [&](std::size_t l) -> Vector {
        return load_first<lanes>(&target_logits(r * samples + l, c), count, T(0));
      };
      const auto sum_over_samples = [&](const auto& term) {
        Vector sum{};
        for (std::size_t l = 0; l < samples; ++l) {
          sum += term(l);
        }
        return sum;
      };
      softmax_scale<Vector> scale{target(0), {}};
      for (std::size_t l = 1; l < samples; ++l) {
        scale.largest = scale.largest < target(l) ? target(l) : scale.largest;
      }
      scale.sum = sum_over_samples([&](std::size_t l) { return exponential(target(l) - scale.largest); });
      const Vector log_sum = logarithm(scale.sum);
      const Vector total = sum_over_samples([&](std::size_t l) { return scale.probability(target(l)); });
      // q, the softmax of one logit that stands there L times: 1 / L, but NaN of what is not finite
      const Vector z = load_first<lanes>(&logits(r, c), count, T(0));
      const Vector q = exponential(z - z) / static_cast<T>(samples);
      const Vector log_q = (z - z) - logarithm(filled<Vector>(static_cast<T>(samples)));
      const Vector slope = sum_over_samples([&](std::size_t l) {
        const Vector t = scale.probability(target(l));
        add_product(t, Vector((target(l) - scale.largest - log_sum) - log_q), loss);
        return q * total - t;
      });
      store_first(&slopes(r, c), slope, count);
    });
    losses[r] = lanes_sum(loss)[0];
  });
}

/// Rows may repeat, so a thread owns columns.
template <class T, graph_index I>
void add_slopes(const cpu& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,
                matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient) {
  const T scale = weight * loss_gradient(0, 0);
  for_column_blocks(exec, slopes.rows(), slopes.cols(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < slopes.rows(); ++k) {
      const std::size_t r = rows.empty() ? k : static_cast<std::size_t>(rows[k]);
      accumulate(logits_gradient.row(r).data() + begin, slopes.row(k).data() + begin, scale, end - begin);
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
