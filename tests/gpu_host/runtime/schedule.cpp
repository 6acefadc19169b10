// SPDX-License-Identifier: MIT
//
// When queued operations run: as late as the rules allow, or, now and then, earlier.
#include <utility>

#include "../engine.hpp"
#include "api.hpp"
#include "state.hpp"

namespace gpu_host::runtime {
namespace {

std::uint64_t next_ticket() {
  static std::uint64_t last = 0;
  return ++last;
}

moment end_of(const std::shared_ptr<stream>& s) {
  return {s, s->last_ticket};
}

std::shared_ptr<stream> random_busy_stream() {
  std::vector<std::shared_ptr<stream>> busy;
  for (auto& s : all_streams()) {
    if (!s->queue.empty()) {
      busy.push_back(std::move(s));
    }
  }
  return busy.empty() ? nullptr : busy[state().random() % busy.size()];
}

bool chance_of_early_work() {
  return std::uniform_real_distribution<>()(state().random) < state().when.early;
}

cudaError_t error_of(fault_kind kind) {
  switch (kind) {
    case fault_kind::out_of_bounds:
    case fault_kind::use_after_free:
      return cudaErrorIllegalAddress;
    case fault_kind::misaligned:
      return cudaErrorMisalignedAddress;
    case fault_kind::device_assert:
      return cudaErrorAssert;
    default:
      return cudaErrorLaunchFailure;
  }
}

void execute(const std::function<void()>& run) {
  try {
    run();
  } catch (const fault& e) {
    break_context(error_of(e.kind), e.what());
  } catch (const std::exception& e) {
    break_context(cudaErrorLaunchFailure, e.what());
  }
}

// For an operation that another one waits for; the host waits by wait_until.
void run_until(const moment& goal) {
  while (!reached(goal)) {
    run_one(goal.where);
  }
}

void require_sound_context() {
  require(state().broken == cudaSuccess, state().broken);
}

}  // namespace

std::vector<std::shared_ptr<stream>> all_streams() {
  std::vector<std::shared_ptr<stream>> all{state().legacy};
  for (const auto& [thread, s] : state().per_thread) {
    all.push_back(s);
  }
  for (const auto& [handle, s] : state().streams) {
    all.push_back(s);
  }
  std::erase_if(state().abandoned, [](const auto& s) { return s->queue.empty(); });
  all.insert(all.end(), state().abandoned.begin(), state().abandoned.end());
  return all;
}

std::uint64_t enqueue(const std::shared_ptr<stream>& s, std::function<void()> run, std::vector<moment> after) {
  // The legacy stream and those that don't opt out of it (cudaStreamNonBlocking) wait for each other's earlier work.
  const auto& legacy = state().legacy;
  if (s == legacy) {
    for (const auto& other : all_streams()) {
      if (other != legacy && (other->flags & cudaStreamNonBlocking) == 0 && !other->queue.empty()) {
        after.push_back(end_of(other));
      }
    }
  } else if ((s->flags & cudaStreamNonBlocking) == 0 && !legacy->queue.empty()) {
    after.push_back(end_of(legacy));
  }
  s->last_ticket = next_ticket();
  s->queue.push_back({s->last_ticket, std::move(after), std::move(run)});
  const std::uint64_t ticket = s->last_ticket;
  while (chance_of_early_work()) {
    const auto lucky = random_busy_stream();
    if (lucky == nullptr) {
      break;
    }
    run_one(lucky);
  }
  return ticket;
}

void submit(const std::shared_ptr<stream>& s, operation what) {
  if (is_capturing(*s)) {
    record_node(*s, std::move(what));
  } else {
    enqueue(s, std::move(what.run));
  }
}

bool reached(const moment& goal) {
  return goal.where->queue.empty() || goal.where->queue.front().ticket > goal.ticket;
}

void run_one(const std::shared_ptr<stream>& s) {
  if (s->queue.empty()) {
    return;
  }
  for (const moment& earlier : std::vector<moment>(s->queue.front().after)) {
    run_until(earlier);
  }
  if (s->queue.empty()) {
    return;  // a fault in what it waits for has emptied every queue
  }
  const task next = std::move(s->queue.front());
  s->queue.pop_front();
  execute(next.run);
}

void wait_until(const moment& goal) {
  while (!reached(goal)) {
    run_one(chance_of_early_work() ? random_busy_stream() : goal.where);
  }
  require_sound_context();
}

void wait_for_stream(const std::shared_ptr<stream>& s) {
  if (s == state().legacy) {
    enqueue(s, [] {});  // stands behind the work of all streams that the legacy stream waits for
  }
  wait_until(end_of(s));
}

void wait_for_everything() {
  while (const auto s = random_busy_stream()) {
    run_one(s);
  }
  require_sound_context();
}

}  // namespace gpu_host::runtime
