// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npz.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include "graphpatcher/core/philox.hpp"
#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::deflated;
using gp_test::little;
using gp_test::raw;

namespace {

std::string npy_of_doubles(const std::vector<double>& values) {
  const std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }\n";
  std::string out = raw("\x93NUMPY\x01\x00") + little(static_cast<std::uint16_t>(header.size())) + header;
  for (const double value : values) {
    out += little(value);
  }
  return out;
}

struct zip_writer {
  std::string local;
  std::string directory;
  std::uint16_t count = 0;

  struct options {
    std::uint16_t method = 8;
    std::uint16_t flags = 0;
    std::uint32_t size_change = 0;  ///< added to the true size in the directory
    std::uint32_t crc_change = 0;
    bool zip64_local = false;  ///< sizes in an extra field of the local header, as NumPy writes it
  };

  zip_writer& add(const std::string& name, const std::string& content, options o, std::string packed = {}) {
    if (packed.empty()) {
      packed = o.method == 8 ? deflated(content) : content;
    }
    const auto crc =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size())) +
        o.crc_change;
    const auto packed_size = static_cast<std::uint32_t>(packed.size());
    const auto size = static_cast<std::uint32_t>(content.size()) + o.size_change;
    const auto name_size = static_cast<std::uint16_t>(name.size());
    const auto header = static_cast<std::uint32_t>(local.size());
    const std::string extra = o.zip64_local ? little(std::uint16_t{1}) + little(std::uint16_t{16}) +
                                                  little(std::uint64_t{size}) + little(std::uint64_t{packed_size})
                                            : "";
    const std::string start = little(o.flags) + little(o.method) + little(std::uint32_t{0}) + little(crc);
    local += raw("PK\x03\x04") + little(std::uint16_t{45}) + start +
             (o.zip64_local ? std::string(8, '\xff') : little(packed_size) + little(size)) + little(name_size) +
             little(static_cast<std::uint16_t>(extra.size())) + name + extra + packed;
    directory += raw("PK\x01\x02") + little(std::uint16_t{45}) + little(std::uint16_t{45}) + start +
                 little(packed_size) + little(size) + little(name_size) + std::string(12, '\0') + little(header) + name;
    ++count;
    return *this;
  }
  std::string finish(const std::string& comment = "") const {
    return local + directory + raw("PK\x05\x06") + std::string(4, '\0') + little(count) + little(count) +
           little(static_cast<std::uint32_t>(directory.size())) + little(static_cast<std::uint32_t>(local.size())) +
           little(static_cast<std::uint16_t>(comment.size())) + comment;
  }
};

npz_archive open(const std::string& bytes) {
  return npz_archive("test.npz", bytes_of(bytes));
}

