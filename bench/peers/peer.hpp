// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Another library's y = A x, where row i of A has ones at indices[indptr[i] .. indptr[i + 1]).
namespace peer {

struct spmm_problem {
  std::vector<std::int32_t> indptr;
  std::vector<std::int32_t> indices;
  std::vector<float> x;  ///< nodes x width, row-major
  std::size_t width = 0;

  std::size_t nodes() const { return indptr.size() - 1; }
};

class spmm {
public:
  virtual ~spmm() = default;
  virtual void run() = 0;                   ///< what is timed; A and x are in the library's own form already
  virtual std::vector<float> result() = 0;  ///< y, row-major
};

/// Each library has a file that defines these. The problem outlives what is made of it.
std::string name();
std::string version();
void start(int threads);
std::unique_ptr<spmm> prepare(const spmm_problem& problem);

}  // namespace peer
