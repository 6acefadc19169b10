// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/splits.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace graphpatcher;

namespace {

/// Classes of the given sizes, taking turns so that ids are mixed.
template <class I>
std::vector<I> mixed_labels(std::vector<std::size_t> sizes) {
  std::vector<I> labels;
  for (bool any = true; any;) {
    any = false;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      if (sizes[c] > 0) {
        --sizes[c];
        any = true;
        labels.push_back(static_cast<I>(c));
      }
    }
  }
  return labels;
}

template <class I>
std::vector<std::size_t> class_counts(const std::vector<I>& part, const std::vector<I>& labels, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const I v : part) {
    ++counts[static_cast<std::size_t>(labels[static_cast<std::size_t>(v)])];
  }
  return counts;
}

}  // namespace

TEMPLATE_TEST_CASE("random_split: 10/10/80 of every class", "", std::int32_t, std::int64_t) {
  const auto labels = mixed_labels<TestType>({100, 50, 10, 340});
  const auto split = random_split(labels, {.seed = 7});
  CHECK(class_counts(split.train, labels, 4) == std::vector<std::size_t>{10, 5, 1, 34});
  CHECK(class_counts(split.validation, labels, 4) == std::vector<std::size_t>{10, 5, 1, 34});
  CHECK(class_counts(split.test, labels, 4) == std::vector<std::size_t>{80, 40, 8, 272});

  std::vector<TestType> all;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    CHECK(std::is_sorted(part->begin(), part->end()));
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  std::vector<TestType> everyone(labels.size());
  std::iota(everyone.begin(), everyone.end(), TestType{0});
  CHECK(all == everyone);
}

TEST_CASE("random_split: classes that don't divide are off by less than one, the total is right") {
  const std::vector<std::size_t> sizes{13, 27, 8, 99, 54, 1};  // 202 nodes
  const auto labels = mixed_labels<std::int32_t>(sizes);
  for (const auto& options : {split_options{0.1, 0.1, 1}, split_options{0.3, 0.2, 2}, split_options{0.48, 0.32, 3}}) {
    const auto split = random_split(labels, options);
    const double held = options.train + options.validation;
    CHECK(std::abs(static_cast<double>(split.train.size() + split.validation.size()) - held * 202) <= 0.5);
    CHECK(std::abs(static_cast<double>(split.train.size()) - options.train * 202) <= 1);
    const auto test = class_counts(split.test, labels, sizes.size());
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      CHECK(std::abs(static_cast<double>(test[c]) - (1 - held) * static_cast<double>(sizes[c])) < 1);
    }
  }
}

TEST_CASE("random_split: the seed decides, and nothing else") {
  const auto labels = mixed_labels<std::int32_t>({60, 60});
  const auto one = random_split(labels, {.seed = 1});
  CHECK(one.train == random_split(labels, {.seed = 1}).train);
  CHECK(one.train != random_split(labels, {.seed = 2}).train);
  // A node's place in the order is its own: another class does not disturb it.
  auto more = labels;
  more.insert(more.end(), 30, 2);
  const auto larger = random_split(more, {.seed = 1});
  std::vector<std::int32_t> old_train;
  std::copy_if(larger.train.begin(), larger.train.end(), std::back_inserter(old_train), [](auto v) { return v < 120; });
  CHECK(old_train == one.train);
  // Every node is chosen now and then.
  std::vector<int> chosen(labels.size(), 0);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const auto v : random_split(labels, {.seed = seed}).train) {
      ++chosen[static_cast<std::size_t>(v)];
    }
  }
  // Binomial(200, 0.1): mean 20, standard deviation 4.2; five of those either way.
  CHECK(*std::min_element(chosen.begin(), chosen.end()) >= 1);
  CHECK(*std::max_element(chosen.begin(), chosen.end()) <= 41);
}

TEST_CASE("random_split: unlabelled nodes are in no part") {
  auto labels = mixed_labels<std::int32_t>({40, 40});
  for (std::size_t v = 0; v < labels.size(); v += 4) {
    labels[v] = -1;
  }
  const auto split = random_split(labels);
  CHECK(split.train.size() + split.validation.size() + split.test.size() == 60);
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    CHECK(std::all_of(part->begin(), part->end(), [](auto v) { return v % 4 != 0; }));
  }
}

TEST_CASE("random_split: bad shares and labels") {
  const auto labels = mixed_labels<std::int32_t>({40, 40});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [train, validation] :
       {std::pair{0.0, 0.1}, {0.1, 0.0}, {-0.1, 0.1}, {0.1, -0.1}, {0.5, 0.5}, {0.9, 0.9}, {nan, 0.1}, {0.1, nan}}) {
    CHECK_THROWS_AS(random_split(labels, {.train = train, .validation = validation}), argument_error);
  }
  CHECK_THROWS_WITH(random_split(labels, {.train = 0.9, .validation = 0.2}), Catch::Contains("got train 0.9"));
  CHECK_THROWS_AS(random_split(std::vector<std::int32_t>{}), argument_error);
  CHECK_THROWS_AS(random_split(std::vector<std::int32_t>(50, -1)), argument_error);
  CHECK_THROWS_WITH(random_split(std::vector<std::int32_t>{0, 0, 1}), Catch::Contains("too few"));
  CHECK_THROWS_AS(random_split(std::vector<std::int32_t>{0, -2, 1}), index_error);
  CHECK_THROWS_AS(random_split(std::vector<std::int32_t>{0, 3, 1}), index_error);
}
