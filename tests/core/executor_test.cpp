// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <concepts>

#include <filesystem>
#include <fstream>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/detail/processors.hpp"
#include "graphpatcher/core/executor.hpp"
#include "support/temporary_folder.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEST_CASE("a cpu executor uses every core unless told otherwise", "[executor]") {
  CHECK(hardware_threads() >= 1);
  CHECK(cpu{}.threads == hardware_threads());
  CHECK_NOTHROW(check_executor(cpu{}));
  CHECK_THROWS_AS(check_executor(cpu{.threads = 0}), argument_error);
}

TEST_CASE("the quota of a container counts, and those around it", "[executor]") {
  const auto processors = [](std::initializer_list<std::pair<const char*, const char*>> files) {
    const gp_test::temporary_folder root;
    for (const auto& [name, content] : files) {
      const auto path = root.path() / name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << content;
    }
    return detail::processors_of_groups(root.path().string());
  };
  const char* const group = "proc/self/cgroup";
  CHECK(processors({}) == 0);
  // Version 2: one file, "max" or microseconds of each period.
  CHECK(processors({{group, "0::/\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}}) == 0);
  CHECK(processors({{group, "0::/\n"}, {"sys/fs/cgroup/cpu.max", "200000 100000\n"}}) == 2);
  CHECK(processors({{group, "0::/\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}}) == 2);
  CHECK(processors({{group, "0::/\n"}, {"sys/fs/cgroup/cpu.max", "50000 100000\n"}}) == 1);
  CHECK(processors({{group, "0::/a/b\n"},
                    {"sys/fs/cgroup/a/b/cpu.max", "800000 100000\n"},
                    {"sys/fs/cgroup/a/cpu.max", "300000 100000\n"},
                    {"sys/fs/cgroup/cpu.max", "max 100000\n"}}) == 3);
  // The path of the host, which a container doesn't see.
  CHECK(processors({{group, "0::/docker/x\n"}, {"sys/fs/cgroup/cpu.max", "400000 100000\n"}}) == 4);
  // Version 1: two files, and -1 for no limit; only the controller of processors says something.
  const char* const period = "sys/fs/cgroup/cpu/a/cpu.cfs_period_us";
  const char* const quota = "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us";
  const char* const first = "3:memory:/b\n2:cpu,cpuacct:/a\n1:name=systemd:/c\n";
  CHECK(processors({{group, first}, {period, "100000\n"}, {quota, "-1\n"}}) == 0);
  CHECK(processors({{group, first}, {period, "50000\n"}, {quota, "250000\n"}}) == 5);
  CHECK(processors({{group, "2:cpuset:/a\n"}, {period, "50000\n"}, {quota, "250000\n"}}) == 0);
  // Whatever else stands there is no limit.
  for (const char* nonsense : {"", "0 100000", "1e999 100000", "-5 100000", "x", "100000 0", "100000"}) {
    CHECK(processors({{group, "0::/\n"}, {"sys/fs/cgroup/cpu.max", nonsense}}) == 0);
  }
  CHECK(processors({{group, "nonsense\n::\n0::\n"}, {"sys/fs/cgroup/cpu.max", "100000 100000"}}) == 1);
}

TEST_CASE("threads are as many as the process may use", "[executor]") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  CHECK(detail::usable_processors() <= CPU_COUNT(&allowed));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int id = 0; CPU_COUNT(&one) == 0; ++id) {
    if (CPU_ISSET(id, &allowed)) {
      CPU_SET(id, &one);
    }
  }
  REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
  CHECK(detail::usable_processors() == 1);
  sched_setaffinity(0, sizeof(allowed), &allowed);
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
