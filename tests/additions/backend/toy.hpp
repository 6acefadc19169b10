// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/core/executor.hpp>
#include <graphpatcher/operands/operations.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace gp = graphpatcher;

// The operations, as the lists of operands/operations.hpp name them: the executor first, then the operation's own.

template <class T>
void toy_gemm(const gp::device&, gp::gemm_operand<T> a, gp::gemm_operand<T> b, gp::matrix_view<T> c, bool accumulate) {
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.cols(); ++j) {
      T sum = accumulate ? c(i, j) : T(0);
      for (std::size_t k = 0; k < a.cols(); ++k) {
        sum += (a.transposed ? a.stored(k, i) : a.stored(i, k)) * (b.transposed ? b.stored(j, k) : b.stored(k, j));
      }
      c(i, j) = sum;
    }
  }
}

template <class T>
void toy_relu(const gp::device&, gp::matrix_view<T> out, gp::elements::relu<T> f, const gp::matrix_view<const T>& x) {
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t j = 0; j < out.cols(); ++j) {
      out(i, j) = f(x(i, j));
    }
  }
}

template <class T, gp::graph_index I>
void toy_spmm(const gp::device&, const gp::edge_view<I>& edges, const gp::spmm_scales<T>& scales,
              std::span<const I> gather, gp::matrix_view<const T> x, gp::matrix_view<T> out) {
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t c = 0; c < out.cols(); ++c) {
      const std::size_t head = c * scales.heads() / out.cols();
      T sum = 0;
      for (auto e = static_cast<std::size_t>(edges.offsets[i]); e < static_cast<std::size_t>(edges.offsets[i + 1]);
           ++e) {
        const auto source = static_cast<std::size_t>(edges.sources[e]);
        const std::size_t row = gather.empty() ? source : static_cast<std::size_t>(gather[source]);
        sum += scales.weight_of(e, head) * scales.right_of(source) * x(row, c);
      }
      out(i, c) = scales.left_of(i) * sum;
    }
  }
}

// Tables of them. What is not named is missing: calling it throws an error that says so.
template <class T>
constexpr gp::backend::dense_operations<gp::device, T> toy_dense{.gemm = toy_gemm<T>, .map_relu = toy_relu<T>};
template <class T, gp::graph_index I>
constexpr gp::backend::graph_operations<gp::device, T, I> toy_graph{.spmm = toy_spmm<T, I>};

/// A device whose memory is a part of the host's. It has float and 32-bit ids.
class toy_accelerator : public gp::backend::accelerator {
public:
  std::string_view name() const noexcept override { return "toy"; }

  void* allocate(std::size_t bytes) override {
    void* const memory = bytes == 0 ? nullptr : std::malloc(bytes);
    gp::expects<gp::out_of_memory_error>(memory != nullptr || bytes == 0, "toy: asked for ", bytes, " bytes");
    in_use_ += bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes) noexcept override {
    std::free(memory);
    in_use_ -= bytes;
  }
  gp::backend::memory_use use() const noexcept override { return {in_use_, in_use_}; }

  void upload(void* to, const void* host, std::size_t bytes) override { copy(to, host, bytes); }
  void download(void* host, const void* from, std::size_t bytes) override { copy(host, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) {
      std::memcpy(to, from, bytes);
    }
  }
  void clear(void* memory, std::size_t bytes) override {
    if (bytes > 0) {
      std::memset(memory, 0, bytes);
    }
  }
  void synchronize() override {}  // nothing here returns before it is done

  std::span<const gp::backend::function_table> tables() const noexcept override {
    using gp::backend::function_table;
    static const function_table all[] = {function_table(toy_dense<float>),
                                         function_table(toy_graph<float, std::int32_t>)};
    return all;
  }

private:
  std::size_t in_use_ = 0;
};

/// What its users write where others write gp::cpu or gp::cuda.
class toy_device : public gp::device {
public:
  toy_device() : device(std::make_shared<toy_accelerator>()) {}
};
