// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <new>
#include <optional>

#include "graphpatcher/core/error.hpp"
#include "support/allocation_watch.hpp"

namespace faults {

/// Calls `work`, which returns something to compare, with its first request for memory failing, then its second, and so
/// on to the last; once with memory gone from there on and once with that one request refused. Every time it has to
/// throw std::bad_alloc or an error of this library, or end with what it gives when nothing fails; nothing may be left
/// behind. `check(whether it threw)` is called after every try and may look around. Returns how many requests there
/// are.
template <class Work, class Check>
std::size_t fail_everywhere(const Work& work, const Check& check) {
  work();  // what is made once for the whole program is made now
  const auto expected = work();
  check(false);
  std::size_t requests = 0;
  for (const auto which : {gp_test::failures::all, gp_test::failures::one}) {
    for (long count = 0;; ++count) {
      const std::size_t before = gp_test::live_bytes;
      bool threw = false;
      bool reached = false;
      bool right = true;
      {
        const gp_test::failing_allocations failing(count, which);
        try {
          right = work() == expected;
        } catch (const std::bad_alloc&) {
          threw = true;
        } catch (const graphpatcher::error&) {
          threw = true;
        }
        reached = failing.reached();
      }
      const std::size_t after = gp_test::live_bytes;
      if (!right || after != before || (threw && !reached)) {
        FAIL("request " << count << (which == gp_test::failures::one ? " alone" : " and those after it") << ": "
                        << (threw   ? "threw"
                            : right ? "ended"
                                    : "gave something else")
                        << ", " << static_cast<long>(after - before) << " bytes left");
      }
      check(threw);
      if (!reached) {
        requests = static_cast<std::size_t>(count);
        break;
      }
      REQUIRE(count < 100000);
    }
    CHECK(work() == expected);
    check(false);
  }
  return requests;
}

template <class Work>
std::size_t fail_everywhere(const Work& work) {
  return fail_everywhere(work, [](bool) {});
}

}  // namespace faults
