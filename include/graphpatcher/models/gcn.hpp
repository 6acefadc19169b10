// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/layer_stack.hpp"
#include "graphpatcher/nn/gcn.hpp"

namespace graphpatcher {

template <class T>
class gcn_backbone;

/// The paper's settings: mean normalisation on Cora and Citeseer, symmetric on Pubmed.
struct gcn_config {
  std::size_t layers = 2;
  std::size_t hidden = 64;
  double dropout = 0.5;
  normalisation norm = normalisation::mean;
  std::uint64_t seed = 0;

  static void list_options(auto& c, auto&& option) {
    option({"layers", "layers, one after the other", within(1, 1000)}, c.layers);
    option({"hidden", "hidden units", within(1, most_units)}, c.hidden);
    option({"dropout", "before every layer but the first", from_to_below(0, 1)}, c.dropout);
    option({"norm", "how a node weighs its neighbours", {}, "normalisation"}, c.norm);
    option({"seed", "of the first weights and of the dropout"}, c.seed);
  }

  template <class T>
  using model_type = gcn_backbone<T>;
};

template <>
struct choice_words<normalisation> {
  static constexpr std::array list{word<normalisation>{"sum", normalisation::sum},
                                   word<normalisation>{"mean", normalisation::mean},
                                   word<normalisation>{"symmetric", normalisation::symmetric}};
};

/// Graph convolutions with ReLU and dropout between them. Parameters:
/// "layers.0.weight", "layers.0.bias", "layers.1.weight", ...
template <class T>
class gcn_backbone : public relu_stack<T, gcn_layer<T>> {
public:
  static constexpr std::string_view name = "gcn";  ///< in run records

  gcn_backbone(const gcn_config& config, std::size_t features, std::size_t classes)
      : relu_stack<T, gcn_layer<T>>(config, config.norm, features, classes) {}
};

template <class T>
struct compiled::built_in<gcn_backbone<T>> {
  using type = gcn_backbone<T>;
};

namespace detail {

#if GP_HAS_INSTANCES
GP_EXTERN template std::vector<gcn_layer<float>> make_layers(const stack_sizes&, const normalisation&, std::uint64_t);
GP_EXTERN template std::vector<gcn_layer<double>> make_layers(const stack_sizes&, const normalisation&, std::uint64_t);
#endif

}  // namespace detail

}  // namespace graphpatcher
