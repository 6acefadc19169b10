// SPDX-License-Identifier: MIT
// Dense products of the patcher: skinny batches times square weights, and the gradients of both.
#include <functional>
#include <memory>
#include <string>

#include "graphpatcher/ops/gemm.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

/// c = op(a) op(b), rows x cols summed over `depth`.
struct product {
  std::size_t rows;
  std::size_t depth;
  std::size_t cols;

  std::string name() const { return std::to_string(rows) + "x" + std::to_string(depth) + "x" + std::to_string(cols); }
  amount size(bool adds) const {
    const auto m = static_cast<double>(rows);
    const auto k = static_cast<double>(depth);
    const auto n = static_cast<double>(cols);
    return {2 * m * k * n, 4 * (m * k + k * n + (adds ? 2 : 1) * m * n), m, "rows/s"};
  }
};

struct gemm_inputs {
  gp::cpu exec;
  gp::matrix<float> a;
  gp::matrix<float> b;
  gp::matrix<float> c;
};

enum class form { plain, a_transposed, b_transposed };

/// Some elements, by the definition, in double.
void check(const gemm_inputs& in, form how, std::size_t depth) {
  for (std::size_t i = 0; i < in.c.rows(); i += 1 + in.c.rows() / 16) {
    for (std::size_t j = 0; j < in.c.cols(); j += 1 + in.c.cols() / 64) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k) {
        const float left = how == form::a_transposed ? in.a(k, i) : in.a(i, k);
        const float right = how == form::b_transposed ? in.b(j, k) : in.b(k, j);
        sum += static_cast<double>(left) * static_cast<double>(right);
      }
      expects_close(std::abs(sum - static_cast<double>(in.c(i, j))), rounding_of(depth), "gemm");
    }
  }
}

workload gemm_workload(const std::string& operation, form how, product p, const run_options& options) {
  return {operation + "/" + p.name(), [=] {
            auto in = std::make_shared<gemm_inputs>();
            in->exec.threads = options.threads;
            in->a = how == form::a_transposed ? random_matrix(p.depth, p.rows) : random_matrix(p.rows, p.depth);
            in->b = how == form::b_transposed ? random_matrix(p.cols, p.depth, 2) : random_matrix(p.depth, p.cols, 2);
            in->c = gp::matrix<float>(p.rows, p.cols);
            const auto run = [=] {
              if (how == form::plain) {
                gp::gemm(in->exec, in->a.view(), in->b.view(), in->c.view());
              } else if (how == form::b_transposed) {
                gp::gemm_abt(in->exec, in->a.view(), in->b.view(), in->c.view());
              } else {
                gp::gemm_atb_add(in->exec, in->a.view(), in->b.view(), in->c.view());
              }
            };
            return prepared_workload{p.size(how == form::a_transposed), run, [=] { check(*in, how, p.depth); }};
          }};
}

}  // namespace

std::vector<workload> gemm_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const product p :
       {product{64, 1024, 1024}, product{128, 1024, 1024}, product{192, 1024, 1024}, product{64, 1024, 1433},
        product{64, 128, 128}, product{64, 128, 1433}, product{1024, 1024, 1024}}) {
    workloads.push_back(gemm_workload("gemm", form::plain, p, options));
  }
  for (const product p : {product{64, 1024, 1024}, product{64, 1433, 1024}}) {
    workloads.push_back(gemm_workload("gemm_abt", form::b_transposed, p, options));
  }
  for (const product p : {product{1024, 64, 1024}, product{1024, 192, 1024}, product{1024, 64, 1433}}) {
    workloads.push_back(gemm_workload("gemm_atb_add", form::a_transposed, p, options));
  }
  return workloads;
}

}  // namespace bench
