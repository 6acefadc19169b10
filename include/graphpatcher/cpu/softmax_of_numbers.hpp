// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/simd.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// Scores of which no power overflows or vanishes, nor does a sum of them: of a row that has no other, nothing is
/// subtracted.
template <class T>
inline constexpr T plain_score = T(32);

/// The softmax of neighbouring rows of 1, 2, 4, ... heads, whose numbers [0, count) stand together: `ends` has where
/// rows end. Most rows don't fill a vector, so exponentials and quotients are not computed row by row but over all of
/// them; what differs from row to row is written down for each number before, in `joined`. A row alone has the same
/// bits.
template <std::size_t Heads, class T>
class softmax_of_numbers {
public:
  static constexpr std::size_t lanes = vector_lanes<T>;
  static constexpr std::size_t room = 1024;  ///< numbers at most
  using vector = typename vector_of<T, lanes>::type;

  template <class Ends>
  void compute(const T* scores, std::size_t count, std::size_t rows, const Ends& ends, T* out) {
    const auto smaller = [](const vector& a, const vector& b) { return b < a ? b : a; };
    const auto larger = [](const vector& a, const vector& b) { return a < b ? b : a; };
    const auto sum = [](const vector& a, const vector& b) { return a + b; };
    const auto of_lanes_max = [](const vector& v) { return lanes_max<Heads>(v); };
    constexpr T infinity = std::numeric_limits<T>::infinity();

    const vector lowest = joined(scores, 0, count, infinity, smaller);
    const vector largest = joined(scores, 0, count, -infinity, larger);
    if (lanes_max(larger(largest, -lowest))[0] <= plain_score<T>) {
      map(scores, count, out, [](const vector& x, std::size_t) { return normal_exponential(x); });
    } else {
      write_down(rows, ends, [&](std::size_t begin, std::size_t end) {
        const vector most = of_lanes_max(joined(scores, begin, end, -infinity, larger));
        const vector least = -of_lanes_max(-joined(scores, begin, end, infinity, smaller));
        return most <= plain_score<T> ? (least >= -plain_score<T> ? vector{} : most) : most;
      });
      map(scores, count, out,
          [&](const vector& x, std::size_t k) { return exponential(x - load<lanes>(joined_ + k)); });
    }
    write_down(rows, ends, [&](std::size_t begin, std::size_t end) {
      return lanes_sum<Heads>(joined(out, begin, end, T(0), sum));
    });
    map(out, count, out, [&](const vector& power, std::size_t k) { return power / load<lanes>(joined_ + k); });
  }

private:
  /// Lane l joins the numbers begin + l, begin + l + lanes, ...
  template <class Join>
  [[gnu::always_inline]] static vector joined(const T* from, std::size_t begin, std::size_t end, T rest,
                                              const Join& join) {
    vector all = filled<vector>(rest);
    for (; begin + lanes < end; begin += lanes) {
      all = join(all, load<lanes>(from + begin));
    }
    return join(all, load_first<lanes>(from + begin, end - begin, rest));
  }

  /// joined[k] = of_row(begin, end) for every number k of a row. What a vector has behind the end of its row is written
  /// again by the next.
  template <class Ends, class OfRow>
  [[gnu::always_inline]] void write_down(std::size_t rows, const Ends& ends, const OfRow& of_row) {
    for (std::size_t i = 0, begin = 0; i < rows; ++i) {
      const std::size_t end = ends(i);
      const vector same = of_row(begin, end);
      for (; begin < end; begin += lanes) {
        store(joined_ + begin, same);
      }
      begin = end;
    }
  }

  template <class Function>
  [[gnu::always_inline]] static void map(const T* from, std::size_t count, T* to, const Function& f) {
    for_each_vector<lanes>(count, [&](std::size_t k, auto some) {
      store_first(to + k, f(load_first<lanes>(from + k, some, T(0)), k), some);
    });
  }

  T joined_[room + lanes];
};

}  // namespace graphpatcher::backend::inline GP_LEVEL
