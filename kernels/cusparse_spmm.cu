// SPDX-License-Identifier: MIT
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/cuda/cusparse.hpp"
#include "kernels/runtime/check.hpp"
#include "kernels/runtime/context.hpp"
#include "kernels/runtime/library_check.hpp"

namespace graphpatcher::backend {
namespace {

/// A descriptor of cuSPARSE that is destroyed when it goes out of scope.
template <class Handle, class ConstHandle, cusparseStatus_t (*Destroy)(ConstHandle)>
class sparse_object {
public:
  template <class Create, class... Arguments>
  sparse_object(const char* call, Create create, Arguments... arguments) {
    check(create(&handle_, arguments...), call);
  }
  ~sparse_object() { Destroy(handle_); }
  sparse_object(const sparse_object&) = delete;
  sparse_object& operator=(const sparse_object&) = delete;

  operator Handle() const noexcept { return handle_; }

private:
  Handle handle_ = nullptr;
};

using sparse_input = sparse_object<cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t, cusparseDestroySpMat>;
using dense_input = sparse_object<cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, cusparseDestroyDnMat>;
using dense_result = sparse_object<cusparseDnMatDescr_t, cusparseConstDnMatDescr_t, cusparseDestroyDnMat>;

std::int64_t count(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

// The stride of a single row says nothing.
template <class T>
std::int64_t leading(matrix_view<T> view) {
  return count(view.rows() <= 1 ? view.cols() : view.stride());
}

}  // namespace

template <class T, graph_index I>
void cusparse_spmm(const cuda& exec, const edge_view<I>& edges, std::span<const T> edge_values, matrix_view<const T> x,
                   matrix_view<T> out) {
  expects_shape(x, edges.source_rows, out.cols(), "cusparse_spmm: x");
  expects_shape(out, edges.rows(), out.cols(), "cusparse_spmm: out");
  expects<shape_error>(edge_values.size() == edges.edges(), "cusparse_spmm: expected ", edges.edges(),
                       " edge values, got ", edge_values.size());
  if (out.empty()) {
    return;
  }
  if (edges.edges() == 0) {
    const std::size_t pitch = static_cast<std::size_t>(leading(out)) * sizeof(T);
    check(cudaMemset2DAsync(out.data(), pitch, 0, out.cols() * sizeof(T), out.rows(), stream_of(exec)),
          "cudaMemset2DAsync");
    return;
  }
  constexpr cudaDataType type = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;
  const sparse_input matrix("cusparseCreateConstCsr", cusparseCreateConstCsr, count(edges.rows()),
                            count(edges.source_rows), count(edges.edges()), edges.offsets.data(), edges.sources.data(),
                            edge_values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
  const dense_input features("cusparseCreateConstDnMat", cusparseCreateConstDnMat, count(x.rows()), count(x.cols()),
                             leading(x), x.data(), type, CUSPARSE_ORDER_ROW);
  const dense_result result("cusparseCreateDnMat", cusparseCreateDnMat, count(out.rows()), count(out.cols()),
                            leading(out), out.data(), type, CUSPARSE_ORDER_ROW);
  const cusparseHandle_t handle = context_of(exec).sparse();
  constexpr cusparseOperation_t as_stored = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_CSR_ALG2;  // NVIDIA's choice for row-major matrices
  const T one = 1;
  const T zero = 0;
  std::size_t bytes = 0;
  check(cusparseSpMM_bufferSize(handle, as_stored, as_stored, &one, matrix, features, &zero, result, type, algorithm,
                                &bytes),
        "cusparseSpMM_bufferSize");
  const device_array<std::byte> buffer(exec, bytes);
  check(
      cusparseSpMM(handle, as_stored, as_stored, &one, matrix, features, &zero, result, type, algorithm, buffer.data()),
      "cusparseSpMM");
}

template void cusparse_spmm(const cuda&, const edge_view<std::int32_t>&, std::span<const float>,
                            matrix_view<const float>, matrix_view<float>);
template void cusparse_spmm(const cuda&, const edge_view<std::int32_t>&, std::span<const double>,
                            matrix_view<const double>, matrix_view<double>);

}  // namespace graphpatcher::backend
