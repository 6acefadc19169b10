// SPDX-License-Identifier: MIT
// main [--unchecked]: also where the processor lacks what the newer file was compiled for.
//
// Σ_ij Σ_k a_ik b_kj with a_ik = i mod 3 and b_kj = j mod 5, in whole numbers that a float holds.
#include <cstddef>
#include <cstdio>

float product_plain(std::size_t size);
float product_newer(std::size_t size);

int main(int count, char**) {
  constexpr std::size_t size = 60;
  const float expected = 60.0F * 60.0F * 120.0F;  // Σ_i (i mod 3) = 60, Σ_j (j mod 5) = 120, 60 values of k
  if (const float got = product_plain(size); got != expected) {
    std::printf("plain: expected %g, got %g\n", static_cast<double>(expected), static_cast<double>(got));
    return 1;
  }
  if (count == 1 && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))) {
    std::puts("skipped: this processor has no AVX2");
    return 77;
  }
  if (const float got = product_newer(size); got != expected) {
    std::printf("newer: expected %g, got %g\n", static_cast<double>(expected), static_cast<double>(got));
    return 1;
  }
}
