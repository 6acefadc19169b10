// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace gp_fuzz {

/// The bytes of a number, little-endian.
template <class N>
std::string little(N number) {
  std::string out(sizeof(N), '\0');
  std::memcpy(out.data(), &number, sizeof(N));
  return out;
}

/// Bytes of a string literal that may hold zeros.
template <std::size_t Size>
std::string raw(const char (&literal)[Size]) {
  return std::string(literal, Size - 1);
}

/// The text with one part of it replaced, which must be there.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error("corpus: expected '" + std::string(from) + "' in the text to be changed");
  }
  return text.replace(at, from.size(), to);
}

/// Packed by zlib: `window` is -15 for bare deflate, as zip has it, and 31 for gzip.
inline std::string packed(const std::string& content, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib could not be started");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return done ? out : throw std::runtime_error("zlib could not pack");
}
inline std::string gzipped(const std::string& content) {
  return packed(content, 31);
}

/// An .npy file of version 1.0 with this header and these bytes after it.
inline std::string npy_file(const std::string& header, const std::string& values) {
  return raw("\x93NUMPY\x01\0") + little(static_cast<std::uint16_t>(header.size())) + header + values;
}
/// `type`: '<f4' and so on; `shape`: what stands between the parentheses.
inline std::string npy_file(const std::string& type, const std::string& shape, const std::string& values) {
  return npy_file("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n", values);
}

/// An entry of a zip archive, as honest or not as its fields.
struct zip_entry {
  std::string name;
  std::string content;  ///< as it stands in the archive
  std::uint32_t size;   ///< unpacked
  std::uint32_t crc;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t packed_size = 0;
  std::int64_t header = -1;  ///< offset that the directory gives; -1 = the true one
  std::string extra{};       ///< field of the directory
};

inline zip_entry stored_entry(const std::string& name, const std::string& content) {
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  const auto size = static_cast<std::uint32_t>(content.size());
  return {name, content, size, crc, 0, 0, size};
}
inline zip_entry deflated_entry(const std::string& name, const std::string& content) {
  zip_entry entry = stored_entry(name, content);
  entry.content = packed(content, -15);
  entry.packed_size = static_cast<std::uint32_t>(entry.content.size());
  entry.method = 8;
  return entry;
}

/// A zip archive with these entries.
inline std::string zip(const std::vector<zip_entry>& entries) {
  std::string local;
  std::string directory;
  for (const auto& e : entries) {
    const auto facts = little<std::uint16_t>(20) + little(e.flags) + little(e.method) + little<std::uint32_t>(0) +
                       little(e.crc) + little(e.packed_size) + little(e.size) +
                       little(static_cast<std::uint16_t>(e.name.size()));
    const auto offset = e.header < 0 ? static_cast<std::uint32_t>(local.size()) : static_cast<std::uint32_t>(e.header);
    directory += "PK\x01\x02" + little<std::uint16_t>(20) + facts + little(static_cast<std::uint16_t>(e.extra.size())) +
                 std::string(10, '\0') + little(offset) + e.name + e.extra;
    local += "PK\x03\x04" + facts + little<std::uint16_t>(0) + e.name + e.content;
  }
  const auto count = little(static_cast<std::uint16_t>(entries.size()));
  return local + directory + raw("PK\x05\x06\0\0\0\0") + count + count +
         little(static_cast<std::uint32_t>(directory.size())) + little(static_cast<std::uint32_t>(local.size())) +
         raw("\0\0");
}

/// The same archive, but for the places and counts of its directory in the records of zip64. `shift` is added to where
/// these are said to be.
inline std::string zip64(const std::string& archive, std::int64_t shift = 0) {
  const std::size_t end = archive.size() - 22;
  const auto number = [&](std::size_t place, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, archive.data() + end + place, size);
    return little(value);
  };
  const auto count = number(10, 2);
  return archive.substr(0, end) + "PK\x06\x06" + little<std::uint64_t>(44) + little<std::uint32_t>(0x002d002d) +
         std::string(8, '\0') + count + count + number(12, 4) + number(16, 4) + "PK\x06\x07" +
         little<std::uint32_t>(0) + little(static_cast<std::uint64_t>(end) + static_cast<std::uint64_t>(shift)) +
         little<std::uint32_t>(1) + raw("PK\x05\x06\0\0\0\0") + std::string(12, '\xff') + raw("\0\0");
}

}  // namespace gp_fuzz
