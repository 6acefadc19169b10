// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlib.h>

#include "graphpatcher/core/atomic_file.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/npy.hpp"

namespace graphpatcher {

namespace detail {

template <class T>
constexpr std::string_view npy_descr() {
  if constexpr (std::is_same_v<T, bool>) {
    return "|b1";
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return "|u1";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "<f4" : "<f8";
  } else {
    return sizeof(T) == 4 ? "<i4" : "<i8";
  }
}

/// The bytes of a number in little-endian order, which is the machine's own (byte_reader.hpp).
template <class N>
void append_little(std::string& out, std::type_identity_t<N> number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(N));
}

}  // namespace detail

/// The content of an .npy file (version 1.0, C order). T: float, double,
/// int32, int64, uint8, or bool for masks.
template <class T>
std::string npy_bytes(std::span<const std::size_t> shape, std::span<const T> values) {
  static_assert(npy_scalar<T> || std::is_same_v<T, bool>, "npy: float, double, int32, int64, uint8 or bool");
  std::string axes;
  std::size_t count = 1;
  for (const std::size_t& extent : shape) {
    axes += std::to_string(extent) + (shape.size() == 1 ? "," : &extent == &shape.back() ? "" : ", ");
    count *= extent;
  }
  expects<shape_error>(count == values.size(), "npy: expected ", count, " values for the shape (", axes, "), got ",
                       values.size());
  std::string header =
      text("{'descr': '", detail::npy_descr<T>(), "', 'fortran_order': False, 'shape': (", axes, "), }");
  const std::size_t start = 10;  // magic, version, length
  header.resize((start + header.size() + 1 + 63) / 64 * 64 - start - 1, ' ');
  header += '\n';
  expects(header.size() <= 0xFFFF, "npy: expected a shape with fewer axes, got ", shape.size());

  std::string out("\x93NUMPY\x01\x00", 8);
  out.reserve(start + header.size() + values.size_bytes());
  detail::append_little<std::uint16_t>(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return out;
}

/// How the arrays of an .npz file are kept.
enum class npz_packing {
  stored,    ///< as they are, like numpy.savez
  deflated,  ///< packed by zlib, like numpy.savez_compressed
};

/// Makes an .npz file: a zip archive with one .npy file an array. The same
/// arrays give the same bytes. Up to 4 GB.
class npz_writer {
public:
  explicit npz_writer(npz_packing packing = npz_packing::stored) : packing_(packing) {}

  template <class T>
  npz_writer& add(const std::string& name, std::span<const std::size_t> shape, std::span<const T> values) {
    expects(!name.empty() && name.size() < 0xFFF0, "npz: expected a name, got one of ", name.size(), " characters");
    expects(std::find(names_.begin(), names_.end(), name) == names_.end(), "npz: expected every name once, got '", name,
            "' again");
    names_.push_back(name);
    append(name + ".npy", npy_bytes<T>(shape, values));
    return *this;
  }
  /// One axis.
  template <class T>
  npz_writer& add(const std::string& name, std::span<const T> values) {
    const std::size_t shape[] = {values.size()};
    return add<T>(name, shape, values);
  }

  /// The whole archive.
  std::string bytes() const {
    std::string out = local_ + directory_;
    expects<overflow_error>(out.size() < limit && names_.size() < 0xFFFF,
                            "npz: expected less than 4 GB in fewer than 65535 arrays; write several files");
    out.append("PK\x05\x06\0\0\0\0", 8);
    detail::append_little<std::uint16_t>(out, static_cast<std::uint16_t>(names_.size()));
    detail::append_little<std::uint16_t>(out, static_cast<std::uint16_t>(names_.size()));
    detail::append_little<std::uint32_t>(out, static_cast<std::uint32_t>(directory_.size()));
    detail::append_little<std::uint32_t>(out, static_cast<std::uint32_t>(local_.size()));
    detail::append_little<std::uint16_t>(out, 0);
    return out;
  }

  /// Writes the file as a whole or not at all; throws file_error.
  void write(const std::filesystem::path& path) const { write_file_atomically(path, bytes()); }

private:
  static constexpr std::uint64_t limit = 0xFFFF'FFFF;

  void append(const std::string& name, const std::string& content) {
    expects<overflow_error>(std::uint64_t{content.size()} + local_.size() < limit, "npz: '", name,
                            "' makes the archive larger than 4 GB, which needs zip64; write several files");
    const std::string packed = packing_ == npz_packing::deflated ? deflated(content) : std::string();
    const std::string& kept = packing_ == npz_packing::deflated ? packed : content;
    const auto* data = reinterpret_cast<const Bytef*>(content.data());
    const auto checksum = static_cast<std::uint32_t>(crc32_z(0, data, content.size()));

    std::string facts;  // what both headers say
    detail::append_little<std::uint16_t>(facts, 20);
    detail::append_little<std::uint16_t>(facts, 0);
    detail::append_little<std::uint16_t>(facts, packing_ == npz_packing::deflated ? 8 : 0);
    detail::append_little<std::uint32_t>(facts, 0x00210000);  // 1 January 1980, 0:00
    detail::append_little<std::uint32_t>(facts, checksum);
    detail::append_little<std::uint32_t>(facts, static_cast<std::uint32_t>(kept.size()));
    detail::append_little<std::uint32_t>(facts, static_cast<std::uint32_t>(content.size()));
    detail::append_little<std::uint16_t>(facts, static_cast<std::uint16_t>(name.size()));

    directory_ += "PK\x01\x02";
    detail::append_little<std::uint16_t>(directory_, 20);
    directory_ += facts;
    directory_.append(12, '\0');
    detail::append_little<std::uint32_t>(directory_, static_cast<std::uint32_t>(local_.size()));
    directory_ += name;

    local_ += "PK\x03\x04" + facts;
    local_.append(2, '\0');
    local_ += name + kept;
  }

  /// One raw deflate stream.
  static std::string deflated(const std::string& content) {
    z_stream stream{};
    expects<error>(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                   "zlib could not be started");
    struct ending {
      z_stream* stream;
      ~ending() { deflateEnd(stream); }
    } const end{&stream};
    std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    expects<error>(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib could not pack ", content.size(), " bytes");
    packed.resize(stream.total_out);
    return packed;
  }

  npz_packing packing_;
  std::vector<std::string> names_;
  std::string local_;
  std::string directory_;
};

}  // namespace graphpatcher
