// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>

#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/patcher/frozen_options.hpp"

namespace graphpatcher::detail {

/// What stands behind a frozen_model: one way to its answers. Nothing here
/// depends on the backbone or on the width of vectors, so that whoever holds one
/// need not know how it was compiled.
template <class T, graph_index I>
class frozen_answers {
public:
  frozen_answers(frozen_path path, std::string why) : path_(path), why_(std::move(why)) {}
  frozen_answers(const frozen_answers&) = delete;
  frozen_answers& operator=(const frozen_answers&) = delete;
  virtual ~frozen_answers() = default;

  /// Anchors, options and answers are as check_answers() wants them, and there
  /// is something to do.
  virtual void answer(std::span<const I> anchors, const corruption_options& options,
                      const corrupted_answers<T>& answers) const = 0;

  frozen_path path() const noexcept { return path_; }
  const std::string& why() const noexcept { return why_; }

private:
  frozen_path path_;
  std::string why_;
};

}  // namespace graphpatcher::detail
