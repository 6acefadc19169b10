// SPDX-License-Identifier: MIT
// Damaged Planetoid files: cut short or with a byte changed, each gives a typed
// error with file and offset, or - where the change makes another valid file -
// a dataset that passes its checks. And none makes the reader ask for much memory.
#include <catch2/catch.hpp>

#include <optional>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/io/planetoid.hpp"
#include "io/pickle_writer.hpp"
#include "io/planetoid_files.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::largest_request;
using gp_test::temporary_folder;
using gp_test::tiny_planetoid;

namespace {

const std::filesystem::path planetoid_folder = std::filesystem::path(GP_SHARED_DIR) / "data" / "planetoid";

constexpr const char* parts[] = {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"};

/// Reads all there is in one damaged file; the error, if it is one with file and offset.
std::optional<format_error> read_part(const std::string& part, const std::vector<std::uint8_t>& bytes) {
  try {
    const auto file = decode_pickle(part, bytes);
    if (part == "graph") {
      links_in<std::int32_t>(file);
    } else if (part.ends_with("x")) {
      csr_in<float, std::int32_t>(file);
    } else {
      one_hot_labels<std::int32_t>(file, array_in<std::int32_t>(file, file.root(), 2));
    }
  } catch (const format_error& failure) {
    return failure;
  }
  return std::nullopt;
}

/// Draws number `index` of flips: a byte of the file and what is xored into it.
std::pair<std::size_t, std::uint8_t> draw_flip(std::uint64_t file, std::uint64_t index, std::size_t size) {
  const auto bits = random_stream(2024, purpose::generator).bits(file, index);
  // Half of the flips hit the first bytes, where the structure is; most of the rest is payload.
  const std::size_t reach = bits[2] % 2 == 0 ? std::min<std::size_t>(size, 400) : size;
  return {bits[0] % reach, static_cast<std::uint8_t>(1 + bits[1] % 255)};
}

}  // namespace

TEST_CASE("planetoid damage: Cora's files cut at every 97th byte") {
  if (!std::filesystem::exists(planetoid_folder)) {
    WARN("skipped: no data");
    return;
  }
  for (const std::string part : {"x", "y", "tx", "ty", "allx", "ally", "graph"}) {
    const auto whole = read_file(planetoid_path(planetoid_folder, "cora", part.c_str()));
    REQUIRE(!read_part(part, whole));
    std::size_t silent = 0;
    std::size_t misplaced = 0;
    largest_request = 0;
    for (std::size_t length = 0; length < whole.size(); length += 97) {
      const auto failure = read_part(part, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
      silent += !failure;
      misplaced += failure && (failure->offset() > length || failure->path() != part);
    }
    CAPTURE(part);
    CHECK(silent == 0);
    CHECK(misplaced == 0);
    CHECK(largest_request < 40 * whole.size());
  }
}

TEST_CASE("planetoid damage: a byte of Cora's files changed") {
  if (!std::filesystem::exists(planetoid_folder)) {
    WARN("skipped: no data");
    return;
  }
  std::uint64_t number = 0;
  for (const std::string part : {"x", "y", "tx", "ty", "allx", "ally", "graph"}) {
    const auto whole = read_file(planetoid_path(planetoid_folder, "cora", part.c_str()));
    std::size_t refused = 0;
    ++number;
    largest_request = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto bytes = whole;
      const auto [place, mask] = draw_flip(number, i, bytes.size());
      bytes[place] ^= mask;
      if (const auto failure = read_part(part, bytes)) {
        ++refused;
        CHECK(failure->path() == part);
        CHECK(failure->offset() <= bytes.size());
      }
    }
    CAPTURE(part, refused);
    CHECK(refused > 100);
    CHECK(largest_request < 40 * whole.size());
  }
}

TEST_CASE("planetoid damage: whole sets with one damaged file") {
  const temporary_folder folder;
  const bool real = std::filesystem::exists(planetoid_folder);
  if (real) {
    for (const char* part : parts) {
      std::filesystem::copy_file(planetoid_path(planetoid_folder, "cora", part),
                                 planetoid_path(folder.path(), "cora", part));
    }
  } else {
    WARN("skipped: no data");
  }
  const tiny_planetoid tiny;
  tiny.write(folder);
  std::size_t refused = 0;
  std::size_t loaded = 0;
  const auto attempt = [&](const std::string& name, const char* part, const std::vector<std::uint8_t>& bytes,
                           std::size_t validation) {
    const auto path = planetoid_path(folder.path(), name, part);
    folder.write(path.filename().string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    try {
      load_planetoid<float, std::int32_t>(folder.path(), name, {.validation = validation}).check();
      ++loaded;
    } catch (const format_error& failure) {
      ++refused;
      CHECK_THAT(failure.path(), Catch::Contains("ind." + name));
    }
  };

  std::uint64_t number = 100;
  for (const char* part : parts) {
    ++number;
    const auto whole = read_file(planetoid_path(folder.path(), "tiny", part));
    for (std::size_t length = 0; length < whole.size(); length += part == std::string("test.index") ? 1 : 9) {
      const std::size_t before = refused;
      attempt("tiny", part, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}, 2);
      CHECK(refused == before + 1);
    }
    for (std::uint64_t i = 0; i < 100; ++i) {
      auto bytes = whole;
      const auto [place, mask] = draw_flip(number, i, bytes.size());
      bytes[place] ^= mask;
      attempt("tiny", part, bytes, 2);
    }
    attempt("tiny", part, whole, 2);
    if (real) {
      const auto cora = read_file(planetoid_path(folder.path(), "cora", part));
      for (std::uint64_t i = 0; i < 12; ++i) {
        auto bytes = cora;
        const auto [place, mask] = draw_flip(number + 100, i, bytes.size());
        bytes[place] ^= mask;
        attempt("cora", part, bytes, 500);
      }
      const std::size_t before = refused;
      attempt("cora", part, {cora.begin(), cora.begin() + static_cast<std::ptrdiff_t>(cora.size() / 2)}, 500);
      CHECK(refused == before + 1);
      attempt("cora", part, cora, 500);
    }
  }
  CHECK(loaded >= 8);
}
