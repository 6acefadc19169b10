// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "io/feature_storage.hpp"
#include "io/json_cursor.hpp"
#include "io/late_progress.hpp"

/// The arrays of arrays in Wiki-CS's data.json: features, links and masks.
namespace graphpatcher {

namespace detail {

/// Shows how far a file is read, if that takes long.
class json_progress {
public:
  json_progress(const json_cursor& json, const progress_options& options,
                std::chrono::milliseconds delay = std::chrono::seconds(2))
      : path_(json.path()), display_("reading " + path_ + " (bytes)", json.size(), options, delay) {}

  /// The cursor has come from `begin` to where it is, in one of several passes.
  void advance(const json_cursor& json, std::size_t begin, std::size_t passes = 1) {
    if (interrupt_requested()) {
      throw_if_interrupted("reading " + path_);
    }
    display_.advance((json.position() - begin) / passes);
  }

private:
  std::string path_;
  late_progress display_;
};

/// Calls visit(row, column) at each number of an array of arrays; visit must
/// read it. Returns the number of rows; `end_row(row, width)` ends each.
template <class Visit, class EndRow>
std::size_t visit_rows(json_cursor& json, json_progress& meter, std::size_t passes, Visit&& visit, EndRow&& end_row) {
  std::size_t row = 0;
  json.array([&] {
    const std::size_t begin = json.position();
    std::size_t column = 0;
    json.array([&] { visit(row, column++); });
    end_row(row++, column);
    meter.advance(json, begin, passes);
  });
  return row;
}

/// An array of arrays of numbers, all of the same length: dense, or the non-zeros alone (stays_dense). Read twice: to
/// count, then to fill.
template <class T, graph_index I>
feature_table<T, I> json_features(json_cursor& json, json_progress& meter) {
  json_cursor again = json;
  std::size_t nonzeros = 0;
  std::size_t width = 0;
  const std::size_t rows = visit_rows(
      json, meter, 2, [&](std::size_t, std::size_t) { nonzeros += json.number<T>() != T(0); },
      [&](std::size_t row, std::size_t columns) {
        width = row == 0 ? columns : width;
        if (columns != width) {
          json.fail(text("expected ", width, " features, as node 0 has, got ", columns, " for node ", row));
        }
      });
  const auto fail_as_changed = [&] { again.fail("the file was changed while it was read; read it again"); };
  if (stays_dense(nonzeros, rows, width)) {
    matrix<T> result(cpu{}, rows, width, contents::anything);
    visit_rows(
        again, meter, 2,
        [&](std::size_t row, std::size_t column) {
          if (row >= rows || column >= width) {
            fail_as_changed();
          }
          result(row, column) = again.number<T>();
        },
        [](std::size_t, std::size_t) {});
    return result;
  }
  expects_index_fits<I>(nonzeros, "numbers other than 0");
  std::vector<I> offsets(rows + 1, 0);
  std::vector<I> columns(nonzeros);
  std::vector<T> values(nonzeros);
  std::size_t next = 0;
  visit_rows(
      again, meter, 2,
      [&](std::size_t, std::size_t column) {
        const T value = again.number<T>();
        if (value != T(0)) {
          if (next == nonzeros) {
            fail_as_changed();
          }
          columns[next] = static_cast<I>(column);
          values[next++] = value;
        }
      },
      [&](std::size_t row, std::size_t) { offsets[std::min(row, rows - 1) + 1] = static_cast<I>(next); });
  return sparse_matrix<T, I>(rows, width, std::move(offsets), std::move(columns), std::move(values));
}

/// The neighbours of each node, as edges; returns how many nodes have a list.
template <graph_index I>
std::size_t json_links(json_cursor& json, json_progress& meter, std::vector<edge<I>>& edges) {
  return visit_rows(
      json, meter, 1,
      [&](std::size_t row, std::size_t) {
        edges.push_back({json.number<I>(), static_cast<I>(row)});
      },
      [](std::size_t, std::size_t) {});
}

inline std::vector<std::uint8_t> json_mask(json_cursor& json) {
  std::vector<std::uint8_t> mask;
  json.array([&] { mask.push_back(json.boolean()); });
  return mask;
}

/// Mask number `chosen` of an array of masks, and how many there are.
inline std::size_t json_masks(json_cursor& json, json_progress& meter, std::size_t chosen,
                              std::vector<std::uint8_t>& mask) {
  std::size_t count = 0;
  json.array([&] {
    const std::size_t begin = json.position();
    if (count++ == chosen) {
      mask = json_mask(json);
    } else {
      json.skip();
    }
    meter.advance(json, begin);
  });
  return count;
}

}  // namespace detail

}  // namespace graphpatcher
