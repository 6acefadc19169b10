// SPDX-License-Identifier: MIT
#include "engine/race_detector.hpp"

#include <algorithm>
#include <string>

#include "engine/device_memory.hpp"
#include "engine/report.hpp"
#include "engine/shared_window.hpp"

namespace gpu_host {
namespace {

constexpr std::uint32_t last_time = (1u << 22) - 1;  // of access_record::time; later, lanes of a warp count as ordered

}  // namespace

race_detector races;

void race_detector::begin_launch() {
  launch_start_ = interval_ + 1;
  blocks_.clear();
  published_.clear();
}

void race_detector::begin_block(std::uint64_t block) {
  block_start_ = ++interval_;
  blocks_.emplace_back(interval_, block);
  acquired_.clear();
  for (warp& each : launch_now.warps)
    each.clock.now = each.clock.floor = 0, each.clock.partial = false;
}

void race_detector::pass_barrier() {
  ++interval_;
  for (warp& each : launch_now.warps)
    each.clock.now = each.clock.floor = 0, each.clock.partial = false;
}

void race_detector::synchronise_lanes(warp& lanes, std::uint32_t mask) {
  warp_clock& clock = lanes.clock;
  if (clock.now < last_time)
    ++clock.now;
  if (mask == ~0u) {
    clock.floor = clock.now;
    return;
  }
  if (!clock.partial)
    std::fill_n(&clock.seen[0][0], 32 * 32, 0u);
  clock.partial = true;
  for (unsigned other = 0; other < 32; ++other) {
    std::uint32_t latest = mask >> other & 1 ? clock.now : 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        latest = std::max(latest, clock.seen[lane][other]);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        clock.seen[lane][other] = latest;
  }
}

bool race_detector::ordered(const access_record& earlier, const access_record& now) const {
  if (earlier.interval == interval_ && earlier.thread / 32 == now.thread / 32) {
    const warp_clock& clock = launch_now.warps[now.thread / 32].clock;
    if (earlier.time < clock.floor || earlier.time == last_time)
      return true;
    if (clock.partial && earlier.time < clock.seen[now.thread % 32][earlier.thread % 32])
      return true;
  }
  const bool same_block = earlier.interval >= block_start_;
  for (const acquisition& got : acquired_) {
    if (got.thread != now.thread && got.interval == interval_)
      continue;  // another thread knows, and no barrier since has told this one
    const auto end = got.from->begin() + std::ptrdiff_t(got.count);
    auto entry =
        std::upper_bound(got.from->begin(), end, earlier.interval,
                         [](std::uint32_t interval, const auto& each) { return interval < each.first_interval; });
    if (entry == got.from->begin())
      continue;
    const std::uint32_t block = std::prev(entry)->first_interval;  // the block that made the earlier access
    while (entry != got.from->begin() && (--entry)->first_interval == block) {
      const bool before_fence = earlier.interval < entry->fence_interval ||
                                (earlier.interval == entry->fence_interval && earlier.thread == entry->thread);
      if (before_fence && (same_block || entry->beyond_block))
        return true;
    }
  }
  return false;
}

void race_detector::acquire(std::uint64_t address, std::uint32_t what) {
  if (published_.empty() || !(what & device::access::read))
    return;
  const auto found = published_.find(address);
  if (found == published_.end())
    return;
  const std::uint32_t me = launch_now.me().linear;
  for (acquisition& got : acquired_)
    if (got.from == &found->second && got.thread == me && got.interval == interval_) {
      got.count = found->second.size();
      return;
    }
  acquired_.push_back({&found->second, found->second.size(), interval_, me});
}

void race_detector::publish(std::uint64_t address, std::uint32_t what) {
  const thread& me = launch_now.me();
  const bool releases = what & device::access::release;
  if (!releases && me.fence_interval < block_start_)
    return;
  const publication made{block_start_, releases ? interval_ : me.fence_interval, me.linear,
                         releases || me.fence_beyond_block};
  auto& all = published_[address];
  if (all.empty() || !(all.back() == made))
    all.push_back(made);
}

void race_detector::report(const access_record& earlier, const char* earlier_kind, std::uint32_t what,
                           std::uint32_t site) const {
  const bool atomic = what & device::access::read && what & device::access::write;
  const std::string now_kind = atomic ? "atomic operation on" : what & device::access::write ? "write to" : "read of";
  const std::string target =
      place_.is_shared ? shared_window::get().describe(place_.offset) : device_memory::get().describe(place_.address);
  std::string who = thread_name(earlier.thread);
  if (earlier.interval < block_start_) {
    const auto next = std::upper_bound(blocks_.begin(), blocks_.end(), earlier.interval,
                                       [](std::uint32_t interval, const auto& each) { return interval < each.first; });
    const std::uint64_t block = std::prev(next)->second;
    const extent grid = launch_now.shape.grid;
    who += " of block " +
           triple({unsigned(block % grid.x), unsigned(block / grid.x % grid.y), unsigned(block / grid.x / grid.y)});
  }
  fail(place_.is_shared ? fault_kind::race_shared : fault_kind::race_global,
       now_kind + " " + target + ", not ordered with the " + (earlier.strong ? "atomic " : "") + earlier_kind + " by " +
           who + " at " + place(earlier.site),
       site);
}

}  // namespace gpu_host
