// SPDX-License-Identifier: MIT
// What was written is read again, number by number and bit by bit.
#include <catch2/catch.hpp>

#include <bit>
#include <limits>

#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/safetensors.hpp"
#include "graphpatcher/io/safetensors_writer.hpp"
#include "properties/arbitrary.hpp"
#include "support/fingerprint.hpp"
#include "support/temporary_folder.hpp"

namespace gp = graphpatcher;
using support::fingerprint;

namespace {

/// Any finite number: from all patterns of bits, -0 and those that are hardly numbers any more among them.
template <class T>
std::vector<T> finite_numbers(std::size_t count) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<T> numbers{T(-0.0), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()};
  std::mt19937_64 random(arbitrary::seed());
  while (numbers.size() < count) {
    const T value = std::bit_cast<T>(static_cast<bits>(random()));
    if (std::isfinite(value)) {
      numbers.push_back(value);
    }
  }
  numbers.resize(count);
  return numbers;
}

template <class T>
std::uint64_t hash(const std::vector<T>& numbers) {
  return fingerprint().all(numbers).hash();
}

std::vector<std::size_t> some_shape() {
  return *rc::gen::container<std::vector<std::size_t>>(arbitrary::size(0, 3), rc::gen::inRange<std::size_t>(0, 6));
}
std::size_t count_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    count *= extent;
  }
  return count;
}

std::vector<std::uint8_t> bytes_of(const std::string& file) {
  return {file.begin(), file.end()};
}

}  // namespace

TEST_CASE("what was written is read again", "[properties]") {
  rc::prop("npz, stored and deflated", [] {
    const auto shape = some_shape();
    const auto floats = finite_numbers<float>(count_of(shape));
    const auto doubles = finite_numbers<double>(count_of(shape));
    const auto integers =
        *rc::gen::container<std::vector<std::int64_t>>(count_of(shape), rc::gen::arbitrary<std::int64_t>());
    for (const auto packing : {gp::npz_packing::stored, gp::npz_packing::deflated}) {
      gp::npz_writer writer(packing);
      writer.add<float>("f", shape, floats).add<double>("d", shape, doubles).add<std::int64_t>("i", shape, integers);
      const gp::npz_archive archive("file.npz", bytes_of(writer.bytes()));
      RC_ASSERT(archive.names() == (std::vector<std::string>{"f", "d", "i"}));
      RC_ASSERT(archive.read<float>("f").shape == shape);
      RC_ASSERT(hash(archive.read<float>("f").values) == hash(floats));
      RC_ASSERT(hash(archive.read<double>("d").values) == hash(doubles));
      RC_ASSERT(archive.read<std::int64_t>("i").values == integers);
    }
  });
  rc::prop("safetensors", [] {
    const auto shape = some_shape();
    const auto floats = finite_numbers<float>(count_of(shape));
    const auto doubles = finite_numbers<double>(count_of(shape));
    const auto note = *rc::gen::container<std::string>(rc::gen::inRange<char>(32, 127));
    gp::safetensors_writer writer;
    writer.note("note", note).add<float>("f", shape, floats).add<double>("d", shape, doubles);
    const gp::safetensors_archive archive("file.safetensors", bytes_of(writer.bytes()));
    RC_ASSERT(archive.metadata().at("note") == note);
    RC_ASSERT(archive.read<float>("f").shape == shape);
    RC_ASSERT(hash(archive.read<float>("f").values) == hash(floats));
    RC_ASSERT(hash(archive.read<double>("d").values) == hash(doubles));
  });
  rc::prop("checkpoints of backbones and patchers", [] {
    const gp_test::temporary_folder folder;
    const auto path = folder.path() / "file.safetensors";
    const std::size_t features = arbitrary::size(1, 9);
    const auto scrambled = [](auto model) {
      for (auto* p : model.parameters()) {
        std::ranges::copy(finite_numbers<float>(p->value.size()), p->value.values().begin());
      }
      return model;
    };
    const auto backbone = [&]<class Config>(const Config& config) {
      auto model = scrambled(typename Config::template model_type<float>(config, features, 3));
      gp::save_backbone(path, model, config);
      auto again = gp::load_backbone<Config, float>(path);
      RC_ASSERT(fingerprint().weights(model).hash() == fingerprint().weights(again).hash());
    };
    const std::size_t layers = arbitrary::size(1, 3);
    const std::size_t hidden = arbitrary::size(1, 6);
    backbone(gp::gcn_config{.layers = layers, .hidden = hidden});
    backbone(gp::sage_config{.layers = layers, .hidden = hidden});
    backbone(gp::gat_config{.layers = layers, .hidden = hidden, .heads = 2});
    gp::patcher_config config;
    config.hidden = hidden;
    config.seed = *rc::gen::arbitrary<std::uint64_t>();
    config.learning_rate = *rc::gen::inRange(1, 1000) / 7.0;
    gp::trained_patcher<float> patcher{
        scrambled(gp::patch_generator<float>({.features = features, .hidden = hidden})), config, {}};
    patcher.iterations = arbitrary::size(0, 100);
    gp::save_patcher(path, patcher);
    auto again = gp::load_patcher<float>(path);
    RC_ASSERT(fingerprint().weights(patcher.generator).hash() == fingerprint().weights(again.generator).hash());
    RC_ASSERT(again.config == config);
    RC_ASSERT(again.iterations == patcher.iterations);
  });
}
