// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/unwrapped.hpp"
#include "graphpatcher/patcher/detail/gat_row.hpp"
#include "graphpatcher/patcher/detail/gcn_row.hpp"
#include "graphpatcher/patcher/detail/packed_rows.hpp"
#include "graphpatcher/patcher/detail/sage_row.hpp"
#include "graphpatcher/patcher/row_model.hpp"

/// The rows of a backbone: those that its own rows() gives, or, for the backbones
/// of this library, which stand in a room before this one, those below.
namespace graphpatcher::fast::inline GP_LEVEL {

namespace detail {

template <class T>
auto built_in_rows(const gcn_backbone<T>& model) {
  return row_model(gcn_row<T>(model.layers[0]), gcn_row<T>(model.layers[1]), relu_activation{});
}
template <class T>
auto built_in_rows(const sage_backbone<T>& model) {
  return row_model(sage_row<T>(model.layers[0]), sage_row<T>(model.layers[1]), relu_activation{});
}
template <class T>
auto built_in_rows(const gat_backbone<T>& model) {
  return row_model(gat_row<T>(model.layers[0]), gat_row<T>(model.layers[1]), elu_activation{});
}

template <class Rows>
inline constexpr bool is_row_model = false;
template <class First, class Second, class Activation>
inline constexpr bool is_row_model<row_model<First, Second, Activation>> = true;

/// The class that declares a member function, and what that gives.
template <class Member>
struct member_of {};
template <class Rows, class Class>
struct member_of<Rows (Class::*)() const> {
  using owner = Class;
  using result = Rows;
};
template <class Rows, class Class>
struct member_of<Rows (Class::*)() const noexcept> : member_of<Rows (Class::*)() const> {};

template <class Model>
concept has_member_rows = requires {
  typename member_of<decltype(&Model::rows)>::owner;
};
/// Those of a base class are not its own: it may compute something else.
template <class Model>
concept has_own_rows =
    has_member_rows<Model> && std::is_same_v<typename member_of<decltype(&Model::rows)>::owner, Model>;
template <class Model>
concept gives_row_model = has_own_rows<Model> && is_row_model<typename member_of<decltype(&Model::rows)>::result>;

}  // namespace detail

template <class Model>
concept has_rows = compiled::is_built_in<Model> || detail::gives_row_model<unwrapped_t<Model>>;

/// Why a backbone has no rows.
template <class Model>
constexpr std::string_view why_no_rows() {
  using plain = unwrapped_t<Model>;
  if constexpr (has_rows<Model>) {
    return {};
  } else if constexpr (!detail::has_member_rows<plain>) {
    return "the backbone has no member rows() that gives its layers one receiver at a time "
           "(docs/adding-a-row-layer.md)";
  } else if constexpr (!detail::has_own_rows<plain>) {
    return "the backbone's rows() are those of the class it is derived from, which may compute something else; "
           "it needs rows() of its own";
  } else {
    return "the backbone's rows() give no row_model (docs/adding-a-row-layer.md)";
  }
}

/// The row_model of a backbone of two layers, nothing packed. It points into the
/// model, which therefore can't be a temporary.
template <has_rows Model>
auto layers_of(const Model& model) {
  if constexpr (compiled::is_built_in<Model>) {
    return detail::built_in_rows(static_cast<const compiled::built_in_t<Model>&>(model));
  } else {
    return static_cast<const unwrapped_t<Model>&>(model).rows();
  }
}

template <class Model>
void layers_of(const Model&& model) = delete;

/// The same, ready to compute.
template <has_rows Model>
auto rows_of(const Model& model) {
  auto rows = packed_rows(layers_of(model));
  expects<shape_error>(rows.classes() == model.classes(), "row_model: expected a last layer of ", model.classes(),
                       " outputs, the classes of the backbone, got ", rows.classes());
  return rows;
}
template <class Model>
void rows_of(const Model&& model) = delete;

template <class Model>
using rows_type = decltype(rows_of(std::declval<const Model&>()));

/// Whether a layer wants the scales of its sources.
template <has_rows Model>
bool scales_sources_in(const Model& model) {
  using layers = decltype(layers_of(model));
  if constexpr (may_scale_sources<typename layers::first_type> || may_scale_sources<typename layers::second_type>) {
    const auto rows = layers_of(model);
    return scales_sources(rows.first) || scales_sources(rows.second);
  } else {
    return false;
  }
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
