// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/safetensors.hpp"
#include "io/byte_reader.hpp"

namespace graphpatcher {

/// The longest header that is believed, in bytes: the limit of the format's own library.
inline constexpr std::uint64_t safetensors_header_limit = 100'000'000;

namespace detail {

/// Bytes of a value; 0 for a type that the format doesn't know.
inline std::size_t safetensors_width(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::size_t> widths[] = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},  {"U64", 8},     {"I32", 4},    {"U32", 4},
      {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  const auto* found = std::find_if(std::begin(widths), std::end(widths), [&](auto& w) { return w.first == dtype; });
  return found == std::end(widths) ? 0 : found->second;
}

/// Characters for the JSON parser, which tell how far it has come.
struct counted_characters {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  counted_characters& operator++() {
    *reached = ++at;
    return *this;
  }
  counted_characters operator++(int) {
    const auto before = *this;
    ++*this;
    return before;
  }
  bool operator==(const counted_characters& other) const { return at == other.at; }
  bool operator!=(const counted_characters& other) const { return at != other.at; }
};

/// Takes the events of a JSON parser and lets only this pass, every key once:
///
///   {"__metadata__": {"key": "text", ...},
///    "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
class safetensors_events {
public:
  safetensors_events(const byte_reader& file, const char* begin, std::uint64_t offset)
      : file_(file), begin_(begin), reached_(begin), offset_(offset) {}

  safetensors_header result;

  const char** reached() noexcept { return &reached_; }

  bool start_object(std::size_t) {
    if (where_ == place::before) {
      where_ = place::root;
    } else if (where_ == place::root && name_ == "__metadata__") {
      where_ = place::metadata;
    } else if (where_ == place::root) {
      where_ = place::tensor;
      result.tensors.emplace_back();
      result.tensors.back().name = std::move(name_);
      fields_ = 0;
      offsets_ = 0;
    } else {
      fail("no object at this depth");
    }
    return true;
  }
  bool end_object() {
    if (where_ == place::tensor && fields_ != (has_dtype | has_shape | has_offsets)) {
      fail("dtype, shape and data_offsets of every tensor");
    }
    if (where_ == place::tensor) {
      result.tensors.back().place = position();
    }
    where_ = where_ == place::root ? place::before : place::root;
    return true;
  }
  bool start_array(std::size_t) {
    if (where_ != place::tensor || (key_ != has_shape && key_ != has_offsets)) {
      fail("a list only as shape or data_offsets");
    }
    where_ = key_ == has_shape ? place::shape : place::offsets;
    return true;
  }
  bool end_array() {
    if (where_ == place::offsets && offsets_ != 2) {
      fail("two data_offsets, begin and end");
    }
    where_ = place::tensor;
    return true;
  }
  bool key(std::string& word) {
    if (where_ == place::tensor) {
      key_ = word == "dtype" ? has_dtype : word == "shape" ? has_shape : word == "data_offsets" ? has_offsets : 0u;
      if (key_ == 0 || (fields_ & key_) != 0) {
        fail("dtype, shape and data_offsets, each once, and no other key");
      }
      fields_ |= key_;
      return true;
    }
    auto& known = where_ == place::metadata ? metadata_names_ : tensor_names_;
    if (!known.insert(word).second) {
      fail(text("every name once, got '", shortened(word), "' again"));
    }
    name_ = word;
    return true;
  }
  bool string(std::string& value) {
    if (where_ == place::metadata) {
      result.metadata.emplace(name_, value);
    } else if (where_ == place::tensor && key_ == has_dtype) {
      result.tensors.back().dtype = value;
    } else {
      fail("no text here");
    }
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    auto& tensor = result.tensors;
    if (where_ == place::shape) {
      tensor.back().shape.push_back(value);
      if (tensor.back().shape.size() > most_axes) {
        fail(text("at most ", most_axes, " axes"));
      }
    } else if (where_ == place::offsets && offsets_ < 2) {
      (offsets_++ == 0 ? tensor.back().begin : tensor.back().end) = value;
    } else {
      fail("no number here");
    }
    return true;
  }
  bool number_integer(std::int64_t) { fail("whole numbers from 0"); }
  bool number_float(double, const std::string&) { fail("whole numbers from 0"); }
  bool boolean(bool) { fail("no boolean"); }
  bool null() { fail("no null"); }
  bool binary(nlohmann::json::binary_t&) { fail("text"); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    fail("JSON, got something else");
  }

private:
  enum class place { before, root, metadata, tensor, shape, offsets };
  static constexpr unsigned has_dtype = 1;
  static constexpr unsigned has_shape = 2;
  static constexpr unsigned has_offsets = 4;
  static constexpr std::size_t most_axes = 64;

