// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/progress.hpp"
#include "io/byte_reader.hpp"
#include "io/deflated_reader.hpp"
#include "io/gzip_stream.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_values.hpp"
#include "io/shown_reader.hpp"
#include "io/zip_directory.hpp"

namespace graphpatcher {

/// What is behind npz_archive, and a reader of one of its files where values need
/// not be in memory together.
class npz_file {
public:
  explicit npz_file(const std::filesystem::path& path, const progress_options& display = {})
      : path_(path.string()), file_(path), display_(display) {
    read_directory();
  }

  /// From bytes; `path` is for messages.
  npz_file(std::string path, std::vector<std::uint8_t> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {
    read_directory();
  }

  const std::string& path() const noexcept { return path_; }

  /// Names of the arrays, in the order of the archive.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& each : entries_) {
      list.emplace_back(array_name(each));
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

  /// Calls use(reader) with a reader of the .npy file called `name`, of which
  /// everything must be read: a shown_reader.
  template <class Use>
  void open(std::string_view name, const Use& use) const {
    const zip_entry* found = find(name);
    if (!found) {
      std::string known;
      for (const auto& each : entries_) {
        known += (known.empty() ? "" : ", ") + std::string(array_name(each));
      }
      throw argument_error(text(path_, ": no array is called '", name, "'; it has ", known));
    }
    const auto packed =
        all().subspan(static_cast<std::size_t>(found->begin), static_cast<std::size_t>(found->packed_size));
    if (found->method == 0) {
      byte_reader file(path_ + "/" + found->name, packed);
      if (crc32_z(crc32_z(0, nullptr, 0), packed.data(), packed.size()) != found->crc) {
        file.fail(0, "the checksum is not the one in the directory: the file is damaged");
      }
      shown_reader shown(file, display_);
      use(shown);
    } else {
      deflated_reader file(path_ + "/" + found->name, packed, found->size);
      shown_reader shown(file, display_);
      use(shown);
      file.finish(found->crc);
    }
  }

private:
  std::span<const std::uint8_t> all() const noexcept {
    return file_ ? file_->bytes() : std::span<const std::uint8_t>(bytes_);
  }

  const zip_entry* find(std::string_view name) const noexcept {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &entries_[found->second];
  }
  /// Without .npy.
  static std::string_view array_name(const zip_entry& entry) noexcept {
    return std::string_view(entry.name).substr(0, entry.name.size() - suffix.size());
  }

  void read_directory() {
    byte_reader file(path_, all());
    entries_ = read_zip_directory(file, [&](const zip_entry& each) {
      if (!each.name.ends_with(suffix) || !by_name_.emplace(array_name(each), by_name_.size()).second) {
        file.fail(each.place, "expected an entry with a name of its own that ends with .npy");
      }
      check_size(file, each);
    });
  }

  /// Deflate packs at most 1032 to 1: a larger promise is a lie, told before anything is allocated.
  static void check_size(const byte_reader& file, const zip_entry& each) {
    const std::uint64_t ratio = each.method == 0 ? 1 : 1032;
    const std::uint64_t needed = each.size / ratio + (each.size % ratio != 0 ? 1 : 0);
    if (needed > each.packed_size || (each.method == 0 && each.size != each.packed_size)) {
      file.fail(each.place, text(each.packed_size, " packed bytes can't hold ", each.size));
    }
    const gzip_limits limits;
    if (each.size > limits.always && each.size / limits.ratio > each.packed_size) {
      file.fail(each.place,
                text("expected at most ", limits.ratio, " unpacked bytes for each packed one, got ", each.size,
                     " from ", each.packed_size, "; if the file is meant to be so, save it without packing"));
    }
  }

  static constexpr std::string_view suffix = ".npy";
  std::string path_;
  std::optional<mapped_file> file_;
  std::vector<std::uint8_t> bytes_;  // without a file
  std::vector<zip_entry> entries_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // of the entries
  progress_options display_;
};

}  // namespace graphpatcher
