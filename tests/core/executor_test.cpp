// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <concepts>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/executor.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEST_CASE("a cpu executor uses every core unless told otherwise", "[executor]") {
  CHECK(hardware_threads() >= 1);
  CHECK(cpu{}.threads == hardware_threads());
  CHECK_NOTHROW(check_executor(cpu{}));
  CHECK_THROWS_AS(check_executor(cpu{.threads = 0}), argument_error);
}

TEST_CASE("asking for CUDA without its backend says how to get it", "[executor]") {
  CHECK_THROWS_AS(cuda{}, backend_error);
  CHECK_THROWS_WITH(
      cuda{}, Contains("-DGRAPHPATCHER_CUDA=ON") && Contains("graphpatcher::cuda") && Contains("graphpatcher::cpu"));
}

TEST_CASE("without the library of CUDA there is no GPU, and a reason", "[executor]") {
  CHECK_FALSE(cuda_available());
  CHECK(devices().empty());
  CHECK_THAT(cuda_unavailable_reason(), Contains("link graphpatcher::cuda"));
}

TEST_CASE("an executor is a cpu or a device", "[executor]") {
  STATIC_REQUIRE(std::convertible_to<cpu, executor>);
  STATIC_REQUIRE(std::convertible_to<cuda, executor>);
  STATIC_REQUIRE(std::convertible_to<device, executor>);
  STATIC_REQUIRE_FALSE(std::convertible_to<int, executor>);
  STATIC_REQUIRE_FALSE(std::convertible_to<device, cuda>);
  const executor exec = cpu{.threads = 3};
  CHECK(exec.on_host());
  CHECK(exec.elsewhere() == nullptr);
  CHECK(exec.host().threads == 3);
  CHECK(exec.visit([](const auto& on) { return std::same_as<decltype(on), const cpu&>; }));
}
