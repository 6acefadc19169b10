// SPDX-License-Identifier: MIT
#include "graphpatcher/io/patched_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "io/instantiate.hpp"

namespace graphpatcher {

template <graph_index I>
patched_edges join_patches(const csr_graph<I>& graph, std::type_identity_t<std::span<const I>> anchors,
                           std::size_t steps, const patched_graph_options& options) {
  patched_edges result;
  result.real = graph.nodes();
  const auto add = [&](std::size_t from, std::size_t to) {
    result.source.push_back(static_cast<std::int64_t>(from));
    result.target.push_back(static_cast<std::int64_t>(to));
  };
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    if (options.self_loops) {
      add(v, v);
    }
    for (const I neighbor : graph.neighbors(v)) {
      if (static_cast<std::size_t>(neighbor) != v) {
        add(static_cast<std::size_t>(neighbor), v);
      }
    }
  }
  for (std::size_t k = 0; k < steps; ++k) {
    for (const I anchor : anchors) {
      expects<index_error>(anchor >= 0 && static_cast<std::size_t>(anchor) < graph.nodes(),
                           "join_patches: expected anchors in [0, ", graph.nodes(), "), got ", anchor);
      const std::size_t patch = result.nodes();
      result.anchor.push_back(anchor);
      add(patch, static_cast<std::size_t>(anchor));
      if (options.edge == patch_edge::undirected) {
        add(static_cast<std::size_t>(anchor), patch);
      }
      if (options.self_loops && options.edge != patch_edge::to_anchor) {
        add(patch, patch);
      }
    }
  }
  return result;
}

namespace {

/// Labels of all nodes (-1 for virtual ones) and which part of the split they are in.
template <class T, graph_index I>
struct node_columns {
  std::vector<std::int64_t> labels;
  std::vector<std::string_view> part;

  node_columns(const dataset<T, I>& data, std::size_t nodes) : labels(data.labels.begin(), data.labels.end()) {
    labels.resize(nodes, -1);
    part.resize(nodes);
    mark(data.split.train, "train");
    mark(data.split.validation, "validation");
    mark(data.split.test, "test");
  }

private:
  void mark(const std::vector<I>& nodes, std::string_view name) {
    for (const I v : nodes) {
      part[static_cast<std::size_t>(v)] = name;
    }
  }
};

/// The features as what they are: three arrays of sparse rows, or one of dense rows in the type of its numbers. NumPy
/// has no bfloat16; its numbers become floats, which hold them.
template <class T, graph_index I>
void add_features(npz_writer& file, const feature_table<T, I>& x) {
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(x.rows()), static_cast<std::int64_t>(x.cols())};
  if (!x.is_dense()) {
    const auto& rows = x.sparse();
    file.add<std::int64_t>("x_indptr", std::vector<std::int64_t>(rows.offsets().begin(), rows.offsets().end()));
    file.add<std::int64_t>("x_indices", std::vector<std::int64_t>(rows.columns().begin(), rows.columns().end()));
    file.add<T>("x_data", rows.values());
    file.add<std::int64_t>("x_shape", shape);
    return;
  }
  x.dense().visit([&]<class S>(const matrix_view<const S>& rows) {
    using written = std::conditional_t<std::is_same_v<S, bfloat16>, float, S>;
    std::vector<written> numbers;
    numbers.reserve(x.stored());
    for (std::size_t v = 0; v < rows.rows(); ++v) {
      if constexpr (std::is_same_v<S, written>) {
        numbers.insert(numbers.end(), rows.row(v).begin(), rows.row(v).end());
      } else {
        std::ranges::transform(rows.row(v), std::back_inserter(numbers), number_as<written, S>);
      }
    }
    file.add<written>("x", std::vector<std::size_t>{x.rows(), x.cols()}, numbers);
  });
}

