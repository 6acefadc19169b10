// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// The embedded dataset: a citation network that is made up, so that the whole
/// pipeline runs without a download. A degree-corrected stochastic block model
/// with bags of words:
///
///   class         c_v uniform over the classes
///   propensity    theta_v ~ power law of `exponent` on [1, `spread`]:
///                 theta = (1 - u (1 - spread^(1 - g)))^(1 / (1 - g)),  g = exponent
///   edges         nodes * mean_degree / 2 distinct ones. Edge e < nodes leaves
///                 node e (every paper cites one), the others leave v with
///                 probability ~ theta_v. Its other end is drawn ~ theta_w, with
///                 probability `homophily` among the nodes of the same class,
///                 else among those of all others; again if it is known already.
///                 So E[degree_v] is about 1 + (mean_degree - 1) theta_v / mean(theta)
///   words         0.5 to 1.5 times `words_per_node` distinct ones; each is drawn
///                 with probability `topic_share` from the class's topic (a random
///                 set of `topic_words` words; topics overlap), else from a Zipf
///                 background that all classes share, p(rank r) ~ 1 / r
///   features      1 / (number of the node's words) at each of its words
///   split         at random: `train_per_class` a class, then validation, then test
///
/// Defaults imitate Cora: 2708 nodes, 7 classes, mean degree 3.9, 18 % of the
/// nodes with degree 1 and 22 % with degree 2, largest degree 168, homophily
/// 0.81, 1433 words, 18 a node, 81 % accuracy of a GCN from 20 labels a class.
/// `topic_share` is set by the last. A linear classifier on features averaged
/// over two hops reaches 83.5 % here (mean of seeds 1 to 4; on the features
/// alone 36.7 %): 73.6 % in the lower third by degree and 93.5 % in the upper,
/// a wider gap than the paper's GCN has on Cora (73.3 and 86.8); every
/// node of this model has the same expected homophily.
/// Nothing but the number of neighbours depends on degree: low-degree nodes are
/// harder because fewer weak bags of words are averaged there. No node is
/// isolated, since every node has an edge of its own (unless the graph is so
/// dense that 1000 draws find no new edge for it).
struct degree_biased_options {
  std::size_t nodes = 2500;
  std::size_t classes = 7;
  double mean_degree = 4.0;
  double exponent = 2.6;
  double spread = 300;
  double homophily = 0.8;
  std::size_t vocabulary = 800;
  std::size_t words_per_node = 16;
  std::size_t topic_words = 80;
  double topic_share = 0.22;
  std::size_t train_per_class = 20;
  std::size_t validation = 500;
  std::size_t test = 1000;
  std::uint64_t seed = 1;
};

namespace detail {

/// Two numbers in [0, 1) for the counter (a, b).
inline std::pair<double, double> uniform_pair(const random_stream& stream, std::uint64_t a, std::uint64_t b) {
  const auto word = stream.bits(a, b);
  const auto joined = [](std::uint32_t high, std::uint32_t low) {
    return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1.0p-53;
  };
  return {joined(word[0], word[1]), joined(word[2], word[3])};
}

/// Draws from weights with a number in [0, total).
class weighted_choice {
public:
  explicit weighted_choice(std::span<const double> weights) : ends_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), ends_.begin());
  }
  double total() const noexcept { return ends_.back(); }
  /// Where the weights of [0, item) end.
  double start(std::size_t item) const noexcept { return item == 0 ? 0 : ends_[item - 1]; }
  std::size_t operator()(double at) const noexcept {
    const auto found = std::upper_bound(ends_.begin(), ends_.end(), at);
    return std::min(static_cast<std::size_t>(found - ends_.begin()), ends_.size() - 1);
  }

private:
  std::vector<double> ends_;
};

