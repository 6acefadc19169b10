// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/core/device.hpp>
#include <graphpatcher/core/matrix.hpp>

namespace own {

namespace gp = graphpatcher;

/// The work of silu() on a device: a library that has kernels for it fills the table. Matrices are in the memory of
/// the device; equations in silu.hpp.
template <class T>
struct silu_kernels {
  void (*forward)(const gp::device& exec, gp::matrix_view<const T> x, gp::matrix_view<T> y) = nullptr;
  void (*adjoint)(const gp::device& exec, gp::matrix_view<const T> x, gp::matrix_view<const T> g,
                  gp::matrix_view<T> dx) = nullptr;
};

template <class T>
inline silu_kernels<T> silu_table;

}  // namespace own
