// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npz_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <zlib.h>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "io/byte_reader.hpp"
#include "io/instantiate.hpp"

namespace graphpatcher {

namespace {

constexpr std::uint64_t limit = 0xFFFF'FFFF;

template <class T>
constexpr std::string_view npy_descr() {
  if constexpr (std::is_same_v<T, bool>) {
    return "|b1";
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return "|u1";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "<f4" : "<f8";
  } else if constexpr (std::is_same_v<T, float16>) {
    return "<f2";
  } else {
    return sizeof(T) == 4 ? "<i4" : "<i8";
  }
}

/// The bytes of a number in little-endian order, which is the machine's own (byte_reader.hpp).
template <class N>
void append_little(std::string& out, std::type_identity_t<N> number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(N));
}

/// One raw deflate stream.
std::string deflated(const std::string& content) {
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

}  // namespace

template <npy_element T>
std::string npy_bytes(std::span<const std::size_t> shape, std::type_identity_t<std::span<const T>> values) {
  std::string axes;
  std::size_t count = 1;
  for (const std::size_t& extent : shape) {
    axes += std::to_string(extent) + (shape.size() == 1 ? "," : &extent == &shape.back() ? "" : ", ");
    count *= extent;
  }
  expects<shape_error>(count == values.size(), "npy: expected ", count, " values for the shape (", axes, "), got ",
                       values.size());
  std::string header = text("{'descr': '", npy_descr<T>(), "', 'fortran_order': False, 'shape': (", axes, "), }");
  const std::size_t start = 10;  // magic, version, length
  header.resize((start + header.size() + 1 + 63) / 64 * 64 - start - 1, ' ');
  header += '\n';
  expects(header.size() <= 0xFFFF, "npy: expected a shape with fewer axes, got ", shape.size());

  std::string out("\x93NUMPY\x01\x00", 8);
  out.reserve(start + header.size() + values.size_bytes());
  append_little<std::uint16_t>(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return out;
}

#define GP_INSTANTIATE(T) template std::string npy_bytes<T>(std::span<const std::size_t>, std::span<const T>);
GP_FOR_NPY_TYPES(GP_INSTANTIATE)
GP_INSTANTIATE(bool)
GP_INSTANTIATE(float16)

std::string npz_writer::bytes() const {
  std::string out = local_ + directory_;
  expects<overflow_error>(out.size() < limit && names_.size() < 0xFFFF,
                          "npz: expected less than 4 GB in fewer than 65535 arrays; write several files");
  out.append("PK\x05\x06\0\0\0\0", 8);
  append_little<std::uint16_t>(out, static_cast<std::uint16_t>(names_.size()));
  append_little<std::uint16_t>(out, static_cast<std::uint16_t>(names_.size()));
  append_little<std::uint32_t>(out, static_cast<std::uint32_t>(directory_.size()));
  append_little<std::uint32_t>(out, static_cast<std::uint32_t>(local_.size()));
  append_little<std::uint16_t>(out, 0);
  return out;
}

void npz_writer::write(const std::filesystem::path& path) const {
  write_file_atomically(path, bytes());
}

void npz_writer::expect_new(const std::string& name) const {
  expects(!name.empty() && name.size() < 0xFFF0, "npz: expected a name, got one of ", name.size(), " characters");
  expects(!names_.contains(name), "npz: expected every name once, got '", name, "' again");
}

void npz_writer::append(const std::string& array, const std::string& content) {
  const std::string name = array + ".npy";
  expects<overflow_error>(std::uint64_t{content.size()} + local_.size() < limit, "npz: '", name,
                          "' makes the archive larger than 4 GB, which needs zip64; write several files");
  const std::string packed = packing_ == npz_packing::deflated ? deflated(content) : std::string();
  const std::string& kept = packing_ == npz_packing::deflated ? packed : content;
  const auto* data = reinterpret_cast<const Bytef*>(content.data());
  const auto checksum = static_cast<std::uint32_t>(crc32_z(0, data, content.size()));

  std::string facts;  // what both headers say
  append_little<std::uint16_t>(facts, 20);
  append_little<std::uint16_t>(facts, 0);
  append_little<std::uint16_t>(facts, packing_ == npz_packing::deflated ? 8 : 0);
  append_little<std::uint32_t>(facts, 0x00210000);  // 1 January 1980, 0:00
  append_little<std::uint32_t>(facts, checksum);
  append_little<std::uint32_t>(facts, static_cast<std::uint32_t>(kept.size()));
  append_little<std::uint32_t>(facts, static_cast<std::uint32_t>(content.size()));
  append_little<std::uint16_t>(facts, static_cast<std::uint16_t>(name.size()));

  directory_ += "PK\x01\x02";
  append_little<std::uint16_t>(directory_, 20);
  directory_ += facts;
  directory_.append(12, '\0');
  append_little<std::uint32_t>(directory_, static_cast<std::uint32_t>(local_.size()));
  directory_ += name;

  local_ += "PK\x03\x04" + facts;
  local_.append(2, '\0');
  local_ += name + kept;
  names_.insert(array);
}

}  // namespace graphpatcher
