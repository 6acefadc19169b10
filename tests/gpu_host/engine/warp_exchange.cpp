// SPDX-License-Identifier: MIT
// Shuffles, votes, matches, reductions and __syncwarp: every lane that a mask names has to come, with the same mask and
// the same operation. Lanes that have returned don't count.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

#include "engine/counters.hpp"
#include "engine/race_detector.hpp"
#include "engine/report.hpp"
#include "engine/state.hpp"

namespace gpu_host {
namespace {

using device::warp_operation;
constexpr std::uint64_t undefined_value = 0xdeadbeefdeadbeef;

const char* name_of(warp_operation what) {
  static constexpr const char* names[] = {
      "__syncwarp",       "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",   "__shfl_sync",
      "__ballot_sync",    "__any_sync",        "__all_sync",        "vote.uni",          "__match_any_sync",
      "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync",
      "__reduce_or_sync", "__reduce_xor_sync"};
  return names[static_cast<int>(what)];
}

std::string call_of(const thread& who) {
  char mask[24];
  std::snprintf(mask, sizeof mask, "(mask 0x%08x)", who.exchange.mask);
  return name_of(who.exchange.operation) + std::string(mask) + " at " + place(who.site);
}

std::string disagreement(const thread& a, const thread& b) {
  return thread_name(a.linear) + " in " + call_of(a) + " and " + thread_name(b.linear) + " in " + call_of(b);
}

/// Calls `act` with the number of every lane in a mask.
template <class Act>
void for_lanes(std::uint32_t mask, Act act) {
  for (; mask; mask &= mask - 1)
    act(unsigned(std::countr_zero(mask)));
}

/// The lane a shuffle reads from, and whether that is inside its segment (PTX ISA, shfl.sync).
std::pair<unsigned, bool> source_lane(const thread& who) {
  const int lane = int(who.linear % 32), b = int(who.exchange.a & 31);
  const int clamp = int(who.exchange.b & 31), segment = int(who.exchange.b >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  int from = 0;
  bool inside = false;
  switch (who.exchange.operation) {
    case warp_operation::shuffle_up:
      from = lane - b;
      inside = from >= last;
      break;
    case warp_operation::shuffle_down:
      from = lane + b;
      inside = from <= last;
      break;
    case warp_operation::shuffle_butterfly:
      from = lane ^ b;
      inside = from <= last;
      break;
    default:
      from = (lane & segment) | (b & ~segment);
      inside = from <= last;
  }
  return {unsigned(inside ? from : lane), inside};
}

std::uint64_t reduced(warp_operation how, std::uint64_t a, std::uint64_t b) {
  switch (how) {
    case warp_operation::reduce_add:
      return a + b;
    case warp_operation::reduce_min:
      return std::uint64_t(std::min(std::int64_t(a), std::int64_t(b)));
    case warp_operation::reduce_max:
      return std::uint64_t(std::max(std::int64_t(a), std::int64_t(b)));
    case warp_operation::reduce_and:
      return a & b;
    case warp_operation::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

/// Gives the lanes in `lanes`, all of which are here, their results.
void compute(thread* base, std::uint32_t lanes, std::uint32_t mask) {
  const warp_operation what = base[std::countr_zero(lanes)].exchange.operation;
  std::uint32_t ballot = 0;
  std::uint64_t total = base[std::countr_zero(lanes)].exchange.value;
  bool all_equal = true;
  for_lanes(lanes, [&](unsigned lane) {
    ballot |= std::uint32_t(base[lane].exchange.value != 0) << lane;
    all_equal = all_equal && base[lane].exchange.value == base[std::countr_zero(lanes)].exchange.value;
  });
  if (what >= warp_operation::reduce_add)
    for_lanes(lanes & (lanes - 1), [&](unsigned lane) { total = reduced(what, total, base[lane].exchange.value); });
  for_lanes(lanes, [&](unsigned lane) {
    auto& mine = base[lane].exchange;
    switch (what) {
      case warp_operation::sync:
        break;
      case warp_operation::shuffle_up:
      case warp_operation::shuffle_down:
      case warp_operation::shuffle_butterfly:
      case warp_operation::shuffle_index: {
        const auto [from, inside] = source_lane(base[lane]);
        // A lane that isn't here has no value to give.
        mine.result = {lanes >> from & 1 ? base[from].exchange.value : undefined_value, inside};
        break;
      }
      case warp_operation::ballot:
        mine.result = {ballot, false};
        break;
      case warp_operation::any:
        mine.result = {0, ballot != 0};
        break;
      case warp_operation::all:
        mine.result = {0, ballot == lanes};
        break;
      case warp_operation::uniform:
        mine.result = {0, ballot == lanes || ballot == 0};
        break;
      case warp_operation::match_any: {
        std::uint32_t same = 0;
        for_lanes(lanes,
                  [&](unsigned other) { same |= std::uint32_t(base[other].exchange.value == mine.value) << other; });
        mine.result = {same, false};
        break;
      }
      case warp_operation::match_all:
        mine.result = {all_equal ? mask : 0, all_equal};
        break;
      default:
        mine.result = {total, false};
    }
  });
}

/// True if every lane that the mask of `who` names is here; then all of them have their results. Those but `who` become
/// ready.
bool try_complete(thread& who) {
  const unsigned index = who.linear / 32;
  warp& lanes = launch_now.warps[index];
  thread* base = &launch_now.threads[index * 32];
  const std::size_t width = std::min<std::size_t>(32, launch_now.threads.size() - index * 32);
  const std::uint32_t existing = width == 32 ? ~0u : (1u << width) - 1;
  const std::uint32_t mask = who.exchange.mask, needed = mask & existing & ~lanes.finished;
  if (needed & ~lanes.waiting)
    return false;
  bool agree = true;
  for_lanes(needed, [&](unsigned lane) {
    const thread& other = base[lane];
    if (other.exchange.mask != mask) {
      if (other.exchange.mask >> who.linear % 32 & 1)
        fail(fault_kind::wrong_mask, "lanes wait for each other with different masks: " + disagreement(who, other),
             who.site);
      agree = false;
    } else if (other.exchange.operation != who.exchange.operation) {
      fail(fault_kind::mismatched_warp_operation, disagreement(who, other), who.site);
    }
  });
  if (!agree)
    return false;
  compute(base, needed, mask);
  if (who.exchange.operation == warp_operation::sync)
    races.synchronise_lanes(lanes, existing == ~0u ? mask : (mask & existing) == existing ? ~0u : mask);
  if ((mask & existing) == existing)
    counts.meet(index);
  lanes.waiting &= ~needed;
  for_lanes(needed, [&](unsigned lane) {
    if (&base[lane] != &who)
      make_ready(base[lane]);
  });
  return true;
}

}  // namespace

void complete_warp_operations(unsigned index) {
  for_lanes(launch_now.warps[index].waiting, [&](unsigned lane) {
    thread& who = launch_now.threads[index * 32 + lane];
    if (launch_now.warps[index].waiting >> lane & 1 && try_complete(who))
      make_ready(who);
  });
}

void report_stuck_warps() {
  for (thread& who : launch_now.threads) {
    if (who.state != status::at_warp_operation)
      continue;
    launch_now.running = &who;
    for (const thread& other : launch_now.threads)
      if (other.state == status::at_warp_operation && other.linear / 32 == who.linear / 32 &&
          other.exchange.mask != who.exchange.mask && other.exchange.mask >> who.linear % 32 & 1 &&
          who.exchange.mask >> other.linear % 32 & 1)
        fail(fault_kind::wrong_mask, "lanes wait for each other with different masks: " + disagreement(who, other),
             who.site);
  }
  const auto stuck = std::find_if(launch_now.threads.begin(), launch_now.threads.end(),
                                  [](const thread& each) { return each.state == status::at_warp_operation; });
  launch_now.running = &*stuck;
  const auto absent = std::find_if(launch_now.threads.begin(), launch_now.threads.end(), [&](const thread& each) {
    return each.linear / 32 == stuck->linear / 32 && stuck->exchange.mask >> each.linear % 32 & 1 &&
           each.state == status::at_barrier;
  });
  std::string message = call_of(*stuck) + " waits for lanes that never come";
  if (absent != launch_now.threads.end())
    message += ": " + thread_name(absent->linear) + " waits at the barrier of " + place(absent->site);
  fail(fault_kind::warp_deadlock, message, stuck->site);
}

namespace device {

warp_result warp_exchange(warp_operation what, u32 mask, u64 value, u32 a, u32 b, u32 site) {
  thread& me = launch_now.me();
  me.site = site;
  me.exchange = {what, mask, value, a, b, {0, false}};
  if (!(mask >> lane() & 1))
    fail(fault_kind::wrong_mask, "the calling lane isn't in its own mask: " + call_of(me), site);
  launch_now.my_warp().waiting |= 1u << lane();
  if (!try_complete(me))
    suspend(status::at_warp_operation);
  return me.exchange.result;
}

}  // namespace device
}  // namespace gpu_host
