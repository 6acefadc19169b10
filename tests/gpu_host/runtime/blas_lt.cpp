// SPDX-License-Identifier: MIT
//
// cuBLASLt: D = epilogue(alpha op(A) op(B) + beta C).
#include <algorithm>

#include "blas_lt_objects.hpp"
#include "device_matrix.hpp"

namespace gpu_host::runtime {
namespace {

constexpr std::uint64_t wished_workspace = 4096;  // so that programs that give less than they were told to are found

// The one algorithm there is, as cublasLtMatmulAlgo_t carries it.
struct lt_algorithm {
  static constexpr std::uint64_t tag = 0x67707568;
  std::uint64_t signature = tag;
  std::uint64_t workspace_bytes = 0;

  static lt_algorithm from(const cublasLtMatmulAlgo_t& opaque) { return {opaque.data[0], opaque.data[1]}; }
  void write(cublasLtMatmulAlgo_t& opaque) const {
    opaque = {};
    opaque.data[0] = signature;
    opaque.data[1] = workspace_bytes;
  }
};

device_matrix matrix_of(const lt_layout& layout, const void* data, const char* name) {
  return {data,
          static_cast<std::int64_t>(layout.get<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_ROWS)),
          static_cast<std::int64_t>(layout.get<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_COLS)),
          layout.get<std::int64_t>(CUBLASLT_MATRIX_LAYOUT_LD),
          layout.get<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_ORDER) == CUBLASLT_ORDER_ROW,
          std::string("cublasLtMatmul: ") + name};
}

struct lt_problem {
  device_matrix a, b, c, d;
  bool transpose_a, transpose_b;
  bool add_bias, clip;  // the epilogues: + bias (one value a row of D), max(., 0)
  const void* bias;
  bool scalars_on_device;
  bool is_double;
};

bool has_type(const lt_layout& layout, cudaDataType type) {
  return layout.get<std::uint32_t>(CUBLASLT_MATRIX_LAYOUT_TYPE) == static_cast<std::uint32_t>(type);
}

void require_supported(const lt_layout& layout, cudaDataType type) {
  const auto order = layout.get<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_ORDER);
  require(has_type(layout, type), CUBLAS_STATUS_NOT_SUPPORTED);
  require(order == CUBLASLT_ORDER_COL || order == CUBLASLT_ORDER_ROW, CUBLAS_STATUS_NOT_SUPPORTED);
  require(layout.get<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) == 1, CUBLAS_STATUS_NOT_SUPPORTED);
}

void require_sound(const device_matrix& m) {
  require(m.ld >= m.inner(), CUBLAS_STATUS_INVALID_VALUE);
}

lt_problem describe(const lt_matmul& how, const lt_layout& a, const lt_layout& b, const lt_layout& c,
                    const lt_layout& d) {
  const auto arithmetic = how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
  const auto epilogue = how.get<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE);
  const auto pointers = how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_POINTER_MODE);
  const bool is_double = arithmetic == CUBLAS_COMPUTE_64F || arithmetic == CUBLAS_COMPUTE_64F_PEDANTIC;
  const bool is_float = arithmetic == CUBLAS_COMPUTE_32F || arithmetic == CUBLAS_COMPUTE_32F_PEDANTIC ||
                        arithmetic == CUBLAS_COMPUTE_32F_FAST_TF32;
  const cudaDataType type = is_double ? CUDA_R_64F : CUDA_R_32F;
  require(is_double || is_float, CUBLAS_STATUS_NOT_SUPPORTED);
  require(how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_SCALE_TYPE) == type, CUBLAS_STATUS_NOT_SUPPORTED);
  require(how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE) == type, CUBLAS_STATUS_NOT_SUPPORTED);
  require(how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSC) == CUBLAS_OP_N, CUBLAS_STATUS_NOT_SUPPORTED);
  require(pointers == CUBLASLT_POINTER_MODE_HOST || pointers == CUBLASLT_POINTER_MODE_DEVICE,
          CUBLAS_STATUS_NOT_SUPPORTED);
  require(epilogue == CUBLASLT_EPILOGUE_DEFAULT || epilogue == CUBLASLT_EPILOGUE_RELU ||
              epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS,
          CUBLAS_STATUS_NOT_SUPPORTED);
  for (const lt_layout* layout : {&a, &b, &c, &d}) {
    require_supported(*layout, type);
  }
  lt_problem p{matrix_of(a, nullptr, "A"),
               matrix_of(b, nullptr, "B"),
               matrix_of(c, nullptr, "C"),
               matrix_of(d, nullptr, "D"),
               how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSA) != CUBLAS_OP_N,
               how.get<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSB) != CUBLAS_OP_N,
               (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0,
               (epilogue & CUBLASLT_EPILOGUE_RELU) != 0,
               how.get<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER),
               pointers == CUBLASLT_POINTER_MODE_DEVICE,
               is_double};
  for (const device_matrix* m : {&p.a, &p.b, &p.c, &p.d}) {
    require_sound(*m);
  }
  const std::int64_t rows = p.transpose_a ? p.a.cols : p.a.rows, depth = p.transpose_a ? p.a.rows : p.a.cols;
  const std::int64_t cols = p.transpose_b ? p.b.rows : p.b.cols, depth_b = p.transpose_b ? p.b.cols : p.b.rows;
  require(depth == depth_b && p.d.rows == rows && p.d.cols == cols && p.c.rows == rows && p.c.cols == cols,
          CUBLAS_STATUS_INVALID_VALUE);
  return p;
}

