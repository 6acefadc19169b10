// SPDX-License-Identifier: MIT
// Runs a grid: block after block, and in a block one thread at a time, each until it has to wait.
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "device/mutation.hpp"
#include "engine/barrier.hpp"
#include "engine/counters.hpp"
#include "engine/device_memory.hpp"
#include "engine/race_detector.hpp"
#include "engine/report.hpp"
#include "engine/shared_window.hpp"
#include "engine/state.hpp"

namespace gpu_host {

launch_state launch_now;

namespace device {
const thread_identity* current = nullptr;
extent block_index, block_size, grid_size;
u32 dynamic_shared_size = 0, total_shared_size = 0;

u64 clock() {
  static u64 ticks = 0;
  return ++ticks;
}
void yield() {
  make_ready(launch_now.me());
  suspend(status::ready);
}
}  // namespace device

namespace {

fibre_pool fibres;
std::exception_ptr thrown;  // by the thread that ran last

/// What a fibre does: run a thread, report, and be resumed with the next one.
void run_threads() {
  for (;;) {
    try {
      launch_now.what->run(launch_now.parameters);
    } catch (...) {
      thrown = std::current_exception();
    }
    suspend(status::finished);
  }
}

void resume(thread& next) {
  if (!next.stack) {
    next.stack = fibres.take();
    next.local_top = reinterpret_cast<std::uint64_t>(next.stack->local_begin());
  }
  next.state = status::ready;
  launch_now.running = &next;
  device::current = &next;
  next.stack->resume(run_threads);
  launch_now.running = nullptr;
  device::current = nullptr;
  if (thrown)
    std::rethrow_exception(std::exchange(thrown, nullptr));
}

void begin_block(std::uint64_t block) {
  const extent grid = launch_now.shape.grid, size = launch_now.shape.block;
  device::block_index = {unsigned(block % grid.x), unsigned(block / grid.x % grid.y),
                         unsigned(block / grid.x / grid.y)};
  launch_now.ready.clear();
  launch_now.unfinished = unsigned(launch_now.threads.size());
  for (unsigned i = 0; i < launch_now.threads.size(); ++i) {
    thread& each = launch_now.threads[i];
    each.index = {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
    each.linear = i;
    each.fence_interval = 0;
    each.copies.clear();
    make_ready(each);
  }
  for (warp& each : launch_now.warps)
    each.waiting = each.finished = 0;
  launch_now.polls = 0;
  barriers.begin_block();
  shared_window::get().begin_block();
  races.begin_block(block);
  counts.begin_block();
}

void run_block(std::uint64_t block) {
  begin_block(block);
  auto& ready = launch_now.ready;
  while (launch_now.unfinished > 0) {
    if (ready.empty()) {
      barriers.release_waiting();
      continue;
    }
    std::swap(ready[launch_now.draw(ready.size())], ready.back());
    thread& next = *ready.back();
    ready.pop_back();
    resume(next);
    if (next.state == status::finished) {
      --launch_now.unfinished;
      fibres.give_back(std::exchange(next.stack, nullptr));
      warp& lanes = launch_now.warps[next.linear / 32];
      lanes.finished |= 1u << next.linear % 32;
      if (lanes.waiting)
        complete_warp_operations(next.linear / 32);
    }
  }
  counts.end_block();
}

/// After a fault: threads are somewhere in the middle; their stacks are wiped and kept.
void abandon_threads() {
  launch_now.running = nullptr;
  for (thread& each : launch_now.threads)
    if (each.stack) {
      each.stack->reset();
      fibres.give_back(std::exchange(each.stack, nullptr));
    }
}

void expect(bool condition, const std::string& what, const std::string& got) {
  if (!condition)
    fail_block(fault_kind::bad_launch, "expected " + what + ", got " + got, 0);
}

void check_shape(const kernel& what, const launch_options& shape) {
  const extent b = shape.block, g = shape.grid;
  const std::uint64_t threads = std::uint64_t(b.x) * b.y * b.z;
  expect(b.x <= 1024 && b.y <= 1024 && b.z <= 64, "a block of at most (1024, 1024, 64) threads", triple(b));
  expect(threads > 0 && threads <= 1024, "a block of 1 to 1024 threads", std::to_string(threads));
  expect(threads <= what.max_threads,
         "at most the " + std::to_string(what.max_threads) + " threads of __launch_bounds__", std::to_string(threads));
  expect(
      g.x > 0 && g.y > 0 && g.z > 0 && g.x <= unsigned(std::numeric_limits<int>::max()) && g.y <= 65535 && g.z <= 65535,
      "a grid of (1, 1, 1) to (2147483647, 65535, 65535) blocks", triple(g));
}

std::vector<std::uint64_t> block_order(std::uint64_t count) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t(0));
  if (launch_now.options.random_blocks)
    for (std::uint64_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[launch_now.draw(i)]);
  return order;
}

void run_grid(const kernel& what, const launch_options& shape) {
  check_shape(what, shape);
  device::block_size = shape.block;
  device::grid_size = shape.grid;
  device::dynamic_shared_size = device::u32(shape.dynamic_shared_bytes);
  device::total_shared_size = shared_window::get().lay_out(what, shape.dynamic_shared_bytes);
  launch_now.random = launch_now.options.seed;
  launch_now.threads.resize(shape.block.x * shape.block.y * shape.block.z);
  launch_now.warps.resize((launch_now.threads.size() + 31) / 32);
  races.begin_launch();
  counts.begin_launch();
  device::begin_steps();
  for (const std::uint64_t block : block_order(std::uint64_t(shape.grid.x) * shape.grid.y * shape.grid.z))
    run_block(block);
  counts.end_launch();
}

}  // namespace

std::uint64_t launch_state::draw(std::uint64_t bound) {
  random += 0x9e3779b97f4a7c15;
  std::uint64_t z = random;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (z ^ z >> 31) % bound;
}

void suspend(status state) {
  launch_now.running->state = state;
  launch_now.running->stack->suspend();
}

void make_ready(thread& who) {
  who.state = status::ready;
  launch_now.ready.push_back(&who);
}

settings& current_settings() {
  static settings all;
  return all;
}

void launch(const kernel& what, const launch_options& shape, const std::byte* parameters) {
  const std::lock_guard hold(device_memory::lock());
  launch_now.what = &what;
  launch_now.shape = shape;
  launch_now.parameters = parameters;
  launch_now.parameter_bytes =
      what.parameters.empty() ? 0 : what.parameters.back().offset + what.parameters.back().size;
  launch_now.options = current_settings();
  device::block_index = {0, 0, 0};
  try {
    run_grid(what, shape);
  } catch (...) {
    abandon_threads();
    launch_now.what = nullptr;
    throw;
  }
  launch_now.what = nullptr;
}

}  // namespace gpu_host
