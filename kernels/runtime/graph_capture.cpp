// SPDX-License-Identifier: MIT
#include "graphpatcher/cuda/graph_capture.hpp"

#include <cuda_runtime_api.h>

#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"

namespace graphpatcher {

void cuda_context::begin_capture() {
  blas();  // made here, because starting cuBLAS does things that can't be captured
  blas_lt();
  staging_.begin_run();
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  capture_is_ours_ = true;
}

cudaGraph_t cuda_context::end_capture() {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  capture_is_ours_ = false;
  return graph;
}

void cuda_context::drop_capture() noexcept {
  dropped_captures_ += 1;
  if (capture_is_ours_) {
    capture_is_ours_ = false;
    cudaGraph_t graph = nullptr;
    discard(cudaStreamEndCapture(stream_, &graph));  // fails if the capture was spoilt, but ends it
    if (graph != nullptr) {
      discard(cudaGraphDestroy(graph));
    }
  }
}

namespace {

struct graph_deleter {
  void operator()(cudaGraph_t graph) const noexcept { discard(cudaGraphDestroy(graph)); }
};
using unique_graph = std::unique_ptr<CUgraph_st, graph_deleter>;

struct executable_deleter {
  void operator()(cudaGraphExec_t executable) const noexcept { discard(cudaGraphExecDestroy(executable)); }
};
using unique_executable = std::unique_ptr<CUgraphExec_st, executable_deleter>;

}  // namespace

struct captured_work::state {
  unique_executable executable;
  std::size_t instantiations = 0;

  // Changing the numbers of an executable graph is far cheaper than building one; it is refused if the nodes differ.
  void prepare(cudaGraph_t graph) {
    if (executable) {
      cudaGraphExecUpdateResultInfo info{};
      const cudaError_t status = cudaGraphExecUpdate(executable.get(), graph, &info);
      if (status == cudaSuccess) {
        return;
      }
      if (status != cudaErrorGraphExecUpdateFailure) {
        check(status, "cudaGraphExecUpdate");
      }
      discard(status);
      executable.reset();
    }
    cudaGraphExec_t built = nullptr;
    check(cudaGraphInstantiate(&built, graph, 0), "cudaGraphInstantiate");
    executable.reset(built);
    instantiations += 1;
  }
};

captured_work::captured_work() : state_(std::make_unique<state>()) {}
captured_work::~captured_work() = default;
captured_work::captured_work(captured_work&&) noexcept = default;
captured_work& captured_work::operator=(captured_work&&) noexcept = default;

std::size_t captured_work::instantiations() const noexcept {
  return state_->instantiations;
}

bool captured_work::capturing(const cuda& exec) {
  return context_of(exec).capturing();
}

void captured_work::begin(const cuda& exec) {
  context_of(exec).begin_capture();
}

void captured_work::drop(const cuda& exec) noexcept {
  context_of(exec).drop_capture();
}

void captured_work::launch(const cuda& exec) {
  cuda_context& context = context_of(exec);
  try {
    const unique_graph graph(context.end_capture());
    state_->prepare(graph.get());
    check(cudaGraphLaunch(state_->executable.get(), stream_of(exec)), "cudaGraphLaunch");
    context.staging().end_run(stream_of(exec));
  } catch (...) {
    context.drop_capture();
    throw;
  }
}

namespace {

/// captured_work behind the name that every backend has for it.
class graph_recorder final : public backend::work_recorder {
  void record(const device& exec, void (*body)(void*), void* work) override {
    work_.run(cuda(exec), [&] { body(work); });
  }

  captured_work work_;
};

}  // namespace

std::unique_ptr<backend::work_recorder> cuda_context::make_recorder() {
  return std::make_unique<graph_recorder>();
}

}  // namespace graphpatcher