void check_failure(const std::string& bytes, const std::string& message) {
  try {
    open(bytes).read<double>("a");
    FAIL("read without an error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK_THAT(failure.path(), Catch::StartsWith("test.npz"));
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace

TEST_CASE("npz: stored and deflated arrays, with and without a comment") {
  const auto bytes =
      zip_writer{}
          .add("a.npy", npy_of_doubles({1, 2, 3}), {.method = 0})
          .add("b.npy", npy_of_doubles(std::vector<double>(1000, 0.5)), {.method = 8, .zip64_local = true})
          .add("none.npy", npy_of_doubles({}), {});
  for (const char* comment : {"", "a comment PK\x05\x06"}) {
    const auto archive = open(bytes.finish(comment));
    CHECK(archive.names() == std::vector<std::string>{"a", "b", "none"});
    CHECK(archive.contains("b"));
    CHECK_FALSE(archive.contains("b.npy"));
    CHECK(archive.read<double>("a").values == std::vector<double>{1, 2, 3});
    CHECK(archive.read<float>("b").values == std::vector<float>(1000, 0.5f));
    CHECK(archive.read<double>("none").shape == std::vector<std::size_t>{0});
    CHECK_THROWS_AS(archive.read<double>("c"), argument_error);
    CHECK_THROWS_WITH(archive.read<double>("c"), Catch::Contains("'c'; it has a, b, none"));
    CHECK_THROWS_AS(archive.read<std::int32_t>("a"), format_error);
  }
  CHECK(open(zip_writer{}.finish()).names().empty());
}

TEST_CASE("npz: archives that lie are refused") {
  const std::string content = npy_of_doubles({1, 2, 3});
  const auto one = [&](zip_writer::options o, const std::string& name = "a.npy") {
    return zip_writer{}.add(name, content, o).finish();
  };
  check_failure(one({.crc_change = 1}), "checksum");
  check_failure(one({.method = 0, .crc_change = 1}), "checksum");
  check_failure(one({.size_change = 1}), "expected 3 values of 8 bytes, got 25 bytes");
  check_failure(one({.size_change = 0xFFFFFFFF}), "more values than the 2");
  check_failure(one({.size_change = 1000000000}), "can't hold");
  check_failure(one({.method = 0, .size_change = 1}), "can't hold");
  check_failure(one({.method = 12}), "got method 12");
  check_failure(one({.flags = 1}), "not encrypted");
  check_failure(one({}, "a.txt"), "ends with .npy");
  check_failure(zip_writer{}.add("a.npy", content, {}).add("a.npy", content, {}).finish(), "name of its own");
  check_failure(zip_writer{}.add("a.npy", "", {}).finish(), "magic string");

  auto other_name = one({.method = 0});
  other_name[30] = 'b';
  check_failure(other_name, "expected the name that the directory gives");
  auto shifted = zip_writer{}.add("a.npy", content, {});
  shifted.local += "x";
  CHECK(open(shifted.finish()).read<double>("a").values.size() == 3);
  shifted.count = 2;
  check_failure(shifted.finish(), "expected a directory entry");
  auto early = zip_writer{}.add("a.npy", content, {});
  early.directory += std::string(50, 'x');
  check_failure(early.finish(), "expected the directory to end at");
  check_failure("", "end record");
  check_failure("PK", "end record");
}

TEST_CASE("npz: deflated content that ends early, goes on or is followed by something") {
  const std::string content = npy_of_doubles({1, 2, 3});
  const auto with = [&](const std::string& packed) {
    zip_writer writer;
    writer.add("a.npy", content, {}, packed);
    return writer.finish();
  };
  const std::string whole = deflated(content);
  CHECK(open(with(whole)).read<double>("a").values.size() == 3);
  check_failure(with(whole + "x"), "expected deflated content of");
  check_failure(with(whole.substr(0, whole.size() / 2)), "expected deflated content of");
  check_failure(with(deflated(content + "x")), "expected deflated content of");
  check_failure(with(deflated(content.substr(0, content.size() - 1))), "got less");
  check_failure(with(std::string(whole.size(), '\xff')), "expected deflated content of");
}

TEST_CASE("npz: entries that share bytes are refused, so is a ratio that only bombs have") {
  const std::string content = npy_of_doubles({1, 2, 3});
  auto twice = zip_writer{}.add("a.npy", content, {.method = 0});
  auto again = twice.directory;
  twice.directory += again;
  twice.count = 2;
  check_failure(twice.finish(), "a name of its own");
  auto shared = zip_writer{}.add("a.npy", content, {.method = 0}).add("b.npy", content, {.method = 0});
  // The first entry now says that it holds the second too.
  const auto more = little(static_cast<std::uint32_t>(shared.local.size() - 35));
  shared.directory.replace(20, 8, more + more);
  check_failure(shared.finish(), "entries overlap");

  auto bomb = zip_writer{}.add("a.npy", std::string(80 << 20, '\0'), {});
  check_failure(bomb.finish(), "expected at most 250 unpacked bytes for each packed one");
}

TEST_CASE("npz: places outside the file are refused") {
  auto far = zip_writer{}.add("a.npy", npy_of_doubles({1, 2, 3}), {});
  far.directory.replace(42, 4, little(std::uint32_t{1000000}));
  check_failure(far.finish(), "expected a local header at byte 1000000");
  auto middle = zip_writer{}.add("a.npy", npy_of_doubles({1, 2, 3}), {});
  middle.directory.replace(42, 4, little(std::uint32_t{1}));
  check_failure(middle.finish(), "expected a local header (PK 03 04)");
}

TEST_CASE("npz: numbers that say zip64 without its records are refused") {
  auto many = zip_writer{};
  many.count = 0xFFFF;
  check_failure(many.finish(), "expected the locator of zip64");
  auto large = zip_writer{}.add("a.npy", npy_of_doubles({1}), {});
  large.directory.replace(24, 4, "\xff\xff\xff\xff");
  check_failure(large.finish(), "expected a zip64 field");
}

TEST_CASE("npz: cut short or with a byte changed, an archive is refused or unharmed") {
  const std::vector<double> values{1, 2, 3, 0.1, -7};
  for (const std::uint16_t method : {std::uint16_t{0}, std::uint16_t{8}}) {
    const std::string whole = zip_writer{}.add("a.npy", npy_of_doubles(values), {.method = method}).finish();
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CHECK_THROWS_AS(open(whole.substr(0, length)), format_error);
    }
    std::size_t refused = 0;
    for (std::size_t place = 0; place < whole.size(); ++place) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        auto bytes = whole;
        bytes[place] = static_cast<char>(bytes[place] ^ mask);
        try {
          const auto archive = open(bytes);
          const auto read = archive.read<double>(archive.names().at(0)).values;
          CHECK(read == values);
        } catch (const format_error&) {
          ++refused;
        }
      }
    }
    CHECK(refused > whole.size());
  }
}

TEST_CASE("npz: archives that NumPy wrote") {
  const std::filesystem::path folder = std::filesystem::path(GP_SHARED_DIR) / "reference";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: no data");
    return;
  }
  std::size_t arrays = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".npz") {
      const npz_archive archive(file.path());
      for (const auto& name : archive.names()) {
        const auto array = archive.read<double>(name);
        std::size_t count = 1;
        for (const auto extent : array.shape) {
          count *= extent;
        }
        CHECK(array.values.size() == count);
        ++arrays;
      }
    }
  }
  CHECK(arrays > 50);
  const auto weights = npz_archive(folder / "backbone.npz").read<float>("W1");
  CHECK(weights.shape == std::vector<std::size_t>{1433, 64});
}
