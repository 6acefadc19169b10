// SPDX-License-Identifier: MIT
//
// The product, by Eigen. Instantiated here alone: it is what takes time to compile.
#include "device_matrix.hpp"

#include <Eigen/Core>

namespace gpu_host::runtime {

template <class T>
dense<T> product(T alpha, const device_matrix& a, bool transpose_a, const device_matrix& b, bool transpose_b, T beta,
                 const device_matrix& c) {
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  dense<T> result(c.rows, c.cols);
  if (alpha != T(0)) {
    const dense<T> left = load<T>(a, transpose_a), right = load<T>(b, transpose_b);
    Eigen::Map<matrix>(result.values.data(), result.rows, result.cols).noalias() =
        alpha * (Eigen::Map<const matrix>(left.values.data(), left.rows, left.cols) *
                 Eigen::Map<const matrix>(right.values.data(), right.rows, right.cols));
  }
  add_scaled(result, beta, c);
  return result;
}

template dense<float> product(float, const device_matrix&, bool, const device_matrix&, bool, float,
                              const device_matrix&);
template dense<double> product(double, const device_matrix&, bool, const device_matrix&, bool, double,
                               const device_matrix&);

}  // namespace gpu_host::runtime
