// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/loss_functions.hpp"
#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/models/accuracy.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/models/check_backbone.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/unwrapped.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/nn/training_loop.hpp"

namespace graphpatcher {

/// What happened in training. Epochs count from 1.
struct training_history {
  std::size_t best_epoch = 0;
  double validation_accuracy = 0;             ///< at the best epoch, in [0, 1], of the nodes that chose it
  std::vector<double> loss;                   ///< of each epoch, training mode
  std::vector<double> validation_accuracies;  ///< after each epoch
  double seconds = 0;

  std::size_t epochs() const noexcept { return loss.size(); }
};

/// What the best epoch is best in, on validation nodes.
enum class epoch_choice {
  accuracy,    ///< as the paper's backbones: of hundreds of epochs the one with the luckiest few nodes
  likelihood,  ///< the mean logarithm of the probability of the right class: smoother, and better calibrated
};

template <>
struct choice_words<epoch_choice> {
  static constexpr std::array list{word<epoch_choice>{"accuracy", epoch_choice::accuracy},
                                   word<epoch_choice>{"likelihood", epoch_choice::likelihood}};
};

/// How a backbone is trained: the settings of the paper's backbones.
struct fit_options {
  double learning_rate = 1e-3;
  double weight_decay = 5e-4;
  std::size_t max_epochs = 10'000;
  std::size_t patience = 500;
  std::uint64_t seed = 0;  ///< of dropout; train_backbone() takes its config's
  /// Compute all nodes and not only those that labels are compared with and
  /// their surroundings. The others get no gradient, so it is the same
  /// training; but batch norm takes its statistics from all nodes computed.
  bool whole_graph = false;
  bool judge_start = false;
  bool keep_equals = false;
  epoch_choice choose_by = epoch_choice::accuracy;
  /// Of the validation nodes, evenly spaced, that choose the epoch. The others are seen by nothing, and say without
  /// bias what is gained later.
  double choosing_share = 1;
  bool quiet = true;
  std::function<void(const training_history&)> watch{};  ///< called after every epoch, with what happened so far

  static void list_options(auto& c, auto&& option) {
    option({"learning_rate", "of Adam", at_least(0)}, c.learning_rate);
    option({"weight_decay", "of Adam", at_least(0)}, c.weight_decay);
    option({"max_epochs", "at most this many epochs", at_least(1), "epochs"}, c.max_epochs);
    option({"patience", "epochs without a better validation accuracy", at_least(1), "epoch_patience"}, c.patience);
    option({"whole_graph", "compute all nodes, not only those that the loss and the validation need"}, c.whole_graph);
    option({"judge_start", "the weights it begins with may be the best, as epoch 0"}, c.judge_start);
    option({"keep_equals", "of epochs with equal accuracy keep the last, not the first"}, c.keep_equals);
    option({"choose_by", "what the best epoch is best in, on validation nodes"}, c.choose_by);
    option({"choosing_share",
            "share of the validation nodes that choose the epoch",
            {.least = 0, .most = 1, .without_least = true, .without_most = false}},
           c.choosing_share);
  }
};

/// A model and how it came to be. It is the model: it goes wherever that does.
template <class Model>
struct trained : Model {
  training_history history;
};

template <class Model>
struct unwrapped<trained<Model>> : unwrapped<Model> {};

namespace detail {

/// The nodes of one part of a split: a graph that answers for them, the rows of
/// the answers, and the labels.
template <graph_index I>
struct labelled_part {
  message_graph<I> graph;
  std::vector<I> rows;
  std::vector<I> labels;

  template <class T>
  labelled_part(const dataset<T, I>& data, const std::vector<I>& nodes, std::size_t hops, bool whole)
      : graph(whole ? whole_graph(data.graph) : neighborhood(data.graph, std::span<const I>(nodes), hops)),
        rows(nodes),
        labels(data.labels_of(nodes)) {
    if (!whole) {
      std::iota(rows.begin(), rows.end(), I(0));
    }
  }
};

/// That share of the nodes, evenly spaced: at least one, and all where it is 1.
template <graph_index I>
std::vector<I> spaced_share(const std::vector<I>& nodes, double share) {
  std::vector<I> some;
  const auto count = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(nodes.size())));
  for (std::size_t k = 0; k < count; ++k) {
    some.push_back(nodes[k * nodes.size() / count]);
  }
  return some;
}

template <class Model, class T, graph_index I>
void check_fit(const dataset<T, I>& data, const Model& model, const fit_options& options) {
  data.check();
  expects(!data.split.train.empty(), "fit: expected nodes to train on, but the split of '", data.name,
          "' has no training nodes");
  expects(!data.split.validation.empty(), "fit: expected nodes to choose the epoch by, but the split of '", data.name,
          "' has no validation nodes");
  check_options("fit", options);
  expects<shape_error>(model.classes() == data.classes, "fit: expected a model with the ", data.classes,
                       " classes of '", data.name, "', got one with ", model.classes());
}

}  // namespace detail

/// A loss of a model's own: `variable<T> loss(tape<T>&, const Model&, std::size_t epoch)`; what the tape
/// refers to must live until the next call.
template <class Loss, class Model, class T>
concept loss_of = requires(Loss& loss, tape<T>& t, const Model& model, std::size_t epoch) {
  { loss(t, model, epoch) } -> std::same_as<variable<T>>;
};

namespace detail {

/// A loss of any kind, so that a model's training is compiled once for all of them.
template <class T, class Model>
using loss_function = std::function<variable<T>(tape<T>&, const Model&, std::size_t)>;

/// A model, Adam and a loss.
template <class T, class Model>
class fit_objective {
public:
  using scalar_type = T;

