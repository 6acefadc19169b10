// SPDX-License-Identifier: MIT
// Work that is captured as a graph: the same results, few graphs built, and nothing lost when a capture fails.
#include <catch2/catch.hpp>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "cuda/host_only/fresh_device.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/cuda/graph_capture.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "support/compare.hpp"
#include "support/random_matrix.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using gp::backend::device_array;
using gp::test::fresh_device;
using gp::test::live_objects;
using gpu_host::call_count;

namespace {

/// Work of several kinds: an upload, memory of its own, kernels, a product.
struct some_work {
  gp::cuda exec;
  gp::matrix<float> a = support::random_matrix<float>(6, 4, 1).copy_on(exec);
  gp::matrix<float> sum{exec, 6, 4};
  gp::matrix<float> product{exec, 6, 6};

  void run(const gp::matrix<float>& input, float factor) {
    const device_array<float> sent(exec, input.values());
    const gp::matrix_view<const float> there(sent.data(), input.rows(), input.cols());
    gp::add(exec, a, there, sum.view());
    gp::scale(exec, sum, factor, sum.view());
    gp::gemm_abt(exec, sum, a, product.view());
  }
};

std::vector<float> read(const gp::cuda& exec, const device_array<float>& there) {
  std::vector<float> back(there.size());
  gp::backend::download(exec, back.data(), there.data(), there.size() * sizeof(float));
  return back;
}

std::size_t pinned_bytes() {
  std::size_t bytes = 0;
  for (const auto& block : gpu_host::live_allocations()) {
    bytes += block.space == gpu_host::memory_space::pinned_host ? block.bytes : 0;
  }
  return bytes;
}

}  // namespace

TEST_CASE("captured work: other numbers, the same graph", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  some_work captured{exec};
  some_work plain{exec};
  gp::captured_work work;
  for (unsigned i = 1; i <= 5; ++i) {
    auto input = support::random_matrix<float>(6, 4, i);
    plain.run(input, static_cast<float>(i));
    work.run(exec, [&] {
      captured.run(input, static_cast<float>(i));
      input.fill(-1e9f);  // what was sent may change before the graph runs
    });
    CHECK(support::same_bits(captured.product.copy_on(gp::cpu{}), plain.product.copy_on(gp::cpu{})));
  }
  CHECK(work.instantiations() == 1);
  CHECK(call_count("cudaGraphLaunch") == 5);
}

TEST_CASE("captured work: other operations, another graph", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  gp::matrix<float> x(exec, 3, 3);
  gp::captured_work work;
  const auto add_up = [&](int times) {
    work.run(exec, [&] {
      gp::fill(exec, 0.0f, x.view());
      for (int i = 0; i < times; ++i) {
        gp::add_scaled(exec, x, 1.0f, x.view());
        gp::matrix<float> one(exec, 3, 3);
        gp::fill(exec, 1.0f, one.view());
        gp::accumulate(exec, one, x.view());
      }
    });
    return x.copy_on(gp::cpu{})(2, 2);
  };
  CHECK(add_up(1) == 1);
  CHECK(add_up(3) == 7);  // x <- 2 x + 1
  CHECK(work.instantiations() == 2);
  CHECK(add_up(3) == 7);
  CHECK(work.instantiations() == 2);
  gp::captured_work moved = std::move(work);
  CHECK(moved.instantiations() == 2);
  CHECK_NOTHROW(moved.run(exec, [] {}));  // nothing to do
}

TEST_CASE("captured work: inside another capture it becomes part of that", "[cuda]") {
  const fresh_device device;
  const gp::cuda exec;
  gp::matrix<float> x(exec, 2, 2);
  gp::captured_work outer;
  gp::captured_work inner;
  outer.run(exec, [&] {
    gp::fill(exec, 2.0f, x.view());
    inner.run(exec, [&] { gp::scale(exec, x, 3.0f, x.view()); });
  });
  CHECK(x.copy_on(gp::cpu{})(0, 0) == 6);
  CHECK(outer.instantiations() == 1);
  CHECK(inner.instantiations() == 0);
}

