// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define GP_HOST_DEVICE __host__ __device__
#else
#define GP_HOST_DEVICE
#endif

/// What operations do to one element: the same source on CPU and GPU.
namespace graphpatcher::elements {

template <class T>
struct constant {
  T value;
  GP_HOST_DEVICE T operator()() const { return value; }
};
template <class T>
struct identity {
  GP_HOST_DEVICE T operator()(T x) const { return x; }
};
template <class T>
struct sum {
  GP_HOST_DEVICE T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct difference {
  GP_HOST_DEVICE T operator()(T a, T b) const { return a - b; }
};
template <class T>
struct product {
  GP_HOST_DEVICE T operator()(T a, T b) const { return a * b; }
};
template <class T>
struct multiple {
  T factor;
  GP_HOST_DEVICE T operator()(T x) const { return factor * x; }
};
template <class T>
struct relu {
  GP_HOST_DEVICE T operator()(T x) const { return x <= T(0) ? T(0) : x; }
};
/// Takes the result y and its gradient.
template <class T>
struct relu_slope {
  GP_HOST_DEVICE T operator()(T y, T g) const { return y > T(0) ? g : T(0); }
};
template <class T>
struct elu {
  T alpha;
  GP_HOST_DEVICE T operator()(T x) const { return x > T(0) ? x : alpha * std::expm1(x); }
};
template <class T>
struct elu_slope {
  T alpha;
  GP_HOST_DEVICE T operator()(T x, T y, T g) const { return x > T(0) ? g : g * (y + alpha); }
};
template <class T>
struct leaky_relu {
  T slope;
  GP_HOST_DEVICE T operator()(T x) const { return x > T(0) ? x : slope * x; }
};
template <class T>
struct leaky_relu_slope {
  T slope;
  GP_HOST_DEVICE T operator()(T x, T g) const { return x > T(0) ? g : slope * g; }
};

}  // namespace graphpatcher::elements
