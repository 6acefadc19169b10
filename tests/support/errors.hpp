// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace support {

/// The message of the `Error` that `call` throws; fails to match if none.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}

}  // namespace support
