// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/arena.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/ops/elementwise.hpp"

namespace graphpatcher {

template <class T>
class tape;

/// A matrix on a tape: a handle, cheap to copy, valid until the tape's reset(); an
/// argument_error after it. The tape must outlive it.
template <class T>
class variable {
public:
  variable() = default;

  matrix_view<const T> value() const { return owner().nodes_[id_].value; }
  std::size_t rows() const { return value().rows(); }
  std::size_t cols() const { return value().cols(); }
  /// Throws unless it is on a tape that was not reset since.
  tape<T>& owner() const {
    if (owner_ == nullptr || round_ != owner_->round_) [[unlikely]] {
      refuse();
    }
    return *owner_;
  }
  const executor& exec() const { return owner().exec(); }
  explicit operator bool() const noexcept { return owner_ != nullptr; }

  /// Whether a gradient with respect to this matrix is wanted.
  bool needs_gradient() const { return owner().nodes_[id_].needs_gradient; }
  /// Where adjoints add up; zero before the first. Only if needs_gradient().
  matrix_view<T> gradient() const { return owner().open_gradient(id_); }

private:
  friend class tape<T>;
  [[noreturn, gnu::cold, gnu::noinline]] void refuse() const {
    throw argument_error(owner_ == nullptr ? "variable: expected one on a tape, got an empty one"
                                           : "variable: this one is from before its tape's reset(); record it anew");
  }
  variable(tape<T>* owner, std::size_t id, std::uint32_t round)
      : owner_(owner), id_(static_cast<std::uint32_t>(id)), round_(round) {}

  tape<T>* owner_ = nullptr;
  std::uint32_t id_ = 0;  // 16 bytes in all: an adjoint that keeps one needs no memory of its own
  std::uint32_t round_ = 0;
};

/// Records operations on matrices in the order they run and plays their
/// adjoints back in reverse (autodiff/functions). Values and gradients are in
/// the memory of its executor; ids, labels and the like are host memory. One tape serves one thread of
/// work; reset() keeps its memory, so a training loop allocates nothing after
/// its first iteration.
///
/// Each operation, on the way there and back, looks whether a stop was asked for
/// (core/interrupt.hpp) and throws interrupted_error: on a large graph one step
/// of a training takes seconds.
template <class T>
class tape {
public:
  /// An adjoint reads its result's gradient and adds to the inputs' gradients.
  using adjoint = std::function<void(const variable<T>& result)>;

  explicit tape(executor exec = {}) : exec_(std::move(exec)), memory_(exec_) { check_executor(exec_); }
  tape(const tape&) = delete;
  tape& operator=(const tape&) = delete;

  const executor& exec() const noexcept { return exec_; }

  /// Forgets all variables, keeps the memory.
  void reset() {
    ++round_;
    nodes_.clear();
    memory_.reset();
    host_memory_.reset();
    dropouts_ = 0;
    played_back_ = false;
  }

  // ---- modes -------------------------------------------------------------
  /// Training mode: dropout drops (with masks from `random`), batch norm uses
  /// the batch. Otherwise neither.
  void train(random_stream random) {
    training_ = true;
    random_ = random;
  }
  void evaluate() { training_ = false; }
  bool training() const noexcept { return training_; }
  /// A fresh stream for each dropout of a forward pass.
  random_stream next_dropout_stream() { return random_.fork(dropouts_++); }

  /// While one lives, models run frozen: parameters enter the tape as
  /// constants and training mode is off.
  class freeze_guard {
  public:
    explicit freeze_guard(tape& owner)
        : owner_(owner),
          frozen_before_(std::exchange(owner.frozen_, true)),
          training_before_(std::exchange(owner.training_, false)) {}
    ~freeze_guard() {
      owner_.frozen_ = frozen_before_;
      owner_.training_ = training_before_;
    }
    freeze_guard(const freeze_guard&) = delete;
    freeze_guard& operator=(const freeze_guard&) = delete;

  private:
    tape& owner_;
    bool frozen_before_;
    bool training_before_;
  };
  [[nodiscard]] freeze_guard freeze() { return freeze_guard(*this); }

  // ---- leaves ------------------------------------------------------------
  /// Numbers that no gradient flows into; not copied, must outlive the tape's use.
  variable<T> constant(matrix_view<const T> value) { return add({value, {}, false, {}, {}, nullptr}); }
  variable<T> constant(const matrix<T>&&) = delete;
  /// Numbers whose gradient is wanted, such as a patch's features.
  variable<T> input(matrix_view<const T> value) { return add({value, {}, true, {}, {}, nullptr}); }
  variable<T> input(const matrix<T>&&) = delete;
  /// A parameter; its gradient adds up in the parameter itself.
  variable<T> use(const parameter<T>& p) {
    expects<backend_error>(p.value.on_host() == exec_.on_host(), "tape: parameter '", p.name, "' is in ",
                           memory_name(p.value.on_host()), " memory, but the tape runs on ",
                           memory_name(exec_.on_host()), " memory; move the model with move_to(executor, model)");
    return add({p.value.view(), {}, !frozen_, {}, {}, frozen_ ? nullptr : &p});
  }
  variable<T> use(const parameter<T>&&) = delete;

