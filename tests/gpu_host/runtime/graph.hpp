// SPDX-License-Identifier: MIT
//
// Graphs, and captures: graphs in the making.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "stream.hpp"

namespace gpu_host::runtime {

struct graph_node {
  operation what;
  std::vector<std::size_t> after;  // indices of earlier nodes: the order of the nodes is a topological order
};

struct graph {
  std::deque<graph_node> nodes;  // a deque: the address of a node is its handle
};

struct executable_graph {
  std::shared_ptr<const std::deque<graph_node>> nodes;  // shared with launches in flight, replaced by an update
  std::optional<moment> latest_launch;                  // the next one waits for it
};

struct capture {
  std::uint64_t id;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  std::weak_ptr<stream> origin;
  std::vector<std::weak_ptr<stream>> streams;  // those that record for it, the origin among them
  std::unique_ptr<graph> recorded;             // null when it has ended
  bool invalid = false;
};

void record_node(stream&, operation);                                             // throws if the capture is invalid
void join_capture(const std::shared_ptr<stream>&, const event&, unsigned flags);  // cudaStreamWaitEvent
bool is_capturing(const stream&);

// An operation that a capture can't hold, on a stream that is recording: spoils the capture and throws.
void forbid_while_recording(stream&, cudaError_t = cudaErrorStreamCaptureUnsupported);

// A call that captures of this thread (or, in the global mode, of any thread) forbid: allocation, device-wide waits.
void forbid_unsafe_call();

// A use of the legacy stream, which would order it after the streams being captured.
void forbid_legacy_stream();

// Runs all nodes, in an order drawn from those that their edges allow.
void run_nodes(const std::deque<graph_node>&);

}  // namespace gpu_host::runtime
