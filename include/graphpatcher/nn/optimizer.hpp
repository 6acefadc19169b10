// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"
#include "graphpatcher/ops/optimizer.hpp"

/// SGD, Adam and AdamW as PyTorch defines them. A step takes the gradients that
/// backward passes left in the parameters, times `gradient_scale` (1 / n after
/// n accumulated passes), and marks them as used. A parameter that took no part
/// since the last step has no gradient and is left alone: no decay, no moments.
/// The parameters must stay where they are as long as the optimiser lives.
namespace graphpatcher {

namespace detail {

/// What all optimisers hold: parameters, and `Count` matrices of state for each.
template <class T, std::size_t Count>
class optimizer_state {
public:
  struct entry {
    parameter<T>* target;
    std::array<buffer<T>, Count> moments;  // beside the parameter's value
    std::size_t steps = 0;
  };

  optimizer_state(const parameter_list<T>& parameters, bool with_moments) {
    for (auto* p : parameters) {
      expects(p != nullptr, "optimizer: expected parameters, got a null pointer");
      entries_.push_back({p, {}, 0});
      for (auto& moment : entries_.back().moments) {
        moment = buffer<T>(p->value.where(), with_moments ? p->value.size() : 0);
      }
    }
  }

  /// Throws unless a parameter is as it was when the optimiser was made.
  static void check(const entry& item) {
    const auto& [name, value, gradient, used] = *item.target;
    const auto& moment = item.moments[0];
    const bool kept = moment.size() == 0 || (moment.size() == value.size() && moment.on_host() == value.on_host());
    expects<shape_error>(kept && gradient.size() == value.size() && gradient.on_host() == value.on_host(),
                         "optimizer: '", name, "' has another size or memory than before; make a new optimizer");
  }

  /// Calls update(entry) for each parameter that has a gradient, and clears it.
  template <class Update>
  void for_each_used(Update&& update) {
    for (auto& item : entries_) {
      if (std::exchange(item.target->has_gradient, false)) {
        check(item);
        ++item.steps;
        update(item);
      }
    }
  }

  /// What belongs to one of the parameters.
  entry& entry_of(const parameter<T>& target) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](auto& item) { return item.target == &target; });
    expects(found != entries_.end(), "optimizer: '", target.name, "' is none of its parameters");
    return *found;
  }

  /// Drops gradients that were added up and not used.
  void clear_gradients() {
    for (auto& item : entries_) {
      item.target->has_gradient = false;
    }
  }

private:
  std::vector<entry> entries_;
};

}  // namespace detail

struct sgd_options {
  double learning_rate = 1e-2;
  double momentum = 0.0;
  double weight_decay = 0.0;

  static void list_options(auto& c, auto&& option) {
    option({"learning_rate", "how far a step goes", at_least(0), "lr"}, c.learning_rate);
    option({"momentum", "share of the step before", from_to_below(0, 1)}, c.momentum);
    option({"weight_decay", "pull towards 0", at_least(0)}, c.weight_decay);
  }
};

/// g <- g + decay * p;  u <- momentum * u + g;  p <- p - learning_rate * u
template <class T>
class sgd {
public:
  sgd_options options;

  explicit sgd(const parameter_list<T>& parameters, sgd_options how = {})
      : options(how), state_(parameters, how.momentum != 0) {
    check_options("sgd", how);
  }

  void step(const executor& exec, T gradient_scale = T(1)) {
    std::vector<sgd_item<T>> items;
    state_.for_each_used([&](auto& item) {
      auto& target = *item.target;
      items.push_back({target.value.size(), target.value.data(), target.gradient.data(), item.moments[0].data(),
                       gradient_scale, static_cast<T>(options.weight_decay), static_cast<T>(options.learning_rate),
                       static_cast<T>(options.momentum)});
    });
    sgd_step<T>(exec, items);
  }
  void clear_gradients() { state_.clear_gradients(); }

private:
  detail::optimizer_state<T, 1> state_;
};