inline void check_degree_biased(const degree_biased_options& o) {
  expects(o.classes >= 2, "degree_biased: expected at least 2 classes, got ", o.classes);
  expects(o.classes <= o.nodes / 2, "degree_biased: expected at least 2 nodes a class, got ", o.nodes, " nodes for ",
          o.classes, " classes");
  expects(o.mean_degree >= 2 && o.mean_degree <= static_cast<double>(o.nodes - 1) / 2,
          "degree_biased: expected a mean degree in [2, (nodes - 1) / 2], got ", o.mean_degree);
  expects(o.exponent > 1 && std::isfinite(o.exponent), "degree_biased: expected a finite exponent above 1, got ",
          o.exponent);
  expects(o.spread >= 1 && std::isfinite(o.spread), "degree_biased: expected a finite spread of at least 1, got ",
          o.spread);
  expects(o.homophily >= 0 && o.homophily <= 1, "degree_biased: expected homophily in [0, 1], got ", o.homophily);
  expects(o.topic_share >= 0 && o.topic_share <= 1, "degree_biased: expected topic_share in [0, 1], got ",
          o.topic_share);
  expects(o.words_per_node >= 1 && o.words_per_node <= o.vocabulary / 2,
          "degree_biased: expected 1 to vocabulary / 2 words a node, got ", o.words_per_node, " of ", o.vocabulary);
  expects(o.topic_words >= 1 && o.topic_words <= o.vocabulary,
          "degree_biased: expected 1 to vocabulary topic words, got ", o.topic_words);
  checked_product<double>("degree_biased: nodes", o.nodes);
  checked_product<std::size_t>("degree_biased: words of the topics", o.classes, o.vocabulary);
}

template <graph_index I>
std::vector<edge<I>> degree_biased_edges(const degree_biased_options& o, std::span<const I> labels,
                                         const random_stream& stream) {
  const auto propensities = stream.fork(1);
  const auto draws = stream.fork(2);
  // Nodes class by class, so that a class is an interval of the summed propensities.
  std::vector<std::size_t> order(o.nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t v) { return labels[v]; });
  std::vector<double> theta(o.nodes);
  std::vector<std::size_t> class_begin(o.classes + 1, 0);
  for (std::size_t i = 0; i < o.nodes; ++i) {
    const double u = propensities.uniform(order[i]);
    theta[i] = std::pow(1 - u * (1 - std::pow(o.spread, 1 - o.exponent)), 1 / (1 - o.exponent));
    class_begin[static_cast<std::size_t>(labels[order[i]]) + 1] = i + 1;
  }
  for (std::size_t c = 0; c < o.classes; ++c) {
    class_begin[c + 1] = std::max(class_begin[c + 1], class_begin[c]);
  }
  const weighted_choice choose(theta);

  const auto count = static_cast<std::size_t>(static_cast<double>(o.nodes) * o.mean_degree / 2);
  std::vector<edge<I>> edges;
  std::unordered_set<std::uint64_t> known;
  for (std::size_t e = 0; e < count; ++e) {
    const bool same_class = draws.uniform(e) < o.homophily;
    for (std::uint64_t attempt = 1; attempt <= 1000; ++attempt) {
      const auto [first, second] = uniform_pair(draws, e, attempt);
      const std::size_t source = e < o.nodes ? e : order[choose(first * choose.total())];
      const auto label = static_cast<std::size_t>(labels[source]);
      const double begin = choose.start(class_begin[label]);
      const double mass = choose.start(class_begin[label + 1]) - begin;
      const double elsewhere = second * (choose.total() - mass);
      const std::size_t target = order[choose(same_class          ? begin + second * mass
                                              : elsewhere < begin ? elsewhere
                                                                  : elsewhere + mass)];
      const auto [low, high] = std::minmax(source, target);
      if (source != target && known.insert(std::uint64_t{low} * o.nodes + high).second) {
        edges.push_back({static_cast<I>(source), static_cast<I>(target)});
        break;
      }
    }
  }
  return edges;
}

