// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/data/byte_reader.hpp"
#include "graphpatcher/data/deflated_reader.hpp"
#include "graphpatcher/data/gzip_stream.hpp"
#include "graphpatcher/data/mapped_file.hpp"
#include "graphpatcher/data/npy.hpp"

namespace graphpatcher {

/// The arrays of an .npz file: a zip archive of .npy files, stored or deflated,
/// as numpy.savez and numpy.savez_compressed write it. The file is mapped, its
/// directory is read and checked at once, an array when it is asked for; what is
/// deflated is unpacked on the way. Sizes and places are checked before anything
/// is allocated, content by its CRC. Not for archives of 4 GB or more (zip64).
class npz_archive {
public:
  explicit npz_archive(const std::filesystem::path& path) : path_(path.string()), file_(path) { read_directory(); }

  /// From bytes; `path` is for messages.
  npz_archive(std::string path, std::vector<std::uint8_t> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {
    read_directory();
  }

  const std::string& path() const noexcept { return path_; }

  /// Names of the arrays, in the order of the archive.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& each : entries_) {
      list.push_back(each.name);
    }
    return list;
  }

  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }

  /// The array called `name`, its values converted to `T` if that changes none.
  template <npy_scalar T>
  npy_array<T> read(std::string_view name, npy_rounding rounding = npy_rounding::none) const {
    npy_array<T> array;
    open(name, [&](auto& file) { array = decode_npy<T>(file, rounding); });
    return array;
  }

  /// Calls use(reader) with a reader of the .npy file called `name`: a
  /// byte_reader or a deflated_reader, of which everything must be read.
  template <class Use>
  void open(std::string_view name, const Use& use) const {
    const entry* found = find(name);
    if (!found) {
      std::string known;
      for (const auto& each : entries_) {
        known += (known.empty() ? "" : ", ") + each.name;
      }
      throw argument_error(text(path_, ": no array is called '", name, "'; it has ", known));
    }
    const auto packed = all().subspan(found->begin, found->packed_size);
    if (found->method == 0) {
      byte_reader file(path_ + "/" + found->name + ".npy", packed);
      if (crc32_z(crc32_z(0, nullptr, 0), packed.data(), packed.size()) != found->crc) {
        file.fail(0, "the checksum is not the one in the directory: the file is damaged");
      }
      use(file);
    } else {
      deflated_reader file(path_ + "/" + found->name + ".npy", packed, found->size);
      use(file);
      file.finish(found->crc);
    }
  }

