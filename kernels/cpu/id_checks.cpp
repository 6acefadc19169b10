// SPDX-License-Identifier: MIT
#define GP_CALLS_OPERATIONS 0  // here they are compiled
#include "graphpatcher/cpu/id_checks.hpp"

#include <cstdint>

#include "graphpatcher/cpu/operations.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

template <>
constinit const backend::id_checks<std::int32_t> filled<backend::id_checks<std::int32_t>>::part = {
    backend::ids_are_below<std::int32_t>, backend::offsets_rise<std::int32_t>};
template <>
constinit const backend::id_checks<std::int64_t> filled<backend::id_checks<std::int64_t>>::part = {
    backend::ids_are_below<std::int64_t>, backend::offsets_rise<std::int64_t>};

}  // namespace graphpatcher::compiled::inline GP_LEVEL
