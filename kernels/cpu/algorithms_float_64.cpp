// SPDX-License-Identifier: MIT
#include "kernels/cpu/algorithms.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

GP_ALGORITHMS(float, std::int64_t)

}  // namespace graphpatcher::compiled::inline GP_LEVEL
