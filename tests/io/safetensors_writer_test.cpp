// SPDX-License-Identifier: MIT
#include "graphpatcher/io/safetensors_writer.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/io/safetensors.hpp"
#include "io/pickle_writer.hpp"

using namespace graphpatcher;

TEST_CASE("safetensors writer: byte for byte") {
  const std::vector<float> one{1.0f};
  const std::string json = R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string padded = json + std::string((8 - json.size() % 8) % 8, ' ');
  const auto bytes = safetensors_writer().note("k", "v").add<float>("w", {1}, one).bytes();
  CHECK(bytes == gp_test::little(std::uint64_t{padded.size()}) + padded + gp_test::little(1.0f));
  CHECK(safetensors_writer().bytes() == gp_test::little(std::uint64_t{8}) + "{}      ");
}

TEST_CASE("safetensors writer: what is written is read, wider numbers first") {
  const std::vector<float> narrow{1, -0.0f, std::numeric_limits<float>::infinity(), 1e-45f, 5, 6};
  const std::vector<double> wide{0.1, std::nan("")};
  const std::vector<float> none;
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "a.safetensors";
  safetensors_writer()
      .add<float>("layers.0.weight", {2, 3}, narrow)
      .add<float>("empty", {0, 4}, none)
      .add<double>("d", {2}, wide)
      .add<double>("scalar", {}, std::span(wide).first(1))
      .note("text", "\"quoted\"\n\xc3\xa9")
      .write(path);
  const safetensors_archive file(path);
  CHECK(file.tensors()[0].name == "d");
  CHECK(file.metadata().at("text") == "\"quoted\"\n\xc3\xa9");
  const auto back = file.read<float>("layers.0.weight");
  CHECK(back.shape == std::vector<std::size_t>{2, 3});
  CHECK(std::memcmp(back.values.data(), narrow.data(), sizeof(float) * 6) == 0);
  CHECK(file.read<double>("d").values[0] == 0.1);
  CHECK(std::isnan(file.read<double>("d").values[1]));
  CHECK(file.read<double>("scalar").shape.empty());
  CHECK(file.read<float>("empty").shape == std::vector<std::size_t>{0, 4});
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("safetensors writer: what can't be a file is refused") {
  const std::vector<float> one{1.0f};
  safetensors_writer writer;
  writer.add<float>("a", {1}, one);
  CHECK_THROWS_AS(writer.add<float>("a", {1}, one), argument_error);
  CHECK_THROWS_AS(writer.add<float>("", {1}, one), argument_error);
  CHECK_THROWS_AS(writer.add<float>("__metadata__", {1}, one), argument_error);
  CHECK_THROWS_AS(writer.add<float>("b", {2}, one), shape_error);
  CHECK_THROWS_WITH(safetensors_writer().note("k", "\xff").bytes(), Catch::Contains("UTF-8"));
  CHECK_THROWS_AS(writer.write("/nowhere/at/all/a.safetensors"), file_error);
}
