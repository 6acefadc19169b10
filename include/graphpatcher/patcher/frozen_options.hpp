// SPDX-License-Identifier: MIT
#pragma once

namespace graphpatcher {

/// How a frozen model's answers on corrupted ego-graphs are computed. All ways
/// draw the same masks and give the same numbers, to rounding.
enum class frozen_path {
  automatic,  ///< the first of the others that can be taken
  rows,       ///< on the processor: only the rows that an anchor needs (docs/fast_path.md)
  fused,      ///< on a GPU: one kernel from masks to answers (docs/backends.md)
  generic,    ///< ego-graphs materialised, any backbone, any graph, either executor: slow and obvious
};

struct frozen_options {
  frozen_path path = frozen_path::automatic;  ///< an argument_error with the reason where it can't be taken
};

}  // namespace graphpatcher
