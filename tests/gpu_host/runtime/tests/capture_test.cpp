// SPDX-License-Identifier: MIT
//
// Captures and graphs: what is recorded, what isn't allowed meanwhile.
#include <thread>

#include "support.hpp"

namespace {

cudaGraph_t capture_two_scales(float* x, cudaStream_t stream) {
  cudaGraph_t graph;
  GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GP_OK(launch_scale(x, 1, stream));
  GP_OK(launch_scale(x, 1, stream));
  GP_OK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

std::size_t node_count(cudaGraph_t graph) {
  std::size_t count = 0;
  GP_OK(cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  GP_OK(cudaStreamIsCapturing(stream, &status));
  return status;
}

}  // namespace

TEST_CASE("a capture records and runs nothing", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1});
  REQUIRE(status_of(stream) == cudaStreamCaptureStatusNone);
  const cudaGraph_t graph = capture_two_scales(x.data(), stream);
  GP_OK(cudaDeviceSynchronize());
  REQUIRE(x.read() == floats{1});
  REQUIRE(node_count(graph) == 2);
  cudaGraphNode_t nodes[3];
  std::size_t count = 3;
  GP_OK(cudaGraphGetNodes(graph, nodes, &count));
  REQUIRE(count == 2);
  cudaGraphNodeType type;
  GP_OK(cudaGraphNodeGetType(nodes[1], &type));
  REQUIRE(type == cudaGraphNodeTypeKernel);

  cudaGraphExec_t executable;
  GP_OK(cudaGraphInstantiate(&executable, graph, 0));
  GP_OK(cudaGraphDestroy(graph));
  GP_OK(cudaGraphLaunch(executable, stream));
  GP_OK(cudaGraphLaunch(executable, stream));
  GP_OK(cudaGraphExecDestroy(executable));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{16});
  REQUIRE(gpu_host::live_graphs() == 0);
}

