// SPDX-License-Identifier: MIT
#include "experiments/results/bits_text.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/core/error.hpp"

using namespace graphpatcher;

TEST_CASE("bits as text, by hand") {
  CHECK(bits_to_text({}) == "0:");
  CHECK(bits_to_text({true}) == "1:g");                                // 100000 = 32
  CHECK(bits_to_text({true, true, true, true, true, true}) == "6:/");  // 63
  CHECK(bits_to_text({false, false, false, false, false, true, true}) == "7:Bg");
}

TEST_CASE("bits of every length come back, and nothing else is taken") {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<bool> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
      bits[i] = (i * 7 + count) % 3 == 0;
    }
    CHECK(bits_from_text(bits_to_text(bits)) == bits);
  }
  for (const char* wrong :
       {"", "7", ":", "7:B", "7:BgA", "x:A", "-1:", "6:!", "99999999999999999999:A", "18446744073709551615:A"}) {
    INFO(wrong);
    CHECK_THROWS_AS(bits_from_text(wrong), argument_error);
  }
}
