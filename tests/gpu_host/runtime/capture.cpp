// SPDX-License-Identifier: MIT
//
// Stream capture: operations go into a graph instead of a queue. What a graph can't hold spoils the capture, and its
// end reports that.
#include <algorithm>

#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

bool forbids_unsafe_calls(const capture& c) {
  const bool mine = c.thread == std::this_thread::get_id();
  switch (thread_mode) {
    case cudaStreamCaptureModeRelaxed:
      return false;
    case cudaStreamCaptureModeThreadLocal:
      return mine && c.mode != cudaStreamCaptureModeRelaxed;
    default:
      return mine ? c.mode != cudaStreamCaptureModeRelaxed : c.mode == cudaStreamCaptureModeGlobal;
  }
}

bool has_blocking_stream(const capture& c) {
  return std::any_of(c.streams.begin(), c.streams.end(), [](const auto& weak) {
    const auto s = weak.lock();
    return s != nullptr && (s->flags & cudaStreamNonBlocking) == 0;
  });
}

void start_recording(const std::shared_ptr<stream>& s, const std::shared_ptr<capture>& c) {
  s->recording = c;
  s->recorded_tips.clear();
  c->streams.push_back(s);
}

void add_tips(std::vector<std::size_t>& tips, const std::vector<std::size_t>& more) {
  for (const std::size_t node : more) {
    if (std::find(tips.begin(), tips.end(), node) == tips.end()) {
      tips.push_back(node);
    }
  }
}

// Do all nodes lead to these?
bool all_joined(const graph& g, const std::vector<std::size_t>& tips) {
  std::vector<bool> leads(g.nodes.size(), false);
  for (const std::size_t node : tips) {
    leads[node] = true;
  }
  for (std::size_t node = g.nodes.size(); node-- > 0;) {
    for (const std::size_t earlier : g.nodes[node].after) {
      leads[earlier] = leads[earlier] || leads[node];
    }
  }
  return std::find(leads.begin(), leads.end(), false) == leads.end();
}

std::unique_ptr<graph> finish(capture& c) {
  for (const auto& weak : c.streams) {
    if (const auto s = weak.lock()) {
      s->recording = nullptr;
      s->recorded_tips.clear();
    }
  }
  std::erase_if(state().captures, [&](const auto& open) { return open.get() == &c; });
  return std::move(c.recorded);
}

}  // namespace

bool is_capturing(const stream& s) {
  return s.recording != nullptr;
}

void record_node(stream& s, operation what) {
  require(!s.recording->invalid, cudaErrorStreamCaptureInvalidated);
  auto& nodes = s.recording->recorded->nodes;
  nodes.push_back({std::move(what), std::move(s.recorded_tips)});
  s.recorded_tips = {nodes.size() - 1};
}

void join_capture(const std::shared_ptr<stream>& s, const event& e, unsigned flags) {
  if (e.captured_in == nullptr) {
    if (e.latest != nullptr) {  // work outside the capture, which a graph can't wait for
      require(flags == cudaEventWaitDefault, cudaErrorNotSupported);
      s->recording->invalid = true;
      throw api_error{cudaErrorStreamCaptureIsolation};
    }
    return;
  }
  require(e.captured_in->recorded != nullptr, cudaErrorCapturedEvent);
  if (is_capturing(*s) && s->recording != e.captured_in) {
    s->recording->invalid = e.captured_in->invalid = true;
    throw api_error{cudaErrorStreamCaptureMerge};
  }
  if (!is_capturing(*s)) {
    require(s != state().legacy, cudaErrorStreamCaptureImplicit);
    start_recording(s, e.captured_in);
  }
  add_tips(s->recorded_tips, e.captured_tips);
}

void forbid_while_recording(stream& s, cudaError_t code) {
  if (is_capturing(s)) {
    s.recording->invalid = true;
    throw api_error{code};
  }
}

void forbid_unsafe_call() {
  bool forbidden = false;
  for (const auto& c : state().captures) {
    if (forbids_unsafe_calls(*c)) {
      c->invalid = forbidden = true;
    }
  }
  require(!forbidden, cudaErrorStreamCaptureUnsupported);
}

// The runtime forbids this only if a blocking stream takes part in the capture. A thread that captures a non-blocking
// stream and uses the default stream has most likely lost a stream argument: here, that is an error too.
void forbid_legacy_stream() {
  bool forbidden = false;
  for (const auto& c : state().captures) {
    if (c->thread == std::this_thread::get_id() || has_blocking_stream(*c)) {
      c->invalid = forbidden = true;
    }
  }
  require(!forbidden, cudaErrorStreamCaptureImplicit);
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCapture", needs::device, [&] {
    const auto s = find_stream(handle);
    require(s != state().legacy, cudaErrorStreamCaptureUnsupported);
    require(!is_capturing(*s), cudaErrorIllegalState);
    static std::uint64_t last_id = 0;
    const auto c = std::make_shared<capture>();
    c->id = ++last_id;
    c->mode = mode;
    c->thread = std::this_thread::get_id();
    c->origin = s;
    c->recorded = std::make_unique<graph>();
    state().captures.push_back(c);
    start_recording(s, c);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* result) {
  return api("cudaStreamEndCapture", needs::device, [&] {
    const auto s = look_up_stream(handle);
    require(result != nullptr, cudaErrorInvalidValue);
    *result = nullptr;
    require(is_capturing(*s), cudaErrorIllegalState);
    const auto c = s->recording;
    require(c->origin.lock() == s, cudaErrorStreamCaptureUnmatched);
    require(c->mode == cudaStreamCaptureModeRelaxed || c->thread == std::this_thread::get_id(),
            cudaErrorStreamCaptureWrongThread);
    const std::vector<std::size_t> tips = s->recorded_tips;
    auto recorded = finish(*c);
    require(!c->invalid, cudaErrorStreamCaptureInvalidated);
    require(all_joined(*recorded, tips), cudaErrorStreamCaptureUnjoined);
    *result = reinterpret_cast<cudaGraph_t>(recorded.get());
    state().graphs[*result] = std::move(recorded);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api("cudaStreamIsCapturing", needs::device, [&] {
    const auto s = look_up_stream(handle);
    require(status != nullptr, cudaErrorInvalidValue);
    *status = !is_capturing(*s)       ? cudaStreamCaptureStatusNone
              : s->recording->invalid ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* recorded, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* dependency_count) {
  return api("cudaStreamGetCaptureInfo", needs::device, [&] {
    const auto s = look_up_stream(handle);
    require(status != nullptr, cudaErrorInvalidValue);
    require(dependencies == nullptr && edges == nullptr, cudaErrorNotSupported);
    *status = cudaStreamCaptureStatusNone;
    if (!is_capturing(*s)) {
      return;
    }
    *status = s->recording->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id != nullptr) {
      *id = s->recording->id;
    }
    if (recorded != nullptr) {
      *recorded = reinterpret_cast<cudaGraph_t>(s->recording->recorded.get());
    }
    if (dependency_count != nullptr) {
      *dependency_count = s->recorded_tips.size();
    }
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api("cudaThreadExchangeStreamCaptureMode", needs::device, [&] {
    require(mode != nullptr, cudaErrorInvalidValue);
    std::swap(*mode, thread_mode);
  });
}
}
