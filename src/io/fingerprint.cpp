// SPDX-License-Identifier: MIT
#include "graphpatcher/io/fingerprint.hpp"

#include <zlib.h>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher::detail {

void number_sum::add_bytes(const void* bytes, std::size_t count) {
  if (count > 0) {  // zlib takes a null pointer, which nothing may have, for a wish to begin anew
    sum_ = static_cast<std::uint32_t>(::crc32_z(sum_, static_cast<const Bytef*>(bytes), count));
  }
}

std::string number_sum::words() const {
  return text("crc32 ", sum_);
}

}  // namespace graphpatcher::detail