private:
  struct entry {
    std::string name;  ///< without .npy
    std::uint16_t method = 0;
    std::uint32_t crc = 0;
    std::uint32_t packed_size = 0;
    std::uint32_t size = 0;
    std::uint32_t header = 0;  ///< offset of the local header
    std::size_t begin = 0;     ///< offset of the content
  };

  std::span<const std::uint8_t> all() const noexcept {
    return file_ ? file_->bytes() : std::span<const std::uint8_t>(bytes_);
  }

  const entry* find(std::string_view name) const noexcept {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  /// Position of the record that ends the archive: the last one whose comment
  /// reaches exactly to the end of the file.
  std::size_t find_end_record(const byte_reader& file) const {
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

  void read_directory() {
    byte_reader file(path_, all());
    const std::size_t end = find_end_record(file);
    file.seek(end + 4, "the end record");
    const auto disk = file.number<std::uint32_t>("disk numbers");
    const auto here = file.number<std::uint16_t>("a number of entries");
    const auto count = file.number<std::uint16_t>("a number of entries");
    const auto size = file.number<std::uint32_t>("a directory's size");
    const auto begin = file.number<std::uint32_t>("a directory's offset");
    if (count == 0xFFFF || size == 0xFFFFFFFF || begin == 0xFFFFFFFF) {
      file.fail(end, "this is a zip64 archive, which is not supported; save fewer or smaller arrays in one file");
    }
    if (disk != 0 || here != count || std::uint64_t{begin} + size != end) {
      file.fail(end, "expected one directory that ends where the end record begins");
    }
    file.seek(begin, "the directory");
    for (std::uint16_t i = 0; i < count; ++i) {
      entries_.push_back(read_entry(file));
    }
    if (file.position() != end) {
      file.fail(file.position(), text("expected the directory to end at byte ", end));
    }
    check_places(file, begin);
  }

  /// Finds the content of each entry. Entries that overlap would unpack the same
  /// bytes again and again: a small archive could pretend to be a huge one.
  void check_places(byte_reader& file, std::size_t directory) {
    std::vector<const entry*> order;
    for (auto& each : entries_) {
      each.begin = find_content(file, each);
      order.push_back(&each);
    }
    std::sort(order.begin(), order.end(), [](const entry* a, const entry* b) { return a->header < b->header; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t end = i + 1 < order.size() ? order[i + 1]->header : directory;
      if (order[i]->begin + order[i]->packed_size > end) {
        file.fail(order[i]->header, text("expected '", order[i]->name, "' to end before byte ", end,
                                         ", where something else begins: entries overlap"));
      }
    }
  }

  /// Where the content of an entry begins. The local header's sizes are not
  /// looked at: NumPy leaves them to an extra field.
  static std::size_t find_content(byte_reader& file, const entry& e) {
    file.seek(e.header, "a local header");
    if (file.number<std::uint32_t>("a local header") != 0x04034b50) {
      file.fail(e.header, "expected a local header (PK 03 04)");
    }
    file.take(22, "a local header");
    const auto name_length = file.number<std::uint16_t>("a length");
    const auto extra_length = file.number<std::uint16_t>("a length");
    if (file.characters(name_length, "a name") != e.name + ".npy") {
      file.fail(e.header, "expected the name that the directory gives, '" + e.name + ".npy'");
    }
    file.take(extra_length, "extra fields");
    const std::size_t begin = file.position();
    file.take(e.packed_size, "the packed content");
    return begin;
  }

  entry read_entry(byte_reader& file) const {
    const std::size_t at = file.position();
    if (file.number<std::uint32_t>("a directory entry") != 0x02014b50) {
      file.fail(at, "expected a directory entry (PK 01 02)");
    }
    file.take(4, "versions");
    const auto flags = file.number<std::uint16_t>("flags");
    entry result;
    result.method = file.number<std::uint16_t>("a method");
    file.take(4, "a time");
    result.crc = file.number<std::uint32_t>("a checksum");
    result.packed_size = file.number<std::uint32_t>("a size");
    result.size = file.number<std::uint32_t>("a size");
    const auto name_length = file.number<std::uint16_t>("a length");
    const auto extra_length = file.number<std::uint16_t>("a length");
    const auto comment_length = file.number<std::uint16_t>("a length");
    file.take(8, "attributes");
    result.header = file.number<std::uint32_t>("an offset");
    const std::string_view name = file.characters(name_length, "a name");
    file.take(std::size_t{extra_length} + comment_length, "extra fields");

    if (result.packed_size == 0xFFFFFFFF || result.size == 0xFFFFFFFF || result.header == 0xFFFFFFFF) {
      file.fail(at, "this array needs zip64, which is not supported");
    }
    if ((flags & 1) != 0 || (result.method != 0 && result.method != 8)) {
      file.fail(at, text("expected an entry that is stored or deflated and not encrypted, got method ", result.method));
    }
    if (!name.ends_with(".npy") || find(name.substr(0, name.size() - 4))) {
      file.fail(at, "expected an entry with a name of its own that ends with .npy");
    }
    // Deflate packs at most 1032 to 1: a larger promise is a lie, told before anything is allocated.
    const std::uint64_t possible = result.method == 0 ? result.packed_size : std::uint64_t{result.packed_size} * 1032;
    if (result.size > possible || (result.method == 0 && result.size != result.packed_size)) {
      file.fail(at, text(result.packed_size, " packed bytes can't hold ", result.size));
    }
    const gzip_limits limits;
    if (result.size > limits.always && result.size / limits.ratio > result.packed_size) {
      file.fail(at, text("expected at most ", limits.ratio, " unpacked bytes for each packed one, got ", result.size,
                         " from ", result.packed_size, "; if the file is meant to be so, save it without packing"));
    }
    result.name = name.substr(0, name.size() - 4);
    return result;
  }

  std::string path_;
  std::optional<mapped_file> file_;
  std::vector<std::uint8_t> bytes_;  // without a file
  std::vector<entry> entries_;
};

}  // namespace graphpatcher