TEST_CASE("captured work: memory for uploads is kept and used again", "[cuda]") {
  const fresh_device device;
  gpu_host::set_schedule({.seed = 1, .early = 0});  // two runs are queued before the first has begun
  {
    const gp::cuda exec;
    const std::size_t count = 100'000;
    const device_array<float> there(exec, count);
    const device_array<float> result(exec, 4 * count);
    gp::captured_work work;
    std::size_t steady = 0;
    for (int i = 0; i < 9; ++i) {
      const std::vector<float> sent(count, static_cast<float>(i));
      work.run(exec, [&] {
        for (std::size_t part = 0; part < 4; ++part) {
          gp::backend::upload(exec, there.data(), sent.data(), count * sizeof(float));
          gp::backend::copy_bytes(exec, result.data() + part * count, there.data(), count * sizeof(float));
        }
      });
      steady = i == 5 ? pinned_bytes() : steady;  // three runs in either half: one chunk holds all of a run
      if (i % 3 == 2) {
        CHECK(read(exec, result) == std::vector<float>(4 * count, static_cast<float>(i)));
      }
    }
    CHECK(work.instantiations() == 1);
    CHECK(steady >= 2 * 4 * count * sizeof(float));
    CHECK(pinned_bytes() == steady);
    gpu_host::reset_call_counts();
    work.run(exec, [&] { gp::backend::upload(exec, there.data(), std::vector<float>(count).data(), 4 * count); });
    CHECK(call_count("cudaMallocHost") == 0);
    CHECK(call_count("cudaStreamSynchronize") == 0);
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("captured work: a body that throws leaves nothing behind", "[cuda]") {
  const fresh_device device;
  {
    const gp::cuda exec;
    const std::vector<float> host{1, 2, 3};
    const gp::backend::device_mirror<float> mirror;
    gp::matrix<float> x(exec, 2, 2);
    gp::fill(exec, 5.0f, x.view());
    gp::captured_work work;
    const auto failing = [&] {
      mirror.of(exec, host);  // sent in the capture: it never arrives
      gp::fill(exec, 7.0f, x.view());
      throw std::runtime_error("the body's own error");
    };
    CHECK_THROWS_WITH(work.run(exec, failing), "the body's own error");
    CHECK(x.copy_on(gp::cpu{})(1, 1) == 5);
    CHECK(exec.behind().dropped_recordings() == 1);
    std::vector<float> back(3);
    gp::backend::download(exec, back.data(), mirror.of(exec, host).data(), 12);
    CHECK(back == host);
    work.run(exec, [&] { gp::fill(exec, 8.0f, x.view()); });
    CHECK(x.copy_on(gp::cpu{})(1, 1) == 8);
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("captured work: what can't be captured says so", "[cuda]") {
  const fresh_device device;
  {
    const gp::cuda exec;
    gp::matrix<float> x(exec, 2, 2);
    gp::captured_work work;
    CHECK_THROWS_WITH(work.run(exec, [&] { gp::sum(exec, x.view()); }),
                      Contains("can't be read back") && Contains("after captured_work::run"));
    CHECK_THROWS_WITH(work.run(exec, [&] { exec.synchronize(); }), Contains("captured_work::run"));
    CHECK_NOTHROW(work.run(exec, [&] { gp::fill(exec, 1.0f, x.view()); }));
    CHECK(x.copy_on(gp::cpu{})(0, 0) == 1);

    // A capture that is not ours: nobody would know how long the bytes have to stay.
    const auto stream = static_cast<cudaStream_t>(exec.stream());
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    const float one = 1;
    CHECK_THROWS_WITH(gp::backend::upload(exec, x.data(), &one, sizeof(one)), Contains("captured by somebody else"));
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK_NOTHROW(gp::backend::upload(exec, x.data(), &one, sizeof(one)));
  }
  CHECK(live_objects() == 0);
}

TEST_CASE("captured work: memory that it needs and that isn't there", "[cuda]") {
  const fresh_device device;
  {
    const gp::cuda exec;
    gp::matrix<float> x(exec, 2, 2);
    gp::captured_work work;
    work.run(exec, [&] { gp::fill(exec, 1.0f, x.view()); });
    gpu_host::set_memory_limit(6 << 20);  // 4 MiB of it are cuBLAS's
    const auto body = [&](std::size_t rows) {
      return [&, rows] {
        gp::matrix<float> large(exec, rows, 1024);
        gp::fill(exec, 2.0f, large.view());
        gp::copy(exec, gp::matrix_view<const float>(large.data(), 2, 2, 1024), x.view());
      };
    };
    CHECK_THROWS_AS(work.run(exec, body(1024)), gp::out_of_memory_error);
    CHECK(x.copy_on(gp::cpu{})(0, 0) == 1);
    work.run(exec, body(256));
    CHECK(x.copy_on(gp::cpu{})(0, 0) == 2);
  }
  CHECK(live_objects() == 0);
}
