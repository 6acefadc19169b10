// SPDX-License-Identifier: MIT
#pragma once

#include <cublasLt.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kernels/gemm.cuh"
#include "kernels/runtime/context.hpp"
#include "kernels/runtime/library_check.hpp"

/// A product with bias and ReLU in one kernel of cublasLt.
namespace graphpatcher::kernels {

/// An object of cublasLt that is destroyed when it goes out of scope.
template <class Handle, cublasStatus_t (*Destroy)(Handle)>
class lt_object {
public:
  template <class Create, class... Arguments>
  lt_object(const char* call, Create create, Arguments... arguments) {
    check(create(&handle_, arguments...), call);
  }
  ~lt_object() { Destroy(handle_); }
  lt_object(const lt_object&) = delete;
  lt_object& operator=(const lt_object&) = delete;

  operator Handle() const noexcept { return handle_; }

private:
  Handle handle_ = nullptr;
};

struct lt_product : lt_object<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> {
  lt_product(cublasComputeType_t arithmetic, cudaDataType_t scalar)
      : lt_object("cublasLtMatmulDescCreate", cublasLtMatmulDescCreate, arithmetic, scalar) {}
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulDescSetAttribute(*this, attribute, &value, sizeof(value)), "cublasLtMatmulDescSetAttribute");
  }
};

/// A row-major matrix as its column-major transpose.
struct lt_layout : lt_object<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> {
  template <class T>
  lt_layout(cudaDataType_t type, matrix_view<T> view, int leading)
      : lt_object("cublasLtMatrixLayoutCreate", cublasLtMatrixLayoutCreate, type, view.cols(), view.rows(), leading) {}
};

struct lt_preference : lt_object<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> {
  lt_preference() : lt_object("cublasLtMatmulPreferenceCreate", cublasLtMatmulPreferenceCreate) {}
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
    check(cublasLtMatmulPreferenceSetAttribute(*this, attribute, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  }
};

/// Bytes that an address is a multiple of, as far as cublasLt cares.
inline std::uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return static_cast<std::uint32_t>(std::min<std::uintptr_t>(bits & (~bits + 1), 256));
}

/// c = a b + bias, or relu of that. False if cublasLt has no algorithm for it;
/// nothing is done then.
template <class T>
bool lt_gemm_bias(const device& exec, const gemm_operand<T>& a, const gemm_operand<T>& b, const T* bias, bool relu,
                  matrix_view<T> c) {
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr cudaDataType_t type = is_double ? CUDA_R_64F : CUDA_R_32F;
  // Float products are summed up in float: not in TF32, which keeps 10 bits.
  constexpr cublasComputeType_t arithmetic = is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  const cublasLtEpilogue_t epilogue = relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  const std::uint32_t alignments[] = {alignment_of(b.stored.data()), alignment_of(a.stored.data()),
                                      alignment_of(c.data()), alignment_of(bias)};
  const gemm_shape shape(a, b, c);
  cuda_context& context = context_of(exec);

  lt_product product(arithmetic, type);
  product.set(CUBLASLT_MATMUL_DESC_TRANSA, shape.b_operation);
  product.set(CUBLASLT_MATMUL_DESC_TRANSB, shape.a_operation);
  product.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const lt_layout first(type, b.stored, shape.b_leading);
  const lt_layout second(type, a.stored, shape.a_leading);
  const lt_layout result(type, c, shape.c_leading);

  const auto search = [&]() -> std::optional<lt_choice> {
    lt_preference preference;
    preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, context.blas_workspace_bytes());
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments[0]);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments[1]);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments[2]);
    preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments[2]);
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(context.blas_lt(), product, first, second, result,
                                                                 result, preference, 1, &best, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) {
      return std::nullopt;  // such as an epilogue for doubles
    }
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0 || best.state != CUBLAS_STATUS_SUCCESS) {
      return std::nullopt;
    }
    lt_choice choice;
    static_assert(sizeof(best.algo.data) == sizeof(choice));
    std::copy(std::begin(best.algo.data), std::end(best.algo.data), choice.begin());
    return choice;
  };
  const lt_problem problem{std::uint64_t{is_double},
                           static_cast<std::uint64_t>(epilogue),
                           static_cast<std::uint64_t>(shape.a_operation),
                           static_cast<std::uint64_t>(shape.b_operation),
                           static_cast<std::uint64_t>(shape.m),
                           static_cast<std::uint64_t>(shape.n),
                           static_cast<std::uint64_t>(shape.k),
                           static_cast<std::uint64_t>(shape.a_leading),
                           static_cast<std::uint64_t>(shape.b_leading),
                           static_cast<std::uint64_t>(shape.c_leading),
                           std::uint64_t{alignments[0]} << 32 | alignments[1],
                           std::uint64_t{alignments[2]} << 32 | alignments[3]};
  const std::optional<lt_choice> choice = context.lt_choice_for(problem, search);
  if (!choice) {
    return false;
  }
  cublasLtMatmulAlgo_t algorithm{};
  std::copy(choice->begin(), choice->end(), std::begin(algorithm.data));
  const T one = 1;
  const T zero = 0;
  check(cublasLtMatmul(context.blas_lt(), product, &one, b.stored.data(), first, a.stored.data(), second, &zero,
                       c.data(), result, c.data(), result, &algorithm, context.blas_workspace(),
                       context.blas_workspace_bytes(), context.stream()),
        "cublasLtMatmul");
  return true;
}

}  // namespace graphpatcher::kernels
