// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npz_writer.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/io/npz.hpp"
#include "io/npy_values.hpp"
#include "io/pickle_writer.hpp"

using namespace graphpatcher;

namespace {

using extents = std::vector<std::size_t>;

template <class T>
npy_array<T> read_back(const std::string& bytes) {
  const auto content = gp_test::bytes_of(bytes);
  return decode_npy<T>(byte_reader("test.npy", content));
}

}  // namespace

TEST_CASE("npy writer: the header of NumPy, byte for byte") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const auto bytes = npy_bytes<float>(extents{2, 3}, values);
  CHECK(bytes.substr(0, 10) == gp_test::raw("\x93NUMPY\x01\x00") + gp_test::little(std::uint16_t{118}));
  CHECK(bytes.substr(10, 118) == header + std::string(117 - header.size(), ' ') + "\n");
  CHECK(bytes.size() == 128 + 24);
}

TEST_CASE("npy writer: every type and shape is read back") {
  const std::vector<double> values{0.1, -2, 3, 4, 5, 6};
  for (const auto& shape : {extents{6}, extents{2, 3}, extents{1, 3, 2}}) {
    const auto back = read_back<double>(npy_bytes<double>(shape, values));
    CHECK(back.shape == shape);
    CHECK(back.values == values);
  }
  CHECK(read_back<double>(npy_bytes<double>(extents{}, std::span(values).first(1))).shape.empty());
  CHECK(read_back<float>(npy_bytes<float>(extents{0, 5}, {})).shape == extents{0, 5});
  const std::vector<std::int64_t> wide{-1, std::int64_t{1} << 60};
  CHECK(read_back<std::int64_t>(npy_bytes<std::int64_t>(extents{2}, wide)).values == wide);
  const std::vector<std::int32_t> ids{-1, 7};
  CHECK(read_back<std::int32_t>(npy_bytes<std::int32_t>(extents{2}, ids)).values == ids);
  const bool mask[] = {true, false, true};
  const auto bytes = npy_bytes<bool>(extents{3}, mask);
  CHECK_THAT(bytes, Catch::Contains("'|b1'"));
  CHECK(read_back<std::uint8_t>(bytes).values == std::vector<std::uint8_t>{1, 0, 1});
  CHECK_THROWS_AS(npy_bytes<double>(extents{5}, values), shape_error);
}

TEST_CASE("npz writer: stored and deflated archives are read back, and are the same every time") {
  std::vector<float> many(10'000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<float>(i % 7);
  }
  const std::vector<std::int64_t> few{3, 1, 4};
  std::size_t sizes[2] = {};
  for (const auto packing : {npz_packing::stored, npz_packing::deflated}) {
    const auto make = [&] {
      npz_writer writer(packing);
      writer.add<float>("layers.0.weight", extents{100, 100}, many).add<std::int64_t>("few", few);
      writer.add<float>("none", extents{0}, {});
      return writer.bytes();
    };
    const auto bytes = make();
    CHECK(make() == bytes);
    sizes[packing == npz_packing::deflated] = bytes.size();
    const npz_archive archive("test.npz", gp_test::bytes_of(bytes));
    CHECK(archive.names() == std::vector<std::string>{"layers.0.weight", "few", "none"});
    CHECK(archive.read<float>("layers.0.weight").values == many);
    CHECK(archive.read<std::int64_t>("few").values == few);
    CHECK(archive.read<float>("none").values.empty());
  }
  CHECK(sizes[0] > 40'000);
  CHECK(sizes[1] < 4'000);
  CHECK(npz_archive("test.npz", gp_test::bytes_of(npz_writer().bytes())).names().empty());
}

TEST_CASE("npz writer: what can't be a file is refused") {
  const std::vector<float> one{1};
  npz_writer writer;
  writer.add<float>("a", one);
  CHECK_THROWS_AS(writer.add<float>("a", one), argument_error);
  CHECK_THROWS_AS(writer.add<float>("", one), argument_error);
  CHECK_THROWS_AS(writer.write("/nowhere/at/all/a.npz"), file_error);
}
