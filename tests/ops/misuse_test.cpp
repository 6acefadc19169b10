// SPDX-License-Identifier: MIT
// Operations that are called with nothing, or with sizes that wrap; what else each refuses is tested beside it.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphpatcher/ops/answer_checks.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/segment_reduce.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = huge / 2 + 1;  // twice of it is 0
const gp::cpu exec{1};

}  // namespace

TEST_CASE("a number of samples that wraps is no number of targets", "[ops][misuse]") {
  const gp::matrix<double> logits(2, 3);
  const gp::matrix<double> none(0, 3);
  gp::matrix<double> slopes(2, 3);
  std::vector<double> losses(2);
  CHECK_THROWS_AS(gp::kl_divergence<double>(exec, none, logits, half, 0, losses, slopes), gp::overflow_error);
  CHECK_THROWS_AS(gp::released_sample_loss<double>(exec, none, logits, half, losses, slopes), gp::overflow_error);

  const std::vector<id32> anchors{0, 1};
  const auto check = [&](std::size_t samples) {
    gp::check_answers<double, id32>(anchors, 5, 3, {.samples = samples},
                                    {.logits = gp::matrix_view<double>(nullptr, 0, 3)}, "it");
  };
  CHECK_THROWS_AS(check(half), gp::overflow_error);
  CHECK_THROWS_AS(check(2), gp::shape_error);
}

TEST_CASE("rows without columns are computed without being read", "[ops][misuse]") {
  const gp::matrix<float> x(3, 0);
  gp::matrix<float> y(3, 0);
  CHECK_NOTHROW(gp::softmax<float>(exec, x, y.view()));
  CHECK_NOTHROW(gp::log_softmax<float>(exec, x, y.view()));
  CHECK_NOTHROW(gp::softmax_adjoint<float>(exec, x, x, y.view()));
  CHECK_NOTHROW(gp::log_softmax_adjoint<float>(exec, x, x, y.view()));
  const std::vector<id32> rows{0};
  std::vector<float> losses(1);
  gp::matrix<float> slopes(1, 0);
  CHECK_THROWS_AS((gp::cross_entropy<float, id32>(exec, x, rows, rows, losses, slopes)), gp::index_error);
  gp::matrix<float> one(1, 0);
  CHECK_NOTHROW(gp::gather_rows<float, id32>(exec, x, rows, one.view()));
}

TEST_CASE("no offsets cut nothing", "[ops][misuse]") {
  const gp::matrix<float> x(3, 2);
  gp::matrix<float> y(0, 2);
  const std::vector<id32> none;
  CHECK_THROWS_AS((gp::segment_reduce<float, id32>(exec, none, x, gp::reduction::sum, y.view())), gp::shape_error);
  CHECK_THROWS_AS(gp::expects_offsets<id32>(none, huge, 0, "it"), gp::shape_error);
  CHECK_THROWS_AS((gp::sparse_gemm<float, id32>(exec, {}, x, y.view())), gp::argument_error);
}
