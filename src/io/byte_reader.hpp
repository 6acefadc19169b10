// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

static_assert(std::endian::native == std::endian::little, "the file readers are written for little-endian machines");

/// A number stored in little-endian order at `bytes`, which needs no alignment.
template <class N>
N load_little(const std::uint8_t* bytes) noexcept {
  N number;
  std::memcpy(&number, bytes, sizeof(N));
  return number;
}

/// What every reader of bytes makes of take(count, what): `Reader` derives from this.
template <class Reader>
class typed_reads {
public:
  /// The next number, little-endian.
  template <class N>
  N number(const char* what) {
    return load_little<N>(self().take(sizeof(N), what).data());
  }

  /// The next bytes as characters.
  std::string_view characters(std::uint64_t count, const char* what) {
    const auto taken = self().take(count, what);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

private:
  friend Reader;
  typed_reads() = default;
  Reader& self() noexcept { return static_cast<Reader&>(*this); }
};

/// A cursor over the bytes of a file that never reads past their end: what is
/// missing becomes a format_error with the file's name and the offset.
///
/// `origin` is added to offsets in messages, for a reader of a part of a file.
class byte_reader : public typed_reads<byte_reader> {
public:
  byte_reader(std::string path, std::span<const std::uint8_t> bytes, std::uint64_t origin = 0)
      : path_(std::move(path)), bytes_(bytes), origin_(origin) {}

  const std::string& path() const noexcept { return path_; }
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::size_t position() const noexcept { return position_; }
  std::size_t remaining() const noexcept { return bytes_.size() - position_; }

  void seek(std::uint64_t position, const char* what) {
    if (position > bytes_.size()) {
      fail(position_, text("expected ", what, " at byte ", position, ", but there are only ", bytes_.size(), " bytes"));
    }
    position_ = static_cast<std::size_t>(position);
  }

  /// The next `count` bytes, without a copy.
  std::span<const std::uint8_t> take(std::uint64_t count, const char* what) {
    if (count > remaining()) {
      fail(position_, text("expected ", what, " (", count, " bytes), got the end of the data after ", remaining()));
    }
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }

  /// Characters up to the next newline, which is taken but not returned. Looks
  /// no further than `limit` characters.
  std::string_view line(std::size_t limit, const char* what) {
    const auto rest = bytes_.subspan(position_, std::min(remaining(), limit));
    for (std::size_t length = 0; length < rest.size(); ++length) {
      if (rest[length] == '\n') {
        position_ += length + 1;
        return {reinterpret_cast<const char*>(rest.data()), length};
      }
    }
    fail(position_, text("expected ", what, " that ends with a newline, got none within ", rest.size(), " bytes"));
  }

  /// Throws a format_error about the byte at `position`.
  [[noreturn]] void fail(std::uint64_t position, const std::string& what) const {
    throw format_error(path_, origin_ + position, what);
  }

private:
  std::string path_;
  std::span<const std::uint8_t> bytes_;
  std::uint64_t origin_ = 0;
  std::size_t position_ = 0;
};

}  // namespace graphpatcher
