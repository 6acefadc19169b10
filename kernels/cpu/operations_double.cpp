// SPDX-License-Identifier: MIT
#include "kernels/cpu/operations.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

GP_OPERATIONS(double)

}  // namespace graphpatcher::compiled::inline GP_LEVEL
