// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

namespace gp_test {

/// The largest block that this program has asked for since it was last set to 0.
extern std::atomic<std::size_t> largest_request;

}  // namespace gp_test