  std::uint64_t position() const { return offset_ + static_cast<std::uint64_t>(reached_ - begin_); }
  [[noreturn]] void fail(const std::string& expected) const {
    file_.fail(position(), "safetensors header: expected " + expected);
  }

  const byte_reader& file_;
  const char* begin_;
  const char* reached_;
  std::uint64_t offset_;
  place where_ = place::before;
  std::string name_;
  unsigned key_ = 0;
  unsigned fields_ = 0;
  unsigned offsets_ = 0;
  std::set<std::string> tensor_names_;
  std::set<std::string> metadata_names_;
};

/// Counts the values of a tensor and checks that its bytes are just those.
inline void check_extent(const byte_reader& file, safetensors_entry& tensor, std::uint64_t data_size) {
  const std::size_t width = safetensors_width(tensor.dtype);
  const auto who = [&] { return text("tensor '", shortened(tensor.name), "': "); };
  if (width == 0) {
    file.fail(tensor.place, text(who(), "expected a type such as F32 or F64, got '", shortened(tensor.dtype), "'"));
  }
  if (tensor.begin > tensor.end || tensor.end > data_size) {
    file.fail(tensor.place, text(who(), "expected data_offsets within the ", data_size, " bytes of data, got ",
                                 tensor.begin, " to ", tensor.end));
  }
  const std::uint64_t held = (tensor.end - tensor.begin) / width;
  const bool none = std::find(tensor.shape.begin(), tensor.shape.end(), 0u) != tensor.shape.end();
  std::uint64_t count = none ? 0 : 1;
  for (const std::size_t extent : tensor.shape) {
    if (!none && count > held / extent) {
      file.fail(tensor.place, text(who(), "the shape asks for more values than the ", held, " between its offsets"));
    }
    count *= extent;
  }
  if (count * width != tensor.end - tensor.begin) {
    file.fail(tensor.place, text(who(), "expected ", count, " values of ", width, " bytes, got ",
                                 tensor.end - tensor.begin, " bytes"));
  }
  tensor.count = static_cast<std::size_t>(count);
}

}  // namespace detail

/// Reads and checks the header of a safetensors file: the tensors fill the data
/// without a hole, an overlap or a byte left over. Throws format_error.
inline safetensors_header read_safetensors_header(byte_reader file) {
  const auto length = file.number<std::uint64_t>("the length of a safetensors header");
  if (length > safetensors_header_limit) {
    file.fail(0, text("expected a header of at most ", safetensors_header_limit, " bytes, got ", length,
                      "; is this a safetensors file?"));
  }
  const std::size_t offset = file.position();
  const std::string_view json = file.characters(length, "a safetensors header");
  if (!json.starts_with('{')) {
    file.fail(offset, "expected a safetensors header, which begins with {");
  }
  if (const std::size_t zero = json.find('\0'); zero != std::string_view::npos) {  // where the parser would stop
    file.fail(offset + zero, "safetensors header: expected JSON, got a zero byte");
  }
  detail::safetensors_events events(file, json.data(), offset);
  const detail::counted_characters begin{json.data(), events.reached()};
  const detail::counted_characters end{json.data() + json.size(), events.reached()};
  nlohmann::json::sax_parse(begin, end, &events);

  safetensors_header header = std::move(events.result);
  header.data = file.position();
  for (auto& tensor : header.tensors) {
    detail::check_extent(file, tensor, file.remaining());
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const auto& a, const auto& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t filled = 0;
  for (const auto& tensor : header.tensors) {
    if (tensor.begin != filled) {
      file.fail(tensor.place, text("tensor '", detail::shortened(tensor.name), "': expected it to begin at byte ",
                                   filled, " of the data, where the one before ends, got ", tensor.begin));
    }
    filled = tensor.end;
  }
  if (filled != file.remaining()) {
    file.fail(header.data + filled, text("expected the file to end here, got ", file.remaining() - filled,
                                         " bytes that belong to no tensor"));
  }
  return header;
}

}  // namespace graphpatcher
