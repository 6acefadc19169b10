// SPDX-License-Identifier: MIT
// The table of this level.
#include "kernels/cpu/table.hpp"
#include "kernels/cpu/table_name.hpp"

namespace graphpatcher::compiled::inline GP_LEVEL {

template <class... Parts>
constexpr void point_to(std::tuple<const Parts*...>& parts) {
  parts = {&filled<Parts>::part...};
}

constexpr level_table whole_table() {
  level_table table{};
  point_to(table.ids);
  point_to(table.dense);
  point_to(table.float_32);
  point_to(table.float_64);
  point_to(table.double_32);
  point_to(table.double_64);
  return table;
}

}  // namespace graphpatcher::compiled::inline GP_LEVEL

extern "C" {
extern const graphpatcher::compiled::level_table GP_TABLE_OF(GP_LEVEL);
constinit const graphpatcher::compiled::level_table GP_TABLE_OF(GP_LEVEL) = graphpatcher::compiled::whole_table();
}
