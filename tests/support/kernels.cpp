// SPDX-License-Identifier: MIT
#include "support/precompiled.hpp"

namespace graphpatcher::backend {
GP_TEST_KERNELS(, float, std::int32_t)
GP_TEST_KERNELS(, double, std::int32_t)
}  // namespace graphpatcher::backend
