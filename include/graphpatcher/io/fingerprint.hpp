// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
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
    sum_ = ::crc32_z(sum_, reinterpret_cast<const Bytef*>(numbers.data()), numbers.size_bytes());
  }
  std::string words() const { return text("crc32 ", sum_); }

private:
  uLong sum_ = ::crc32_z(0, nullptr, 0);
};

}  // namespace detail

/// Of graph, features, labels and split.
template <class T, graph_index I>
std::string fingerprint(const dataset<T, I>& data) {
  detail::number_sum sum;
  sum.add(data.graph.offsets());
  sum.add(data.graph.neighbors());
  sum.add(data.features.offsets());
  sum.add(data.features.columns());
  sum.add(data.features.values());
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

}  // namespace graphpatcher
