// SPDX-License-Identifier: MIT
// Faults: throwing them, and the words in them.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"

namespace gpu_host {

/// Throws a fault of the running kernel, block and thread (if one runs) at a source position. `message` begins with
/// what happened; kernel, block, thread and place are added.
[[noreturn]] void fail(fault_kind kind, const std::string& message, std::uint32_t site);
/// The same when no thread is to blame alone.
[[noreturn]] void fail_block(fault_kind kind, const std::string& message, std::uint32_t site);

std::string demangled(const char* name);
std::string place(std::uint32_t site);  // "file:line"
std::string triple(extent index);       // "(x, y, z)"
std::string thread_name(unsigned linear);
const site& site_at(std::uint32_t number);

}  // namespace gpu_host
