// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/nn/loss_record.hpp"

/// What a training loop lowers. The parts have names of their own so that a
/// compiler's complaint about an objective reads as what it lacks. Iterations
/// count from 1.
namespace graphpatcher {

/// `using scalar_type = float;` (or double) and `parameter_list<scalar_type> parameters()`: what is trained.
template <class Objective>
concept trains_parameters = requires(Objective& objective) {
  { objective.parameters() } -> std::same_as<parameter_list<typename Objective::scalar_type>>;
};

/// `variable<T> loss(tape<T>&, std::size_t iteration)`: 1 x 1, on a tape in
/// training mode. Graph, loss and what is predicted are the objective's own; what
/// the tape refers to must live until the next call.
template <class Objective>
concept gives_a_loss = requires(Objective& objective, tape<typename Objective::scalar_type>& t, std::size_t iteration) {
  { objective.loss(t, iteration) } -> std::same_as<variable<typename Objective::scalar_type>>;
};

/// `auto& optimizer()`: adam, adamw, sgd or whatever has `step(exec)`.
template <class Objective>
concept has_an_optimizer = requires(Objective& objective, const executor& exec) {
  objective.optimizer().step(exec);
};

/// `matrix_view<const T> step(std::size_t iteration)`: changes the parameters
/// itself; the loss before, 1 x 1 in the memory of the executor, valid until the
/// next call.
template <class Objective>
concept makes_its_steps = requires(Objective& objective, std::size_t iteration) {
  { objective.step(iteration) } -> std::same_as<matrix_view<const typename Objective::scalar_type>>;
};

/// The loop takes the loss back through the tape and lets the optimizer make a step.
template <class Objective>
concept tape_objective = trains_parameters<Objective> && gives_a_loss<Objective> && has_an_optimizer<Objective>;

/// Gradient and step are the objective's own: fused in one pass, or of two players.
template <class Objective>
concept stepping_objective = trains_parameters<Objective> && makes_its_steps<Objective>;

template <class Objective>
concept objective = tape_objective<Objective> || stepping_objective<Objective>;

/// May be there too: `void reduce(const executor&, const parameter_list<T>&)`,
/// called between the way back and the step, to change gradients: to add up those
/// of several machines, or to clip them.
template <class Objective>
concept reduces_gradients = requires(Objective& objective, const executor& exec,
                                     const parameter_list<typename Objective::scalar_type>& list) {
  objective.reduce(exec, list);
};

namespace detail {

/// One iteration after the other of a loss on a tape.
template <class Objective>
class iteration_of {
  using T = typename Objective::scalar_type;

public:
  iteration_of(const executor& exec, Objective& objective, std::uint64_t seed)
      : objective_(&objective), random_(seed, purpose::dropout), tape_(exec) {}

  void run(std::size_t iteration, loss_record<T>& losses) {
    tape_.reset();
    tape_.train(random_.fork(iteration));
    const auto loss = objective_->loss(tape_, iteration);
    losses.add(loss.value(), iteration);  // on the host a bad one throws before it does harm
    tape_.backward(loss);
    if constexpr (reduces_gradients<Objective>) {
      objective_->reduce(tape_.exec(), objective_->parameters());
    } else {
      static_assert(
          !requires { &Objective::reduce; },
          "reduce() of an objective takes (const executor&, const parameter_list<T>&)");
    }
    objective_->optimizer().step(tape_.exec());
  }

private:
  Objective* objective_;
  random_stream random_;
  tape<T> tape_;
};

/// Of an objective that makes its steps itself.
template <stepping_objective Objective>
class iteration_of<Objective> {
public:
  iteration_of(const executor&, Objective& objective, std::uint64_t) : objective_(&objective) {}

  void run(std::size_t iteration, loss_record<typename Objective::scalar_type>& losses) {
    losses.add(objective_->step(iteration), iteration);
  }

private:
  Objective* objective_;
};

}  // namespace detail
}  // namespace graphpatcher
