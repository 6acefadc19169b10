// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
#include "io/byte_reader.hpp"

namespace graphpatcher {

/// What byte_reader is for bytes at hand, for bytes that are deflated: unpacks
/// what is asked for and holds no more of it. The size of the whole is known
/// (from the directory of a zip archive) and never exceeded; finish() checks
/// that it was reached, and the checksum.
class deflated_reader : public typed_reads<deflated_reader> {
public:
  /// `path` is for messages; `packed` must outlive this.
  deflated_reader(std::string path, std::span<const std::uint8_t> packed, std::uint64_t size)
      : path_(std::move(path)), packed_(packed), size_(size) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      throw error("zlib could not be started");
    }
  }
  deflated_reader(const deflated_reader&) = delete;
  deflated_reader& operator=(const deflated_reader&) = delete;
  ~deflated_reader() { inflateEnd(&stream_); }

  const std::string& path() const noexcept { return path_; }
  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t remaining() const noexcept { return size_ - position_; }

  /// The next `count` bytes, until the next call.
  std::span<const std::uint8_t> take(std::uint64_t count, const char* what) {
    if (count > remaining()) {
      fail(position_, text("expected ", what, " (", count, " bytes), got the end of the data after ", remaining()));
    }
    block_.resize(static_cast<std::size_t>(count));
    if (count > 0) {  // without an address, zlib begins a checksum anew
      unpack(block_);
      checksum_ = crc32_z(checksum_, block_.data(), block_.size());
      position_ += count;
    }
    return block_;
  }

  /// Throws unless everything was taken, nothing follows, and the checksum of
  /// all bytes is the given one.
  void finish(std::uint32_t checksum) {
    std::uint8_t more = 0;
    const std::size_t left = ended_ ? 0 : inflate_into({&more, 1});  // the mark of the end may come after the last byte
    if (remaining() != 0 || left != 0 || !ended_ || used_ != packed_.size()) {
      fail(position_, text("expected deflated content of ", size_, " bytes, got something else: the file is damaged"));
    }
    if (checksum_ != checksum) {
      fail(0, "the checksum is not the one in the directory: the file is damaged");
    }
  }

  [[noreturn]] void fail(std::uint64_t position, const std::string& what) const {
    throw format_error(path_, position, what);
  }

private:
  void unpack(std::span<std::uint8_t> out) {
    while (!out.empty()) {
      const std::size_t got = ended_ ? 0 : inflate_into(out);
      if (got == 0) {
        fail(position_, text("expected deflated content of ", size_, " bytes, got less: the file is damaged"));
      }
      out = out.subspan(got);
    }
  }

  /// Unpacks once into `out`, which is not empty; returns how many bytes came.
  std::size_t inflate_into(std::span<std::uint8_t> out) {
    constexpr std::size_t step = std::size_t{1} << 30;  // zlib counts with 32 bits
    const auto given = static_cast<uInt>(std::min(step, packed_.size() - used_));
    const auto room = static_cast<uInt>(std::min(step, out.size()));
    stream_.next_in = const_cast<Bytef*>(packed_.data() + used_);
    stream_.avail_in = given;
    stream_.next_out = out.data();
    stream_.avail_out = room;
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    used_ += given - stream_.avail_in;
    ended_ = outcome == Z_STREAM_END;
    if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) {
      fail(position_, text("expected deflated content of ", size_, " bytes, got something else (",
                           stream_.msg != nullptr ? stream_.msg : "no reason given", "): the file is damaged"));
    }
    return room - stream_.avail_out;
  }

  std::string path_;
  std::span<const std::uint8_t> packed_;
  std::uint64_t size_;
  z_stream stream_{};
  std::size_t used_ = 0;  // packed bytes
  std::uint64_t position_ = 0;
  bool ended_ = false;
  uLong checksum_ = 0;
  std::vector<std::uint8_t> block_;
};

}  // namespace graphpatcher
