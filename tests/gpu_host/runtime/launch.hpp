// SPDX-License-Identifier: MIT
#pragma once

#include "../engine.hpp"
#include "state.hpp"

namespace gpu_host::runtime {

function_settings& settings_of(const kernel&);

// Dynamic shared memory that a launch of this kernel may ask for: the default 48 KiB hold static and dynamic memory
// together, and cudaFuncSetAttribute sets another value.
std::size_t dynamic_shared_limit(const kernel&);

unsigned registers_per_thread(const kernel&);

}  // namespace gpu_host::runtime
