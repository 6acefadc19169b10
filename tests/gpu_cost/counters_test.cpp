// SPDX-License-Identifier: MIT
// Workloads whose costs can be worked out by hand, counted.
#include <algorithm>
#include <catch2/catch.hpp>

#include "workload.hpp"

using namespace gpu_cost;

namespace {

/// The GPU comes first and goes last: graphs keep copies in its memory.
struct setup {
  meter counter{gp::cuda()};
  standard_inputs inputs = make_inputs({.data = std::nullopt, .anchors = 4});
};
setup& shared_setup() {
  static setup made;
  return made;
}
const standard_inputs& inputs() {
  return shared_setup().inputs;
}

measurement run(const std::string& name, const ego_input& on) {
  const auto all = all_workloads();
  const auto found = std::find_if(all.begin(), all.end(), [&](const workload& each) { return each.name == name; });
  REQUIRE(found != all.end());
  return measure(*found, on, shared_setup().counter);
}

}  // namespace

TEST_CASE("element by element: every byte moves once") {
  const ego_input& graph = inputs().graphs[0];
  const std::size_t nodes = graph.messages.nodes();
  const auto relu = run("relu_64", graph);
  REQUIRE(relu.launches.size() == 1);
  // a row of 64 floats is 8 sectors
  CHECK(relu.launches[0].global_load.sectors == 8 * nodes);
  CHECK(relu.launches[0].global_store.sectors == 8 * nodes);
  CHECK(sum_of(relu.launches).sector_efficiency() == 1.0);
  CHECK(relu.flops == 64 * static_cast<double>(nodes));
  CHECK(short_name(relu.launches[0].kernel) == "map_kernel");
}

TEST_CASE("gathered rows: one read and one write a row, and the ids") {
  const ego_input& graph = inputs().graphs[0];
  const std::size_t nodes = graph.messages.nodes();
  const auto gather = run("gather_64", graph);
  REQUIRE(gather.launches.size() == 1);
  const auto& load = gather.launches[0].global_load;
  CHECK(gather.launches[0].global_store.sectors == 8 * nodes);
  CHECK(load.sectors >= 8 * nodes);
  CHECK(load.sectors <= 8 * nodes + nodes);  // an id is read by at most one request a row
  CHECK(gather.flops == 0);
}

TEST_CASE("a sparse product reads a row of the table an edge") {
  const ego_input& graph = inputs().graphs[0];
  const auto block = graph.first_layer();
  const auto spmm = run("spmm_symmetric_128", graph);
  const auto& load = spmm.launches.at(0).global_load;
  CHECK(load.fewest_sectors >= 16 * block.edges());  // 128 floats
  CHECK(load.sectors <= 16 * block.edges() * 5 / 4);
  CHECK(spmm.launches.at(0).global_store.sectors == 16 * block.rows());
  CHECK(spmm.flops == 128.0 * (2.0 * static_cast<double>(block.edges()) + static_cast<double>(block.rows())));
}

TEST_CASE("preparation isn't counted, and counting is off again afterwards") {
  run("layer_norm_adjoint_64", inputs().graphs[0]);
  const auto only_forward = run("layer_norm_64", inputs().graphs[0]);
  REQUIRE(only_forward.launches.size() == 1);
  CHECK_FALSE(gpu_host::current_settings().count);
  CHECK(gpu_host::current_settings().detect_races);
}

TEST_CASE("what stands in for datasets that aren't there") {
  REQUIRE(inputs().graphs.size() == 2);
  CHECK(inputs().graphs[0].name == "embedded");
  CHECK(inputs().graphs[1].name == "rmat");
  CHECK(inputs().graphs[0].anchors == std::vector<gpu_cost::index>{0, 625, 1250, 1875});
  CHECK(inputs().graphs[1].graph.neighbors(0).size() > 128);  // a hub: its pairs are another kernel's
  REQUIRE(inputs().messages.size() == 2);
  CHECK(inputs().messages[0] == "cora: skipped: no data; embedded stands in");
  CHECK_THROWS_AS(make_inputs({.data = std::nullopt, .anchors = 0}), gp::argument_error);
}
