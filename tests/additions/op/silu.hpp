// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/autodiff/common_tape.hpp>
#include <graphpatcher/autodiff/tape.hpp>
#include <graphpatcher/core/parallel_for.hpp>

#include <cmath>

#include "additions/op/silu_kernels.hpp"

namespace own {

namespace gp = graphpatcher;

/// The work, on the processor. A row is one thread's, so any number of threads gives the same bits.
template <class T>
void silu_on(const gp::cpu& exec, gp::input_view<T> x, gp::matrix_view<T> y) {
  gp::parallel_for(exec, x.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        y(r, c) = x(r, c) / (1 + std::exp(-x(r, c)));
      }
    }
  });
}

template <class T>
void silu_adjoint_on(const gp::cpu& exec, gp::input_view<T> x, gp::input_view<T> g, gp::matrix_view<T> dx) {
  gp::parallel_for(exec, x.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t c = 0; c < x.cols(); ++c) {
        const T s = 1 / (1 + std::exp(-x(r, c)));
        dx(r, c) += g(r, c) * s * (1 + x(r, c) * (1 - s));
      }
    }
  });
}

/// Elsewhere it is that of whoever has a kernel (docs/adding-a-kernel.md).
template <class T>
void silu_on(const gp::device& exec, gp::input_view<T> x, gp::matrix_view<T> y) {
  gp::expects<gp::backend_error>(silu_table<T>.forward != nullptr, "silu: the ", exec.name(),
                                 " backend has no kernel; link one, or use graphpatcher::cpu");
  silu_table<T>.forward(exec, x, y);
}

template <class T>
void silu_adjoint_on(const gp::device& exec, gp::input_view<T> x, gp::input_view<T> g, gp::matrix_view<T> dx) {
  gp::expects<gp::backend_error>(silu_table<T>.adjoint != nullptr, "silu_adjoint: the ", exec.name(),
                                 " backend has no kernel; link one, or use graphpatcher::cpu");
  silu_table<T>.adjoint(exec, x, g, dx);
}

/// The operation: checks, then the work wherever the matrices are.
///   y = x σ(x), σ(x) = 1 / (1 + exp(-x)). The result may be the input itself.
template <class T>
void silu(const gp::executor& exec, gp::input_view<T> x, gp::matrix_view<T> y) {
  gp::expects_shape(y, x.rows(), x.cols(), "silu: result");
  exec.visit([&](const auto& on) { silu_on<T>(on, x, y); });
}

/// Its adjoint, which adds: dx += g σ(x) (1 + x (1 - σ(x)))
template <class T>
void silu_adjoint(const gp::executor& exec, gp::input_view<T> x, gp::input_view<T> g, gp::matrix_view<T> dx) {
  gp::expects_shape(g, x.rows(), x.cols(), "silu_adjoint: gradient");
  gp::expects_shape(dx, x.rows(), x.cols(), "silu_adjoint: result");
  exec.visit([&](const auto& on) { silu_adjoint_on<T>(on, x, g, dx); });
}

/// The function on a tape, for layers.
template <class T>
gp::variable<T> silu(const gp::variable<T>& x) {
  auto& t = gp::common_tape("silu", x);
  auto y = t.allocate(x.rows(), x.cols());
  silu<T>(t.exec(), x.value(), y);
  return t.record(y, {x}, [x](const gp::variable<T>& result) {
    silu_adjoint<T>(result.exec(), x.value(), result.gradient(), x.gradient());
  });
}

}  // namespace own
