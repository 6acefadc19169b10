// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/emptied_by_move.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"

namespace graphpatcher {

/// What a dense table may keep its numbers as.
template <class S>
concept stored_number =
    std::same_as<S, float> || std::same_as<S, double> || std::same_as<S, float16> || std::same_as<S, bfloat16>;

/// Its word, as NumPy and PyTorch have it.
template <stored_number S>
inline constexpr std::string_view stored_word = std::is_same_v<S, float>     ? "float32"
                                                : std::is_same_v<S, double>  ? "float64"
                                                : std::is_same_v<S, float16> ? "float16"
                                                                             : "bfloat16";

/// Rows of numbers that never change, in the type they are stored as: its own, or
/// a view of memory that somebody else holds (another program's array, a mapped
/// file). Copies share the numbers, a move leaves no rows. Who reads a row converts
/// it; a converted copy of the table is never made.
class dense_table {
public:
  using any_rows = std::variant<matrix_view<const float>, matrix_view<const double>, matrix_view<const float16>,
                                matrix_view<const bfloat16>>;

  dense_table() = default;

  /// Takes the numbers of a matrix on the host.
  template <stored_number S>
  dense_table(matrix<S> numbers) {
    expects(numbers.on_host(), "dense table: expected a matrix on the host; copy_on(cpu{}) makes one");
    const auto owned = std::make_shared<const matrix<S>>(std::move(numbers));
    rows_ = any_rows(owned->view());
    owner_ = owned;
  }

  /// A view: the numbers stay where they are. They must outlive the table and all
  /// of its copies, or else be held by `owner`, and must not change.
  template <stored_number S>
  static dense_table view_of(matrix_view<const S> numbers, std::shared_ptr<const void> owner = nullptr) {
    expects<shape_error>(numbers.stride() >= numbers.cols(), "dense table: expected a stride of at least ",
                         numbers.cols(), ", the number of columns, got ", numbers.stride());
    expects(numbers.data() != nullptr || numbers.empty(), "dense table: expected ", numbers.rows(), " x ",
            numbers.cols(), " numbers, got a null pointer");
    dense_table result;
    result.rows_ = any_rows(numbers);
    result.owner_ = std::move(owner);
    return result;
  }

  /// Calls body(rows) with a matrix_view<const S>, S the type of the numbers.
  template <class Body>
  decltype(auto) visit(Body&& body) const {
    return std::visit(std::forward<Body>(body), static_cast<const any_rows&>(rows_));
  }

  std::size_t rows() const noexcept {
    return visit([](const auto& numbers) { return numbers.rows(); });
  }
  std::size_t cols() const noexcept {
    return visit([](const auto& numbers) { return numbers.cols(); });
  }
  /// What a number takes, and what the type is called.
  std::size_t number_size() const noexcept {
    return visit([](const auto& numbers) { return sizeof(*numbers.data()); });
  }
  std::string_view type() const noexcept {
    return visit([](const auto& numbers) { return stored_word<std::remove_cvref_t<decltype(*numbers.data())>>; });
  }

  /// The rows where an executor can read them; a device's copy, in the same type, is
  /// made on first use and kept.
  any_rows on(const cpu&) const noexcept { return rows_; }
  any_rows on(const device& exec) const {
    return visit([&]<class S>(const matrix_view<const S>& numbers) -> any_rows {
      const std::size_t count = numbers.empty() ? 0 : (numbers.rows() - 1) * numbers.stride() + numbers.cols();
      const auto bytes = mirror_.of(exec, std::as_bytes(std::span<const S>(numbers.data(), count)));
      return matrix_view<const S>(reinterpret_cast<const S*>(bytes.data()), numbers.rows(), numbers.cols(),
                                  numbers.stride());
    });
  }

private:
  emptied_by_move<any_rows> rows_;
  std::shared_ptr<const void> owner_;
  backend::device_mirror<std::byte> mirror_;
};

}  // namespace graphpatcher
