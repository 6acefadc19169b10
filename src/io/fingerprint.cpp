// SPDX-License-Identifier: MIT
#include "graphpatcher/io/fingerprint.hpp"

#include <zlib.h>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher::detail {

void number_sum::add_bytes(const void* bytes, std::size_t count) {
  sum_ = static_cast<std::uint32_t>(::crc32_z(sum_, static_cast<const Bytef*>(bytes), count));
}

std::string number_sum::words() const {
  return text("crc32 ", sum_);
}

}  // namespace graphpatcher::detail
