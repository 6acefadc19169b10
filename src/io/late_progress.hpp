// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "graphpatcher/core/progress.hpp"

namespace graphpatcher {

/// A progress display for work that is mostly over at once: nothing is shown
/// for the first two seconds; then what is left by then is counted, so that
/// rate and time left are those of the rest. Calls are serialised by a lock.
class late_progress {
public:
  late_progress(std::string name, std::size_t total, progress_options options = {},
                std::chrono::milliseconds delay = std::chrono::seconds(2))
      : name_(std::move(name)), total_(total), options_(options), due_(clock::now() + delay) {}

  void advance(std::size_t count) noexcept {
    if (options_.quiet) {
      return;
    }
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (display_) {
        display_->advance(count);
      } else if (done_ += count; done_ < total_ && clock::now() >= due_) {
        display_.emplace(name_, total_ - done_, options_);
      }
    } catch (...) {
      // A display that fails must not stop the work it shows.
    }
  }

private:
  using clock = std::chrono::steady_clock;

  std::string name_;
  std::size_t total_;
  progress_options options_;
  clock::time_point due_;
  std::size_t done_ = 0;
  std::optional<progress> display_;
  std::mutex mutex_;
};

}  // namespace graphpatcher
