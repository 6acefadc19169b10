// SPDX-License-Identifier: MIT
//
// Streams are queues of operations. Nothing runs when it is submitted; `wait_until` runs what has to have run, and
// nothing orders two streams but the `after` of a task: an event, or the rules of the legacy default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace gpu_host::runtime {

struct stream;
struct capture;

// A point in a stream: everything submitted to it up to and including this ticket. Tickets grow over all streams.
struct moment {
  std::shared_ptr<stream> where;
  std::uint64_t ticket;
};

struct operation {
  cudaGraphNodeType type;
  std::function<void()> run;
};

struct task {
  std::uint64_t ticket;
  std::vector<moment> after;
  std::function<void()> run;
};

struct stream {
  int device = 0;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::deque<task> queue;
  std::uint64_t last_ticket = 0;

  std::shared_ptr<capture> recording;      // set while this stream takes part in a capture
  std::vector<std::size_t> recorded_tips;  // the nodes that its next node follows
};

struct event {
  struct recording {
    moment at;
    bool done = false;
    std::chrono::steady_clock::time_point time;
  };
  unsigned flags = cudaEventDefault;
  int device = 0;
  std::shared_ptr<recording> latest;  // null: never recorded

  std::shared_ptr<capture> captured_in;  // set if the latest record was captured
  std::vector<std::size_t> captured_tips;
};

// The stream behind a handle, 0 and the two special handles included; throws if the handle is dead. `find_stream` is
// for calls that use the stream: it also throws if a capture forbids the use of the legacy stream.
std::shared_ptr<stream> look_up_stream(cudaStream_t);
std::shared_ptr<stream> find_stream(cudaStream_t);
event& find_event(cudaEvent_t);
std::vector<std::shared_ptr<stream>> all_streams();

// Puts the operation into the stream's queue, or into the graph that the stream is recording.
void submit(const std::shared_ptr<stream>&, operation);
std::uint64_t enqueue(const std::shared_ptr<stream>&, std::function<void()> run, std::vector<moment> after = {});

bool reached(const moment&);
void run_one(const std::shared_ptr<stream>&);  // the operation at the head of the queue, and what it waits for
void wait_until(const moment&);                // the host waits: throws if the context is or gets broken
void wait_for_stream(const std::shared_ptr<stream>&);
void wait_for_everything();

// A fault ends the context: the error stays, what is queued never runs.
void break_context(cudaError_t, const char* what);

}  // namespace gpu_host::runtime
