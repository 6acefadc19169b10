// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/backbone.hpp"

/// Checksums that tell whether a file goes with the dataset or the model at hand.
/// They find mistakes, not malice.
namespace graphpatcher {

namespace detail {

/// CRC-32 of numbers as they are in memory.
class number_sum {
public:
  template <class N>
  void add(std::span<const N> numbers) {
    add_bytes(numbers.data(), numbers.size_bytes());
  }
  std::string words() const;

private:
  void add_bytes(const void* bytes, std::size_t count);

  std::uint32_t sum_ = 0;  ///< of nothing
};

}  // namespace detail

/// Of graph, features, labels and split.
template <class T, graph_index I>
std::string fingerprint(const dataset<T, I>& data) {
  detail::number_sum sum;
  sum.add(data.graph.offsets());
  sum.add(data.graph.neighbors());
  if (data.features.is_dense()) {
    data.features.dense().visit([&](const auto& rows) {
      sum.add(std::span<const std::size_t>(std::array{rows.rows(), rows.cols(), sizeof(*rows.data())}));
      for (std::size_t v = 0; v < rows.rows(); ++v) {
        sum.add(rows.row(v));
      }
    });
  } else {
    sum.add(data.features.sparse().offsets());
    sum.add(data.features.sparse().columns());
    sum.add(data.features.sparse().values());
  }
  for (const auto* nodes : {&data.labels, &data.split.train, &data.split.validation, &data.split.test}) {
    sum.add(std::span<const I>(*nodes));
  }
  return sum.words();
}

/// Of a model's weights.
template <lists_its_parameters Model>
std::string fingerprint(Model model) {
  detail::number_sum sum;
  for (const auto* p : model.parameters()) {
    const auto host = p->value.copy_on(cpu{});
    sum.add(std::span<const typename Model::scalar_type>(host.values()));
  }
  return sum.words();
}

#if GP_HAS_INSTANCES
GP_EXTERN template std::string fingerprint(const dataset<float, std::int32_t>&);
GP_EXTERN template std::string fingerprint(const dataset<float, std::int64_t>&);
GP_EXTERN template std::string fingerprint(const dataset<double, std::int32_t>&);
GP_EXTERN template std::string fingerprint(const dataset<double, std::int64_t>&);
#endif

}  // namespace graphpatcher
