// SPDX-License-Identifier: MIT
#include "engine/barrier.hpp"

#include <string>

#include "engine/counters.hpp"
#include "engine/race_detector.hpp"
#include "engine/report.hpp"

namespace gpu_host {

block_barriers barriers;

void block_barriers::arrive(unsigned number, unsigned threads) {
  if (threads != 0 && ++arrived_.at(number) == threads)
    release(number);
}

void block_barriers::release(unsigned number) {
  unsigned waiting = 0, agreeing = 0;
  for (const thread& each : launch_now.threads)
    if (each.state == status::at_barrier && each.barrier.number == number) {
      ++waiting;
      agreeing += each.barrier.predicate;
    }
  for (thread& each : launch_now.threads)
    if (each.state == status::at_barrier && each.barrier.number == number) {
      switch (each.barrier.operation) {
        case device::barrier_operation::all:
          each.barrier.result = agreeing == waiting;
          break;
        case device::barrier_operation::any:
          each.barrier.result = agreeing > 0;
          break;
        default:
          each.barrier.result = agreeing;
      }
      make_ready(each);
    }
  arrived_.at(number) = 0;
  races.pass_barrier();
  for (std::size_t warp = 0; waiting == launch_now.unfinished && warp < launch_now.warps.size(); ++warp)
    counts.meet(warp);
}

void block_barriers::release_waiting() {
  const thread* first = nullptr;
  unsigned waiting = 0;
  for (const thread& each : launch_now.threads) {
    if (each.state == status::at_warp_operation)
      report_stuck_warps();
    if (each.state != status::at_barrier)
      continue;
    ++waiting;
    if (!first)
      first = &each;
    const auto &a = each.barrier, &b = first->barrier;
    if (a.number != b.number || (a.aligned && b.aligned && each.site != first->site))
      fail_block(fault_kind::divergent_barrier,
                 "threads of a block wait at different barriers: " + thread_name(first->linear) + " at " +
                     place(first->site) + ", " + thread_name(each.linear) + " at " + place(each.site),
                 each.site);
  }
  if (first->barrier.threads != 0)
    fail_block(fault_kind::divergent_barrier,
               "barrier " + std::to_string(first->barrier.number) + " waits for " +
                   std::to_string(first->barrier.threads) + " threads, " +
                   std::to_string(arrived_[first->barrier.number]) + " have come",
               first->site);
  const std::size_t threads = launch_now.threads.size();
  if (waiting != threads && first->barrier.aligned && !launch_now.options.allow_exit_before_barrier)
    fail_block(fault_kind::divergent_barrier,
               std::to_string(waiting) + " threads wait at a barrier, the other " + std::to_string(threads - waiting) +
                   " have returned without it",
               first->site);
  release(first->barrier.number);
}

namespace device {

u32 barrier(u32 number, u32 threads, bool aligned, barrier_operation operation, bool predicate, u32 site) {
  thread& me = launch_now.me();
  if (number >= 16)
    fail(fault_kind::unsupported, "expected a barrier from 0 to 15, got " + std::to_string(number), site);
  me.barrier = {number, threads, aligned, predicate, operation, 0};
  me.site = site;
  me.state = status::at_barrier;
  barriers.arrive(number, threads);
  suspend(me.state);  // if this arrival has released the barrier, the thread is ready again, but others may be first
  return me.barrier.result;
}

void barrier_arrive(u32 number, u32 threads, u32 site) {
  if (number >= 16 || threads == 0)
    fail(fault_kind::unsupported, "expected a barrier from 0 to 15 with a number of threads", site);
  barriers.arrive(number, threads);
}

}  // namespace device
}  // namespace gpu_host
