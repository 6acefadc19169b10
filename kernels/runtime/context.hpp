// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "graphpatcher/core/cuda.hpp"
#include "kernels/runtime/check.hpp"
#include "kernels/runtime/memory_pool.hpp"
#include "kernels/runtime/staging_memory.hpp"

// As in cublas_v2.h, cublasLt.h and cusparse.h, which are long.
using cublasHandle_t = struct cublasContext*;
using cublasLtHandle_t = struct cublasLtContext*;
using cusparseHandle_t = struct cusparseContext*;

namespace graphpatcher {

/// All that decides which algorithm cublasLt takes for a product, and the
/// algorithm itself (cublasLtMatmulAlgo_t); see kernels/gemm_bias.hpp.
using lt_problem = std::array<std::uint64_t, 12>;
using lt_choice = std::array<std::uint64_t, 8>;

/// What copies of a `cuda` executor share: one stream of one device, its memory
/// pool, and the library handles, made when first asked for and bound to the
/// stream. Used by one thread at a time.
class cuda_context final : public backend::accelerator {
public:
  /// The caller's stream, or null for a stream of its own.
  explicit cuda_context(cudaStream_t callers_stream);
  ~cuda_context() override;

  std::string_view name() const noexcept override { return cuda::backend_name; }
  cudaStream_t stream() const noexcept { return stream_; }
  void* stream_handle() const noexcept override { return stream_; }
  void synchronize() override;
  int device() const noexcept { return device_; }
  /// 10 · major + minor: 80 for an A100.
  int compute_capability() const noexcept { return compute_capability_; }
  int multiprocessors() const noexcept { return multiprocessors_; }
  /// Whether what is submitted now goes into a graph instead of running.
  bool capturing() const;

  /// From the pool, in the order of the stream: memory.cpp.
  void* allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void release(void* memory, std::size_t bytes) noexcept override { memory_.release(memory, bytes); }
  backend::memory_use use() const noexcept override { return {memory_.bytes_held(), memory_.bytes_in_use()}; }
  void upload(void* to, const void* host, std::size_t bytes) override;
  void download(void* host, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* memory, std::size_t bytes) override;

  /// library.cpp
  std::span<const backend::function_table> tables() const noexcept override;

  /// Default math mode: a float product is computed in float, not in TF32.
  cublasHandle_t blas();
  cublasLtHandle_t blas_lt();
  cusparseHandle_t sparse();
  /// Scratch memory for cuBLAS and cublasLt. Set explicitly, because what cuBLAS
  /// would allocate by itself can't be captured; shared, because calls in one
  /// stream run one after another.
  void* blas_workspace();
  std::size_t blas_workspace_bytes() const noexcept;

  /// search() of the first time that this problem was met; empty: there is no
  /// algorithm. Searching takes longer than a small product.
  template <class Search>
  std::optional<lt_choice> lt_choice_for(const lt_problem& problem, Search&& search) {
    const auto known = lt_choices_.find(problem);
    return known != lt_choices_.end() ? known->second : lt_choices_.emplace(problem, search()).first->second;
  }

  /// What is submitted from now on goes into a graph; see graph_capture.cpp.
  void begin_capture();
  /// The graph, which the caller owns.
  cudaGraph_t end_capture();
  /// Forgets what was captured, whether the capture has ended or not.
  void drop_capture() noexcept;
  bool capture_is_ours() const noexcept { return capture_is_ours_; }
  std::uint64_t dropped_recordings() const noexcept override { return dropped_captures_; }
  std::unique_ptr<backend::work_recorder> make_recorder() override;
  staging_memory& staging() noexcept { return staging_; }

private:
  struct stream_deleter {
    void operator()(cudaStream_t stream) const noexcept { discard(cudaStreamDestroy(stream)); }
  };
  struct blas_deleter {
    void operator()(cublasHandle_t handle) const noexcept;
  };
  struct blas_lt_deleter {
    void operator()(cublasLtHandle_t handle) const noexcept;
  };
  struct sparse_deleter {
    void operator()(cusparseHandle_t handle) const noexcept;
  };

  int device_ = 0;
  int compute_capability_ = 0;
  int multiprocessors_ = 0;
  std::unique_ptr<CUstream_st, stream_deleter> own_stream_;  // null: the stream is the caller's
  cudaStream_t stream_;
  memory_pool memory_;
  staging_memory staging_;
  void* blas_workspace_ = nullptr;
  std::unique_ptr<cublasContext, blas_deleter> blas_;
  std::unique_ptr<cublasLtContext, blas_lt_deleter> blas_lt_;
  std::unique_ptr<cusparseContext, sparse_deleter> sparse_;
  std::map<lt_problem, std::optional<lt_choice>> lt_choices_;
  bool capture_is_ours_ = false;
  std::uint64_t dropped_captures_ = 0;
};

/// What is behind a device of CUDA.
inline cuda_context& context_of(const device& exec) noexcept {
  return static_cast<cuda_context&>(exec.behind());
}
inline cudaStream_t stream_of(const device& exec) noexcept {
  return context_of(exec).stream();
}

}  // namespace graphpatcher
