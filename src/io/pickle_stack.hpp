// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/byte_reader.hpp"
#include "io/pickle_value.hpp"

namespace graphpatcher {

/// The memory of the pickle machine: a stack with marks, and a memo of values
/// to use again. Every opcode adds at most one entry to each, so that a file
/// can't make them larger than itself; taking what is not there is a
/// format_error at the opcode.
class pickle_stack {
public:
  explicit pickle_stack(const byte_reader& reader) : reader_(reader) {}

  /// The opcode at `offset` begins: errors and new values belong to it.
  void begin(std::uint64_t offset) noexcept { at_ = offset; }
  std::uint64_t at() const noexcept { return at_; }

  void push(const pickle_value& value) { values_.push_back(value); }
  void push(pickle_kind kind, std::int64_t number = 0) { values_.push_back({kind, at_, number}); }
  void mark() { marks_.push_back(values_.size()); }

  /// The value that an opcode changes in place or remembers.
  const pickle_value& top() const {
    if (values_.size() == floor()) {
      fail("expected a value on the stack, got none");
    }
    return values_.back();
  }

  pickle_value pop() {
    const pickle_value value = top();
    values_.pop_back();
    return value;
  }

  /// The last `count` values, in the order they were pushed.
  pickle_node pop_many(std::size_t count) {
    if (values_.size() - floor() < count) {
      fail(text("expected ", count, " values on the stack, got ", values_.size() - floor()));
    }
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(count);
    pickle_node items(first, values_.end());
    values_.erase(first, values_.end());
    return items;
  }

  /// The values since the last mark; takes the mark too.
  pickle_node pop_to_mark() {
    if (marks_.empty()) {
      fail("expected a mark on the stack, got none");
    }
    auto items = pop_many(values_.size() - marks_.back());
    marks_.pop_back();
    return items;
  }

  /// Takes the one value that must be left at the end.
  pickle_value finish() {
    const pickle_value result = pop();
    if (!values_.empty() || !marks_.empty()) {
      fail(text("expected one value at the end, got ", values_.size(), " more and ", marks_.size(), " marks"));
    }
    return result;
  }

  /// Remembers the top value. Writers number their memo 1, 2, 3 ...: a gap is
  /// damage, and would cost memory that the file has not paid for.
  void put(std::size_t index) {
    if (index > memo_.size() + 1) {
      fail(text("expected a memo index of at most ", memo_.size() + 1, ", got ", index));
    }
    if (index >= memo_.size()) {
      memo_.resize(index + 1);
    }
    memo_[index] = {top(), true};
  }

  /// Pushes what was remembered.
  void get(std::size_t index) {
    if (index >= memo_.size() || !memo_[index].set) {
      fail(text("memo entry ", index, " was never set"));
    }
    push(memo_[index].value);
  }

  [[noreturn]] void fail(const std::string& what) const { reader_.fail(at_, what); }

private:
  struct memo_entry {
    pickle_value value;
    bool set = false;
  };

  /// Values below the last mark are out of reach.
  std::size_t floor() const noexcept { return marks_.empty() ? 0 : marks_.back(); }

  const byte_reader& reader_;
  std::uint64_t at_ = 0;
  std::vector<pickle_value> values_;
  std::vector<std::size_t> marks_;
  std::vector<memo_entry> memo_;
};

}  // namespace graphpatcher
