// SPDX-License-Identifier: MIT
#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

cudaEvent_t make_event(unsigned flags) {
  constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
  require((flags & ~known) == 0, cudaErrorInvalidValue);
  auto made = std::make_unique<event>();
  made->flags = flags;
  made->device = current_device();
  const auto handle = reinterpret_cast<cudaEvent_t>(made.get());
  state().events[handle] = std::move(made);
  return handle;
}

void record(event& e, const std::shared_ptr<stream>& s) {
  require(e.device == s->device, cudaErrorInvalidResourceHandle);
  if (is_capturing(*s)) {
    e.captured_in = s->recording;
    e.captured_tips = s->recorded_tips;
    return;
  }
  e.captured_in = nullptr;
  const auto latest = std::make_shared<event::recording>();
  e.latest = latest;
  latest->at = {s, enqueue(s, [latest] {
                  latest->done = true;
                  latest->time = std::chrono::steady_clock::now();
                })};
}

// For calls that ask whether an event has happened.
event& find_askable_event(cudaEvent_t handle) {
  event& e = find_event(handle);
  forbid_unsafe_call();
  require(e.captured_in == nullptr, cudaErrorCapturedEvent);
  return e;
}

}  // namespace

event& find_event(cudaEvent_t handle) {
  const auto found = state().events.find(handle);
  require(found != state().events.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* handle) {
  return api("cudaEventCreate", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    *handle = make_event(cudaEventDefault);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned flags) {
  return api("cudaEventCreateWithFlags", needs::device, [&] {
    require(handle != nullptr, cudaErrorInvalidValue);
    *handle = make_event(flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api("cudaEventDestroy", needs::device, [&] {
    find_event(handle);
    state().events.erase(handle);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t s) {
  return api("cudaEventRecord", needs::device, [&] { record(find_event(handle), find_stream(s)); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t s, unsigned flags) {
  return api("cudaEventRecordWithFlags", needs::device, [&] {
    require(flags == cudaEventRecordDefault, cudaErrorNotSupported);
    record(find_event(handle), find_stream(s));
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api("cudaEventSynchronize", needs::device, [&] {
    const event& e = find_askable_event(handle);
    if (e.latest != nullptr) {
      wait_until(moment(e.latest->at));
    }
  });
}

// As with cudaStreamQuery, asking lets the stream get one operation further.
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api("cudaEventQuery", needs::device, [&] {
    const event& e = find_askable_event(handle);
    if (e.latest != nullptr && !e.latest->done) {
      run_one(e.latest->at.where);
      throw api_error{cudaErrorNotReady};
    }
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api("cudaEventElapsedTime", needs::device, [&] {
    require(milliseconds != nullptr, cudaErrorInvalidValue);
    const event& first = find_askable_event(start);
    const event& last = find_askable_event(end);
    const bool timed = ((first.flags | last.flags) & cudaEventDisableTiming) == 0;
    require(timed && first.latest != nullptr && last.latest != nullptr, cudaErrorInvalidResourceHandle);
    require(first.latest->done && last.latest->done, cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>(last.latest->time - first.latest->time).count();
  });
}
}
