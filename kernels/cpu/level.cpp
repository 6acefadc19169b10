// SPDX-License-Identifier: MIT
// The table of this level: graphpatcher_level_baseline, graphpatcher_level_v3, graphpatcher_level_v4.
#include "kernels/cpu/table.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

template <class... Parts>
constexpr void point_to(std::tuple<const Parts*...>& parts) {
  parts = {&filled<Parts>::part...};
}

constexpr level_table whole_table() {
  level_table table{};
  point_to(table.dense);
  point_to(table.float_32);
  point_to(table.float_64);
  point_to(table.double_32);
  point_to(table.double_64);
  return table;
}

}  // namespace graphpatcher::compiled::inline GP_LEVEL

#define GP_JOIN(a, b) a##b
#define GP_TABLE_OF(level) GP_JOIN(graphpatcher_level_, level)

extern "C" {
extern const graphpatcher::compiled::level_table GP_TABLE_OF(GP_LEVEL);
constinit const graphpatcher::compiled::level_table GP_TABLE_OF(GP_LEVEL) = graphpatcher::compiled::whole_table();
}
