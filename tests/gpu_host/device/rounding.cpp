// SPDX-License-Identifier: MIT
// The directed roundings of PTX, by the rounding mode of the host. Compiled with -frounding-math.
#include <cfenv>
#include <cmath>

#include "device/arithmetic.hpp"

namespace gpu_host::device {
namespace {

class rounding_scope {
public:
  explicit rounding_scope(rounding mode) {
    std::fesetround(mode == rounding::towards_zero ? FE_TOWARDZERO : mode == rounding::down ? FE_DOWNWARD : FE_UPWARD);
  }
  ~rounding_scope() { std::fesetround(FE_TONEAREST); }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;
};

// volatile: the operation must happen between the two changes of mode.
template <class T>
T compute(rounding mode, operation what, T first, T second, T third) {
  const rounding_scope scope(mode);
  volatile T a = first, b = second, c = third, result = 0;
  switch (what) {
    case operation::add:
      result = a + b;
      break;
    case operation::sub:
      result = a - b;
      break;
    case operation::mul:
      result = a * b;
      break;
    case operation::fma:
      result = std::fma(T(a), T(b), T(c));
      break;
    case operation::div:
      result = a / b;
      break;
    case operation::sqrt:
      result = std::sqrt(T(a));
      break;
    case operation::rcp:
      result = T(1) / a;
      break;
  }
  return result;
}

template <class To>
To convert(rounding mode, long double source) {
  const rounding_scope scope(mode);
  volatile long double value = source;
  volatile To result = static_cast<To>(value);
  return result;
}

}  // namespace

f32 rounded(rounding mode, operation what, f32 a, f32 b, f32 c) {
  return compute<f32>(mode, what, a, b, c);
}
f64 rounded(rounding mode, operation what, f64 a, f64 b, f64 c) {
  return compute<f64>(mode, what, a, b, c);
}
f32 rounded_to_f32(rounding mode, long double value) {
  return convert<f32>(mode, value);
}
f64 rounded_to_f64(rounding mode, long double value) {
  return convert<f64>(mode, value);
}

}  // namespace gpu_host::device
