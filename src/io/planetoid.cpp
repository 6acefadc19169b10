// SPDX-License-Identifier: MIT
#include "graphpatcher/io/planetoid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/normalise.hpp"
#include "io/instantiate.hpp"
#include "io/planetoid_files.hpp"

namespace graphpatcher {

namespace detail {

/// Rows of `all`, then for each node after them its row of `test`, or an empty
/// row for a node that test.index leaves out.
template <class T, class I>
sparse_matrix<T, I> stack_features(const sparse_matrix<T, I>& all, const sparse_matrix<T, I>& test,
                                   const std::vector<I>& test_index, std::size_t nodes) {
  expects<overflow_error>(all.nonzeros() + test.nonzeros() <= static_cast<std::size_t>(std::numeric_limits<I>::max()),
                          "planetoid: ", all.nonzeros() + test.nonzeros(), " non-zeros do not fit the index type");
  std::vector<I> offsets(all.offsets().begin(), all.offsets().end());
  std::vector<I> columns(all.columns().begin(), all.columns().end());
  std::vector<T> values(all.values().begin(), all.values().end());
  std::vector<std::size_t> test_row(nodes, test.rows());
  for (std::size_t i = 0; i < test_index.size(); ++i) {
    test_row[static_cast<std::size_t>(test_index[i])] = i;
  }
  for (std::size_t v = all.rows(); v < nodes; ++v) {
    if (test_row[v] < test.rows()) {
      const auto row_columns = test.row_columns(test_row[v]);
      const auto row_values = test.row_values(test_row[v]);
      columns.insert(columns.end(), row_columns.begin(), row_columns.end());
      values.insert(values.end(), row_values.begin(), row_values.end());
    }
    offsets.push_back(static_cast<I>(columns.size()));
  }
  return {nodes, all.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

/// Throws unless the labelled nodes are the first of all nodes and the three
/// parts have the same features and classes.
template <class T, class I>
void check_parts(const planetoid_nodes<T, I>& labelled, const planetoid_nodes<T, I>& test,
                 const planetoid_nodes<T, I>& all) {
  for (const auto* part : {&labelled, &test}) {
    if (part->features.cols() != all.features.cols() || part->classes != all.classes) {
      throw format_error(part->path, 0,
                         text("expected ", all.features.cols(), " features and ", all.classes, " classes as in ",
                              all.path, ", got ", part->features.cols(), " and ", part->classes));
    }
  }
  const std::size_t rows = labelled.features.rows();
  const auto begins_with = [](const auto& whole, const auto& start) {
    return start.size() <= whole.size() && std::equal(start.begin(), start.end(), whole.begin());
  };
  if (!begins_with(all.labels, labelled.labels) || !begins_with(all.features.offsets(), labelled.features.offsets()) ||
      !begins_with(all.features.columns(), labelled.features.columns()) ||
      !begins_with(all.features.values(), labelled.features.values())) {
    throw format_error(labelled.path, 0,
                       text("expected its ", rows, " rows and their classes to be the first of ", all.path));
  }
}

template <class I>
std::vector<I> id_range(std::size_t begin, std::size_t end) {
  std::vector<I> ids(end - begin);
  std::iota(ids.begin(), ids.end(), static_cast<I>(begin));
  return ids;
}

}  // namespace detail

template <real_number T, graph_index I>
dataset<T, I> load_planetoid(const std::filesystem::path& directory, const std::string& name,
                             const planetoid_options& options) {
  const auto labelled = read_planetoid_nodes<T, I>(directory, name, "x", "y");
  const auto test = read_planetoid_nodes<T, I>(directory, name, "tx", "ty");
  const auto all = read_planetoid_nodes<T, I>(directory, name, "allx", "ally");
  const auto links = links_in<I>(read_pickle(planetoid_path(directory, name, "graph"), planetoid_hint(name)));
  detail::check_parts(labelled, test, all);
  if (links.nodes < all.features.rows() + test.features.rows()) {
    throw format_error(planetoid_path(directory, name, "graph").string(), 0,
                       text("expected at least ", all.features.rows() + test.features.rows(),
                            " nodes, the rows of allx and tx, got ", links.nodes));
  }
  const auto test_index = read_test_index<I>(directory, name, all.features.rows(), links.nodes, test.features.rows());
  const std::size_t trained = labelled.labels.size();
  expects(options.validation <= all.labels.size() - trained, name, ": expected at most ", all.labels.size() - trained,
          " validation nodes, the rows of allx after those of x, got ", options.validation);

  dataset<T, I> result;
  result.name = name;
  result.graph = build_graph<I>(links.nodes, std::span<const edge<I>>(links.edges));
  result.features = detail::stack_features(all.features, test.features, test_index, links.nodes);
  if (options.normalise) {
    result.features = normalise_rows(std::move(result.features));
  }
  result.labels = all.labels;
  result.labels.resize(links.nodes, -1);
  for (std::size_t i = 0; i < test_index.size(); ++i) {
    result.labels[static_cast<std::size_t>(test_index[i])] = test.labels[i];
  }
  result.classes = all.classes;
  result.split = {detail::id_range<I>(0, trained), detail::id_range<I>(trained, trained + options.validation),
                  test_index};
  std::sort(result.split.test.begin(), result.split.test.end());
  result.check();
  return result;
}

#define GP_INSTANTIATE(T, I)                                                                    \
  template dataset<T, I> load_planetoid<T, I>(const std::filesystem::path&, const std::string&, \
                                              const planetoid_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
