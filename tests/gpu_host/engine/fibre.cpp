// SPDX-License-Identifier: MIT
#include "engine/fibre.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>

#include "engine/asan.hpp"

namespace gpu_host {
namespace {

namespace context = boost::context::detail;

constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t mapping_bytes = fibre::stack_bytes + fibre::local_bytes + 2 * guard_bytes;

// The one side that fibres return to. All fibres run on the host thread that launches.
context::fcontext_t scheduler_context = nullptr;
void (*fibre_body)() = nullptr;

// AddressSanitizer has to know which stack is in use.
#ifdef GPU_HOST_ASAN
const void* scheduler_stack = nullptr;
std::size_t scheduler_stack_bytes = 0;
void leaving_for(void** save, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(save, bottom, size);
}
void arrived_on_fibre(void* saved) {
  __sanitizer_finish_switch_fiber(saved, &scheduler_stack, &scheduler_stack_bytes);
}
void arrived_on_scheduler(void* saved) {
  __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
}
#else
constexpr const void* scheduler_stack = nullptr;
constexpr std::size_t scheduler_stack_bytes = 0;
void leaving_for(void**, const void*, std::size_t) {}
void arrived_on_fibre(void*) {}
void arrived_on_scheduler(void*) {}
#endif

void enter(context::transfer_t from) {
  scheduler_context = from.fctx;
  arrived_on_fibre(nullptr);
  fibre_body();
}

}  // namespace

// guard | stack | guard | local memory
fibre::fibre() {
  void* mapping =
      mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  stack_ = mapping_ + guard_bytes;
  local_ = stack_ + stack_bytes + guard_bytes;
  mprotect(mapping_, guard_bytes, PROT_NONE);
  mprotect(stack_ + stack_bytes, guard_bytes, PROT_NONE);
}

fibre::~fibre() {
  reset();
  munmap(mapping_, mapping_bytes);
}

void fibre::resume(void (*body)()) {
  if (!context_) {
    fibre_body = body;
    context_ = context::make_fcontext(stack_ + stack_bytes, stack_bytes, enter);
  }
  void* fake_stack = nullptr;
  leaving_for(&fake_stack, stack_, stack_bytes);
  context_ = context::jump_fcontext(context_, nullptr).fctx;
  arrived_on_scheduler(fake_stack);
}

void fibre::suspend() {
  leaving_for(&fake_stack_, scheduler_stack, scheduler_stack_bytes);
  scheduler_context = context::jump_fcontext(scheduler_context, nullptr).fctx;
  arrived_on_fibre(fake_stack_);
}

void fibre::reset() {
  context_ = nullptr;
  asan::allow(stack_, stack_bytes);
}

bool fibre::on_stack(const void* address, std::size_t bytes) const {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= stack_ && at + bytes <= stack_ + stack_bytes;
}

fibre* fibre_pool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<fibre>());
    return all_.back().get();
  }
  fibre* taken = idle_.back();
  idle_.pop_back();
  return taken;
}

}  // namespace gpu_host
