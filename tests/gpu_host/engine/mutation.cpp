// SPDX-License-Identifier: MIT
#include "mutation.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "device/mutation.hpp"
#include "engine/report.hpp"

namespace gpu_host {
namespace {

// Places in headers are in several generated files.
std::map<mutant, std::vector<mutation_state*>>& all() {
  static std::map<mutant, std::vector<mutation_state*>> known;
  return known;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
std::uint64_t limit = no_limit, most_steps = 0;

/// Of the launch that ran last.
void note_steps() {
  most_steps = std::max(most_steps, limit - device::steps_left);
}

}  // namespace

void add_mutation_points(std::span<const mutation_point> points, std::span<mutation_state> states) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const mutation_point& at = points[i];
    all()[{at.file, at.line, at.column, at.number, at.source}].push_back(&states[i]);
  }
}

std::string mutant::id() const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ":" + std::to_string(number);
}

std::vector<mutant> mutants() {
  std::vector<mutant> listed;
  for (const auto& [what, states] : all())
    listed.push_back(what);
  return listed;
}

void select_mutant(const std::string& id) {
  bool found = id.empty();
  for (const auto& [what, states] : all()) {
    const bool chosen = what.id() == id;
    found |= chosen;
    for (mutation_state* each : states)
      each->on = chosen;
  }
  if (!found)
    throw std::invalid_argument("select_mutant: expected the id of one of mutants(), got '" + id + "'");
}

std::vector<mutant> take_reached() {
  std::vector<mutant> reached;
  for (const auto& [what, states] : all()) {
    bool any = false;
    for (mutation_state* each : states)
      any |= std::exchange(each->reached, false);
    if (any)
      reached.push_back(what);
  }
  return reached;
}

void limit_steps(std::uint64_t steps_a_launch) {
  note_steps();
  device::steps_left = limit = steps_a_launch;
}

std::uint64_t take_most_steps() {
  note_steps();
  device::steps_left = limit;
  return std::exchange(most_steps, 0);
}

namespace device {

u64 steps_left = no_limit;

void begin_steps() {
  note_steps();
  steps_left = limit;
}

void out_of_steps() {
  steps_left = 0;
  fail(fault_kind::endless, "expected at most " + std::to_string(limit) + " basic blocks, and they weren't enough", 0);
}

}  // namespace device
}  // namespace gpu_host
