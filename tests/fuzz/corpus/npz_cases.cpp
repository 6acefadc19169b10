// SPDX-License-Identifier: MIT
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

namespace {

template <class N>
std::string values(std::initializer_list<N> list) {
  std::string out;
  for (const N each : list) {
    out += little(each);
  }
  return out;
}

using arrays = std::vector<std::pair<std::string, std::string>>;

std::string archive(const arrays& list) {
  std::vector<zip_entry> entries;
  for (const auto& [name, content] : list) {
    entries.push_back(stored_entry(name + ".npy", content));
  }
  return zip(entries);
}

/// The same arrays but for one.
std::string archive_with(arrays list, const std::string& name, const std::string& content) {
  for (auto& each : list) {
    each.second = each.first == name ? content : each.second;
  }
  return archive(list);
}

const std::string five = values({1.0f, 0.0f, 2.0f, 0.0f, 0.5f});

/// Five nodes, one feature, three splits.
const arrays heterophilous{
    {"node_features", npy_file("<f4", "5, 1", five)},
    {"node_labels", npy_file("<i8", "5,", values<std::int64_t>({0, 1, 0, 1, -1}))},
    {"edges", npy_file("<i4", "3, 2", values({0, 1, 1, 2, 3, 4}))},
    {"train_masks", npy_file("|b1", "1, 5", raw("\1\0\0\0\0"))},
    {"val_masks", npy_file("|b1", "1, 5", raw("\0\1\0\0\0"))},
    {"test_masks", npy_file("|b1", "1, 5", raw("\0\0\1\1\0"))},
};

/// A ring of ten nodes with a feature each, in the layout of gnn-benchmark.
const arrays benchmark{
    {"adj_data", npy_file("<f4", "10,", values({1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f}))},
    {"adj_indices", npy_file("<i4", "10,", values({1, 2, 3, 4, 5, 6, 7, 8, 9, 0}))},
    {"adj_indptr", npy_file("<i4", "11,", values({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))},
    {"adj_shape", npy_file("<i8", "2,", values<std::int64_t>({10, 10}))},
    {"attr_matrix", npy_file("<f4", "10, 1", five + five)},
    {"labels", npy_file("<i8", "10,", values<std::int64_t>({0, 1, 0, 1, 0, 1, 0, 1, 0, 1}))},
};

/// The same ring, its features sparse with so many columns.
arrays sparse_benchmark(std::int64_t columns) {
  arrays list = benchmark;
  list[4] = {"attr_data", npy_file("<f4", "2,", values({1.5f, 2.0f}))};
  list.push_back({"attr_indices", npy_file("<i4", "2,", values({8, 0}))});
  list.push_back({"attr_indptr", npy_file("<i4", "11,", values({0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}))});
  list.push_back({"attr_shape", npy_file("<i8", "2,", values<std::int64_t>({10, columns}))});
  return list;
}

/// One array, and the entry changed.
template <class Change>
std::string forged(const Change& change, bool deflated = false) {
  const std::string content = npy_file("<f4", "5,", five);
  auto entry = deflated ? deflated_entry("a.npy", content) : stored_entry("a.npy", content);
  change(entry);
  return zip({entry});
}

/// Makes an entry say its numbers in a field of zip64.
auto large(std::uint64_t size, std::uint64_t packed_size, std::uint64_t header) {
  return [=](zip_entry& e) {
    e.size = e.packed_size = 0xFFFFFFFF;
    e.header = 0xFFFFFFFF;
    e.extra =
        little<std::uint16_t>(1) + little<std::uint16_t>(24) + little(size) + little(packed_size) + little(header);
  };
}

std::vector<corpus_case> zip_cases() {
  const std::string content = npy_file("<f4", "5,", five);
  const auto a = stored_entry("a.npy", content);
  const std::string good = zip({a});
  auto inside = stored_entry("b.npy", content);
  const std::string around = zip({inside});
  const auto outer = stored_entry("a.npy", around);
  inside.header = 30 + 5;  // after the header and the name of the entry around it
  auto outside = a;
  outside.header = 1'000'000;
  std::string unlocated = good;
  unlocated.replace(unlocated.size() - 6, 4, "\xff\xff\xff\xff");
  std::string more = good;
  more.replace(more.size() - 12, 2, raw("\2\0"));
  const auto sized = [](std::uint32_t size) { return [=](zip_entry& e) { e.size = size; }; };
  return {
      {"npz", "stored", good, ""},
      {"npz", "deflated", zip({deflated_entry("a.npy", content), deflated_entry("b.npy", content)}), ""},
      {"npz", "no_arrays", zip({}), ""},

      {"npz", "nothing", "", "end record"},
      {"npz", "cut", good.substr(0, good.size() - 1), "end record"},
      {"npz", "entry_missing", more, "expected one directory"},
      {"npz", "zip64", zip64(forged(large(content.size(), content.size(), 0))), ""},
      {"npz", "zip64_heterophilous", zip64(archive(heterophilous)), ""},
      {"npz", "zip64_without_locator", unlocated, "expected the locator of zip64"},
      {"npz", "zip64_located_outside", zip64(good, 1'000'000), "before this locator"},
      {"npz", "zip64_located_inside", zip64(good, -1), "expected the end record of zip64"},
      {"npz", "zip64_without_field", forged([](zip_entry& e) { e.size = e.packed_size = 0xFFFFFFFF; }),
       "expected a zip64 field"},
      {"npz", "zip64_size_too_large", forged(large(~0ull, content.size(), 0)), "can't hold"},
      {"npz", "zip64_packed_size_outside", forged(large(~0ull, ~0ull, 0)), "the packed content"},
      {"npz", "zip64_header_outside", forged(large(content.size(), content.size(), ~0ull)), "a local header"},
      {"npz", "size_too_large", forged(sized(4'000'000'000u), true), "can't hold"},
      {"npz", "size_forged", forged(sized(100)), "can't hold"},
      {"npz", "size_one_less", forged([](zip_entry& e) { --e.size; }, true), "more values than"},
      {"npz", "packed_size_outside", forged([](zip_entry& e) { e.size = e.packed_size = 100'000; }), "100000"},
      {"npz", "header_outside", zip({outside}), "a local header"},
      {"npz", "overlapping", zip({outer, inside}), "entries overlap"},
      {"npz", "same_name", zip({a, a}), "a name of its own"},
      {"npz", "no_array", forged([](zip_entry& e) { e.name = "a.exe"; }), "ends with .npy"},
      {"npz", "encrypted", forged([](zip_entry& e) { e.flags = 1; }), "not encrypted"},
      {"npz", "method_12", forged([](zip_entry& e) { e.method = 12; }), "method 12"},
      {"npz", "checksum", forged([](zip_entry& e) { ++e.crc; }), "checksum"},
      {"npz", "damaged", forged([](zip_entry& e) { e.content[0] = '\xff'; }, true), "something else"},
      {"npz", "shape_wraps", archive({{"a", npy_file("<f4", "4194305, 4194305, 211106198978564", five)}}),
       "more values than"},
  };
}

}  // namespace

std::vector<corpus_case> npz_cases() {
  auto cases = zip_cases();
  const auto nan = values({1.0f, std::numeric_limits<float>::quiet_NaN(), 0.f, 0.f, 0.f});
  const auto changed = [](const char* name, const std::string& array) {
    return archive_with(heterophilous, name, array);
  };
  const std::vector<corpus_case> datasets{
      {"npz", "heterophilous", archive(heterophilous), ""},
      {"npz", "gnn_benchmark", archive(benchmark), ""},
      {"npz", "features_nan", changed("node_features", npy_file("<f4", "5, 1", nan)), "finite"},
      {"npz", "features_of_no_width", changed("node_features", npy_file("<f4", "1000000000000000000, 0", "")),
       "at least one column"},
      {"npz", "edge_outside", changed("edges", npy_file("<i4", "1, 2", values({0, 5}))), "[0, 5)"},
      {"npz", "edge_negative", changed("edges", npy_file("<i4", "1, 2", values({0, -1}))), "got -1"},
      {"npz", "labels_too_few", changed("node_labels", npy_file("<i8", "1,", values<std::int64_t>({0}))), "5 nodes"},
      {"npz", "mask_of_another_length", changed("train_masks", npy_file("|b1", "1, 2", raw("\1\0"))), "5 values"},
      {"npz", "split_overlaps", changed("val_masks", npy_file("|b1", "1, 5", raw("\1\0\0\0\0"))), "named again"},
      {"npz", "split_without_label", changed("val_masks", npy_file("|b1", "1, 5", raw("\0\0\0\0\1"))), "no label"},
      {"npz", "gnn_benchmark_sparse", archive(sparse_benchmark(9)), ""},
      {"npz", "columns_beyond_any_index", archive(sparse_benchmark(std::int64_t{1} << 60)),
       "an index of 32 bits can count"},
      {"npz", "adjacency_not_square",
       archive_with(benchmark, "adj_shape", npy_file("<i8", "2,", values<std::int64_t>({10, 11}))), "10 x 11"},
      {"npz", "offsets_fall",
       archive_with(benchmark, "adj_indptr", npy_file("<i4", "11,", values({0, 9, 2, 3, 4, 5, 6, 7, 8, 9, 10}))),
       "rise from 0"},
  };
  cases.insert(cases.end(), datasets.begin(), datasets.end());
  return cases;
}

}  // namespace gp_fuzz