TEST_CASE("an update changes parameters, not the shape", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(floats{1}), y(floats{1});
  const cudaGraph_t first = capture_two_scales(x.data(), stream), second = capture_two_scales(y.data(), stream);
  cudaGraphExec_t executable;
  GP_OK(cudaGraphInstantiate(&executable, first, 0));
  GP_OK(cudaGraphLaunch(executable, stream));
  cudaGraphExecUpdateResultInfo info;
  GP_OK(cudaGraphExecUpdate(executable, second, &info));
  GP_OK(cudaGraphLaunch(executable, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{4});  // launched before the update
  REQUIRE(y.read() == floats{4});

  cudaGraph_t shorter, other;
  GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(cudaStreamEndCapture(stream, &shorter));
  REQUIRE(cudaGraphExecUpdate(executable, shorter, &info) == cudaErrorGraphExecUpdateFailure);
  REQUIRE(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  REQUIRE(cudaGetLastError() == cudaErrorGraphExecUpdateFailure);
  GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GP_OK(launch_scale(x.data(), 1, stream));
  GP_OK(cudaMemsetAsync(x.data(), 0, 4, stream));
  GP_OK(cudaStreamEndCapture(stream, &other));
  REQUIRE(cudaGraphExecUpdate(executable, other, &info) == cudaErrorGraphExecUpdateFailure);
  REQUIRE(info.result == cudaGraphExecUpdateErrorNodeTypeChanged);
  GP_OK(cudaGraphExecDestroy(executable));
  for (const cudaGraph_t graph : {first, second, shorter, other}) {
    GP_OK(cudaGraphDestroy(graph));
  }
}

TEST_CASE("streams fork and join in a capture", "[runtime]") {
  const lazy_device device;
  const test_stream main, side;
  const device_array<float> x(floats{1}), y(floats{10}), sum(1);
  cudaEvent_t forked, joined;
  GP_OK(cudaEventCreate(&forked));
  GP_OK(cudaEventCreate(&joined));
  cudaGraph_t graph = nullptr;
  GP_OK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  GP_OK(cudaEventRecord(forked, main));
  GP_OK(cudaStreamWaitEvent(side, forked, 0));
  REQUIRE(status_of(side) == cudaStreamCaptureStatusActive);
  GP_OK(launch_scale(x.data(), 1, main));
  GP_OK(launch_scale(y.data(), 1, side));
  SECTION("joined: both run before what follows, in any order") {
    GP_OK(cudaEventRecord(joined, side));
    GP_OK(cudaStreamWaitEvent(main, joined, 0));
    GP_OK(launch_add(x.data(), y.data(), sum.data(), 1, main));
    GP_OK(cudaStreamEndCapture(main, &graph));
    REQUIRE(status_of(side) == cudaStreamCaptureStatusNone);
    REQUIRE(node_count(graph) == 3);
    cudaGraphExec_t executable;
    GP_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = 1; launch <= 5; ++launch) {
      GP_OK(cudaGraphLaunch(executable, main));
      GP_OK(cudaStreamSynchronize(main));
      REQUIRE(sum.read()[0] == 11.f * (1 << launch));
    }
    GP_OK(cudaGraphExecDestroy(executable));
    GP_OK(cudaGraphDestroy(graph));
  }
  SECTION("not joined: an error") {
    REQUIRE(cudaStreamEndCapture(main, &graph) == cudaErrorStreamCaptureUnjoined);
    REQUIRE(graph == nullptr);
  }
  SECTION("ended in the wrong stream: an error, and the capture goes on") {
    REQUIRE(cudaStreamEndCapture(side, &graph) == cudaErrorStreamCaptureUnmatched);
    REQUIRE(status_of(main) == cudaStreamCaptureStatusActive);
    REQUIRE(cudaEventQuery(forked) != cudaSuccess);
  }
  GP_OK(cudaEventDestroy(forked));
  GP_OK(cudaEventDestroy(joined));
}

TEST_CASE("what a graph can't hold spoils the capture", "[runtime]") {
  const lazy_device device;
  const test_stream stream, other;
  const device_array<float> x(floats{1});
  cudaEvent_t outside;
  GP_OK(cudaEventCreate(&outside));
  GP_OK(cudaEventRecord(outside, other));
  float host = 0;
  void* memory;
  GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GP_OK(launch_scale(x.data(), 1, stream));

  SECTION("waiting for it") {
    REQUIRE(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("asking for it") {
    REQUIRE(cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("waiting for all") {
    REQUIRE(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("allocating") {
    REQUIRE(cudaMalloc(&memory, 4) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("allocating pinned") {
    REQUIRE(cudaMallocHost(&memory, 4) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("freeing") {
    REQUIRE(cudaFree(x.data()) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("a blocking copy") {
    REQUIRE(cudaMemcpy(&host, x.data(), 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureUnsupported);
  }
  SECTION("the legacy stream") {
    REQUIRE(launch_scale(x.data(), 1, nullptr) == cudaErrorStreamCaptureImplicit);
  }
  SECTION("work outside") {
    REQUIRE(cudaStreamWaitEvent(stream, outside, 0) == cudaErrorStreamCaptureIsolation);
  }
  SECTION("asking for an event") {
    REQUIRE(cudaEventQuery(outside) == cudaErrorStreamCaptureUnsupported);
  }

  REQUIRE(status_of(stream) == cudaStreamCaptureStatusInvalidated);
  REQUIRE(launch_scale(x.data(), 1, stream) == cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  REQUIRE(graph == nullptr);
  REQUIRE(status_of(stream) == cudaStreamCaptureStatusNone);
  REQUIRE(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
  GP_OK(launch_scale(x.data(), 1, stream));  // the stream works again
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{2});
  GP_OK(cudaEventDestroy(outside));
}

TEST_CASE("modes of capture", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  void* memory = nullptr;
  cudaGraph_t graph;
  const auto allocate_elsewhere = [&] {
    cudaError_t result;
    std::thread([&] { result = cudaMalloc(&memory, 4); }).join();
    return result;
  };
  SECTION("global: no thread may allocate") {
    GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    REQUIRE(allocate_elsewhere() == cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    return;
  }
  SECTION("thread-local: other threads may") {
    GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    GP_OK(allocate_elsewhere());
  }
  SECTION("relaxed: this one too") {
    GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    GP_OK(cudaMalloc(&memory, 4));
  }
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  GP_OK(cudaStreamEndCapture(stream, &graph));
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  REQUIRE(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  GP_OK(cudaFree(memory));
}

TEST_CASE("a captured copy moves what is there when the graph runs", "[runtime]") {
  const lazy_device device;
  const test_stream stream;
  const device_array<float> x(1);
  float source = 1;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  GP_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  GP_OK(cudaMemcpyAsync(x.data(), &source, 4, cudaMemcpyHostToDevice, stream));
  GP_OK(cudaStreamEndCapture(stream, &graph));
  GP_OK(cudaGraphInstantiate(&executable, graph, 0));
  source = 3;
  GP_OK(cudaGraphLaunch(executable, stream));
  GP_OK(cudaStreamSynchronize(stream));
  REQUIRE(x.read() == floats{3});
}
