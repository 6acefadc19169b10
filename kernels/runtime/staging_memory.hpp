// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/runtime/check.hpp"

namespace graphpatcher {

struct pinned_deleter {
  void operator()(std::byte* memory) const noexcept { discard(cudaFreeHost(memory)); }
};
using pinned_memory = std::unique_ptr<std::byte[], pinned_deleter>;

struct event_deleter {
  void operator()(cudaEvent_t event) const noexcept { discard(cudaEventDestroy(event)); }
};
using unique_event = std::unique_ptr<CUevent_st, event_deleter>;

/// Host memory that captured copies read from. A copy that is captured reads
/// its source when the graph runs, long after upload() has returned, so the
/// bytes are kept here until then. Two arenas take turns: while the device
/// works through one run's graph, the host fills the other arena for the next.
/// All runs must be done when it is destroyed.
class staging_memory {
public:
  /// Before a capture: takes the other arena, and waits until the run that last
  /// used it is done.
  void begin_run();
  /// A copy of `bytes` bytes that stays valid until this run is done.
  const void* keep(const void* host, std::size_t bytes);
  /// After the launch of the captured graph in `stream`.
  void end_run(cudaStream_t stream);

private:
  struct chunk {
    pinned_memory memory;
    std::size_t size;
  };
  struct arena {
    std::vector<chunk> chunks;  // the last one is being filled
    std::size_t used = 0;       // of the last chunk
    unique_event done;          // after the launch that reads this arena
  };

  std::array<arena, 2> arenas_;
  std::size_t current_ = 0;
};

}  // namespace graphpatcher
