// SPDX-License-Identifier: MIT
// What the rest of a program sees of graphpatcher::cuda: the tables of its operations, and how a device is opened.
#include <cstdint>
#include <type_traits>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "kernels/operations.hpp"
#include "kernels/runtime/context.hpp"
#include "kernels/runtime/device_info.hpp"

namespace graphpatcher {
namespace backend {
namespace {

// clang-format off
#define GP_FILL(entry, name, parameters, arguments)   \
  .entry = [](const device& exec, GP_LIST parameters) { on_cuda::name(exec, GP_LIST arguments); },
// clang-format on

template <class T>
constexpr dense_operations<device, T> dense{GP_DENSE_OPERATIONS(GP_FILL) GP_ELEMENT_OPERATIONS(GP_FILL)};

template <class T, graph_index I>
constexpr graph_operations<device, T, I> graph{GP_GRAPH_OPERATIONS(GP_FILL)};

template <class T, class S>
constexpr frozen_operations<T, S, std::int32_t> frozen{.corrupted_logits = on_cuda::corrupted_logits};

}  // namespace
}  // namespace backend

std::span<const backend::function_table> cuda_context::tables() const noexcept {
  using backend::function_table;
  static const function_table all[] = {
      function_table(backend::dense<float>),
      function_table(backend::graph<float, std::int32_t>),
      function_table(backend::graph<float, std::int64_t>),
      function_table(backend::dense<double>),
      function_table(backend::graph<double, std::int32_t>),
      function_table(backend::graph<double, std::int64_t>),
      function_table(backend::frozen<float, float>),
      function_table(backend::frozen<float, float16>),
      function_table(backend::frozen<float, bfloat16>),
      function_table(backend::frozen<double, double>),
  };
  return all;
}

}  // namespace graphpatcher

const graphpatcher::backend::cuda_library* graphpatcher_cuda() noexcept {
  namespace gp = graphpatcher;
  static constexpr gp::backend::cuda_library library{
      .open = [](void* stream) -> std::shared_ptr<gp::backend::accelerator> {
        return std::make_shared<gp::cuda_context>(static_cast<cudaStream_t>(stream));
      },
      .devices = gp::find_devices,
      .unavailable_reason = gp::why_unavailable,
  };
  return &library;
}