template <class T, graph_index I>
sparse_matrix<T, I> degree_biased_words(const degree_biased_options& o, std::span<const I> labels,
                                        const random_stream& stream) {
  const auto topic_draws = stream.fork(3);
  const auto lengths = stream.fork(4);
  const auto word_draws = stream.fork(5);
  std::vector<std::vector<std::size_t>> topics(o.classes, std::vector<std::size_t>(o.vocabulary));
  for (std::size_t c = 0; c < o.classes; ++c) {
    std::iota(topics[c].begin(), topics[c].end(), std::size_t{0});
    std::ranges::stable_sort(topics[c], {}, [&](std::size_t word) { return topic_draws.uniform(c, word); });
    topics[c].resize(o.topic_words);
  }
  std::vector<double> zipf(o.vocabulary);
  for (std::size_t rank = 0; rank < o.vocabulary; ++rank) {
    zipf[rank] = 1 / static_cast<double>(rank + 1);
  }
  const weighted_choice background(zipf);

  std::vector<I> offsets{0};
  std::vector<I> columns;
  std::vector<T> values;
  std::vector<I> row;
  const auto topic_size = static_cast<double>(o.topic_words);
  for (std::size_t v = 0; v < o.nodes; ++v) {
    const auto& topic = topics[static_cast<std::size_t>(labels[v])];
    const auto mean = static_cast<double>(o.words_per_node);
    const auto wanted = std::max<std::size_t>(1, static_cast<std::size_t>(mean * (0.5 + lengths.uniform(v)) + 0.5));
    row.clear();
    for (std::uint64_t draw = 0; row.size() < wanted && draw < 100 * wanted; ++draw) {
      const auto [kind, at] = uniform_pair(word_draws, v, draw);
      const std::size_t word =
          kind < o.topic_share ? topic[static_cast<std::size_t>(at * topic_size)] : background(at * background.total());
      const auto place = std::ranges::lower_bound(row, static_cast<I>(word));
      if (place == row.end() || *place != static_cast<I>(word)) {
        row.insert(place, static_cast<I>(word));
      }
    }
    columns.insert(columns.end(), row.begin(), row.end());
    values.insert(values.end(), row.size(), T(1) / static_cast<T>(row.size()));
    offsets.push_back(static_cast<I>(columns.size()));
  }
  return {o.nodes, o.vocabulary, std::move(offsets), std::move(columns), std::move(values)};
}

template <graph_index I>
node_split<I> degree_biased_split(const degree_biased_options& o, std::span<const I> labels) {
  const random_stream stream(o.seed, purpose::split);
  std::vector<I> order(o.nodes);
  std::iota(order.begin(), order.end(), I{0});
  std::ranges::stable_sort(order, {}, [&](I v) { return stream.uniform(static_cast<std::uint64_t>(v)); });
  std::vector<std::size_t> taken(o.classes, 0);
  node_split<I> split;
  for (const I v : order) {
    if (taken[static_cast<std::size_t>(labels[static_cast<std::size_t>(v)])]++ < o.train_per_class) {
      split.train.push_back(v);
    } else if (split.validation.size() < o.validation) {
      split.validation.push_back(v);
    } else if (split.test.size() < o.test) {
      split.test.push_back(v);
    }
  }
  for (auto* part : {&split.train, &split.validation, &split.test}) {
    std::ranges::sort(*part);
  }
  expects(split.train.size() == o.classes * o.train_per_class && split.test.size() == o.test,
          "degree_biased: ", o.nodes, " nodes do not hold ", o.train_per_class, " training nodes in each of ",
          o.classes, " classes, ", o.validation, " for validation and ", o.test, " for testing; ask for more nodes");
  return split;
}

}  // namespace detail

/// The same dataset for the same options, on any machine of one arithmetic.
template <class T, graph_index I>
dataset<T, I> make_degree_biased(const degree_biased_options& options = {}) {
  detail::check_degree_biased(options);
  expects_index_fits<I>(options.nodes, "nodes");
  const random_stream stream(options.seed, purpose::generator);
  dataset<T, I> data;
  data.name = "synthetic";
  data.classes = options.classes;
  data.labels.resize(options.nodes);
  for (std::size_t v = 0; v < options.nodes; ++v) {
    data.labels[v] = static_cast<I>(stream.uniform(v) * static_cast<double>(options.classes));
  }
  data.graph = build_graph(options.nodes, detail::degree_biased_edges<I>(options, data.labels, stream));
  data.features = detail::degree_biased_words<T, I>(options, data.labels, stream);
  data.split = detail::degree_biased_split<I>(options, data.labels);
  data.check();
  return data;
}

#if GP_HAS_INSTANCES
GP_EXTERN template dataset<float, std::int32_t> make_degree_biased(const degree_biased_options&);
GP_EXTERN template dataset<float, std::int64_t> make_degree_biased(const degree_biased_options&);
GP_EXTERN template dataset<double, std::int32_t> make_degree_biased(const degree_biased_options&);
GP_EXTERN template dataset<double, std::int64_t> make_degree_biased(const degree_biased_options&);
#endif

}  // namespace graphpatcher
