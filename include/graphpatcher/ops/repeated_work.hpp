// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"

namespace graphpatcher {

/// Work that is done again and again on one executor: called as it is, or, if asked
/// for and on a device that can record, recorded and submitted at once.
class repeated_work {
public:
  explicit repeated_work(bool record) : record_(record) {}

  template <class Body>
  void run(const executor& exec, Body&& body) {
    const device* const there = record_ ? exec.elsewhere() : nullptr;
    if (there != nullptr && !recorder_) {
      recorder_ = there->behind().make_recorder();
      record_ = recorder_ != nullptr;
    }
    if (there != nullptr && recorder_) {
      recorder_->run(*there, body);
    } else {
      body();
    }
  }

private:
  bool record_;
  std::unique_ptr<backend::work_recorder> recorder_;
};

}  // namespace graphpatcher
