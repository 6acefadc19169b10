// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphpatcher {

/// Bits as text, six a character, the first the highest: "120:" and the characters of base64, the last filled up with
/// zeros.
std::string bits_to_text(const std::vector<bool>& bits);

/// The same back; argument_error for anything else.
std::vector<bool> bits_from_text(std::string_view stored);

}  // namespace graphpatcher
