// SPDX-License-Identifier: MIT
extern "C" {
#include <GraphBLAS.h>
}

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "peer.hpp"

namespace peer {

namespace {

void expect(GrB_Info info, const char* call) {
  if (info != GrB_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with info " + std::to_string(info));
  }
}

/// Y += A X with all of Y and X stored and Y zero before: nodes without neighbours get 0, and GraphBLAS has its fastest
/// kernels for this form. The semiring ignores the values of A, which are one number for all.
class graphblas_spmm : public spmm {
public:
  explicit graphblas_spmm(const spmm_problem& p) : rows_(p.nodes()), cols_(p.width) {
    expect(GrB_Matrix_new(&a_, GrB_FP32, rows_, rows_), "GrB_Matrix_new");
    expect(GrB_Matrix_new(&x_, GrB_FP32, rows_, cols_), "GrB_Matrix_new");
    expect(GrB_Matrix_new(&y_, GrB_FP32, rows_, cols_), "GrB_Matrix_new");
    const std::vector<GrB_Index> indptr(p.indptr.begin(), p.indptr.end());
    const std::vector<GrB_Index> indices(p.indices.begin(), p.indices.end());
    const std::vector<float> ones(indices.size(), 1.0f);
    GrB_Matrix_free(&a_);
    expect(GrB_Matrix_import_FP32(&a_, GrB_FP32, rows_, rows_, indptr.data(), indices.data(), ones.data(),
                                  indptr.size(), indices.size(), ones.size(), GrB_CSR_FORMAT),
           "GrB_Matrix_import");
    fill(x_, p.x.data());
    expect(GrB_Matrix_assign_FP32(y_, nullptr, nullptr, 0.0f, GrB_ALL, rows_, GrB_ALL, cols_, nullptr), "assign");
    expect(GrB_Matrix_wait(a_, GrB_MATERIALIZE), "GrB_Matrix_wait");
  }
  ~graphblas_spmm() override {
    GrB_Matrix_free(&a_);
    GrB_Matrix_free(&x_);
    GrB_Matrix_free(&y_);
  }

  void run() override {
    expect(GrB_Matrix_assign_FP32(y_, nullptr, nullptr, 0.0f, GrB_ALL, rows_, GrB_ALL, cols_, nullptr), "assign");
    expect(GrB_mxm(y_, nullptr, GrB_PLUS_FP32, GxB_PLUS_SECOND_FP32, a_, x_, nullptr), "GrB_mxm");
    expect(GrB_Matrix_wait(y_, GrB_MATERIALIZE), "GrB_Matrix_wait");
  }

  std::vector<float> result() override {
    std::vector<float> values(rows_ * cols_);
    std::vector<GrB_Index> i(values.size());
    std::vector<GrB_Index> j(values.size());
    GrB_Index count = values.size();
    expect(GrB_Matrix_extractTuples_FP32(i.data(), j.data(), values.data(), &count, y_), "extractTuples");
    std::vector<float> y(rows_ * cols_, 0.0f);
    for (std::size_t e = 0; e < count; ++e) {
      y[i[e] * cols_ + j[e]] = values[e];
    }
    return y;
  }

private:
  /// A full matrix by rows takes over memory that the C library gave.
  void fill(GrB_Matrix& matrix, const float* values) {
    const std::size_t bytes = rows_ * cols_ * sizeof(float);
    void* copy = std::malloc(bytes);
    std::memcpy(copy, values, bytes);
    expect(GxB_Matrix_pack_FullR(matrix, &copy, bytes, false, nullptr), "GxB_Matrix_pack_FullR");
  }

  GrB_Index rows_;
  GrB_Index cols_;
  GrB_Matrix a_ = nullptr;
  GrB_Matrix x_ = nullptr;
  GrB_Matrix y_ = nullptr;
};

}  // namespace

std::string name() {
  return "SuiteSparse:GraphBLAS";
}
std::string version() {
  int v[3] = {};
  GxB_Global_Option_get(GxB_LIBRARY_VERSION, v);
  return std::to_string(v[0]) + "." + std::to_string(v[1]) + "." + std::to_string(v[2]);
}
void start(int threads) {
  expect(GrB_init(GrB_NONBLOCKING), "GrB_init");
  expect(GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, threads), "GxB_Global_Option_set");
}
std::unique_ptr<spmm> prepare(const spmm_problem& problem) {
  return std::make_unique<graphblas_spmm>(problem);
}

}  // namespace peer
