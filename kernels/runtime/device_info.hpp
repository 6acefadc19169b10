// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "graphpatcher/core/cuda.hpp"

/// What core/cuda.hpp tells of the GPUs of this machine.
namespace graphpatcher {

std::vector<device_info> find_devices();
/// Empty if a `cuda` executor can be made.
std::string why_unavailable();

}  // namespace graphpatcher