template <class T, graph_index I>
void write_patched_npz(const std::filesystem::path& path, const dataset<T, I>& data, const patched_edges& edges,
                       const std::vector<matrix<T>>& patches, npz_packing packing) {
  std::vector<std::int64_t> pairs = edges.source;
  pairs.insert(pairs.end(), edges.target.begin(), edges.target.end());
  std::vector<T> made;
  for (const auto& step : patches) {
    made.insert(made.end(), step.values().begin(), step.values().end());
  }
  const node_columns<T, I> columns(data, edges.nodes());
  npz_writer file(packing);
  file.add<std::int64_t>("edge_index", std::vector<std::size_t>{2, edges.source.size()}, pairs);
  file.add<std::int64_t>("anchor", edges.anchor);
  file.add<T>("virtual_x", std::vector<std::size_t>{edges.anchor.size(), data.features.cols()}, made);
  add_features(file, data.features);
  file.add<std::int64_t>("y", columns.labels);
  for (const auto& [name, part] :
       {std::pair{"train_mask", "train"}, {"val_mask", "validation"}, {"test_mask", "test"}}) {
    const auto mask = std::make_unique<bool[]>(edges.nodes());  // not vector<bool>, whose bits are packed
    std::transform(columns.part.begin(), columns.part.end(), mask.get(),
                   [&, here = part](auto p) { return p == here; });
    file.add<bool>(name, std::span<const bool>(mask.get(), edges.nodes()));
  }
  file.write(path);
}

/// The shortest digits that give the same number back.
template <class N>
void append_number(std::string& out, N number) {
  char digits[64];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

template <class T, graph_index I>
void write_patched_csv(const std::filesystem::path& folder, const dataset<T, I>& data, const patched_edges& edges,
                       const std::vector<matrix<T>>& patches) {
  std::string lines = "source,target\n";
  for (std::size_t e = 0; e < edges.source.size(); ++e) {
    append_number(lines, edges.source[e]);
    append_number(lines += ',', edges.target[e]);
    lines += '\n';
  }
  write_file_atomically(folder / "edges.csv", lines, {.make_parents = true});

  const node_columns<T, I> columns(data, edges.nodes());
  lines = "node,label,split,anchor\n";
  for (std::size_t v = 0; v < edges.nodes(); ++v) {
    append_number(lines, v);
    append_number(lines += ',', columns.labels[v]);
    (lines += ',') += columns.part[v];
    append_number(lines += ',', v < edges.real ? std::int64_t{-1} : edges.anchor[v - edges.real]);
    lines += '\n';
  }
  write_file_atomically(folder / "nodes.csv", lines);

  lines = "node,column,value\n";
  const auto add = [&](std::size_t node, std::size_t column, T value) {
    append_number(lines, node);
    append_number(lines += ',', column);
    append_number(lines += ',', value);
    lines += '\n';
  };
  for (std::size_t v = 0; v < edges.real; ++v) {
    data.features.for_each_nonzero(v, [&](std::size_t column, T value) { add(v, column, value); });
  }
  std::size_t node = edges.real;
  for (const auto& step : patches) {
    for (std::size_t a = 0; a < step.rows(); ++a, ++node) {
      for (std::size_t c = 0; c < step.cols(); ++c) {
        if (step(a, c) != T(0)) {
          add(node, c, step(a, c));
        }
      }
    }
  }
  write_file_atomically(folder / "features.csv", lines);
}

}  // namespace

template <real_number T, graph_index I>
void write_patched_graph(const std::filesystem::path& path, const dataset<T, I>& data,
                         std::type_identity_t<std::span<const I>> anchors, const std::vector<matrix<T>>& patches,
                         const patched_graph_options& options) {
  data.check();
  for (const auto& step : patches) {
    expects_shape(step.view(), anchors.size(), data.features.cols(), "write_patched_graph: features of a patch");
    expects_finite(step.view(), "write_patched_graph: features of a patch");
  }
  const auto edges = join_patches<I>(data.graph, anchors, patches.size(), options);
  if (path.extension() == ".npz") {
    write_patched_npz(path, data, edges, patches, options.packing);
  } else {
    write_patched_csv(path, data, edges, patches);
  }
}

#define GP_INSTANTIATE(T, I)                                                                                      \
  template void write_patched_graph<T, I>(const std::filesystem::path&, const dataset<T, I>&, std::span<const I>, \
                                          const std::vector<matrix<T>>&, const patched_graph_options&);
GP_FOR_DATASET_TYPES(GP_INSTANTIATE)
#undef GP_INSTANTIATE
#define GP_INSTANTIATE(I)                                                                      \
  template patched_edges join_patches<I>(const csr_graph<I>&, std::span<const I>, std::size_t, \
                                         const patched_graph_options&);
GP_INSTANTIATE(std::int32_t)
GP_INSTANTIATE(std::int64_t)

}  // namespace graphpatcher
