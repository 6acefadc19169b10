// SPDX-License-Identifier: MIT
#include "copies.hpp"

#include <cstring>
#include <vector>

#include "../engine.hpp"
#include "api.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {
namespace {

constexpr int poison = 0xCD;

std::size_t extent_of(std::size_t pitch, const copy_request& copy) {
  return (copy.height - 1) * pitch + copy.width;
}

bool is_device_end(place p) {
  return p == place::device || p == place::dead_device;
}

// The copy with its kind spelled out; throws what the runtime would return for ranges and directions that are wrong.
copy_request checked(copy_request copy) {
  require(copy.destination != nullptr && copy.source != nullptr, cudaErrorInvalidValue);
  require(copy.width <= copy.destination_pitch && copy.width <= copy.source_pitch, cudaErrorInvalidPitchValue);
  const bool to_device = is_device_end(place_of(copy.destination));
  const bool from_device = is_device_end(place_of(copy.source));
  const cudaMemcpyKind found = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                                         : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  require(copy.kind >= cudaMemcpyHostToHost && copy.kind <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
  require(copy.kind == cudaMemcpyDefault || copy.kind == found, cudaErrorInvalidValue);
  copy.kind = found;
  require(!to_device || device_heap::owns(copy.destination, extent_of(copy.destination_pitch, copy)),
          cudaErrorInvalidValue);
  require(!from_device || device_heap::owns(copy.source, extent_of(copy.source_pitch, copy)), cudaErrorInvalidValue);
  return copy;
}

void run_copy(const copy_request& copy) {
  const bool to_device = copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
  const bool from_device = copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
  for (std::size_t row = 0; row < copy.height; ++row) {
    auto* destination = static_cast<std::byte*>(copy.destination) + row * copy.destination_pitch;
    const auto* source = static_cast<const std::byte*>(copy.source) + row * copy.source_pitch;
    std::byte* to = to_device ? writable(destination, copy.width, "a copy's destination") : destination;
    const std::byte* from = from_device ? readable(source, copy.width, "a copy's source") : source;
    std::memmove(to, from, copy.width);
    if (to_device && from_device) {
      device_heap::copy_written_state(destination, source, copy.width);
    } else if (to_device) {
      device_heap::mark_written(destination, copy.width);
    }
  }
}

// The rows of pageable memory as they are now, side by side.
std::shared_ptr<const std::vector<std::byte>> snapshot(const copy_request& copy) {
  auto rows = std::make_shared<std::vector<std::byte>>(copy.width * copy.height);
  for (std::size_t row = 0; row < copy.height; ++row) {
    std::memcpy(rows->data() + row * copy.width, static_cast<const std::byte*>(copy.source) + row * copy.source_pitch,
                copy.width);
  }
  return rows;
}

// Until the copy has run, the host finds garbage where it will write, so that a missing wait shows.
void spoil_destination(const copy_request& copy) {
  for (std::size_t row = 0; row < copy.height; ++row) {
    std::memset(static_cast<std::byte*>(copy.destination) + row * copy.destination_pitch, poison, copy.width);
  }
}

void submit_copy(const std::shared_ptr<stream>& s, copy_request copy) {
  const bool now_or_never = !is_capturing(*s);  // a graph reads and writes host memory whenever it is launched
  if (now_or_never && copy.kind == cudaMemcpyHostToDevice && place_of(copy.source) == place::pageable) {
    const auto staged = snapshot(copy);
    copy.source = staged->data();
    copy.source_pitch = copy.width;
    submit(s, {cudaGraphNodeTypeMemcpy, [copy, staged] { run_copy(copy); }});
    return;
  }
  if (now_or_never && copy.kind == cudaMemcpyDeviceToHost && place_of(copy.destination) == place::pageable) {
    spoil_destination(copy);
  }
  submit(s, {cudaGraphNodeTypeMemcpy, [copy] { run_copy(copy); }});
}

bool is_empty(const copy_request& copy) {
  return copy.width == 0 || copy.height == 0;
}

void fill_async(void* address, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t h) {
  const auto s = find_stream(h);
  if (width == 0 || height == 0) {
    return;
  }
  require(width <= pitch, cudaErrorInvalidPitchValue);
  require(device_heap::owns(address, (height - 1) * pitch + width), cudaErrorInvalidValue);
  submit(s, {cudaGraphNodeTypeMemset, [=] {
               for (std::size_t row = 0; row < height; ++row) {
                 std::byte* begin = static_cast<std::byte*>(address) + row * pitch;
                 std::memset(writable(begin, width, "a fill's destination"), value, width);
                 device_heap::mark_written(begin, width);
               }
             }});
}

}  // namespace

void copy_async(const copy_request& copy, cudaStream_t handle) {
  const auto s = find_stream(handle);
  if (!is_empty(copy)) {
    submit_copy(s, checked(copy));
  }
}

void copy_and_wait(const copy_request& copy) {
  forbid_unsafe_call();
  const auto s = find_stream(nullptr);
  if (is_empty(copy)) {
    return;
  }
  const copy_request request = checked(copy);
  submit(s, {cudaGraphNodeTypeMemcpy, [request] { run_copy(request); }});
  if (request.kind != cudaMemcpyDeviceToDevice) {
    wait_for_stream(s);
  }
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cudaError_t cudaMemcpy(void* destination, const void* source, size_t count, cudaMemcpyKind kind) {
  return api("cudaMemcpy", needs::device,
             [&] { copy_and_wait(copy_request::bytes(destination, source, count, kind)); });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t count, cudaMemcpyKind kind, cudaStream_t s) {
  return api("cudaMemcpyAsync", needs::device,
             [&] { copy_async(copy_request::bytes(destination, source, count, kind), s); });
}

cudaError_t cudaMemcpy2D(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return api("cudaMemcpy2D", needs::device, [&] {
    copy_and_wait({destination, destination_pitch, source, source_pitch, width, height, kind});
  });
}

cudaError_t cudaMemcpy2DAsync(void* destination, size_t destination_pitch, const void* source, size_t source_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t s) {
  return api("cudaMemcpy2DAsync", needs::device, [&] {
    copy_async({destination, destination_pitch, source, source_pitch, width, height, kind}, s);
  });
}

// Filling device memory never makes the host wait, in none of the forms.
cudaError_t cudaMemset(void* address, int value, size_t count) {
  return api("cudaMemset", needs::device, [&] { fill_async(address, count, value, count, 1, nullptr); });
}

cudaError_t cudaMemsetAsync(void* address, int value, size_t count, cudaStream_t s) {
  return api("cudaMemsetAsync", needs::device, [&] { fill_async(address, count, value, count, 1, s); });
}

cudaError_t cudaMemset2D(void* address, size_t pitch, int value, size_t width, size_t height) {
  return api("cudaMemset2D", needs::device, [&] { fill_async(address, pitch, value, width, height, nullptr); });
}

cudaError_t cudaMemset2DAsync(void* address, size_t pitch, int value, size_t width, size_t height, cudaStream_t s) {
  return api("cudaMemset2DAsync", needs::device, [&] { fill_async(address, pitch, value, width, height, s); });
}
}
