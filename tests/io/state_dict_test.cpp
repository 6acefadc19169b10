// SPDX-License-Identifier: MIT
#include "graphpatcher/io/state_dict.hpp"

#include <catch2/catch.hpp>

#include "io/pickle_writer.hpp"

using namespace graphpatcher;

TEST_CASE("state dict: written and read as safetensors and as npz") {
  const gp_test::temporary_folder folder;
  const state_dict<float> state{{"a.weight", {{2, 2}, {1, 2, 3, 4}}}, {"a.bias", {{2}, {-0.0f, 0.1f}}}};
  for (const char* name : {"s.safetensors", "s.npz"}) {
    write_state_dict(folder.path() / name, state);
    const auto back = read_state_dict<float>(folder.path() / name);
    REQUIRE(back.size() == 2);
    CHECK(back.at("a.weight").shape == std::vector<std::size_t>{2, 2});
    CHECK(back.at("a.weight").values == state.at("a.weight").values);
    CHECK(std::signbit(back.at("a.bias").values[0]));
    CHECK(read_state_dict<double>(folder.path() / name).at("a.bias").values[1] == 0.1f);
  }
}

TEST_CASE("state dict: other files, lost digits and missing files are refused") {
  const gp_test::temporary_folder folder;
  const state_dict<double> state{{"w", {{1}, {0.1}}}};
  CHECK_THROWS_AS(write_state_dict(folder.path() / "s.pt", state), argument_error);
  CHECK_THROWS_AS(write_state_dict(folder.path() / "s.npz", state, {{"note", "x"}}), argument_error);
  CHECK_THROWS_WITH(read_state_dict<float>(folder.path() / "s.pt"), Catch::Contains(".safetensors or .npz"));
  CHECK_THROWS_AS(read_state_dict<float>(folder.path() / "none.npz"), file_error);
  write_state_dict(folder.path() / "s.safetensors", state, {{"note", "x"}});
  CHECK_THROWS_WITH(read_state_dict<float>(folder.path() / "s.safetensors"), Catch::Contains("0.1 would change"));
  CHECK(safetensors_archive(folder.path() / "s.safetensors").metadata().at("note") == "x");
}
