// SPDX-License-Identifier: MIT
// Mutants: barriers are really left out and bounds really shifted, at one place
// of the source and nowhere else.
#include "mutation.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "support.hpp"

using namespace gpu_host_tests;
using gpu_host::fault_kind;

namespace {

const std::string kernels_file = GPU_HOST_TESTS "/mutable_kernels.cu";

int line_of(const std::string& mark) {
  return marked_lines(kernels_file, mark).front();
}

/// The mutants of a marked line.
std::vector<gpu_host::mutant> at(const std::string& mark) {
  std::vector<gpu_host::mutant> found;
  for (const auto& each : gpu_host::mutants())
    if (each.file == kernels_file && each.line == line_of(mark))
      found.push_back(each);
  return found;
}

/// A fault for the time of a test.
class with_mutant {
public:
  explicit with_mutant(const gpu_host::mutant& chosen) { gpu_host::select_mutant(chosen.id()); }
  ~with_mutant() { gpu_host::select_mutant(""); }
  with_mutant(const with_mutant&) = delete;
  with_mutant& operator=(const with_mutant&) = delete;
};

template <class Launch>
fault_kind kind_of_fault(Launch launch) {
  const auto found = fault_of(launch);
  REQUIRE(found.has_value());
  return found->kind;
}

const gpu_host::launch_options one_block{{1}, {256}};

std::vector<int> counted(int low, int high, float limit) {
  const device_array<int> in(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}), out(std::vector<int>(1));
  run("counted", {{1}, {1}}, in, out, 8, low, high, limit);
  return out.values();
}

}  // namespace

TEST_CASE("Mutants are the barriers and bounds of the source, templates once") {
  for (const auto& [mark, source] : {std::pair("guard", "<"),
                                     {"return", ">="},
                                     {"halves", ">"},
                                     {"barrier", "__syncthreads"},
                                     {"warp barrier", "__syncwarp"}}) {
    INFO(mark);
    REQUIRE(at(mark).size() == 1);
    CHECK(at(mark)[0].source == source);
    CHECK(at(mark)[0].number == 0);
  }
  const auto range = at("range");  // number 0 is the comparison of floats
  REQUIRE(range.size() == 2);
  CHECK(range[0].source == ">=");
  CHECK(range[0].number == 1);
  CHECK(range[1].source == "<=");
  CHECK(range[1].number == 2);
  CHECK(gpu_host::mutants().size() == 8);  // these seven, and `t < half`
}

TEST_CASE("Without a mutant mutable kernels do what they should") {
  const device_array<int> in(std::vector<int>(256, 3)), out(std::vector<int>(256));
  run("block_total", one_block, in, out);
  CHECK(out.values()[0] == 768);
  CHECK(counted(3, 5, 0.f) == std::vector{3});
}

TEST_CASE(
    "A shifted bound lets one more thread in, in every instance of a "
    "template") {
  const device_array<int> ints(std::vector<int>(200, 1)), int_out(std::vector<int>(200));
  const device_array<float> floats(std::vector<float>(200, 1)), float_out(std::vector<float>(200));
  const auto launch_ints = [&] { run("doubled_ints", one_block, ints, int_out, 200); };
  const auto launch_floats = [&] { run("doubled_floats", one_block, floats, float_out, 200); };
  const auto launch_return = [&] { run("doubled_or_return", one_block, ints, int_out, 200); };
  {
    const with_mutant scope(at("guard")[0]);
    CHECK(kind_of_fault(launch_ints) == fault_kind::out_of_bounds);
    CHECK(kind_of_fault(launch_floats) == fault_kind::out_of_bounds);
    CHECK_FALSE(fault_of(launch_return).has_value());
  }
  {
    const with_mutant scope(at("return")[0]);
    CHECK(kind_of_fault(launch_return) == fault_kind::out_of_bounds);
    CHECK_FALSE(fault_of(launch_ints).has_value());
  }
  CHECK_FALSE(fault_of(launch_ints).has_value());
  CHECK_FALSE(fault_of(launch_return).has_value());
}

TEST_CASE("Two bounds of one statement are two mutants") {
  {
    const with_mutant scope(at("range")[0]);  // 3 < value <= 5
    CHECK(counted(3, 5, 0.f) == std::vector{2});
    CHECK(counted(3, 5, 3.f) == std::vector{2});
  }
  const with_mutant scope(at("range")[1]);  // 3 <= value < 5
  CHECK(counted(3, 5, 0.f) == std::vector{2});
  CHECK(counted(3, 5, 3.f) == std::vector{1});
}

TEST_CASE("Barriers are left out") {
  const device_array<int> in(std::vector<int>(256, 3)), out(std::vector<int>(256));
  const auto total = [&] { run("block_total", one_block, in, out); };
  const auto swap = [&] { run("swapped", {{1}, {32}}, in, out); };
  gpu_host::settings races_only;
  races_only.detect_uninitialised = false;
  const with_settings settings(races_only);
  {
    const with_mutant scope(at("barrier")[0]);
    CHECK(kind_of_fault(total) == fault_kind::race_shared);
    CHECK_FALSE(fault_of(swap).has_value());
  }
  const with_mutant scope(at("warp barrier")[0]);
  CHECK(kind_of_fault(swap) == fault_kind::race_shared);
  CHECK_FALSE(fault_of(total).has_value());
}

TEST_CASE("A mutant that never ends is a fault") {
  const device_array<int> in(std::vector<int>(256, 0)), out(std::vector<int>(256));
  const auto total = [&] { run("block_total", one_block, in, out); };
  gpu_host::take_most_steps();
  total();
  const std::uint64_t steps = gpu_host::take_most_steps();
  CHECK(steps >= 256 * 8);  // eight barriers a thread
  gpu_host::limit_steps(steps);
  CHECK_FALSE(fault_of(total).has_value());
  {
    const with_mutant scope(at("halves")[0]);  // half >= 0: always
    CHECK(kind_of_fault(total) == fault_kind::endless);
  }
  gpu_host::limit_steps(steps - 1);
  CHECK(kind_of_fault(total) == fault_kind::endless);
  gpu_host::limit_steps(std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("Places that kernels have reached are told once") {
  gpu_host::take_reached();
  counted(3, 5, 0.f);
  CHECK(gpu_host::take_reached() == at("range"));
  CHECK(gpu_host::take_reached().empty());
  counted(3, 5,
          9.f);  // nothing is above the limit: the bounds behind && aren't executed
  CHECK(gpu_host::take_reached().empty());
}

TEST_CASE("Mutants that aren't there are refused") {
  CHECK_THROWS_AS(gpu_host::select_mutant(kernels_file + ":1:1:0"), std::invalid_argument);
}