  fit_objective(Model& model, const loss_function<T, Model>& loss, const fit_options& options)
      : model_(&model),
        loss_(&loss),
        optimizer_(model.parameters(), {.learning_rate = options.learning_rate, .weight_decay = options.weight_decay}) {
  }

  parameter_list<T> parameters() { return model_->parameters(); }
  adam<T>& optimizer() noexcept { return optimizer_; }
  variable<T> loss(tape<T>& t, std::size_t epoch) { return (*loss_)(t, std::as_const(*model_), epoch); }

private:
  Model* model_;
  const loss_function<T, Model>* loss_;
  adam<T> optimizer_;
};

/// What fit() says below.
template <class T, graph_index I, backbone_for<T, I> Model>
training_history fit_on(const executor& exec, const dataset<T, I>& data, Model& model,
                        const loss_function<T, Model>& loss, const fit_options& options) {
  check_fit(data, model, options);
  if constexpr (!compiled::is_built_in<Model>) {
    if (!options.whole_graph) {
      check_backbone(exec, model, data);
    }
  }
  const auto started = std::chrono::steady_clock::now();
  const labelled_part<I> validation(data, spaced_share(data.split.validation, options.choosing_share), model.hops(),
                                    options.whole_graph);
  const node_features<T, I> features{&data.features, &validation.graph, {}};
  Model working = model;
  move_to(exec, working);
  fit_objective<T, Model> objective(working, loss, options);
  tape<T> t(exec);
  training_history history;
  double accuracy_before = 0;  // any training
  const bool by_likelihood = options.choose_by == epoch_choice::likelihood;
  keep_best selection(working, [&](std::size_t epoch, double loss_now) {
    t.reset();
    const auto logits = to_host(exec, frozen_forward(t, working, validation.graph, features).value());
    const double accuracy = share_right<T, I>(logits, validation.rows, validation.labels);
    if (epoch > 0) {
      history.loss.push_back(loss_now);
      history.validation_accuracies.push_back(accuracy);
    } else {
      accuracy_before = accuracy;
    }
    return by_likelihood ? mean_log_likelihood<T, I>(logits, validation.rows, validation.labels) : accuracy;
  });
  loop_options loop{.name = "training backbone",
                    .score = by_likelihood ? "validation likelihood" : "validation accuracy",
                    .max_iterations = options.max_epochs,
                    .patience = options.patience,
                    .judge_start = options.judge_start,
                    .keep_equals = options.keep_equals,
                    .seed = options.seed,
                    .progress = {.quiet = options.quiet}};
  loop_state<T> state{.losses = {exec, loop.name}};
  training_loop(exec, objective, selection, loop, state, [&](const loop_state<T>& now) {
    history.best_epoch = now.best_iteration;
    history.validation_accuracy =
        now.best_iteration == 0 ? accuracy_before : history.validation_accuracies[now.best_iteration - 1];
    if (options.watch) {
      options.watch(history);
    }
  });
  move_to(cpu{}, working);
  model = working;  // element by element: pointers to its parameters stay valid
  history.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return history;
}

}  // namespace detail

/// Trains any backbone on a loss of the caller's: Adam, and after every step the
/// accuracy (or what options.choose_by says) on the validation nodes, on the whole graph and without dropout. The
/// model is left with the weights of the best epoch, or untouched if training
/// fails. Test nodes' labels are never looked at.
///
/// Throws argument_error without training or validation nodes or if the model sees
/// further than its hops() says (models/check_backbone.hpp), numeric_error
/// when the loss or the logits stop being finite, interrupted_error on Ctrl-C
/// inside an interrupt_scope.
template <class T, graph_index I, backbone_for<T, I> Model, loss_of<Model, T> Loss>
training_history fit(const executor& exec, const dataset<T, I>& data, Model& model, Loss&& loss,
                     const fit_options& options = {}) {
  return detail::fit_on<T, I, Model>(exec, data, model, std::ref(loss), options);
}

namespace detail {

/// What fit() says below, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Model>
training_history fit_here(const executor& exec, const dataset<T, I>& data, Model& model, const fit_options& options) {
  check_fit(data, model, options);
  const labelled_part<I> train(data, data.split.train, model.hops(), options.whole_graph);
  const node_features<T, I> features{&data.features, &train.graph, {}};
  return fit(
      exec, data, model,
      [&](tape<T>& t, const Model& working, std::size_t) {
        return cross_entropy(working.forward(t, train.graph, features), std::span<const I>(train.rows),
                             std::span<const I>(train.labels));
      },
      options);
}

}  // namespace detail

/// The same on the mean cross-entropy of the training nodes: how the paper's
/// backbones are trained. On a GPU loss and validation logits are read back every
/// epoch: they decide when to stop.
template <class T, graph_index I, backbone_for<T, I> Model>
training_history fit(const executor& exec, const dataset<T, I>& data, Model& model, const fit_options& options = {}) {
  if constexpr (compiled::holds<Model>) {
    using backbone = compiled::built_in_t<Model>;
    return compiled::backbone_functions_of<T, I, backbone>().fit(exec, data, model, options);
  } else {
    return detail::fit_here(exec, data, model, options);
  }
}

/// Makes the model that `config` describes (gcn_config, sage_config, gat_config
/// or any other that names its `model_type<T>`), from config.seed, and trains it.
template <class Config, class T, graph_index I>
trained<typename Config::template model_type<T>> train_backbone(const executor& exec, const dataset<T, I>& data,
                                                                const Config& config, fit_options options = {}) {
  data.check();
  options.seed = config.seed;
  trained<typename Config::template model_type<T>> result{{config, data.features.cols(), data.classes}, {}};
  result.history = fit(exec, data, static_cast<typename Config::template model_type<T>&>(result), options);
  return result;
}

}  // namespace graphpatcher
