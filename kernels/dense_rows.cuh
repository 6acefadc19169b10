// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/operands/feature_rows.hpp"
#include "kernels/row_walk.cuh"
#include "kernels/runtime/launch.cuh"

/// Rows of a dense feature table picked by id, converted, and with the masks of a
/// dropout if one is asked for; equations in ops/sparse_gemm.hpp and ops/dropout.hpp.
/// Their products are cuBLAS's.
namespace graphpatcher::kernels {

struct dense_rows_policy {
  static constexpr int threads = 256;
};

/// The table and the ids, in device memory. Row r starts at ids[r] · stride, or at
/// value_starts[r] if that is not null; there is none for id -1.
template <class S, class I>
struct device_dense_rows {
  const S* numbers;
  std::int64_t stride;
  const I* ids;
  const std::size_t* value_starts;
  std::int64_t rows;
  std::int64_t cols;

  __device__ const S* row(std::int64_t r) const {
    const std::int64_t id = ids[r];
    return id < 0 ? nullptr
                  : numbers + (value_starts == nullptr ? id * stride : static_cast<std::int64_t>(value_starts[r]));
  }
};

/// What decides about an element, and by what it is multiplied. A threshold of 0 keeps
/// all and draws nothing.
template <class T>
struct number_rule {
  random_stream stream;
  std::uint64_t threshold;
  T factor;
};

/// out[r, c] = factor · number c of row r, 0 where dropped and for id -1. With `starts`
/// row r is written from out[starts[r]] on, and rows of id -1 are left out.
///
/// A group of lanes owns a row, a lane every size-th of its columns. Reads rows · cols
/// numbers as they are stored, writes them as T. The bits belong to (id, column), as on
/// the CPU.
template <class T, class S, class I>
static __global__ void __launch_bounds__(dense_rows_policy::threads)
    read_dense_rows(int lanes, device_dense_rows<S, I> x, number_rule<T> rule, const std::size_t* starts,
                    device_rows<T> out) {
  const lane_group group(lanes);
#pragma unroll 1
  for (std::int64_t r = group.number(); r < x.rows; r += group.count()) {
    const S* const from = x.row(r);
    if (starts != nullptr && from == nullptr) {
      continue;
    }
    T* const to = starts == nullptr ? out.at(r, 0) : out.data + starts[r];
    const auto id = static_cast<std::uint64_t>(x.ids[r]);
#pragma unroll 1
    for (std::int64_t col = group.lane; col < x.cols; col += group.size) {
      bool kept = true;
      if (rule.threshold != 0) {
        const auto bits = rule.stream.bits(id, static_cast<std::uint64_t>(col) / 4);
        const int word = static_cast<int>(col % 4);  // by selection: an index would put the bits into memory
        kept = (word < 2 ? (word == 0 ? bits[0] : bits[1]) : (word == 2 ? bits[2] : bits[3])) >= rule.threshold;
      }
      to[col] = kept && from != nullptr ? rule.factor * number_as<T>(from[col]) : T(0);
    }
  }
}

/// Such rows with their ids sent along; the table is on the device already.
template <class S, graph_index I>
class uploaded_dense_rows {
public:
  uploaded_dense_rows(const device& exec, const dense_table_rows<S, I>& x) : x_(x), ids_(exec, x.ids) {
    if (!x.value_offsets.empty()) {
      starts_.emplace(exec, x.value_offsets.first(x.ids.size()));
    }
  }

  /// `starts`: null for rows of `out`.
  template <class T>
  void read(const device& exec, const number_rule<T>& rule, const std::size_t* starts, device_rows<T> out) const {
    if (x_.ids.empty() || x_.cols == 0) {
      return;
    }
    const device_dense_rows<S, I> x{x_.numbers,
                                    static_cast<std::int64_t>(x_.stride),
                                    ids_.data(),
                                    starts_ ? starts_->data() : nullptr,
                                    static_cast<std::int64_t>(x_.ids.size()),
                                    static_cast<std::int64_t>(x_.cols)};
    constexpr std::size_t threads = dense_rows_policy::threads;
    const int lanes = lanes_for(x_.cols, 1);
    const dim3 grid(grid_for(x_.ids.size(), threads / static_cast<std::size_t>(lanes)));
    read_dense_rows<T, S, I><<<grid, threads, 0, stream_of(exec)>>>(lanes, x, rule, starts, out);
    check_launch("read_dense_rows", grid, threads);
  }

private:
  dense_table_rows<S, I> x_;
  backend::device_array<I> ids_;
  std::optional<backend::device_array<std::size_t>> starts_;
};

/// out[r, :] = row r, converted.
template <class T, class S, graph_index I>
void fill_rows(const device& exec, const dense_table_rows<S, I>& x, matrix_view<T> out) {
  uploaded_dense_rows<S, I>(exec, x).read(exec, number_rule<T>{random_stream(0, purpose::dropout), 0, T(1)}, nullptr,
                                          device_rows<T>(out));
}

/// Calls body(rows as a matrix of T, begin, end) for some thousand rows at a time, which
/// bounds the memory they take.
template <class T, class S, graph_index I, class Body>
void for_each_panel(const device& exec, const dense_table_rows<S, I>& x, Body&& body) {
  const std::size_t most = std::max<std::size_t>(1024, (std::size_t{1} << 24) / std::max<std::size_t>(1, x.cols));
  matrix<T> memory(exec, std::min(most, x.ids.size()), x.cols, contents::anything);
  for (std::size_t begin = 0; begin < x.ids.size(); begin += most) {
    const std::size_t end = std::min(begin + most, x.ids.size());
    const auto panel = memory.view().middle_rows(0, end - begin);
    fill_rows<T>(exec, x.middle(begin, end - begin), panel);
    body(matrix_view<const T>(panel), begin, end);
  }
}

}  // namespace graphpatcher::kernels
