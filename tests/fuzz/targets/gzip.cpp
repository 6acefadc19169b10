// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "io/gzip_stream.hpp"
#include "io/text_table.hpp"

namespace gp_fuzz {

namespace {

constexpr graphpatcher::gzip_limits limits{.ratio = 20, .always = 1u << 16, .most = 1u << 20};

std::string unpacked(bytes input, std::size_t step) {
  graphpatcher::gzip_stream stream("input.gz", input, limits);
  std::string all;
  for (std::size_t got = step; got == step;) {
    all.resize(all.size() + step);
    got = stream.read({all.data() + all.size() - step, step});
    require(got <= step && stream.position() <= input.size(), "no more than was asked for, nor than there is");
    all.resize(all.size() - step + got);
    require(all.size() <= std::max<std::size_t>(limits.always, limits.ratio * input.size()) + step,
            "no more than the limits allow");
  }
  require(stream.position() == input.size(), "every packed byte to be used");
  return all;
}

std::optional<graphpatcher::feature_table<double, std::int32_t>> table_in(const std::filesystem::path& path) {
  graphpatcher::text_source source(path, {.exec = {.threads = 1}, .quiet = true, .gzip = limits});
  try {
    return graphpatcher::read_text_table<double, std::int32_t>(source);
  } catch (const graphpatcher::error&) {
    return std::nullopt;
  }
}

}  // namespace

/// The same comes out whatever the size of the pieces, and a packed table is the table.
void gzip(bytes input) {
  const std::string all = unpacked(input, 1u << 16);
  require(unpacked(input, 613) == all, "the same from pieces of another size");
  if (all.size() > 1u << 12) {
    return;  // text_source takes a megabyte of memory for a packed file: too slow to try with all of them
  }
  static const scratch_file packed("input.csv.gz");
  static const scratch_file plain("input.csv");
  const auto from_packed = table_in(packed.holding(input));
  const auto from_plain = table_in(plain.holding(all));
  require(from_packed.has_value() == from_plain.has_value(), "a packed table to be read if it can be read unpacked");
  if (from_packed) {
    require_sound(*from_packed);
    require(same(*from_packed, *from_plain), "the same table");
  }
}

}  // namespace gp_fuzz
