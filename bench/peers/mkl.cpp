// SPDX-License-Identifier: MIT
#include <mkl_service.h>
#include <mkl_spblas.h>
#include <mkl_version.h>

#include <stdexcept>

#include "peer.hpp"

namespace peer {

namespace {

void expect(sparse_status_t status, const char* call) {
  if (status != SPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with status " + std::to_string(status));
  }
}

/// The inspector-executor interface, told what will be asked of it.
class mkl_spmm : public spmm {
public:
  explicit mkl_spmm(const spmm_problem& p)
      : problem_(p), indptr_(p.indptr), indices_(p.indices), ones_(indices_.size(), 1.0f), y_(p.x.size(), 0.0f) {
    const auto rows = static_cast<MKL_INT>(p.nodes());
    expect(mkl_sparse_s_create_csr(&a_, SPARSE_INDEX_BASE_ZERO, rows, rows, indptr_.data(), indptr_.data() + 1,
                                   indices_.data(), ones_.data()),
           "mkl_sparse_s_create_csr");
    // hints only: what it does not support it does without
    mkl_sparse_set_mm_hint(a_, SPARSE_OPERATION_NON_TRANSPOSE, general_, SPARSE_LAYOUT_ROW_MAJOR, columns(), 1000);
    mkl_sparse_optimize(a_);
  }
  ~mkl_spmm() override { mkl_sparse_destroy(a_); }

  void run() override {
    expect(mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1.0f, a_, general_, SPARSE_LAYOUT_ROW_MAJOR,
                           problem_.x.data(), columns(), columns(), 0.0f, y_.data(), columns()),
           "mkl_sparse_s_mm");
  }
  std::vector<float> result() override { return y_; }

private:
  MKL_INT columns() const { return static_cast<MKL_INT>(problem_.width); }

  const spmm_problem& problem_;
  std::vector<MKL_INT> indptr_;
  std::vector<MKL_INT> indices_;
  std::vector<float> ones_;
  std::vector<float> y_;
  sparse_matrix_t a_ = nullptr;
  matrix_descr general_{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};
};

}  // namespace

std::string name() {
  return "oneMKL";
}
std::string version() {
  MKLVersion v{};
  mkl_get_version(&v);
  return std::to_string(v.MajorVersion) + "." + std::to_string(v.MinorVersion) + "." + std::to_string(v.UpdateVersion);
}
void start(int threads) {
  mkl_set_dynamic(0);
  mkl_set_num_threads(threads);
}
std::unique_ptr<spmm> prepare(const spmm_problem& problem) {
  static_assert(sizeof(MKL_INT) == sizeof(std::int32_t));
  return std::make_unique<mkl_spmm>(problem);
}

}  // namespace peer
