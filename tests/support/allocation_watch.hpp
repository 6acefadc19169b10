// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

/// What tests know of `operator new`, in programs whose allocation_watch.cpp replaces it.
namespace gp_test {

/// The largest block that this program has asked for since it was last set to 0.
extern std::atomic<std::size_t> largest_request;

/// Bytes that it has and has not given back, and the most of them since this was last set to live_bytes.
extern std::atomic<std::size_t> live_bytes;
extern std::atomic<std::size_t> peak_bytes;

/// Requests until one fails; -1: none does.
extern std::atomic<long> requests_before_failure;
/// Whether those after it are granted again.
extern std::atomic<bool> only_one_fails;
/// Those that failed for that reason.
extern std::atomic<std::size_t> refused_requests;

enum class failures {
  all,  ///< memory has run out
  one,  ///< it was short for a moment
};

/// While one lives, the request after the next `count` fails, and those after it if all do.
class failing_allocations {
public:
  explicit failing_allocations(long count, failures which = failures::all) {
    refused_requests = 0;
    only_one_fails = which == failures::one;
    requests_before_failure = count;
  }
  ~failing_allocations() { requests_before_failure = -1; }
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;

  bool reached() const { return refused_requests > 0; }
};

}  // namespace gp_test
