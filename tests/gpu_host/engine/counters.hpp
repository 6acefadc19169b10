// SPDX-License-Identifier: MIT
// Costs of a launch. Threads run one after another here, so the accesses of a warp come lane by lane: they are put
// together by instruction and by how often the lane has executed it since the lanes of its warp last met.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine.hpp"

namespace gpu_host {

class cost_counter {
public:
  void begin_launch();
  void end_launch();
  void begin_block();
  void end_block();

  /// An access of the running thread; `address` is an offset in shared memory or an address in global memory.
  void access(std::uint64_t address, unsigned bytes, std::uint32_t what, std::uint32_t site, bool is_shared);
  /// The whole warp has met, at a barrier or in a warp operation that names all lanes: no access from before belongs
  /// together with one from after.
  void meet(std::size_t warp);
  std::uint32_t* basic_block_counts();

  bool on = false;
  std::vector<launch_costs> finished;

private:
  struct request {
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, 32> address{};
  };
  /// The requests of one instruction in one warp, since its lanes last met, that not all lanes have made yet.
  struct instruction_log {
    std::uint32_t what = 0;
    unsigned bytes = 0;
    bool is_shared = false;
    bool in_use = false;
    std::array<std::uint32_t, 32> executed{};  // by lane
    std::uint32_t first = 0;                   // number of the first open request
    std::deque<request> open;
  };
  struct warp_log {
    std::vector<instruction_log> by_site;  // [site number]
    std::vector<std::uint32_t> in_use;     // site numbers
  };

  std::uint32_t number_of(std::uint32_t site);
  void settle(const instruction_log& log, const request& made);
  void settle_global(launch_costs::memory& sums, unsigned bytes, std::vector<std::uint64_t>& addresses);
  void settle_shared(const instruction_log& log, const request& made);

  launch_costs costs_;
  std::uint64_t worked_ = 0, occupied_ = 0;  // lanes times instructions
  std::vector<std::uint32_t> site_numbers_;  // by site: 1 + its number in this launch, 0: none yet
  std::uint32_t sites_ = 0;
  std::vector<warp_log> logs_;
  std::vector<std::uint32_t> block_counts_;  // [thread][basic block]
  std::vector<std::uint64_t> scratch_;
};

extern cost_counter counts;

}  // namespace gpu_host
