// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// A part of an unpacked text.
struct unpacked_lines {
  std::string text;
  std::size_t end = 0;  ///< of the last whole line; what follows belongs to the next part
  bool more = true;     ///< there is a next part
};

/// Unpacks a gzip file piece by piece, in memory that doesn't depend on its
/// size. Checksums and lengths are checked at the end of each member; a file
/// may have several, one after the other, as gzip allows, and zeros at its end.
class gzip_stream {
public:
  gzip_stream(std::string path, std::span<const std::uint8_t> packed, gzip_limits limits = {})
      : path_(std::move(path)), packed_(packed), limits_(limits) {
    if (packed_.empty()) {  // before zlib is started: what throws here is not destroyed
      fail("expected a gzip file, got no bytes");
    }
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) {
      throw error("zlib could not be started");
    }
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  ~gzip_stream() { inflateEnd(&stream_); }

  /// Packed bytes used so far.
  std::size_t position() const noexcept { return position_; }

  /// Fills `out` with what comes next and returns how many bytes that were;
  /// less than `out` holds only at the end of the file.
  std::size_t read(std::span<char> out) {
    std::size_t filled = 0;
    while (filled < out.size() && !ended_) {
      constexpr std::size_t step = std::size_t{1} << 30;  // zlib counts with 32 bits
      const auto given = static_cast<uInt>(std::min(step, packed_.size() - position_));
      const auto room = static_cast<uInt>(std::min(step, out.size() - filled));
      stream_.next_in = const_cast<Bytef*>(packed_.data() + position_);
      stream_.avail_in = given;
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
      stream_.avail_out = room;
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      position_ += given - stream_.avail_in;
      filled += room - stream_.avail_out;
      unpacked_ += room - stream_.avail_out;
      check(outcome, given, room);
    }
    return filled;
  }

  /// The next `count` characters of a text, after `cut`, the beginning of a
  /// line. The last line of a text may lack its newline.
  unpacked_lines read_lines(std::string_view cut, std::size_t count) {
    unpacked_lines lines{std::string(cut.size() + count, '\0')};
    cut.copy(lines.text.data(), cut.size());
    const std::size_t got = read({lines.text.data() + cut.size(), count});
    lines.text.resize(cut.size() + got);
    lines.more = got == count;
    lines.end = lines.more ? lines.text.rfind('\n') + 1 : lines.text.size();  // npos + 1 is 0: no line ends here
    return lines;
  }

private:
  void check(int outcome, uInt given, uInt room) {
    if (outcome == Z_STREAM_END) {
      const auto rest = packed_.subspan(position_);
      ended_ = std::all_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte == 0; });
      if (ended_) {
        position_ = packed_.size();  // tapes and tar fill up with zeros, which gzip leaves out too
      } else {
        inflateReset(&stream_);  // another member follows
      }
    } else if (outcome == Z_BUF_ERROR || (outcome == Z_OK && stream_.avail_in == given && stream_.avail_out == room)) {
      fail("expected more packed bytes, got the end of the file: it is truncated");
    } else if (outcome != Z_OK) {
      fail(text("expected gzip data, got something else (", stream_.msg != nullptr ? stream_.msg : "no reason given",
                "): the file is damaged or not a gzip file"));
    }
    if (unpacked_ > limits_.always && (unpacked_ > limits_.most || unpacked_ / limits_.ratio > position_)) {
      fail(text("expected at most ", limits_.ratio, " unpacked bytes for each packed one and ", limits_.most,
                " in all, got ", unpacked_, " from ", position_, "; if the file is meant to be so, unpack it first"));
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw format_error(path_, position_, what); }

  std::string path_;
  std::span<const std::uint8_t> packed_;
  gzip_limits limits_;
  z_stream stream_{};
  std::size_t position_ = 0;
  std::uint64_t unpacked_ = 0;
  bool ended_ = false;
};

}  // namespace graphpatcher
