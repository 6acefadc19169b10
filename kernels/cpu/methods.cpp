// SPDX-License-Identifier: MIT
// The names of all methods.
#include "kernels/cpu/methods.hpp"

namespace graphpatcher {

constinit const std::span<const method_info> methods::infos{all_methods::infos};

const method_info& methods::find(std::string_view name) {
  return all_methods::find(name);
}

}  // namespace graphpatcher
