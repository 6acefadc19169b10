// SPDX-License-Identifier: MIT
#pragma once

namespace own {

/// silu() runs on gp::cuda from now on, for float and double (silu.cu).
void use_silu_kernels();

}  // namespace own
