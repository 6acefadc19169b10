// SPDX-License-Identifier: MIT
#include "kernels/cpu/operations.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

GP_OPERATIONS(float)

}  // namespace graphpatcher::compiled::inline GP_LEVEL
