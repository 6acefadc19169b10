// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/operands/operations.hpp"

/// The CUDA backend behind tables that write down which of its operations were called.
namespace counted {

namespace gp = graphpatcher;

inline std::set<std::string>& calls() {
  static std::set<std::string> all;
  return all;
}

inline const gp::cuda& cuda() {
  static const gp::cuda device;
  return device;
}

// clang-format off
#define GP_COUNT(table, entry, parameters, arguments)                                                      \
  [](const gp::device&, GP_LIST parameters) {                                                              \
    calls().insert(table::types() + " " #entry);                                                           \
    gp::backend::find_operation(cuda(), &table::entry, #entry)(cuda(), GP_LIST arguments);                 \
  }
// clang-format on

namespace of_backend {
using namespace gp;
using gp::backend::dense_operations;
using gp::backend::graph_operations;

template <class T>
constexpr auto make_dense() {
  using table = dense_operations<device, T>;
  table made;
#define GP_FILL(entry, name, parameters, arguments) made.entry = GP_COUNT(table, entry, parameters, arguments);
  GP_DENSE_OPERATIONS(GP_FILL)
  GP_ELEMENT_OPERATIONS(GP_FILL)
  return made;
}
template <class T>
inline const dense_operations<device, T> dense = make_dense<T>();

template <class T, graph_index I>
constexpr auto make_graph() {
  using table = graph_operations<device, T, I>;
  table made;
  GP_GRAPH_OPERATIONS(GP_FILL)
#undef GP_FILL
  return made;
}
template <class T, graph_index I>
inline const graph_operations<device, T, I> graph = make_graph<T, I>();

}  // namespace of_backend
#undef GP_COUNT

/// The operations of a list that nobody has called with these types.
template <class T>
std::string missing_dense() {
  using table = gp::backend::dense_operations<gp::device, T>;
  std::string missing;
#define GP_LOOK(entry, name, parameters, arguments) \
  missing += calls().contains(table::types() + " " #entry) ? "" : " " #entry;
  GP_DENSE_OPERATIONS(GP_LOOK)
  GP_ELEMENT_OPERATIONS(GP_LOOK)
  return missing;
}
template <class T, gp::graph_index I>
std::string missing_graph() {
  using table = gp::backend::graph_operations<gp::device, T, I>;
  std::string missing;
  GP_GRAPH_OPERATIONS(GP_LOOK)
#undef GP_LOOK
  return missing;
}

class accelerator : public gp::backend::accelerator {
public:
  std::string_view name() const noexcept override { return behind().name(); }
  void* allocate(std::size_t bytes) override { return behind().allocate(bytes); }
  void release(void* memory, std::size_t bytes) noexcept override { behind().release(memory, bytes); }
  gp::backend::memory_use use() const noexcept override { return behind().use(); }
  void upload(void* to, const void* host, std::size_t bytes) override { behind().upload(to, host, bytes); }
  void download(void* host, const void* from, std::size_t bytes) override { behind().download(host, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { behind().copy(to, from, bytes); }
  void clear(void* memory, std::size_t bytes) override { behind().clear(memory, bytes); }
  void synchronize() override { behind().synchronize(); }
  std::span<const gp::backend::function_table> tables() const noexcept override {
    using gp::backend::function_table;
    static const function_table all[] = {function_table(of_backend::dense<float>),
                                         function_table(of_backend::dense<double>),
                                         function_table(of_backend::graph<float, std::int32_t>),
                                         function_table(of_backend::graph<float, std::int64_t>),
                                         function_table(of_backend::graph<double, std::int32_t>),
                                         function_table(of_backend::graph<double, std::int64_t>)};
    return all;
  }

private:
  static gp::backend::accelerator& behind() { return cuda().behind(); }
};

inline const gp::device& device() {
  static const gp::device counting(std::make_shared<accelerator>());
  return counting;
}

}  // namespace counted
