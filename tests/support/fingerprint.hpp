// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/matrix.hpp"

namespace support {

/// FNV-1a over the bits of numbers: what is compared where the numbers themselves would be too many.
class fingerprint {
public:
  fingerprint& add(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3U;
    }
    return *this;
  }
  fingerprint& add(float value) { return add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  fingerprint& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }

  template <class Numbers>
  fingerprint& all(const Numbers& numbers) {
    for (const auto value : numbers) {
      add(value);
    }
    return *this;
  }
  template <class T>
  fingerprint& all(const std::vector<graphpatcher::matrix<T>>& matrices) {
    for (const auto& m : matrices) {
      all(m.values());
    }
    return *this;
  }
  template <class Model>
  fingerprint& weights(Model& model) {
    for (const auto* p : model.parameters()) {
      all(p->value.values());
    }
    return *this;
  }

  std::uint64_t hash() const noexcept { return hash_; }

private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace support
