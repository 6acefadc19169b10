// SPDX-License-Identifier: MIT
#include "io/zip_directory.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "graphpatcher/io/npz.hpp"
#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::little;
using gp_test::raw;

namespace {

constexpr std::uint64_t missing = 0xFFFFFFFF;

/// An archive of one stored array with every record of zip64, each of its numbers as honest as it is set to be.
struct zip64_file {
  std::string content = gp_test::npy<double>({3}, {1, 2, 3});
  std::uint64_t size = content.size();  ///< those of the zip64 field
  std::uint64_t packed_size = content.size();
  std::uint64_t header = 0;
  std::uint16_t disk = 0;
  std::string extra{};      ///< field of the directory; empty = the right one
  std::uint64_t count = 1;  ///< those of the end record of zip64
  std::int64_t directory_size_change = 0;
  std::int64_t directory_change = 0;
  std::int64_t record_size_change = 0;
  std::int64_t record_change = 0;  ///< of its place in the locator
  std::uint32_t disks = 1;
  std::string between{};  ///< stands between the end record of zip64 and its locator
  bool has_locator = true;
  std::uint16_t plain_count = 0xFFFF;  ///< those of the plain end record
  std::uint32_t plain_size = 0xFFFFFFFF;

  std::string bytes() const {
    const std::string name = "a.npy";
    const auto crc =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const std::string field = !extra.empty() ? extra
                                             : little(std::uint16_t{1}) + little(std::uint16_t{24}) + little(size) +
                                                   little(packed_size) + little(header);
    const std::string facts = little(std::uint16_t{45}) + std::string(8, '\0') + little(crc) + std::string(8, '\xff') +
                              little(std::uint16_t{5});
    const std::string local = raw("PK\x03\x04") + facts + raw("\0\0") + name + content;
    const std::string directory = raw("PK\x01\x02") + little(std::uint16_t{45}) + facts +
                                  little(static_cast<std::uint16_t>(field.size())) + raw("\0\0") + little(disk) +
                                  std::string(6, '\0') + std::string(4, '\xff') + name + field;
    const std::uint64_t place = local.size() + directory.size();
    const std::string record = raw("PK\x06\x06") + little(std::uint64_t{44} + record_size_change) +
                               little(std::uint16_t{45}) + little(std::uint16_t{45}) + std::string(8, '\0') +
                               little(count) + little(count) + little(directory.size() + directory_size_change) +
                               little(local.size() + directory_change);
    const std::string locator =
        raw("PK\x06\x07") + little(std::uint32_t{0}) + little(place + record_change) + little(disks);
    return local + directory + record + between + (has_locator ? locator : "") + raw("PK\x05\x06\0\0\0\0") +
           little(plain_count) + little(plain_count) + little(plain_size) + std::string(4, '\xff') + raw("\0\0");
  }
};

void check_refused(const zip64_file& file, const std::string& message) {
  try {
    const npz_archive archive("test.npz", bytes_of(file.bytes()));
    FAIL("read without an error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace

TEST_CASE("zip_directory: zip64, with sizes, places and counts in its own records") {
  const auto values = [](const zip64_file& file) {
    return npz_archive("test.npz", bytes_of(file.bytes())).read<double>("a").values;
  };
  const std::vector<double> expected{1, 2, 3};
  CHECK(values({}) == expected);
  CHECK(values({.plain_count = 1}) == expected);  // what the plain end record can say, it may say
  CHECK(values({.disks = 0}) == expected);
  // Another extra field before the one of zip64, and a number in it that is not missing elsewhere.
  const zip64_file plain;
  const auto numbers = little(plain.size) + little(plain.packed_size) + little(plain.header);
  const auto time = little(std::uint16_t{0x5455}) + little(std::uint16_t{5}) + "\1time";
  CHECK(values({.extra = time + little(std::uint16_t{1}) + little(std::uint16_t{24}) + numbers + time}) == expected);
  CHECK(values({.disk = 0xFFFF,
                .extra = little(std::uint16_t{1}) + little(std::uint16_t{28}) + numbers + std::string(4, '\0')}) ==
        expected);
}

TEST_CASE("zip_directory: zip64 fields of an entry that are missing, short or lie") {
  const std::uint64_t huge = ~std::uint64_t{0};
  check_refused({.size = huge}, "can't hold");
  check_refused({.size = 1}, "can't hold");
  check_refused({.size = huge, .packed_size = huge}, "expected the packed content");
  check_refused({.size = 100000, .packed_size = 100000}, "expected the packed content (100000 bytes)");
  check_refused({.header = huge}, "expected a local header at byte 18446744073709551615");
  check_refused({.header = 1}, "expected a local header (PK 03 04)");
  check_refused({.disk = 0xFFFF}, "a disk number in the zip64 field");
  const auto field = [](std::uint16_t kind, std::uint16_t length, std::size_t bytes) {
    return little(kind) + little(length) + std::string(bytes, '\0');
  };
  check_refused({.extra = field(7, 4, 4)}, "expected a zip64 field with the numbers that are missing");
  check_refused({.extra = field(1, 16, 16)}, "a number in the zip64 field");
  check_refused({.extra = field(1, 16, 24)}, "with every number that is missing");
  check_refused({.extra = field(7, 400, 4)}, "an extra field (400 bytes)");
  check_refused({.extra = "\1"}, "an extra field");
  check_refused({.disk = 0xFFFF, .extra = field(1, 28, 24) + raw("\1\0\0\0")}, "with every number that is missing");
}

TEST_CASE("zip_directory: end records of zip64 that are missing, elsewhere or lie") {
  const std::uint64_t huge = ~std::uint64_t{0};
  check_refused({.has_locator = false}, "expected the locator of zip64");
  check_refused({.record_change = 1000000}, "before this locator, got byte");
  check_refused({.record_change = std::int64_t(huge >> 1)}, "before this locator, got byte");
  check_refused({.record_change = 1}, "before this locator, got byte");
  check_refused({.record_change = -1}, "expected the end record of zip64 (PK 06 06)");
  check_refused({.record_change = -100000}, "before this locator, got byte");
  check_refused({.disks = 2}, "in this file");
  check_refused({.record_size_change = 1}, "ends where its locator begins");
  check_refused({.record_size_change = -44}, "ends where its locator begins");
  check_refused({.between = "x"}, "ends where its locator begins");
  check_refused({.directory_size_change = 1}, "expected one directory");
  check_refused({.directory_size_change = std::int64_t(huge >> 1)}, "expected one directory");
  check_refused({.directory_change = 1}, "expected one directory");
  check_refused({.directory_change = -1}, "expected one directory");
  check_refused({.count = 0}, "expected the directory to end at byte");
  check_refused({.count = 2}, "expected a directory entry");
  check_refused({.count = huge}, "expected a directory entry");
  check_refused({.plain_count = 2}, "expected the numbers of the end record of zip64");
  check_refused({.plain_size = 10}, "expected the numbers of the end record of zip64");
}

TEST_CASE("zip_directory: zip64 cut short or with a byte changed is refused or unharmed") {
  const std::string whole = zip64_file{}.bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(npz_archive("test.npz", bytes_of(whole.substr(0, length))), format_error);
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      auto bytes = whole;
      bytes[place] = static_cast<char>(bytes[place] ^ mask);
      try {
        const npz_archive archive("test.npz", bytes_of(bytes));
        const auto read = archive.read<double>(archive.names().at(0)).values;
        CHECK(read == std::vector<double>{1, 2, 3});
      } catch (const format_error&) {
      }
    }
  }
}
