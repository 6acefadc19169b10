// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/byte_reader.hpp"
#include "io/mapped_file.hpp"
#include "io/pickle_stack.hpp"
#include "io/pickle_value.hpp"

namespace graphpatcher {

/// Reads a pickle as data. A pickle is a program for a stack machine; this one
/// knows the 28 opcodes that the Planetoid files use (Python 2, protocol 2) and
/// the six names of pickle_global. It makes numbers, strings, tuples, lists,
/// dicts, and stand-ins for arrays and matrices; it imports and calls nothing.
/// Any other opcode or name is a format_error.
class pickle_machine {
public:
  explicit pickle_machine(pickle_document& document)
      : document_(document), reader_(document.path(), document.bytes()), stack_(reader_) {}

  void run() {
    if (reader_.number<std::uint8_t>("a pickle") != 0x80 || reader_.number<std::uint8_t>("a protocol") != 2) {
      reader_.fail(0, "expected a pickle of protocol 2 (bytes 80 02)");
    }
    while (step()) {
    }
  }

private:
  /// Does one opcode; false after the last.
  bool step() {
    stack_.begin(reader_.position());
    const auto opcode = reader_.number<std::uint8_t>("an opcode");
    // clang-format off
    switch (opcode) {
      case '.': stop(); return false;
      case '(': stack_.mark(); break;
      case 'N': stack_.push(pickle_kind::none); break;
      case 0x88: stack_.push(pickle_kind::boolean, 1); break;
      case 0x89: stack_.push(pickle_kind::boolean, 0); break;
      case 'J': stack_.push(pickle_kind::integer, reader_.number<std::int32_t>("an integer")); break;
      case 'K': stack_.push(pickle_kind::integer, reader_.number<std::uint8_t>("an integer")); break;
      case 'M': stack_.push(pickle_kind::integer, reader_.number<std::uint16_t>("an integer")); break;
      case 'U': push_string(reader_.number<std::uint8_t>("a string's length")); break;
      case 'T': push_string(reader_.number<std::int32_t>("a string's length")); break;
      case 'c': stack_.push(pickle_kind::global, static_cast<std::int64_t>(read_global())); break;
      case ')': push_new(pickle_kind::tuple); break;
      case 0x85: push_new(pickle_kind::tuple, stack_.pop_many(1)); break;
      case 0x86: push_new(pickle_kind::tuple, stack_.pop_many(2)); break;
      case 0x87: push_new(pickle_kind::tuple, stack_.pop_many(3)); break;
      case 't': push_new(pickle_kind::tuple, stack_.pop_to_mark()); break;
      case ']': push_new(pickle_kind::list); break;
      case '}': push_new(pickle_kind::dict); break;
      case 'a': extend(pickle_kind::list, stack_.pop_many(1)); break;
      case 'e': extend(pickle_kind::list, stack_.pop_to_mark()); break;
      case 'u': extend(pickle_kind::dict, stack_.pop_to_mark()); break;
      case 'q': stack_.put(reader_.number<std::uint8_t>("a memo index")); break;
      case 'r': stack_.put(reader_.number<std::uint32_t>("a memo index")); break;
      case 'h': stack_.get(reader_.number<std::uint8_t>("a memo index")); break;
      case 0x81: make_object(); break;
      case 'R': reduce(); break;
      case 'b': build(); break;
      default: stack_.fail(text("opcode ", int{opcode}, " is not one that Planetoid files use"));
    }
    // clang-format on
    return true;
  }

  void push_new(pickle_kind kind, pickle_node items = {}) {
    stack_.push(document_.add(kind, stack_.at(), std::move(items)));
  }

  void push_string(std::int64_t length) {
    if (length < 0) {
      stack_.fail(text("expected a string's length of at least 0, got ", length));
    }
    const auto begin = reader_.position();
    reader_.take(static_cast<std::uint64_t>(length), "a string");
    stack_.push({pickle_kind::bytes, begin, length});
  }

  pickle_global read_global() {
    using name_pair = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<name_pair, 6> globals{{{"scipy.sparse.csr", "csr_matrix"},
                                                       {"numpy.core.multiarray", "_reconstruct"},
                                                       {"numpy", "ndarray"},
                                                       {"numpy", "dtype"},
                                                       {"collections", "defaultdict"},
                                                       {"__builtin__", "list"}}};
    constexpr std::size_t longest = 64;
    const auto module = reader_.line(longest, "a module's name");
    const auto name = reader_.line(longest, "a class's name");
    for (std::size_t g = 0; g < globals.size(); ++g) {
      if (globals[g] == name_pair{module, name}) {
        return static_cast<pickle_global>(g);
      }
    }
    stack_.fail(text("'", printable(module), ".", printable(name),
                     "' is not a name that Planetoid files use; it was not loaded"));
  }

