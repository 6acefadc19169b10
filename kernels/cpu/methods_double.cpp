// SPDX-License-Identifier: MIT
#include "kernels/cpu/methods.hpp"

template void graphpatcher::methods::run(std::string_view, graphpatcher::method_run<double, std::int32_t>&);
template void graphpatcher::methods::run(std::string_view, graphpatcher::method_run<double, std::int64_t>&);