namespace detail {

void list_adam_options(auto& c, auto&& option) {
  option({"learning_rate", "how far a step goes", at_least(0), "lr"}, c.learning_rate);
  option({"beta1", "of the mean of gradients", from_to_below(0, 1)}, c.beta1);
  option({"beta2", "of the mean of their squares", from_to_below(0, 1)}, c.beta2);
  option({"eps", "keeps the divisor above 0", at_least(0)}, c.eps);
  option({"weight_decay", "pull towards 0", at_least(0)}, c.weight_decay);
}

}  // namespace detail

struct adam_options {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.0;

  static void list_options(auto& c, auto&& option) { detail::list_adam_options(c, option); }
};

struct adamw_options {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.01;

  static void list_options(auto& c, auto&& option) { detail::list_adam_options(c, option); }
};

namespace detail {

/// base^exponent by squaring: a C library's pow may differ in the last bit between processors, products don't.
inline double power(double base, std::size_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) {
      result *= base;
    }
  }
  return result;
}

/// Adam and AdamW differ only in where the decay enters.
template <class T, class Options>
class adam_family {
public:
  static constexpr bool decoupled_decay = std::same_as<Options, adamw_options>;
  Options options;

  void step(const executor& exec, T gradient_scale = T(1)) {
    std::vector<adam_item<T>> items;
    state_.for_each_used([&](auto& entry) { items.push_back(item_of(entry, gradient_scale)); });
    adam_step<T>(exec, items);
  }
  /// The update of one parameter, for those who have its gradient elsewhere and
  /// apply it themselves; `advance` counts a step.
  adam_item<T> item(const parameter<T>& target, bool advance = true) {
    auto& entry = state_.entry_of(target);
    entry.steps += advance ? 1 : 0;
    return item_of(entry, T(1));
  }
  /// What the updates of one parameter remember, to be saved and set again.
  struct memory {
    buffer<T>& mean;
    buffer<T>& square;
    std::size_t& steps;
  };
  memory memory_of(const parameter<T>& target) {
    auto& entry = state_.entry_of(target);
    return {entry.moments[0], entry.moments[1], entry.steps};
  }
  void clear_gradients() { state_.clear_gradients(); }

protected:
  adam_family(const parameter_list<T>& parameters, Options how) : options(how), state_(parameters, true) {
    check_options("adam", how);
  }

private:
  adam_item<T> item_of(typename optimizer_state<T, 2>::entry& entry, T gradient_scale) {
    auto& target = *entry.target;
    const double lr = options.learning_rate;
    const double decay = options.weight_decay;
    return {target.value.size(),
            target.value.data(),
            target.gradient.data(),
            entry.moments[0].data(),
            entry.moments[1].data(),
            gradient_scale,
            static_cast<T>(decoupled_decay ? 0.0 : decay),
            static_cast<T>(decoupled_decay ? 1.0 - lr * decay : 1.0),
            static_cast<T>(1.0 - options.beta1),
            static_cast<T>(options.beta2),
            static_cast<T>(1.0 - options.beta2),
            static_cast<T>(lr / (1.0 - power(options.beta1, entry.steps))),
            static_cast<T>(1.0 / std::sqrt(1.0 - power(options.beta2, entry.steps))),
            static_cast<T>(options.eps)};
  }

  optimizer_state<T, 2> state_;
};

}  // namespace detail

/// g <- g + decay * p;  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
/// p <- p - learning_rate / (1 - b1^t) * m / (sqrt(v / (1 - b2^t)) + eps)
template <class T>
class adam : public detail::adam_family<T, adam_options> {
public:
  explicit adam(const parameter_list<T>& parameters, adam_options how = {})
      : detail::adam_family<T, adam_options>(parameters, how) {}
};

/// p <- (1 - learning_rate * decay) p, then Adam without decay.
template <class T>
class adamw : public detail::adam_family<T, adamw_options> {
public:
  explicit adamw(const parameter_list<T>& parameters, adamw_options how = {})
      : detail::adam_family<T, adamw_options>(parameters, how) {}
};

}  // namespace graphpatcher
