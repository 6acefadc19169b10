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
#include "graphpatcher/nn/sage.hpp"

namespace graphpatcher {

template <class T>
class sage_backbone;

struct sage_config {
  std::size_t layers = 2;
  std::size_t hidden = 64;
  double dropout = 0.5;
  sage_aggregator aggregator = sage_aggregator::pool;
  bool random_bias = false;  ///< see sage_options
  std::uint64_t seed = 0;

  static void list_options(auto& c, auto&& option) {
    option({"layers", "layers, one after the other", within(1, 1000)}, c.layers);
    option({"hidden", "hidden units", within(1, most_units)}, c.hidden);
    option({"dropout", "before every layer but the first", from_to_below(0, 1)}, c.dropout);
    option({"aggregator", "mean of the neighbours, or elementwise maximum of a layer of its own"}, c.aggregator);
    option({"random_bias", "biases begin with random numbers and not with 0"}, c.random_bias);
    option({"seed", "of the first weights and of the dropout"}, c.seed);
  }

  template <class T>
  using model_type = sage_backbone<T>;
};

template <>
struct choice_words<sage_aggregator> {
  static constexpr std::array list{word<sage_aggregator>{"mean", sage_aggregator::mean},
                                   word<sage_aggregator>{"pool", sage_aggregator::pool}};
};

/// GraphSAGE layers with ReLU and dropout between them. Parameters:
/// "layers.0.fc_self.weight", ... (see sage_layer).
template <class T>
class sage_backbone : public relu_stack<T, sage_layer<T>> {
public:
  static constexpr std::string_view name = "sage";  ///< in run records

  sage_backbone(const sage_config& config, std::size_t features, std::size_t classes)
      : relu_stack<T, sage_layer<T>>(config, sage_options{config.aggregator, config.random_bias}, features, classes) {}
};

template <class T>
struct compiled::built_in<sage_backbone<T>> {
  using type = sage_backbone<T>;
};

namespace detail {

#if GP_HAS_INSTANCES
GP_EXTERN template std::vector<sage_layer<float>> make_layers(const stack_sizes&, const sage_options&, std::uint64_t);
GP_EXTERN template std::vector<sage_layer<double>> make_layers(const stack_sizes&, const sage_options&, std::uint64_t);
#endif

}  // namespace detail

}  // namespace graphpatcher
