// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/byte_reader.hpp"

namespace graphpatcher {

/// What the directory of a zip archive says about one of its files.
struct zip_entry {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  ///< offset of the local header
  std::uint64_t begin = 0;   ///< offset of the content
  std::size_t place = 0;     ///< of this in the directory, for messages
};

namespace detail {

/// Where the directory is and how many entries it has.
struct zip_end {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
  std::size_t follows = 0;  ///< what the directory must end at
};

/// Position of the record that ends an archive: the last one whose comment reaches exactly to the end of the file.
inline std::size_t find_zip_end(const byte_reader& file) {
  constexpr std::size_t record = 22;
  constexpr std::size_t longest_comment = 65535;
  for (std::size_t back = record; back <= std::min(file.size(), record + longest_comment); ++back) {
    const std::uint8_t* at = file.bytes().data() + file.size() - back;
    if (load_little<std::uint32_t>(at) == 0x06054b50 && load_little<std::uint16_t>(at + 20) == back - record) {
      return file.size() - back;
    }
  }
  file.fail(file.size(), "expected the end record of a zip archive, got none; is the file truncated?");
}

/// The end record of zip64, for archives of 4 GB and more or with 65535 files and more. Directory, this record, a
/// locator of 20 bytes that says where it is, and the plain end record at `end` follow each other without a gap.
inline zip_end read_zip64_end(byte_reader& file, std::size_t end) {
  constexpr std::size_t locator_size = 20;
  constexpr std::size_t record_size = 56;
  if (end < locator_size || load_little<std::uint32_t>(file.bytes().data() + end - locator_size) != 0x07064b50) {
    file.fail(end, "expected the locator of zip64 (PK 06 07) before this end record, whose numbers are too small");
  }
  const std::size_t locator = end - locator_size;
  file.seek(locator + 4, "the locator of zip64");
  const auto disk = file.number<std::uint32_t>("a disk number");
  const auto place = file.number<std::uint64_t>("an offset");
  const auto disks = file.number<std::uint32_t>("a number of disks");
  if (disk != 0 || disks > 1 || locator < record_size || place > locator - record_size) {
    file.fail(locator, text("expected the end record of zip64 in this file and before this locator, got byte ", place));
  }
  file.seek(place, "the end record of zip64");
  const auto signature = file.number<std::uint32_t>("the end record of zip64");
  const auto size = file.number<std::uint64_t>("a size");
  if (signature != 0x06064b50 || size != locator - place - 12) {
    file.fail(place, "expected the end record of zip64 (PK 06 06), which ends where its locator begins");
  }
  file.take(4, "versions");
  const auto this_disk = file.number<std::uint64_t>("disk numbers");
  const auto here = file.number<std::uint64_t>("a number of entries");
  zip_end found;
  found.count = file.number<std::uint64_t>("a number of entries");
  found.size = file.number<std::uint64_t>("a directory's size");
  found.begin = file.number<std::uint64_t>("a directory's offset");
  found.follows = static_cast<std::size_t>(place);
  if (this_disk != 0 || here != found.count || found.size > place || found.begin != place - found.size) {
    file.fail(place, "expected one directory that ends where the end record of zip64 begins");
  }
  return found;
}

inline zip_end read_zip_end(byte_reader& file) {
  const std::size_t end = find_zip_end(file);
  file.seek(end + 4, "the end record");
  const auto disk = file.number<std::uint32_t>("disk numbers");
  const auto here = file.number<std::uint16_t>("a number of entries");
  const auto count = file.number<std::uint16_t>("a number of entries");
  const auto size = file.number<std::uint32_t>("a directory's size");
  const auto begin = file.number<std::uint32_t>("a directory's offset");
  if (disk != 0 || here != count) {
    file.fail(end, "expected one directory that ends where the end record begins");
  }
  const bool is_full = count == 0xFFFF || size == 0xFFFFFFFF || begin == 0xFFFFFFFF;
  if (!is_full && std::uint64_t{begin} + size == end) {
    return {begin, size, count, end};
  }
  const bool located = end >= 20 && load_little<std::uint32_t>(file.bytes().data() + end - 20) == 0x07064b50;
  if (!is_full && !located) {
    file.fail(end, "expected one directory that ends where the end record begins");
  }
  const zip_end found = read_zip64_end(file, end);
  if ((count != 0xFFFF && count != found.count) || (size != 0xFFFFFFFF && size != found.size) ||
      (begin != 0xFFFFFFFF && begin != found.begin)) {
    file.fail(end, "expected the numbers of the end record of zip64, or none of them");
  }
  return found;
}

/// Replaces numbers of an entry that are all ones by those of its zip64 field, which has just these, in this order.
inline void read_zip64_field(const byte_reader& file, std::string_view extra, zip_entry& entry, std::uint32_t disk) {
  byte_reader fields(
      file.path(), {reinterpret_cast<const std::uint8_t*>(extra.data()), extra.size()},
      static_cast<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(extra.data()) - file.bytes().data()));
  while (fields.remaining() > 0) {
    const auto kind = fields.number<std::uint16_t>("an extra field");
    const auto length = fields.number<std::uint16_t>("an extra field's length");
    if (kind != 1) {
      fields.take(length, "an extra field");
      continue;
    }
    const std::size_t begin = fields.position();
    for (std::uint64_t* number : {&entry.size, &entry.packed_size, &entry.header}) {
      if (*number == 0xFFFFFFFF) {
        *number = fields.number<std::uint64_t>("a number in the zip64 field");
      }
    }
    if (disk == 0xFFFF) {
      disk = fields.number<std::uint32_t>("a disk number in the zip64 field");
    }
    if (fields.position() - begin > length || disk != 0) {
      file.fail(entry.place, "expected a zip64 field with every number that is missing in this entry");
    }
    return;
  }
  file.fail(entry.place, "expected a zip64 field with the numbers that are missing in this entry, got none");
}

inline zip_entry read_zip_entry(byte_reader& file) {
  zip_entry entry;
  entry.place = file.position();
  if (file.number<std::uint32_t>("a directory entry") != 0x02014b50) {
    file.fail(entry.place, "expected a directory entry (PK 01 02)");
  }
  file.take(4, "versions");
  const auto flags = file.number<std::uint16_t>("flags");
  entry.method = file.number<std::uint16_t>("a method");
  file.take(4, "a time");
  entry.crc = file.number<std::uint32_t>("a checksum");
  entry.packed_size = file.number<std::uint32_t>("a size");
  entry.size = file.number<std::uint32_t>("a size");
  const auto name_length = file.number<std::uint16_t>("a length");
  const auto extra_length = file.number<std::uint16_t>("a length");
  const auto comment_length = file.number<std::uint16_t>("a length");
  const auto disk = file.number<std::uint16_t>("a disk number");
  file.take(6, "attributes");
  entry.header = file.number<std::uint32_t>("an offset");
  entry.name = file.characters(name_length, "a name");
  const std::string_view extra = file.characters(extra_length, "extra fields");
  file.take(comment_length, "a comment");
  if (entry.packed_size == 0xFFFFFFFF || entry.size == 0xFFFFFFFF || entry.header == 0xFFFFFFFF || disk == 0xFFFF) {
    read_zip64_field(file, extra, entry, disk);
  }
  if ((flags & 1) != 0 || (entry.method != 0 && entry.method != 8)) {
    file.fail(entry.place,
              text("expected an entry that is stored or deflated and not encrypted, got method ", entry.method));
  }
  return entry;
}

/// Where the content of an entry begins. The local header's sizes are not looked at: NumPy leaves them to an extra
/// field.
inline std::uint64_t find_zip_content(byte_reader& file, const zip_entry& entry) {
  file.seek(entry.header, "a local header");
  if (file.number<std::uint32_t>("a local header") != 0x04034b50) {
    file.fail(entry.header, "expected a local header (PK 03 04)");
  }
  file.take(22, "a local header");
  const auto name_length = file.number<std::uint16_t>("a length");
  const auto extra_length = file.number<std::uint16_t>("a length");
  if (file.characters(name_length, "a name") != entry.name) {
    file.fail(entry.header, "expected the name that the directory gives, '" + entry.name + "'");
  }
  file.take(extra_length, "extra fields");
  const std::uint64_t begin = file.position();
  file.take(entry.packed_size, "the packed content");
  return begin;
}

}  // namespace detail

/// The directory of a zip archive: files of which each is in the archive, stored or deflated, and overlaps nothing.
/// Reads zip64 too. Entries that overlap would unpack the same bytes again and again: a small archive could pretend to
/// be a huge one. What is wrong is a format_error with the byte; `check(entry)` may look for more.
template <class Check>
std::vector<zip_entry> read_zip_directory(byte_reader& file, const Check& check) {
  const auto directory = detail::read_zip_end(file);
  file.seek(directory.begin, "the directory");
  std::vector<zip_entry> entries;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    entries.push_back(detail::read_zip_entry(file));
    check(entries.back());
  }
  if (file.position() != directory.follows) {
    file.fail(file.position(), text("expected the directory to end at byte ", directory.follows));
  }
  std::vector<const zip_entry*> order;
  for (auto& each : entries) {
    each.begin = detail::find_zip_content(file, each);
    order.push_back(&each);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->header < b->header; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t end = i + 1 < order.size() ? order[i + 1]->header : directory.begin;
    if (order[i]->begin + order[i]->packed_size > end) {
      file.fail(order[i]->header, text("expected '", order[i]->name, "' to end before byte ", end,
                                       ", where something else begins: entries overlap"));
    }
  }
  return entries;
}

}  // namespace graphpatcher
