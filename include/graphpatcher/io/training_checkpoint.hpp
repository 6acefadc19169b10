// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/io/checkpoint.hpp"
#include "graphpatcher/nn/optimizer.hpp"

namespace graphpatcher {

/// Where a training stands, for save_training(). Random numbers need no more
/// than the seed and the iteration. Another struct will do if list_fields()
/// knows it: resumable_training.hpp has one.
struct training_state {
  std::uint64_t iteration = 0;
  std::uint64_t best_iteration = 0;
  double best_score = 0;
  std::uint64_t seed = 0;
};

template <class Fields>
void list_fields(Fields& field, training_state& s) {
  field("iteration", s.iteration);
  field("best_iteration", s.best_iteration);
  field("best_score", s.best_score);
  field("seed", s.seed);
}

namespace detail {

inline constexpr const char* mean_prefix = "optimizer.exp_avg.";
inline constexpr const char* square_prefix = "optimizer.exp_avg_sq.";

inline name_map with_prefix(const std::string& prefix, name_map names) {
  for (auto& [ours, place] : names) {
    place.name = prefix + place.name;
    place.also.clear();
  }
  return names;
}

/// The model with other numbers in the places of its weights: moments are saved like weights.
template <class Model, class Optimizer, class Member>
Model with_moments(const Model& model, Model& owner, Optimizer& optimizer, Member member) {
  Model result = model;
  const auto places = result.parameters();
  const auto owners = owner.parameters();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto host = member(optimizer.memory_of(*owners[i])).copy_on(cpu{});
    auto& value = places[i]->value;
    value = copy_of(matrix_view<const typename Model::scalar_type>(host.data(), value.rows(), value.cols()));
  }
  return result;
}

/// The numbers of a matrix, where `beside` has its own.
template <class T>
buffer<T> buffer_of(const matrix<T>& numbers, const buffer<T>& beside) {
  const auto host = numbers.copy_on(cpu{});
  buffer<T> result(cpu{}, host.size(), contents::anything);
  std::copy(host.values().begin(), host.values().end(), result.data());
  return result.copy_on(beside.where());
}

template <class Optimizer>
std::string optimizer_name() {
  return Optimizer::decoupled_decay ? "adamw" : "adam";
}

inline constexpr auto mean_of = [](const auto& memory) -> auto& {
  return memory.mean;
};
inline constexpr auto square_of = [](const auto& memory) -> auto& {
  return memory.square;
};

}  // namespace detail

/// Writes a training in progress: `model`, the best weights so far, the moments
/// and steps of `optimizer` (adam or adamw of model's parameters), and what
/// `record` says. `names`: dgl_names() or own_names() of the model.
template <class Model, class Optimizer, class Record>
void save_training(const std::filesystem::path& path, Model& model, const Model& best, Optimizer& optimizer,
                   Record record, const name_map& names, const checkpoint_notes& notes = {}) {
  using T = typename Model::scalar_type;
  const Model mean = detail::with_moments(best, model, optimizer, detail::mean_of);
  const Model square = detail::with_moments(best, model, optimizer, detail::square_of);
  state_dict<T> all = export_parameters(model, detail::with_prefix("model.", names));
  all.merge(export_parameters(best, detail::with_prefix("best.", names)));
  all.merge(export_parameters(mean, detail::with_prefix(detail::mean_prefix, names)));
  all.merge(export_parameters(square, detail::with_prefix(detail::square_prefix, names)));
  std::vector<std::uint64_t> steps;
  for (const auto* p : model.parameters()) {
    steps.push_back(optimizer.memory_of(*p).steps);
  }
  std::string kind = detail::optimizer_name<Optimizer>();
  fields_writer fields;
  fields("optimizer", kind);
  fields("options", optimizer.options);
  fields("steps", steps);
  fields("record", record);
  detail::write_checkpoint<T>(path, "training", fields.json, all, notes);
}

/// Reads what save_training() wrote into a model, a second one for the best
/// weights, and an optimiser of the model's parameters; returns the record,
/// after `check(record)`, which may throw. All or nothing: nothing is changed
/// if an error is thrown. Throws file_error (format_error for damage).
template <class Record = training_state, class Model, class Optimizer, class Check>
Record load_training(safetensors_archive archive, Model& model, Model& best, Optimizer& optimizer,
                     const name_map& names, Check&& check) {
  using T = typename Model::scalar_type;
  const detail::checkpoint_reader file(std::move(archive));
  file.expect_kind("training");
  std::string kind;
  auto options = optimizer.options;
  std::vector<std::uint64_t> steps;
  Record record;
  file.read_config([&](auto& fields) {
    fields("optimizer", kind);
    fields("options", options);
    fields("steps", steps);
    fields("record", record);
  });
  if (kind != detail::optimizer_name<Optimizer>()) {
    file.fail(
        text("expected the state of ", detail::optimizer_name<Optimizer>(), ", got that of ", detail::shortened(kind)));
  }
  const auto targets = model.parameters();
  if (steps.size() != targets.size()) {
    file.fail(text("expected the steps of ", targets.size(), " parameters, got ", steps.size()));
  }
  check(record);
  Model fresh[] = {model, best, model, model};  // weights, best weights, moments
  const char* const prefixes[] = {"model.", "best.", detail::mean_prefix, detail::square_prefix};
  file.blame_file([&] {
    const Optimizer rates_make_sense({}, options);
    const auto tensors = file.tensors<T>();
    for (std::size_t i = 0; i < 4; ++i) {
      assign_parameters<Model>(fresh[i], tensors, detail::with_prefix(prefixes[i], names));
    }
    for (const auto* p : fresh[3].parameters()) {
      const auto host = p->value.copy_on(cpu{});
      for (const T square : host.values()) {
        expects(square >= 0, "expected a mean of squares of '", p->name, "' >= 0, got ", square);
      }
    }
  });

  const parameter_list<T> loaded[] = {fresh[0].parameters(), fresh[1].parameters(), fresh[2].parameters(),
                                      fresh[3].parameters()};
  std::vector<std::pair<buffer<T>, buffer<T>>> moments;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto memory = optimizer.memory_of(*targets[i]);
    moments.emplace_back(detail::buffer_of(loaded[2][i]->value, memory.mean),
                         detail::buffer_of(loaded[3][i]->value, memory.square));
  }
  // From here on nothing can fail.
  const auto best_targets = best.parameters();
  optimizer.options = options;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i]->value = std::move(loaded[0][i]->value);
    targets[i]->has_gradient = false;
    best_targets[i]->value = std::move(loaded[1][i]->value);
    const auto memory = optimizer.memory_of(*targets[i]);
    memory.mean = std::move(moments[i].first);
    memory.square = std::move(moments[i].second);
    memory.steps = static_cast<std::size_t>(steps[i]);
  }
  return record;
}
template <class Record = training_state, class Model, class Optimizer>
Record load_training(const std::filesystem::path& path, Model& model, Model& best, Optimizer& optimizer,
                     const name_map& names) {
  return load_training<Record>(safetensors_archive(path), model, best, optimizer, names, [](const Record&) {});
}

}  // namespace graphpatcher
