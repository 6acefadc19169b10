// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/config_words.hpp"

#include <catch2/catch.hpp>
#include <set>

namespace gp = graphpatcher;

namespace {

/// Every word is there once, and leads back to its value.
template <class Choice>
void check_words(std::size_t count) {
  std::set<std::string_view> words;
  for (const auto& [word, value] : gp::words_of<Choice>()) {
    words.insert(word);
    CHECK(gp::word_of(value) == word);
  }
  CHECK(words.size() == count);
}

}  // namespace

TEST_CASE("every variant has a word of its own", "[patcher]") {
  check_words<gp::patch_loss>(2);
  check_words<gp::sample_reduction>(2);
  check_words<gp::degree_mode>(2);
  check_words<gp::patch_edge>(3);
  check_words<gp::estimator>(2);
  check_words<gp::anchor_choice>(2);
  check_words<gp::stop_rule>(2);
  CHECK(gp::word_of(gp::patcher_config{}.loss) == "released");
  CHECK_THROWS_AS(gp::word_of(static_cast<gp::patch_loss>(7)), gp::argument_error);
}