template <class T>
void multiply(const lt_problem& p, const scalar<T>& alpha, const scalar<T>& beta) {
  dense<T> result = product<T>(alpha.read("cublasLtMatmul: alpha"), p.a, p.transpose_a, p.b, p.transpose_b,
                               beta.read("cublasLtMatmul: beta"), p.c);
  const device_matrix bias_matrix{p.bias, p.add_bias ? p.d.rows : 0, 1, p.d.rows, false, "cublasLtMatmul: bias"};
  const dense<T> bias = load<T>(bias_matrix);
  for (std::int64_t col = 0; col < result.cols; ++col) {
    for (std::int64_t row = 0; row < result.rows; ++row) {
      T& value = result(row, col);
      value += p.add_bias ? bias(row, 0) : T(0);
      value = p.clip ? std::max(value, T(0)) : value;
    }
  }
  store<T>(p.d, result);
}

template <class T>
void submit_product(const lt_problem& p, const void* alpha_from, const void* beta_from, cudaStream_t stream) {
  const scalar<T> alpha(alpha_from, p.scalars_on_device), beta(beta_from, p.scalars_on_device);
  submit(find_stream(stream), {cudaGraphNodeTypeKernel, [=] { multiply<T>(p, alpha, beta); }});
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t how,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
  return blas_call("cublasLtMatmulAlgoGetHeuristic", [&] {
    require(wanted > 0 && results != nullptr && found != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *found = 0;
    find_lt<lt_handle>(handle);
    describe(find_lt<lt_matmul>(how), find_lt<lt_layout>(a), find_lt<lt_layout>(b), find_lt<lt_layout>(c),
             find_lt<lt_layout>(d));
    const auto most = find_lt<lt_preference>(preference).get<std::uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
    const lt_algorithm algorithm{lt_algorithm::tag, std::min(most, wished_workspace)};
    results[0] = {};
    algorithm.write(results[0].algo);
    results[0].workspaceSize = algorithm.workspace_bytes;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    *found = 1;
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  return blas_call("cublasLtMatmul", [&] {
    check_context(needs::device);
    find_lt<lt_handle>(handle);
    require(alpha != nullptr && beta != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    lt_problem p = describe(find_lt<lt_matmul>(how), find_lt<lt_layout>(a_layout), find_lt<lt_layout>(b_layout),
                            find_lt<lt_layout>(c_layout), find_lt<lt_layout>(d_layout));
    require(!p.add_bias || p.bias != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    if (algorithm != nullptr) {
      const lt_algorithm chosen = lt_algorithm::from(*algorithm);
      require(chosen.signature == lt_algorithm::tag, CUBLAS_STATUS_INVALID_VALUE);
      require(workspace_bytes >= chosen.workspace_bytes, CUBLAS_STATUS_INVALID_VALUE);
    }
    require(workspace_bytes == 0 || gpu_host::device_heap::owns(workspace, workspace_bytes),
            CUBLAS_STATUS_INVALID_VALUE);
    p.a.data = a;
    p.b.data = b;
    p.c.data = c;
    p.d.data = d;
    if (p.is_double) {
      submit_product<double>(p, alpha, beta, stream);
    } else {
      submit_product<float>(p, alpha, beta, stream);
    }
  });
}
}
