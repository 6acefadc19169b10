// SPDX-License-Identifier: MIT
// What is written and read is the same bits: tensors of any shape and of any numbers, drawn by a seed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/state_dict.hpp"
#include "support/temporary_folder.hpp"

using namespace graphpatcher;

namespace {

/// Ordinary numbers, and those at the ends of what there is.
template <class T>
T any_number(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    const T special[] = {
        T(0), -T(0), limits::denorm_min(), limits::min(), limits::max(), limits::lowest(), limits::epsilon()};
    return random() % 4 == 0 ? special[random() % 7] : std::normal_distribution<T>()(random);
  } else {
    return static_cast<T>(random());
  }
}

std::vector<std::size_t> any_shape(std::mt19937_64& random) {
  std::vector<std::size_t> shape(random() % 4);
  for (auto& extent : shape) {
    extent = random() % 6;  // none is a shape too
  }
  return shape;
}

template <class T>
npy_array<T> any_array(std::mt19937_64& random) {
  npy_array<T> array{any_shape(random), {}};
  std::size_t count = 1;
  for (const std::size_t extent : array.shape) {
    count *= extent;
  }
  std::generate_n(std::back_inserter(array.values), count, [&] { return any_number<T>(random); });
  return array;
}

template <class T>
bool same_bits(const npy_array<T>& a, const npy_array<T>& b) {
  return a.shape == b.shape && a.values.size() == b.values.size() &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), [](T x, T y) {
           return x == y && (x != T(0) || std::bit_cast<std::array<char, sizeof(T)>>(x) ==
                                              std::bit_cast<std::array<char, sizeof(T)>>(y));
         });
}

}  // namespace

TEMPLATE_TEST_CASE("round trip: npz, stored and deflated", "", float, double, std::int32_t, std::int64_t) {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "a.npz";
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    npz_writer writer(seed % 2 == 0 ? npz_packing::stored : npz_packing::deflated);
    std::vector<npy_array<TestType>> arrays;
    for (std::size_t i = 0; i < 1 + random() % 5; ++i) {
      arrays.push_back(any_array<TestType>(random));
      writer.add<TestType>("array " + std::to_string(i), arrays[i].shape, arrays[i].values);
    }
    writer.write(path);
    const npz_archive archive(path);
    CHECK(archive.names().size() == arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      CHECK(same_bits(archive.read<TestType>("array " + std::to_string(i)), arrays[i]));
    }
  }
}

TEMPLATE_TEST_CASE("round trip: tensors by name, as safetensors and npz", "", float, double) {
  const gp_test::temporary_folder folder;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    state_dict<TestType> state;
    for (std::size_t i = 0; i < random() % 6; ++i) {
      state["name." + std::to_string(random() % 1000) + " \xC3\xA9"] = any_array<TestType>(random);
    }
    for (const char* name : {"a.safetensors", "a.npz"}) {
      INFO("seed " << seed << " " << name);
      write_state_dict<TestType>(folder.path() / name, state);
      const auto back = read_state_dict<TestType>(folder.path() / name);
      CHECK(back.size() == state.size());
      for (const auto& [key, array] : state) {
        REQUIRE(back.contains(key));
        CHECK(same_bits(back.at(key), array));
      }
    }
  }
}
