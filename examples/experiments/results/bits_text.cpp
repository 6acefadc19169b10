// SPDX-License-Identifier: MIT
#include "experiments/results/bits_text.hpp"

#include <charconv>
#include <cstddef>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string bits_to_text(const std::vector<bool>& bits) {
  std::string out = std::to_string(bits.size()) + ":";
  for (std::size_t first = 0; first < bits.size(); first += 6) {
    std::size_t value = 0;
    for (std::size_t i = first; i < first + 6; ++i) {
      value = 2 * value + (i < bits.size() && bits[i] ? 1 : 0);
    }
    out += alphabet[value];
  }
  return out;
}

std::vector<bool> bits_from_text(std::string_view stored) {
  std::size_t count = 0;
  const auto [end, problem] = std::from_chars(stored.data(), stored.data() + stored.size(), count);
  const auto used = static_cast<std::size_t>(end - stored.data());
  expects(problem == std::errc() && used < stored.size() && stored[used] == ':' &&
              (stored.size() - used - 1) == count / 6 + (count % 6 == 0 ? 0 : 1),
          "bits: expected a number of bits, a colon and a character for six of them, got ", stored.size(),
          " characters");
  stored.remove_prefix(used + 1);
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t value = alphabet.find(stored[i / 6]);
    expects(value != alphabet.npos, "bits: expected characters of base64, got '", stored[i / 6], "'");
    bits[i] = (value >> (5 - i % 6) & 1) != 0;
  }
  return bits;
}

}  // namespace graphpatcher
