// SPDX-License-Identifier: MIT
#include "support/precompiled.hpp"

GP_DENSE_KERNEL(float)
GP_DENSE_KERNEL(double)
