// SPDX-License-Identifier: MIT
// Finds accesses to the same byte, one of them a write, that nothing puts in order.
//
// Time is cut into intervals, numbered through the life of the program: one begins with every block and with every
// barrier that a block passes. Blocks run one after another here but not on a device, so an access of an earlier
// interval came first only if it was made by the same block. Inside an interval, lanes of a warp are put in order by
// __syncwarp (warp_clock); shuffles and votes exchange registers, they don't order memory. Threads of different warps,
// and different blocks, can be put in order by a fence and an atomic operation: what a thread did before fence + atomic
// has happened for those that read the same word atomically afterwards, and for their block after its next barrier.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/shadow.hpp"
#include "engine/state.hpp"

namespace gpu_host {

class race_detector {
public:
  void begin_launch();
  void begin_block(std::uint64_t block);
  void pass_barrier();
  void synchronise_lanes(warp& lanes, std::uint32_t mask);
  std::uint32_t interval() const { return interval_; }

  /// An access of the running thread. `address` is a generic address.
  void access(checked_memory& memory, std::uint64_t offset, unsigned bytes, std::uint32_t what, std::uint32_t site,
              bool is_shared, std::uint64_t address) {
    if (what & (device::access::acquire | device::access::release | device::access::strong))
      acquire(address, what);
    place_ = {offset, address, bytes, is_shared};
    word_history* word = memory.history + offset / 4;
    if (bytes < 4)
      touch(*word, ((1u << bytes) - 1) << (offset % 4), what, site);
    else
      for (unsigned i = 0; i < bytes / 4; ++i)
        touch(word[i], 15, what, site);
    if (what & device::access::write && what & device::access::strong)
      publish(address, what);
  }

private:
  struct publication {
    std::uint32_t first_interval, fence_interval, thread;
    bool beyond_block;
    bool operator==(const publication&) const = default;
  };
  struct acquisition {
    const std::vector<publication>* from;
    std::size_t count;  // the first so many
    std::uint32_t interval, thread;
  };
  struct where {
    std::uint64_t offset, address;
    unsigned bytes;
    bool is_shared;
  };

  void touch(word_history& word, std::uint32_t bytes, std::uint32_t what, std::uint32_t site) {
    const thread& me = launch_now.me();
    const bool strong = what & device::access::strong;
    const access_record now{interval_, launch_now.warps[me.linear / 32].clock.now, me.linear, site, bytes, strong};
    if (conflicts(word.write, now))
      report(word.write, "write", what, site);
    if (what & device::access::write) {
      if (conflicts(word.read, now))
        report(word.read, "read", what, site);
      if (conflicts(word.other_lane, now))
        report(word.other_lane, "read", what, site);
      if (conflicts(word.other_warp, now))
        report(word.other_warp, "read", what, site);
      word.write = now;
    } else {
      if (word.read.interval < block_start_ || word.read.thread / 32 != now.thread / 32)
        word.other_warp = word.read;
      else if (word.read.thread != now.thread)
        word.other_lane = word.read;
      word.read = now;
    }
  }
  bool conflicts(const access_record& earlier, const access_record& now) const {
    if (earlier.interval < (place_.is_shared ? block_start_ : launch_start_) || !(earlier.bytes & now.bytes))
      return false;  // of another launch, or of other bytes
    if (earlier.interval >= block_start_ && (earlier.interval < interval_ || earlier.thread == now.thread))
      return false;  // the same block before a barrier, or the same thread
    return !(earlier.strong && now.strong) && !ordered(earlier, now);
  }
  bool ordered(const access_record& earlier, const access_record& now) const;
  void acquire(std::uint64_t address, std::uint32_t what);
  void publish(std::uint64_t address, std::uint32_t what);
  [[noreturn]] void report(const access_record& earlier, const char* earlier_kind, std::uint32_t what,
                           std::uint32_t site) const;

  std::uint32_t interval_ = 0, block_start_ = 1, launch_start_ = 1;
  where place_{};
  std::vector<std::pair<std::uint32_t, std::uint64_t>> blocks_;  // first interval and index, in the order they ran
  std::unordered_map<std::uint64_t, std::vector<publication>> published_;
  std::vector<acquisition> acquired_;
};

extern race_detector races;

}  // namespace gpu_host
