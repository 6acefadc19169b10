// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
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

/// Of some columns: what their targets y add to the loss, and Σ_l (y + eps).
template <class Vector>
struct kl_sums {
  Vector loss{};
  Vector weight{};

  void add(const Vector& target, lane_type<Vector> eps, const Vector& log_p) {
    using T = lane_type<Vector>;
    const Vector y = target + eps;
    const Vector term = y > T(0) ? y * (positive_logarithm(y) - log_p) : Vector{};
    loss += target >= T(0) ? term : filled<Vector>(std::numeric_limits<T>::quiet_NaN());
    weight += y;
  }
};

/// Lanes after the end of a row have p = 0 and y = 0 and add nothing. Where two targets fit into a vector, they are
/// added up in turns.
template <std::size_t Lanes, class T, class Count, class Vector>
kl_sums<Vector> kl_columns(matrix_view<const T> targets, std::size_t first, Count count, T eps, const Vector& log_p) {
  const auto target = [&](std::size_t l) -> Vector { return load_first<Lanes>(&targets(l, first), count, T(0)); };
  kl_sums<Vector> sums;
  std::size_t l = 0;
  if constexpr (2 * Lanes <= vector_lanes<T>) {
    kl_sums<typename vector_of<T, 2 * Lanes>::type> pairs;
    for (; l + 2 <= targets.rows(); l += 2) {
      pairs.add(both_of(target(l), target(l + 1)), eps, both_of(log_p, log_p));
    }
    sums.loss = half_of<0>(pairs.loss) + half_of<1>(pairs.loss);
    sums.weight = half_of<0>(pairs.weight) + half_of<1>(pairs.weight);
  }
  for (; l < targets.rows(); ++l) {
    sums.add(target(l), eps, log_p);
  }
  return sums;
}

/// The divergence of one row from its targets, `Lanes` columns at a time. `slopes` holds p, the softmax of the logits,
/// and gets the slopes; `pulls` has room for a row. With u_c = Σ_l (y_lc + eps) p_c / (p_c + eps) the slope is
/// p_c Σ_k u_k - u_c; for eps = 0, u = y even where p has underflowed.
template <std::size_t Lanes, class T>
[[gnu::always_inline]] inline T kl_row(matrix_view<const T> targets, std::span<const T> logits, T eps, T* pulls,
                                       T* slopes) {
  using Vector = typename vector_of<T, Lanes>::type;
  softmax_scale<Vector> scale{};
  Vector log_sum{};
  if (eps == 0) {  // the logarithm of p comes straight from the logits
    scale = scale_of<Lanes>(logits.data(), logits.size());
    log_sum = logarithm(scale.sum);
  }
  Vector loss{};
  Vector total{};
  const auto pull = [&](std::size_t c, auto count, const Vector& p) __attribute__((always_inline)) {
    const Vector log_p = eps > 0 ? logarithm(p + eps) : load_logits<Lanes>(&logits[c], count) - scale.largest - log_sum;
    const auto sums = kl_columns<Lanes>(targets, c, count, eps, log_p);
    const Vector u = eps > 0 ? sums.weight * (p / (p + eps)) : sums.weight;
    loss += sums.loss;
    total += u;
    return u;
  };
  if (logits.size() <= Lanes) {
    const Vector p = load_first<Lanes>(slopes, logits.size(), T(0));
    const Vector u = pull(0, logits.size(), p);
    store_first(slopes, p * lanes_sum(total) - u, logits.size());
    return lanes_sum(loss)[0];
  }
  for_each_vector<Lanes>(logits.size(), [&](std::size_t c, auto count) {
    store_first(pulls + c, pull(c, count, load_first<Lanes>(slopes + c, count, T(0))), count);
  });
  total = lanes_sum(total);
  for_each_vector<Lanes>(logits.size(), [&](std::size_t c, auto count) {
    const Vector p = load_first<Lanes>(slopes + c, count, T(0));
    store_first(slopes + c, p * total - load_first<Lanes>(pulls + c, count, T(0)), count);
  });
  return lanes_sum(loss)[0];
}

/// A row with a target that is negative or NaN has NaN as its loss. All of a block's softmaxes come before its
/// divergences: each row is a chain of operations that wait for each other, several of one kind are under way at once.
template <class T>
void kl_divergence(const cpu& exec, matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,
                   T eps, std::span<T> losses, matrix_view<T> slopes) {
  std::fill(losses.begin(), losses.end(), T(0));
  for_logit_ranges(exec, logits, samples, [&](auto lanes, std::size_t first, std::size_t last) {
    std::vector<T> pulls(logits.cols() > lanes ? logits.cols() : 0);
    constexpr std::size_t block = 64;
    for (; first < last; first = std::min(first + block, last)) {
      const std::size_t end = std::min(first + block, last);
      softmax_rows<lanes>(logits, first, end, slopes);
      for (std::size_t r = first; r < end; ++r) {
        losses[r] = kl_row<lanes, T>({targets.row(r * samples).data(), samples, targets.cols(), targets.stride()},
                                     logits.row(r), eps, pulls.data(), slopes.row(r).data());
      }
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
        loss += t * ((target(l) - scale.largest - log_sum) - log_q);
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
