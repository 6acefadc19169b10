// SPDX-License-Identifier: MIT
// What a program is told when the GPU, its driver or its memory is not there, and that nothing is lost over it.
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "runtime/control.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using Catch::Contains;

namespace {

/// Every test starts and ends with a device as new.
struct fresh_device {
  fresh_device() { gpu_host::reset_device(); }
  ~fresh_device() { gpu_host::reset_device(); }
};

gp::patcher_config short_config() {
  auto config = toy::quick_config();
  config.hidden = 16;
  config.samples = 2;
  config.batch = 8;
  config.max_iterations = 3;
  config.warmup = 1;
  config.evaluate_every = 3;
  config.patches = 1;
  return config;
}

/// The dataset goes with it: its features have a copy in the device's memory.
void train(const gp::executor& exec) {
  const auto data = toy::make<float>(40, 80, 12, 1);
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  gp::train_patcher(exec, data, model, short_config());
}

std::size_t live_objects() {
  return gpu_host::live_allocations().size() + gpu_host::live_streams() + gpu_host::live_events() +
         gpu_host::live_graphs() + gpu_host::live_library_objects();
}

}  // namespace

TEST_CASE("a device, or a driver, that is not there", "[cuda]") {
  const fresh_device device;
  gpu_host::set_devices(0);
  CHECK_FALSE(gp::cuda_available());
  CHECK_THROWS_AS(gp::cuda{}, gp::backend_error);
  CHECK_THROWS_WITH(gp::cuda{}, Contains("graphpatcher::cpu") || Contains("cpu"));

  gpu_host::reset_device();
  gpu_host::set_driver_missing();
  CHECK_THROWS_WITH(gp::cuda{}, Contains("driver"));

  gpu_host::reset_device();
  gpu_host::set_driver_version(12040);
  CHECK_THROWS_WITH(gp::cuda{}, Contains("driver") && Contains("12.4"));
  CHECK(gp::cuda_unavailable_reason().find("12.4") != std::string::npos);
}

TEST_CASE("memory that runs out in the middle of training", "[cuda]") {
  const fresh_device device;
  std::size_t needed = 0;
  {
    const gp::cuda exec;
    train(exec);
    for (const auto& block : gpu_host::live_allocations()) {
      needed += block.space == gpu_host::memory_space::device ? block.bytes : 0;
    }
  }
  REQUIRE(live_objects() == 0);
  std::size_t failures = 0;
  for (const double share : {0.2, 0.5, 0.8, 0.95}) {
    gpu_host::reset_device();
    gpu_host::set_memory_limit(static_cast<std::size_t>(static_cast<double>(needed) * share));
    try {
      const gp::cuda exec;
      train(exec);
    } catch (const gp::out_of_memory_error& error) {
      ++failures;
      CHECK_THAT(error.what(), Contains("bytes") || Contains("MiB") || Contains("KiB"));
    }
    CHECK(live_objects() == 0);
  }
  CHECK(failures >= 3);
}

TEST_CASE("any call that fails is an error of its own, and nothing leaks", "[cuda]") {
  const fresh_device device;
  {
    const gp::cuda exec;
    train(exec);
  }
  std::size_t calls = 0;
  for (const auto& [name, count] : gpu_host::call_counts()) {
    calls += count;
  }
  REQUIRE(calls > 300);
  std::size_t reported = 0;
  const std::size_t trials = 60;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    gpu_host::reset_device();
    const auto nth = static_cast<int>(1 + trial * (calls - 1) / trials);
    const std::size_t reported_before = reported;
    gpu_host::fail_call("*", nth, cudaErrorUnknown);
    try {
      const gp::cuda exec;
      train(exec);
    } catch (const gp::backend_error& error) {
      ++reported;
      INFO("call " << nth << ": " << error.what());
      CHECK(std::string(error.what()).size() > 20);
    }
    INFO("after a failure of call " << nth);
    // A failing call of clean-up has nobody to go to, and what it was to free stays.
    CHECK(live_objects() <= (reported > reported_before ? 0 : 1));
  }
  CHECK(reported >= trials / 2);
}

TEST_CASE("a stream of another device", "[cuda]") {
  const fresh_device device;
  gpu_host::set_devices(2);
  cudaStream_t other = nullptr;
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK_THROWS_WITH(gp::cuda{other}, Contains("device 0") && Contains("device 1"));
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK_NOTHROW(gp::cuda{other});
  cudaStreamDestroy(other);
}

TEST_CASE("shapes and ids are checked before anything reaches a GPU", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  const gp::matrix<float> a(exec, 3, 4);
  gp::matrix<float> c(exec, 3, 3);
  gp::matrix<float> d(exec, 3, 4);
  gpu_host::reset_call_counts();
  CHECK_THROWS_AS(gp::gemm(exec, a, a, c.view()), gp::shape_error);
  const std::vector<int> offsets{0, 2, 3, 3};
  const std::vector<int> sources{0, 1, 2};
  const std::vector<int> beyond{0, 1, 3};
  CHECK_THROWS_AS(gp::spmm(exec, std::span<const int>(offsets), std::span<const int>(sources), {}, a, c.view()),
                  gp::shape_error);
  CHECK_THROWS_AS(gp::spmm(exec, std::span<const int>(offsets), std::span<const int>(beyond), {}, a, d.view()),
                  gp::index_error);
  CHECK(gpu_host::call_counts().empty());
}

TEST_CASE("an iteration of training neither waits nor allocates", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  const auto data = toy::make<float>(40, 80, 12, 1);
  gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  gp::patch_generator<float> generator({.features = 12, .hidden = 16, .seed = 1});
  gp::move_to(exec, model);
  gp::move_to(exec, generator);
  gp::adamw<float> optimizer(generator.parameters());
  const std::vector<toy::node_id> anchors{0, 3, 9, 29};
  const auto config = short_config();
  gp::tape<float> t(exec);
  gp::tape<float> scratch(exec);
  const auto iterate = [&] {
    t.reset();
    t.train(gp::random_stream(1, gp::purpose::dropout));
    const auto batch = gp::make_ego_batch(gp::cpu{1}, data.graph, anchors, {.hops = 2});
    const auto masks = gp::draw_masks(gp::cpu{1}, batch, config, 1);
    const auto pass = gp::run_training_pass(t, scratch, model, generator, data.features, batch, masks, config);
    t.backward(pass.loss);
    optimizer.step(exec);
  };
  iterate();
  iterate();
  gpu_host::reset_call_counts();
  iterate();
  for (const char* waiting : {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy",
                              "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaHostAlloc"}) {
    INFO(waiting);
    CHECK(gpu_host::call_count(waiting) == 0);
  }
  CHECK(gpu_host::call_count("cudaLaunchKernel") > 20);
}
