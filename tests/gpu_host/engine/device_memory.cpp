// SPDX-License-Identifier: MIT
#include "engine/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "engine/asan.hpp"
#include "engine/report.hpp"

namespace gpu_host {
namespace {

std::byte* reserve(std::uint64_t bytes, int protection) {
  void* mapping = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    throw std::bad_alloc();
  madvise(mapping, bytes, MADV_DONTDUMP);
  return static_cast<std::byte*>(mapping);
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

device_memory& device_memory::get() {
  static device_memory& all = *new device_memory(device_capacity);  // kept: streams may still run after main()
  return all;
}

std::recursive_mutex& device_memory::lock() {
  static std::recursive_mutex all;
  return all;
}

device_memory::device_memory(std::uint64_t capacity) : capacity_(capacity) {
  base_ = reinterpret_cast<std::uint64_t>(reserve(capacity + shared_addresses, PROT_NONE));
  memory_.data = reserve(capacity, PROT_READ | PROT_WRITE);
  asan::forbid(memory_.data, red_zone);
  memory_.states = reinterpret_cast<std::uint8_t*>(reserve(capacity / 4, PROT_READ | PROT_WRITE));
  memory_.history =
      reinterpret_cast<word_history*>(reserve(capacity / 4 * sizeof(word_history), PROT_READ | PROT_WRITE));
}

device_memory::~device_memory() {
  asan::allow(memory_.data, capacity_);  // the addresses may be those of something else next
  munmap(reinterpret_cast<void*>(base_), capacity_ + shared_addresses);
  munmap(memory_.data, capacity_);
  munmap(memory_.states, capacity_ / 4);
  munmap(memory_.history, capacity_ / 4 * sizeof(word_history));
}

/// Places are taken one after another, so that a freed one stays free for long; after the end, the first gap is taken.
std::uint64_t device_memory::find_room(std::uint64_t bytes) {
  if (next_ + bytes > capacity_) {
    std::erase_if(blocks_, [](const auto& entry) { return !entry.second.live; });
    std::uint64_t gap = red_zone;
    for (const auto& [offset, held] : blocks_) {
      if (gap + bytes <= offset)
        return gap;
      gap = round_up(offset + held.bytes + red_zone, red_zone);
    }
    if (gap + bytes > capacity_)
      return 0;
    next_ = gap;
  }
  const std::uint64_t found = next_;
  next_ += bytes;
  return found;
}

std::uint64_t device_memory::place(std::size_t bytes, std::size_t alignment, const char* variable) {
  if (bytes > capacity_ || alignment > red_zone)
    return 0;
  const std::uint64_t offset = find_room(round_up(bytes + red_zone, red_zone));
  if (offset == 0)
    return 0;
  blocks_[offset] = {bytes, true, variable};
  asan::allow(memory_.data + offset, bytes);
  asan::forbid(memory_.data + offset + bytes, round_up(bytes + red_zone, red_zone) - bytes);
  byte_state::change(memory_.states, offset, bytes, byte_state::exists, true);
  return offset;
}

std::uint64_t device_memory::allocate(std::size_t bytes) {
  const std::uint64_t offset = place(bytes, red_zone, nullptr);
  if (offset == 0)
    return 0;
  std::memset(memory_.data + offset, 0xff, bytes);  // NaN and -1: easy to notice when the checks are off
  bytes_in_use_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  ++blocks_in_use_;
  return base_ + offset;
}

std::uint64_t device_memory::add_variable(const symbol& what) {
  const std::uint64_t offset = place(what.bytes, what.alignment, what.name);
  if (offset == 0)
    throw std::bad_alloc();
  if (what.initial_value)
    std::memcpy(memory_.data + offset, what.initial_value, what.bytes);
  byte_state::change(memory_.states, offset, what.bytes, byte_state::written, true);
  return base_ + offset;
}

bool device_memory::release(std::uint64_t address) {
  const auto found = blocks_.find(address - base_);
  if (found == blocks_.end() || !found->second.live || found->second.variable)
    return false;
  found->second.live = false;
  bytes_in_use_ -= found->second.bytes;
  --blocks_in_use_;
  byte_state::change(memory_.states, found->first, found->second.bytes, byte_state::exists | byte_state::written,
                     false);
  drop_pages(found->first, found->second.bytes);
  asan::forbid(memory_.data + found->first, found->second.bytes);
  return true;
}

/// Gives the host memory behind whole pages of a large block back.
void device_memory::drop_pages(std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096, large = 1 << 16;
  const auto drop = [](auto* from, auto* to) {
    const std::uint64_t begin = round_up(reinterpret_cast<std::uint64_t>(from), page);
    const std::uint64_t end = reinterpret_cast<std::uint64_t>(to) / page * page;
    if (begin < end)
      madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  if (bytes < large)
    return;
  drop(memory_.data + offset, memory_.data + offset + bytes);
  drop(memory_.history + offset / 4, memory_.history + (offset + bytes) / 4);
}

bool device_memory::owns(std::uint64_t address, std::size_t bytes) const {
  auto found = blocks_.upper_bound(address - base_);
  if (address < base_ || address >= base_ + capacity_ || found == blocks_.begin())
    return false;
  --found;
  const std::uint64_t inside = address - base_ - found->first;
  return found->second.live && inside <= found->second.bytes && bytes <= found->second.bytes - inside;
}

bool device_memory::is_freed(std::uint64_t address) const {
  const auto found = blocks_.upper_bound(address - base_);
  if (found == blocks_.begin())
    return false;
  const auto& [offset, held] = *std::prev(found);
  return !held.live && address - base_ < offset + held.bytes;
}

std::string device_memory::describe(std::uint64_t address) const {
  if (address < base_ || address >= base_ + capacity_)
    return address < 4096 ? "a null pointer" : "an address that isn't device memory";
  const auto found = blocks_.upper_bound(address - base_);
  if (found == blocks_.begin())
    return "memory before the first allocation";
  const auto& [offset, held] = *std::prev(found);
  std::string text = "byte " + std::to_string(address - base_ - offset) + " of ";
  text += held.variable ? "the variable " + demangled(held.variable)
          : held.live   ? "an allocation"
                        : "a freed allocation";
  return text + " of " + std::to_string(held.bytes) + " bytes";
}

}  // namespace gpu_host
