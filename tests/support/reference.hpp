// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/patcher/detail/training_loss.hpp"

/// Arrays made by the released implementation on Cora; see README.md beside them.
namespace reference {

namespace gp = graphpatcher;
using node_id = std::int32_t;

inline std::string folder() {
  return std::string(GP_SHARED_DIR) + "/reference/";
}

/// Whether the arrays are there; says so if not.
inline bool present() {
  const bool there = std::filesystem::exists(folder() + "graph.npz");
  if (!there) {
    WARN("skipped: no data in " << folder());
  }
  return there;
}

template <class T>
gp::matrix<T> matrix_of(const gp::npz_archive& file, const std::string& name) {
  const auto array = file.read<T>(name);
  const std::size_t cols = array.shape.empty() ? 1 : array.shape.back();
  gp::matrix<T> result(cols == 0 ? 0 : array.values.size() / cols, cols);
  std::copy(array.values.begin(), array.values.end(), result.data());
  return result;
}

template <class T>
gp::matrix<T> transposed(const gp::matrix<T>& m) {
  gp::matrix<T> result(m.cols(), m.rows());
  for (std::size_t r = 0; r < m.rows(); ++r) {
    for (std::size_t c = 0; c < m.cols(); ++c) {
      result(c, r) = m(r, c);
    }
  }
  return result;
}

inline std::vector<node_id> indices_of(const gp::npz_archive& file, const std::string& name) {
  const auto array = file.read<std::int64_t>(name);
  return {array.values.begin(), array.values.end()};
}

/// In double the two implementations differ by rounding only; in float by what
/// float rounding makes of sums of a few hundred terms.
template <class T>
inline constexpr double tolerance = std::same_as<T, double> ? 1e-9 : 1e-4;
/// The end of the names of the arrays in T.
template <class T>
inline constexpr const char* suffix = std::same_as<T, double> ? "_f64.npz" : "_f32.npz";

/// Cora as the reference sees it.
template <class T>
struct cora {
  gp::csr_graph<node_id> graph;
  gp::feature_table<T, node_id> features;

  cora() {
    const gp::npz_archive file(folder() + "graph.npz");
    graph = gp::csr_graph<node_id>(indices_of(file, "indptr"), indices_of(file, "indices"));
    const auto values = file.read<T>("feat_data").values;
    features = gp::sparse_matrix<T, node_id>(graph.nodes(), 1433, indices_of(file, "feat_indptr"),
                                             indices_of(file, "feat_indices"), {values.begin(), values.end()});
  }
};

/// Largest difference, relative to the largest magnitude of the expected array.
template <class T>
double relative_difference(gp::matrix_view<const T> got, const gp::matrix<double>& expected) {
  REQUIRE(got.rows() == expected.rows());
  REQUIRE(got.cols() == expected.cols());
  double difference = 0;
  double scale = 0;
  for (std::size_t r = 0; r < got.rows(); ++r) {
    for (std::size_t c = 0; c < got.cols(); ++c) {
      difference = std::max(difference, std::abs(static_cast<double>(got(r, c)) - expected(r, c)));
      scale = std::max(scale, std::abs(expected(r, c)));
    }
  }
  return difference / scale;
}

}  // namespace reference
