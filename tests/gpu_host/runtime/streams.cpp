// SPDX-License-Identifier: MIT
//
// The stream functions of the runtime, captures apart.
#include <algorithm>

#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

cudaStream_t make_stream(unsigned flags, int priority) {
  require(flags == cudaStreamDefault || flags == cudaStreamNonBlocking, cudaErrorInvalidValue);
  auto made = std::make_shared<stream>();
  made->device = current_device();
  made->flags = flags;
  made->priority = priority;
  const auto handle = reinterpret_cast<cudaStream_t>(made.get());
  state().streams[handle] = std::move(made);
  return handle;
}

std::shared_ptr<stream> stream_of_thread() {
  auto& mine = state().per_thread[std::this_thread::get_id()];
  if (mine == nullptr) {
    mine = std::make_shared<stream>();
  }
  return mine;
}

bool is_legacy(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy;
}

}  // namespace

std::shared_ptr<stream> look_up_stream(cudaStream_t handle) {
  if (is_legacy(handle)) {
    return state().legacy;
  }
  if (handle == cudaStreamPerThread) {
    return stream_of_thread();
  }
  const auto found = state().streams.find(handle);
  require(found != state().streams.end(), cudaErrorInvalidResourceHandle);
  return found->second;
}

std::shared_ptr<stream> find_stream(cudaStream_t handle) {
  if (is_legacy(handle)) {
    forbid_legacy_stream();
  }
  return look_up_stream(handle);
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return api("cudaStreamCreate", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    *handle = make_stream(cudaStreamDefault, 0);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return api("cudaStreamCreateWithFlags", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    *handle = make_stream(flags, 0);
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  return api("cudaStreamCreateWithPriority", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    *handle = make_stream(flags, std::clamp(priority, -5, 0));
  });
}

// Doesn't wait: what is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api("cudaStreamDestroy", needs::device, [&] {
    const auto found = state().streams.find(handle);
    require(found != state().streams.end(), cudaErrorInvalidResourceHandle);
    const auto doomed = found->second;
    forbid_while_recording(*doomed);
    state().abandoned.push_back(doomed);
    state().streams.erase(found);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api("cudaStreamSynchronize", needs::device, [&] {
    const auto s = find_stream(handle);
    forbid_while_recording(*s);
    wait_for_stream(s);
  });
}

// Each query lets the stream get one operation further, so that polling comes to an end.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api("cudaStreamQuery", needs::device, [&] {
    const auto s = find_stream(handle);
    forbid_while_recording(*s);
    const bool idle = s->queue.empty();
    run_one(s);
    require(idle, cudaErrorNotReady);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned flags) {
  return api("cudaStreamWaitEvent", needs::device, [&] {
    const auto s = find_stream(handle);
    const event& e = find_event(event_handle);
    if (is_capturing(*s) || e.captured_in != nullptr) {
      join_capture(s, e, flags);
    } else if (e.latest != nullptr && !e.latest->done) {
      enqueue(s, [] {}, {e.latest->at});
    }
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return api("cudaStreamGetFlags", needs::device, [&] {
    require(flags != nullptr, cudaErrorInvalidValue);
    *flags = look_up_stream(handle)->flags;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return api("cudaStreamGetPriority", needs::device, [&] {
    require(priority != nullptr, cudaErrorInvalidValue);
    *priority = look_up_stream(handle)->priority;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return api("cudaStreamGetDevice", needs::device, [&] {
    require(device != nullptr, cudaErrorInvalidValue);
    *device = look_up_stream(handle)->device;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return api("cudaStreamGetId", needs::device, [&] {
    require(id != nullptr, cudaErrorInvalidValue);
    *id = reinterpret_cast<std::uintptr_t>(look_up_stream(handle).get());
  });
}
}
