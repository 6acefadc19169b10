// SPDX-License-Identifier: MIT
#include "engine/counters.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/device_memory.hpp"
#include "engine/report.hpp"
#include "engine/state.hpp"

namespace gpu_host {

cost_counter counts;

namespace device {
u32* basic_block_counts() {
  return counts.basic_block_counts();
}
}  // namespace device

void cost_counter::begin_launch() {
  on = launch_now.options.count;
  costs_ = {};
  costs_.kernel = demangled(launch_now.what->name);
  costs_.shape = launch_now.shape;
  worked_ = occupied_ = 0;
  site_numbers_.clear();
  sites_ = 0;
}

void cost_counter::end_launch() {
  if (!on)
    return;
  costs_.active_lane_share = occupied_ ? double(worked_) / double(occupied_) : 0;
  finished.push_back(std::move(costs_));
}

void cost_counter::begin_block() {
  block_counts_.assign(launch_now.what->block_sizes.size() * (on ? launch_now.threads.size() : 1), 0);
  if (!on)
    return;
  costs_.threads += launch_now.threads.size();
  logs_.assign(launch_now.warps.size(), {});
}

void cost_counter::end_block() {
  if (!on)
    return;
  for (std::size_t warp = 0; warp < logs_.size(); ++warp)
    meet(warp);
  const auto sizes = launch_now.what->block_sizes;
  const std::size_t blocks = sizes.size(), threads = launch_now.threads.size();
  for (std::size_t first = 0; first < threads; first += 32)
    for (std::size_t block = 0; block < blocks; ++block) {
      std::uint64_t sum = 0, most = 0;  // the warp is busy until its last lane has executed the block
      for (std::size_t i = first; i < std::min(first + 32, threads); ++i) {
        const std::uint64_t times = block_counts_[i * blocks + block];
        sum += times;
        most = std::max(most, times);
      }
      costs_.instructions += sum * sizes[block];
      worked_ += sum * sizes[block];
      occupied_ += 32 * most * sizes[block];
    }
}

/// When nothing is to be counted, all threads share one place that nobody reads.
std::uint32_t* cost_counter::basic_block_counts() {
  return block_counts_.data() + (on ? launch_now.me().linear * launch_now.what->block_sizes.size() : 0);
}

std::uint32_t cost_counter::number_of(std::uint32_t site) {
  if (site >= site_numbers_.size())
    site_numbers_.resize(site + 1);
  if (site_numbers_[site] == 0)
    site_numbers_[site] = ++sites_;
  return site_numbers_[site] - 1;
}

void cost_counter::access(std::uint64_t address, unsigned bytes, std::uint32_t what, std::uint32_t site,
                          bool is_shared) {
  const unsigned me = launch_now.me().linear, lane = me % 32;
  const std::uint32_t number = number_of(site);
  warp_log& mine = logs_[me / 32];
  if (number >= mine.by_site.size())
    mine.by_site.resize(sites_);
  instruction_log& log = mine.by_site[number];
  if (!std::exchange(log.in_use, true))
    mine.in_use.push_back(number);
  log.what = what, log.bytes = bytes, log.is_shared = is_shared;
  const std::uint32_t index = log.executed[lane]++ - log.first;
  if (index >= log.open.size())
    log.open.resize(index + 1);
  request& made = log.open[index];
  made.lanes |= 1u << lane;
  made.address[lane] = address;
  while (!log.open.empty() && log.open.front().lanes == ~0u) {
    settle(log, log.open.front());
    log.open.pop_front();
    ++log.first;
  }
}

void cost_counter::meet(std::size_t warp) {
  if (!on)
    return;
  for (const std::uint32_t number : logs_[warp].in_use) {
    instruction_log& log = logs_[warp].by_site[number];
    for (const request& made : log.open)
      settle(log, made);
    log.open.clear();
    log.executed.fill(0);
    log.first = 0;
    log.in_use = false;
  }
  logs_[warp].in_use.clear();
}

void cost_counter::settle(const instruction_log& log, const request& made) {
  if (made.lanes == 0)
    return;
  if (log.what & device::access::read && log.what & device::access::write) {
    ++costs_.atomic_requests;
  } else if (log.is_shared) {
    settle_shared(log, made);
  } else {
    scratch_.clear();
    for (unsigned lane = 0; lane < 32; ++lane)
      if (made.lanes >> lane & 1)
        scratch_.push_back(made.address[lane]);
    settle_global(log.what & device::access::read ? costs_.global_load : costs_.global_store, log.bytes, scratch_);
  }
}

/// All lanes access the same number of bytes, aligned to it: two of them touch the same bytes or none in common, and an
/// access never spans two sectors.
void cost_counter::settle_global(launch_costs::memory& sums, unsigned bytes, std::vector<std::uint64_t>& addresses) {
  const auto keep_distinct = [&] {
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  };
  ++sums.requests;
  sums.active_lanes += addresses.size();
  keep_distinct();
  const std::uint64_t distinct_bytes = addresses.size() * bytes;
  sums.bytes += distinct_bytes;
  sums.fewest_sectors += (distinct_bytes + 31) / 32;
  for (std::uint64_t& each : addresses)
    each /= 32;
  keep_distinct();
  sums.sectors += addresses.size();
}

/// 32 banks of 4 bytes. The lanes of a warp are served together up to 4 bytes each, in halves with 8 and in quarters
/// with 16; in such a group, every further word in the same bank costs another pass. One word for many lanes is one
/// word.
void cost_counter::settle_shared(const instruction_log& log, const request& made) {
  ++costs_.shared_requests;
  const unsigned words = std::max(1u, log.bytes / 4), group = 32 / words;
  for (unsigned first = 0; first < 32; first += group) {
    scratch_.clear();
    for (unsigned lane = first; lane < first + group; ++lane)
      if (made.lanes >> lane & 1)
        for (unsigned i = 0; i < words; ++i)
          scratch_.push_back(made.address[lane] / 4 + i);
    std::sort(scratch_.begin(), scratch_.end());
    scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
    std::array<unsigned, 32> in_bank{};
    for (const std::uint64_t word : scratch_)
      ++in_bank[word % 32];
    const unsigned ways = *std::max_element(in_bank.begin(), in_bank.end());
    costs_.shared_conflict_ways += ways > 1 ? ways - 1 : 0;
  }
}

std::vector<launch_costs> take_costs() {
  const std::lock_guard hold(device_memory::lock());
  return std::exchange(counts.finished, {});
}

}  // namespace gpu_host