  void extend(pickle_kind kind, const pickle_node& added) {
    const pickle_value& target = stack_.top();
    document_.expect_kind(target, kind, "what items are added to");
    if (kind == pickle_kind::dict && added.size() % 2 != 0) {
      stack_.fail(text("expected keys and values in pairs, got ", added.size(), " values"));
    }
    auto& items = document_.edit(target);
    items.insert(items.end(), added.begin(), added.end());
  }

  /// csr_matrix.__new__(csr_matrix): a matrix without a state yet.
  void make_object() {
    const bool bare = document_.items(stack_.pop(), pickle_kind::tuple, "the arguments").empty();
    if (!is_global(stack_.pop(), pickle_global::csr_matrix) || !bare) {
      stack_.fail("expected a new object to be a csr_matrix without arguments");
    }
    push_new(pickle_kind::csr);
  }

  /// Stand-ins for the results of the three calls that occur:
  /// _reconstruct(ndarray, (0,), 'b'), dtype(code, 0, 1) and defaultdict(list).
  void reduce() {
    const auto& arguments = document_.items(stack_.pop(), pickle_kind::tuple, "the arguments");
    const pickle_value called = stack_.pop();
    if (is_global(called, pickle_global::reconstruct) && arguments.size() == 3 &&
        is_global(arguments[0], pickle_global::ndarray)) {
      const auto& shape = document_.items(arguments[1], pickle_kind::tuple, "an array's first shape");
      if (shape.size() == 1 && is_integer(shape[0], 0) && document_.string(arguments[2], "an array's type") == "b") {
        return push_new(pickle_kind::array);
      }
    } else if (is_global(called, pickle_global::dtype) && arguments.size() == 3 && is_integer(arguments[1], 0) &&
               is_integer(arguments[2], 1)) {
      document_.expect_kind(arguments[0], pickle_kind::bytes, "a dtype's code");
      return push_new(pickle_kind::dtype, {arguments[0]});
    } else if (is_global(called, pickle_global::defaultdict) && arguments.size() == 1 &&
               is_global(arguments[0], pickle_global::list)) {
      return push_new(pickle_kind::dict);
    }
    stack_.fail("this call is not one that Planetoid files use; it was not made");
  }

  /// Hands an array, a dtype or a matrix its state; pickle_numpy.hpp reads it.
  void build() {
    const pickle_value state = stack_.pop();
    const pickle_value& object = stack_.top();
    if (object.kind != pickle_kind::array && object.kind != pickle_kind::dtype && object.kind != pickle_kind::csr) {
      stack_.fail(text("expected an array, a dtype or a matrix to build, got ", name_of(object.kind)));
    }
    auto& node = document_.edit(object);
    if (node.size() != (object.kind == pickle_kind::dtype ? 1u : 0u)) {
      stack_.fail(text("expected ", name_of(object.kind), " to be built once, got a second state"));
    }
    node.push_back(state);
  }

  void stop() {
    document_.set_root(stack_.finish());
    if (reader_.remaining() != 0) {
      reader_.fail(reader_.position(), text("expected the end of the file, got ", reader_.remaining(), " more bytes"));
    }
  }

  static bool is_global(const pickle_value& value, pickle_global global) noexcept {
    return value.kind == pickle_kind::global && value.number == static_cast<std::int64_t>(global);
  }

  static bool is_integer(const pickle_value& value, std::int64_t number) noexcept {
    return value.kind == pickle_kind::integer && value.number == number;
  }

  static std::string printable(std::string_view name) {
    std::string shown(name);
    for (char& c : shown) {
      c = c >= ' ' && c <= '~' ? c : '?';
    }
    return shown;
  }

  pickle_document& document_;
  byte_reader reader_;
  pickle_stack stack_;
};

/// Decodes the pickle in the given bytes; `path` is for messages.
inline pickle_document decode_pickle(std::string path, std::vector<std::uint8_t> bytes) {
  pickle_document document(std::move(path), std::move(bytes));
  pickle_machine(document).run();
  return document;
}

/// Decodes a pickle file.
inline pickle_document read_pickle(const std::filesystem::path& path, const std::string& hint = {}) {
  return decode_pickle(path.string(), read_file(path, hint));
}

}  // namespace graphpatcher
