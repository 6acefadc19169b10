// SPDX-License-Identifier: MIT
// Kernels with one fault each, to find out whether tests notice: translated
// with --mutable, a kernel can be told to skip a barrier or to shift a bound by
// one.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace gpu_host {

/// A fault: at one place of the source, whatever the instances of templates.
struct mutant {
  std::string file;
  int line, column;    // where the statement begins
  int number;          // of the comparison or barrier in the statement, from 0
  std::string source;  // <, <=, > or >=, which becomes <=, <, >= or >;
                       // __syncthreads or __syncwarp, which is left out

  std::string id() const;  // "file:line:column:number"
  auto operator<=>(const mutant&) const = default;
};

std::vector<mutant> mutants();  // of all mutable kernels, in order

/// From now on kernels have this fault, and no other; "": none. Throws
/// std::invalid_argument if there is no such id.
void select_mutant(const std::string& id);

/// Whose places were executed since the last call.
std::vector<mutant> take_reached();

/// Mutants may loop for ever. A launch whose threads execute more basic blocks than this, all together, ends with
/// fault_kind::endless; at first there is no limit.
void limit_steps(std::uint64_t steps_a_launch);
/// What the launch with the most has executed since the last call.
std::uint64_t take_most_steps();

}  // namespace gpu_host
