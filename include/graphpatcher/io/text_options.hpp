// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/core/executor.hpp"

/// How files are read: what all readers of text ask.
namespace graphpatcher {

/// The numbers that features are read as.
template <class T>
concept real_number = std::same_as<T, float> || std::same_as<T, double>;

/// Bounds on what a gzip file may unpack to. Deflate packs up to 1032 to 1, text
/// 3 to 100 to 1: a file of a few kilobytes that unpacks to gigabytes is a trap.
struct gzip_limits {
  std::uint64_t ratio = 250;                    ///< unpacked bytes for each packed one ...
  std::uint64_t always = 64ull << 20;           ///< ... beyond these, which are always allowed
  std::uint64_t most = std::uint64_t{1} << 42;  ///< and never more than this
};

struct text_options {
  cpu exec{};                                        ///< threads that parse
  bool quiet = false;                                ///< no progress display, which otherwise begins after 2 s
  std::string hint{};                                ///< ends the message when the file is not there
  gzip_limits gzip{};                                ///< what a .gz file may unpack to
  std::size_t longest_line = std::size_t{16} << 20;  ///< characters of a line; more is an error
};

/// Whether the first line of a file names its columns.
enum class text_header {
  automatic,  ///< if it begins with anything but a number
  present,
  absent,
};

template <>
struct choice_words<text_header> {
  static constexpr std::array list{word<text_header>{"automatic", text_header::automatic},
                                   word<text_header>{"present", text_header::present},
                                   word<text_header>{"absent", text_header::absent}};
};

/// Whether a table of features or classes has the ids of the nodes as its first column.
enum class text_ids {
  automatic,  ///< no; features whose first column counts 0, 1, 2 ... or is called id are refused
  present,    ///< checked and left out; the lines are in the order of the ids
  absent,     ///< no, whatever it looks like
};

template <>
struct choice_words<text_ids> {
  static constexpr std::array list{word<text_ids>{"automatic", text_ids::automatic},
                                   word<text_ids>{"present", text_ids::present},
                                   word<text_ids>{"absent", text_ids::absent}};
};

}  // namespace graphpatcher
