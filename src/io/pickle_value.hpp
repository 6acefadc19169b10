// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// What a value of a pickle is.
enum class pickle_kind : std::uint8_t { none, boolean, integer, bytes, global, tuple, list, dict, dtype, array, csr };

constexpr const char* name_of(pickle_kind kind) noexcept {
  constexpr const char* names[] = {
      "None",   "a bool", "an integer",    "a string",      "a class or function", "a tuple",
      "a list", "a dict", "a NumPy dtype", "a NumPy array", "a SciPy CSR matrix"};
  return names[static_cast<std::size_t>(kind)];
}

/// The only classes and functions a pickle may name. They are names to compare
/// with: nothing behind them exists here, and nothing is ever called.
enum class pickle_global : std::uint8_t { csr_matrix, reconstruct, ndarray, dtype, defaultdict, list };

/// One value, by value: 24 bytes, whatever it stands for.
///
///   kind      offset                     number
///   integer   of the opcode              the integer (boolean: 0 or 1)
///   bytes     of the first character     how many
///   global    of the opcode              a pickle_global
///   compound  of the opcode              index of its node in the document
struct pickle_value {
  pickle_kind kind = pickle_kind::none;
  std::uint64_t offset = 0;
  std::int64_t number = 0;
};

/// What a compound value holds. tuple, list: the items. dict: key, value, key,
/// value ... dtype: its code and, once built, its state. array, csr: nothing
/// yet, then its state.
///
/// Nodes name each other by index, so that a pickle may share values or even
/// put a list into itself: there is no recursion anywhere, neither in reading
/// nor in freeing, and an item is stored once for the opcode that made it, so
/// that memory is at most proportional to the file.
using pickle_node = std::vector<pickle_value>;

/// A decoded pickle. Strings stay where they are in the file's bytes.
class pickle_document {
public:
  pickle_document(std::string path, std::vector<std::uint8_t> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  const std::string& path() const noexcept { return path_; }
  std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  const pickle_value& root() const noexcept { return root_; }
  void set_root(const pickle_value& root) noexcept { root_ = root; }

  /// Adds a compound value.
  pickle_value add(pickle_kind kind, std::uint64_t offset, pickle_node items = {}) {
    nodes_.push_back(std::move(items));
    return {kind, offset, static_cast<std::int64_t>(nodes_.size() - 1)};
  }
  pickle_node& edit(const pickle_value& compound) { return nodes_[static_cast<std::size_t>(compound.number)]; }

  /// Items of a compound value of the given kind; `what` is its role.
  const pickle_node& items(const pickle_value& value, pickle_kind kind, const char* what) const {
    expect_kind(value, kind, what);
    return nodes_[static_cast<std::size_t>(value.number)];
  }

  std::int64_t integer(const pickle_value& value, const char* what) const {
    expect_kind(value, pickle_kind::integer, what);
    return value.number;
  }

  /// An integer that must be at least 0: a count or an id.
  std::size_t count(const pickle_value& value, const char* what) const {
    if (integer(value, what) < 0) {
      fail(value.offset, text("expected ", what, " of at least 0, got ", value.number));
    }
    return static_cast<std::size_t>(value.number);
  }

  /// The first byte of a string; there are `value.number` of them.
  const std::uint8_t* data(const pickle_value& value, const char* what) const {
    expect_kind(value, pickle_kind::bytes, what);
    return bytes_.data() + value.offset;
  }

  std::string_view string(const pickle_value& value, const char* what) const {
    return {reinterpret_cast<const char*>(data(value, what)), static_cast<std::size_t>(value.number)};
  }

  void expect_kind(const pickle_value& value, pickle_kind kind, const char* what) const {
    if (value.kind != kind) {
      fail(value.offset, text("expected ", what, " to be ", name_of(kind), ", got ", name_of(value.kind)));
    }
  }

  [[noreturn]] void fail(std::uint64_t offset, const std::string& what) const {
    throw format_error(path_, offset, what);
  }

private:
  std::string path_;
  std::vector<std::uint8_t> bytes_;
  std::vector<pickle_node> nodes_;
  pickle_value root_;
};

}  // namespace graphpatcher