  // ---- for the authors of operations -------------------------------------
  /// Uninitialised memory that lives until reset().
  matrix_view<T> allocate(std::size_t rows, std::size_t cols) { return memory_.allocate_matrix<T>(rows, cols); }
  arena& memory() noexcept { return memory_; }
  /// The same on the host, for ids that an adjoint will need.
  arena& host_memory() noexcept { return exec_.on_host() ? memory_ : host_memory_; }
  /// A host array where the executor can read it until reset().
  template <class U>
  std::span<const U> resident(std::span<const U> host) {
    return exec_.on_host() ? host : memory_.keep(host);
  }

  /// Puts a result on the tape. `back` runs in backward() if a gradient of an
  /// input is wanted and one has reached the result.
  variable<T> record(matrix_view<const T> value, std::initializer_list<variable<T>> inputs, adjoint back) {
    const bool wanted = std::any_of(inputs.begin(), inputs.end(), [](const auto& v) { return v.needs_gradient(); });
    expects(std::all_of(inputs.begin(), inputs.end(), [this](const auto& v) { return v.owner_ == this; }),
            "tape: expected inputs on this tape, got one of another");
    return record(value, wanted, std::move(back));
  }
  variable<T> record(matrix_view<const T> value, bool needs_gradient, adjoint back) {
    throw_if_interrupted("a model's answers");
    return add({value, {}, needs_gradient, {}, needs_gradient ? std::move(back) : adjoint{}, nullptr});
  }
  /// Like record(), for a result that is a window onto rows [begin, end) of
  /// `source`: value and gradient are shared, nothing is copied.
  variable<T> window(const variable<T>& source, std::size_t begin, std::size_t end) {
    expects(&source.owner() == this, "window: expected a variable of this tape, got one of another");
    node result{source.value().middle_rows(begin, end), {}, source.needs_gradient(), {}, {}, nullptr};
    result.window_of = source.id_ + 1;
    result.window_begin = begin;
    return add(std::move(result));
  }

  /// Adds d(loss)/d(everything) to all wanted gradients. `loss` is 1 x 1. Once
  /// between two resets: several losses are added up first.
  void backward(const variable<T>& loss) {
    expects(&loss.owner() == this, "backward: expected a loss on this tape, got one of another");
    expects<shape_error>(loss.rows() == 1 && loss.cols() == 1, "backward: expected a 1 x 1 loss, got ", loss.rows(),
                         " x ", loss.cols());
    expects(loss.needs_gradient(), "backward: this loss depends on no parameter and no input");
    expects(!std::exchange(played_back_, true),
            "backward: this tape was played back already; add losses up before, or reset() and record anew");
    fill(exec_, T(1), loss.gradient());
    for (std::size_t id = loss.id_ + 1; id-- > 0;) {
      if (nodes_[id].back && nodes_[id].has_gradient) {
        throw_if_interrupted("gradients");
        nodes_[id].back(variable<T>(this, id, round_));
      }
    }
  }

private:
  friend class variable<T>;

  struct node {
    matrix_view<const T> value;
    matrix_view<T> gradient;
    bool needs_gradient = false;
    bool has_gradient = false;
    adjoint back;
    const parameter<T>* source = nullptr;
    std::size_t window_of = 0;  // id + 1 of the variable this is a window onto; 0 = none
    std::size_t window_begin = 0;
  };

  static const char* memory_name(bool host) { return host ? "host" : "GPU"; }

  variable<T> add(node&& entry) {
    expects<overflow_error>(nodes_.size() < UINT32_MAX, "tape: more variables than it can number; call reset()");
    nodes_.push_back(std::move(entry));
    return variable<T>(this, nodes_.size() - 1, round_);
  }

  matrix_view<T> open_gradient(std::size_t id) {
    if (!nodes_[id].has_gradient) {
      node& entry = nodes_[id];
      expects(entry.needs_gradient, "variable: no gradient is wanted of this one; ask needs_gradient() first");
      const auto shape = entry.value;
      if (entry.window_of != 0) {
        entry.gradient =
            open_gradient(entry.window_of - 1).middle_rows(entry.window_begin, entry.window_begin + shape.rows());
      } else if (entry.source != nullptr) {
        entry.gradient = entry.source->open_gradient();
      } else {
        entry.gradient = memory_.allocate_matrix<T>(shape.rows(), shape.cols());
        fill(exec_, T(0), entry.gradient);
      }
      entry.has_gradient = true;
    }
    return nodes_[id].gradient;
  }

  executor exec_;
  arena memory_;
  arena host_memory_;  // used only when memory_ is a GPU's
  std::vector<node> nodes_;
  std::uint32_t round_ = 0;  // resets so far
  bool training_ = false;
  bool frozen_ = false;
  bool played_back_ = false;
  random_stream random_{0, purpose::dropout};
  std::uint64_t dropouts_ = 0;
};

}  // namespace graphpatcher
