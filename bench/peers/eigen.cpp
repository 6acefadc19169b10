// SPDX-License-Identifier: MIT
#include <Eigen/SparseCore>

#include "peer.hpp"

namespace peer {

namespace {

using sparse = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
using dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of A are split between threads by Eigen itself (OpenMP), as it does for row-major matrices.
class eigen_spmm : public spmm {
public:
  explicit eigen_spmm(const spmm_problem& p)
      : ones_(p.indices.size(), 1.0f),
        a_(Eigen::Map<const sparse>(rows(p), rows(p), static_cast<Eigen::Index>(p.indices.size()), p.indptr.data(),
                                    p.indices.data(), ones_.data())),
        x_(Eigen::Map<const dense>(p.x.data(), rows(p), static_cast<Eigen::Index>(p.width))),
        y_(dense::Zero(x_.rows(), x_.cols())) {}

  void run() override { y_.noalias() = a_ * x_; }
  std::vector<float> result() override { return {y_.data(), y_.data() + y_.size()}; }

private:
  static Eigen::Index rows(const spmm_problem& p) { return static_cast<Eigen::Index>(p.nodes()); }

  std::vector<float> ones_;
  sparse a_;
  dense x_;
  dense y_;
};

}  // namespace

std::string name() {
  return "Eigen";
}
std::string version() {
  return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
         std::to_string(EIGEN_MINOR_VERSION);
}
void start(int threads) {
  Eigen::setNbThreads(threads);
}
std::unique_ptr<spmm> prepare(const spmm_problem& problem) {
  return std::make_unique<eigen_spmm>(problem);
}

}  // namespace peer
