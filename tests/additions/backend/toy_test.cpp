// SPDX-License-Identifier: MIT
#include "additions/backend/toy.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/whole_graph.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/repeated_work.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::size_t in_use(const device& exec) {
  return backend::memory_use_of(exec).bytes_in_use;
}

/// Whole numbers, so that every order of adding them up gives the same.
const matrix<float> left{{1, -2, 3}, {-4, 5, 6}};
const matrix<float> right{{1, 0}, {-1, 2}, {0, -3}};

std::vector<float> numbers(const executor& exec, const matrix<float>& there) {
  const auto host = to_host(exec, there.view());
  return {host.values().begin(), host.values().end()};
}

}  // namespace

TEST_CASE("operations of a backend from outside run through its tables", "[backend]") {
  const toy_device exec;
  const auto a = left.copy_on(exec);
  const auto b = right.copy_on(exec);
  matrix<float> c(exec, 2, 2);
  gemm<float>(exec, a, b, c.view());
  CHECK(numbers(exec, c) == std::vector<float>{3, -13, -9, -8});
  auto d = matrix<float>{{1, 0}, {0, 1}}.copy_on(exec);
  gemm_atb_add<float>(exec, c, c, d.view());
  CHECK(numbers(exec, d) == std::vector<float>{91, 33, 33, 234});
  relu<float>(exec, c, c.view());
  CHECK(numbers(exec, c) == std::vector<float>{3, 0, 0, 0});

  message_graph<std::int32_t> graph;
  graph.offsets = {0, 2, 3, 3};
  graph.sources = {0, 2, 1};
  graph.within = {3};
  graph.global_ids = {0, 1, 2};
  matrix<float> sums(exec, 3, 2, contents::anything);
  const auto x = right.copy_on(exec);
  spmm<float, std::int32_t>(exec, graph.all(), {}, x, sums.view());
  CHECK(numbers(exec, sums) == std::vector<float>{1, -3, -1, 2, 0, 0});

  const std::vector<std::int32_t> offsets{0, 2}, sources{0, 1}, gather{2, 2};
  matrix<float> gathered(exec, 1, 2);
  spmm<float, std::int32_t>(exec, offsets, sources, {}, gather, x, gathered.view());
  CHECK(numbers(exec, gathered) == std::vector<float>{0, -6});
}

TEST_CASE("what a backend lacks throws an error that names it", "[backend]") {
  const toy_device exec;
  const auto a = left.copy_on(exec);
  matrix<float> out(exec, 2, 3);
  CHECK_THROWS_AS(softmax<float>(exec, a, out.view()), backend_error);
  CHECK_THROWS_WITH(softmax<float>(exec, a, out.view()),
                    Equals("the toy backend has no softmax for float; link a version of it whose table has that entry, "
                           "or use graphpatcher::cpu"));

  const auto doubles = matrix<double>{{1, 2}, {3, 4}}.copy_on(exec);  // there is no table for double at all
  matrix<double> product(exec, 2, 2);
  CHECK_THROWS_WITH(gemm<double>(exec, doubles, doubles, product.view()),
                    Contains("the toy backend has no gemm for double;"));

  const std::vector<std::int64_t> offsets{0, 1, 1}, sources{1};
  CHECK_THROWS_WITH((spmm<float, std::int64_t>(exec, offsets, sources, {}, a, out.view())),
                    Contains("the toy backend has no spmm for float and 64-bit ids;"));
  const std::vector<std::int32_t> ids{1, 0};
  CHECK_THROWS_WITH((gather_rows<float, std::int32_t>(exec, a, ids, out.view())),
                    Contains("the toy backend has no gather_rows for float and 32-bit ids;"));
}

TEST_CASE("shapes are checked before a backend is asked", "[backend]") {
  const toy_device exec;
  const auto a = left.copy_on(exec);
  matrix<float> out(exec, 2, 2);
  CHECK_THROWS_AS(gemm<float>(exec, a, a, out.view()), shape_error);
}

TEST_CASE("memory of a backend is counted and all given back", "[backend]") {
  const toy_device exec;
  {
    matrix<float> a = left.copy_on(exec);
    CHECK(in_use(exec) == 6 * sizeof(float));
    const matrix<float> copied = a;
    const matrix<float> moved = std::move(a);
    CHECK(in_use(exec) == 12 * sizeof(float));
    CHECK(numbers(exec, copied) == numbers(exec, moved));
    CHECK_THROWS_AS(copied.values(), backend_error);  // not the host's to touch

    const std::vector<std::int32_t> offsets{0, 1}, sources{0};
    matrix<float> out(exec, 1, 3);
    const std::size_t before = in_use(exec);
    spmm<float, std::int32_t>(exec, offsets, sources, {}, copied, out.view());
    CHECK(in_use(exec) == before);  // structure that was sent along has gone
    CHECK_THROWS_AS((gather_rows<float, std::int32_t>(exec, copied, sources, out.view())), backend_error);
    CHECK(in_use(exec) == before);
  }
  CHECK(in_use(exec) == 0);
  CHECK_THROWS_AS(matrix<float>(exec, std::size_t{1} << 40, std::size_t{1} << 20), out_of_memory_error);
  CHECK(in_use(exec) == 0);
}

TEST_CASE("whole algorithms find out what a backend lacks", "[backend]") {
  const toy_device exec;
  const auto data = make_degree_biased<float, std::int32_t>();
  const gcn_backbone<float> model({.hidden = 4, .seed = 1}, data.features.cols(), data.classes);
  const auto graph = whole_graph<std::int32_t>(data.graph);
  CHECK_THROWS_WITH((predict<float, std::int32_t>(exec, model, graph, data.features)),
                    Contains("the toy backend has no sparse_gemm for float and 32-bit ids;"));
  CHECK(in_use(exec) == 0);

  const frozen_model<float, std::int32_t> frozen(exec, model, data);
  CHECK(frozen.path() == frozen_path::generic);
  CHECK_THAT(frozen.why(), Contains("the toy backend has no corrupted_logits for float and 32-bit ids"));
}

namespace {

/// Counts what is recorded on it; a body runs when its recording is submitted.
class recording_device : public toy_accelerator {
public:
  int recorded = 0;

  std::unique_ptr<backend::work_recorder> make_recorder() override {
    struct recorder : backend::work_recorder {
      explicit recorder(int& count) : count_(count) {}
      void record(const device&, void (*body)(void*), void* work) override {
        ++count_;
        body(work);
      }
      int& count_;
    };
    return std::make_unique<recorder>(recorded);
  }
};

}  // namespace

TEST_CASE("repeated work is recorded where it is asked for and a device can", "[backend]") {
  const auto behind = std::make_shared<recording_device>();
  const device records(behind);
  int runs = 0;
  const auto body = [&] { ++runs; };
  for (const bool asked : {false, true}) {
    repeated_work here(asked), there(asked), unable(asked);
    for (int step = 0; step < 3; ++step) {
      here.run(cpu{1}, body);
      there.run(records, body);
      unable.run(toy_device(), body);
    }
  }
  CHECK(runs == 18);
  CHECK(behind->recorded == 3);
}

TEST_CASE("a device of one backend is not taken for one of another", "[backend]") {
  CHECK_THROWS_AS(cuda(toy_device()), backend_error);
  CHECK_THROWS_WITH(cuda(toy_device()), Contains("toy"));
  CHECK_THROWS_AS(device(nullptr), backend_error);
}
