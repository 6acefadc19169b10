// SPDX-License-Identifier: MIT
// Memory matters of a single thread: local variables, asynchronous copies, fences.
#include <cstring>

#include "engine/race_detector.hpp"
#include "engine/report.hpp"
#include "engine/state.hpp"

namespace gpu_host::device {

local_frame::local_frame(u32 bytes, u32 alignment) {
  thread& me = launch_now.me();
  outer_top_ = me.local_top;
  address_ = (me.local_top + alignment - 1) / alignment * alignment;
  const u64 begin = reinterpret_cast<u64>(me.stack->local_begin());
  if (address_ + bytes > begin + fibre::local_bytes)
    fail(fault_kind::out_of_bounds, "more than " + std::to_string(fibre::local_bytes) + " bytes of local memory", 0);
  me.local_top = address_ + bytes;
  std::memset(reinterpret_cast<void*>(address_), 0xff, bytes);
}

local_frame::~local_frame() {
  launch_now.me().local_top = outer_top_;
}

void copy_async(u64 shared_target, u64 global_source, u32 bytes, u32 source_bytes, u32 site) {
  if (source_bytes > bytes)
    source_bytes = bytes;
  launch_now.me().copies.push_back({shared_target, global_source, bytes, source_bytes, site, false});
}

void copy_async_commit() {
  auto& copies = launch_now.me().copies;
  if (!copies.empty() && !copies.back().last_of_group)
    copies.back().last_of_group = true;
  else
    copies.push_back({0, 0, 0, 0, 0, true});  // an empty group counts, too
}

namespace {

void finish(std::size_t count) {
  auto& copies = launch_now.me().copies;
  for (std::size_t i = 0; i < count; ++i) {
    const async_copy each = copies[i];
    if (each.bytes == 0)
      continue;
    std::byte* to = shared_memory(each.target, each.bytes, access::write, each.site);
    std::memset(to, 0, each.bytes);
    if (each.source_bytes == each.bytes)
      std::memcpy(to, global_memory(each.source, each.bytes, access::read, each.site), each.bytes);
    else
      for (u32 i_byte = 0; i_byte < each.source_bytes; ++i_byte)
        to[i_byte] = *global_memory(each.source + i_byte, 1, access::read, each.site);
  }
  copies.erase(copies.begin(), copies.begin() + std::ptrdiff_t(count));
}

}  // namespace

void copy_async_wait(u32 groups_left) {
  const auto& copies = launch_now.me().copies;
  std::size_t count = copies.size();
  while (count > 0 && !copies[count - 1].last_of_group)  // not committed
    --count;
  for (; count > 0 && groups_left > 0; --groups_left)
    do
      --count;
    while (count > 0 && !copies[count - 1].last_of_group);
  finish(count);
}

void copy_async_wait_all() {
  finish(launch_now.me().copies.size());
}

void fence(bool beyond_block) {
  thread& me = launch_now.me();
  me.fence_interval = races.interval();
  me.fence_beyond_block = beyond_block;
}

}  // namespace gpu_host::device
