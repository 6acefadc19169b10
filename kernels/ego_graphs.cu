// SPDX-License-Identifier: MIT
#include "kernels/ego_graphs.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/graph/ego_batch.hpp"

namespace graphpatcher {
namespace {

using kernels::ego_policy;
using kernels::ego_task;

/// Blocks for balls in shared memory: they fill the device many times over, so
/// that long and short ones even out; beyond that, a block takes several in turn.
constexpr int small_blocks_a_multiprocessor = 64;
/// For the tables of balls in global memory, one a block: as many blocks as run at
/// once, if their tables fit into this many bytes.
constexpr std::size_t largest_workspace = std::size_t{256} << 20;

template <graph_index I>
void check_request(const device_graph<I>& graph, std::span<const I> anchors, ego_options options) {
  expects_hops(options.hops, 1, "ego batch");
  expects(options.hops <= graph.hops(), "ego batch: the device_graph was made for at most ", graph.hops(),
          " hops, got ", options.hops, "; name the number of hops when making it");
  check_anchors<I>(graph.nodes(), anchors);
}

/// A plan with the tasks it consists of: first those for global memory, then
/// those for shared memory.
struct ego_schedule {
  ego_plan plan;
  std::vector<ego_task> tasks;
  std::size_t slice = 0;  ///< ids of a block's global memory
};

std::uint32_t table_bits(std::size_t nodes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(ego_policy::slots_a_node * nodes - 1));
  expects<overflow_error>(bits <= 31, "ego batch: an ego-graph of up to ", nodes, " nodes needs a table of 2^", bits,
                          " slots, expected at most 2^31");
  return bits;
}

template <graph_index I>
ego_schedule schedule_egos(const cuda& exec, const device_graph<I>& graph, std::span<const I> anchors,
                           ego_options options) {
  const auto& bounds = graph.bounds(options.hops);
  ego_schedule result;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t largest = 0;
  std::vector<ego_task> small;
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    const auto bound = static_cast<std::size_t>(bounds.nodes[static_cast<std::size_t>(anchors[b])]);
    const ego_task task{static_cast<std::uint32_t>(b), table_bits(bound)};
    (bound <= ego_policy::shared_nodes ? small : result.tasks).push_back(task);
    largest = std::max(largest, bound);
    nodes += bound;
    edges += static_cast<std::size_t>(bounds.edges[static_cast<std::size_t>(anchors[b])]);
  }
  ego_plan& plan = result.plan;
  const auto multiprocessors = static_cast<std::size_t>(context_of(exec).multiprocessors());
  plan.small = small.size();
  plan.small_blocks = std::min(plan.small, small_blocks_a_multiprocessor * multiprocessors);
  plan.large = result.tasks.size();
  result.tasks.insert(result.tasks.end(), small.begin(), small.end());
  if (plan.large > 0) {
    plan.table_slots = std::size_t{1} << table_bits(largest);
    result.slice = 2 * plan.table_slots + largest;
    const std::size_t affordable = std::max<std::size_t>(1, largest_workspace / (result.slice * sizeof(I)));
    const auto resident =
        static_cast<std::size_t>(ego_policy::resident_blocks<I>(context_of(exec).compute_capability()));
    plan.large_blocks = std::min({plan.large, resident * multiprocessors, affordable});
  }
  const std::size_t hop_entries = anchors.size() * (options.hops + 1);
  plan.workspace_bytes =
      anchors.size() * (sizeof(ego_task) + sizeof(I) + sizeof(std::uint64_t)) + hop_entries * sizeof(I) +
      sizeof(std::uint64_t) * (1 + 3 + kernels::ceil_div<std::size_t>(hop_entries, kernels::scan_policy::tile)) +
      plan.large_blocks * result.slice * sizeof(I);
  plan.result_bytes = (anchors.size() + hop_entries + 1 + 4 * nodes + 1 + edges) * sizeof(I) +
                      (anchors.size() + 1) * sizeof(std::uint64_t);
  return result;
}

/// Launches `Kernel` for both kinds of tasks.
template <graph_index I, class Launch>
void for_both_sizes(const ego_plan& plan, const kernels::ego_arguments<I>& all, Launch&& launch) {
  if (plan.large > 0) {
    auto arguments = all;
    arguments.task_count = plan.large;
    launch(std::false_type{}, arguments, static_cast<unsigned>(plan.large_blocks));
  }
  if (plan.small > 0) {
    auto arguments = all;
    arguments.tasks += plan.large;
    arguments.task_count = plan.small;
    launch(std::true_type{}, arguments, static_cast<unsigned>(plan.small_blocks));
  }
}

}  // namespace

template <graph_index I>
ego_plan plan_ego_batch(const cuda& exec, const device_graph<I>& graph,
                        std::type_identity_t<std::span<const I>> anchors, ego_options options) {
  check_request<I>(graph, anchors, options);
  return schedule_egos<I>(exec, graph, anchors, options).plan;
}

template <graph_index I>
device_ego_batch<I> make_ego_batch(const cuda& exec, const device_graph<I>& graph,
                                   std::type_identity_t<std::span<const I>> anchors, ego_options options) {
  check_request<I>(graph, anchors, options);
  const ego_schedule schedule = schedule_egos<I>(exec, graph, anchors, options);
  const std::size_t hop_entries = anchors.size() * (options.hops + 1);
  const auto rows = graph.view();

  buffer<I> ids(exec, anchors.size(), contents::anything);
  backend::upload(exec, ids.data(), anchors.data(), anchors.size_bytes());
  buffer<I> hop_offsets(exec, hop_entries + 1, contents::anything);
  buffer<std::uint64_t> neighbor_offsets(exec, anchors.size() + 1, contents::anything);

  const backend::device_array<ego_task> tasks(exec, std::span<const ego_task>(schedule.tasks));
  const backend::device_array<I> workspace(exec, schedule.plan.large_blocks * schedule.slice);
  const kernels::ego_arguments<I> arguments{
      .graph = {rows.offsets.data(), rows.neighbors.data(), rows.in_degrees.data(), rows.out_degrees.data()},
      .anchors = ids.data(),
      .hops = static_cast<unsigned>(options.hops),
      .tasks = tasks.data(),
      .task_count = schedule.tasks.size(),
      .workspace = workspace.data(),
      .slice = schedule.slice,
      .table_slots = schedule.plan.table_slots};

  const backend::device_array<I> hop_sizes(exec, hop_entries);
  const backend::device_array<I> edges(exec, anchors.size());
  for_both_sizes<I>(schedule.plan, arguments, [&](auto shared, const auto& some, unsigned grid) {
    kernels::count_egos_kernel<I, shared.value>
        <<<grid, ego_policy::threads, 0, stream_of(exec)>>>(some, hop_sizes.data(), edges.data());
    check_launch("count_egos", grid, ego_policy::threads);
  });

  const backend::device_array<std::uint64_t> edge_starts(exec, anchors.size() + 1);
  const backend::device_array<std::uint64_t> totals(exec, 3);
  kernels::running_sums(exec, hop_sizes.data(), 1, hop_entries, hop_offsets.data(), totals.data());
  kernels::running_sums(exec, edges.data(), 1, anchors.size(), edge_starts.data(), totals.data() + 1);
  kernels::running_sums(exec, hop_sizes.data() + 1, options.hops + 1, anchors.size(), neighbor_offsets.data(),
                        totals.data() + 2);
  std::array<std::uint64_t, 3> counted{};
  backend::download(exec, counted.data(), totals.data(), sizeof(counted));
  const auto [node_count, edge_count, neighbor_count] = counted;
  expects_index_fits<I>(std::max(node_count, edge_count), "nodes or edges of an ego batch");

  buffer<I> nodes(exec, node_count, contents::anything);
  buffer<I> in_degree(exec, node_count, contents::anything);
  buffer<I> out_degree(exec, node_count, contents::anything);
  buffer<I> edge_offsets(exec, node_count + 1, contents::anything);
  buffer<I> edge_sources(exec, edge_count, contents::anything);
  const kernels::ego_output<I> output{hop_offsets.data(), edge_starts.data(),  nodes.data(),       in_degree.data(),
                                      out_degree.data(),  edge_offsets.data(), edge_sources.data()};
  for_both_sizes<I>(schedule.plan, arguments, [&](auto shared, const auto& some, unsigned grid) {
    kernels::fill_egos_kernel<I, shared.value><<<grid, ego_policy::threads, 0, stream_of(exec)>>>(some, output);
    check_launch("fill_egos", grid, ego_policy::threads);
  });
  return {.hops = options.hops,
          .anchors = std::move(ids),
          .hop_offsets = std::move(hop_offsets),
          .nodes = std::move(nodes),
          .edge_offsets = std::move(edge_offsets),
          .edge_sources = std::move(edge_sources),
          .in_degree = std::move(in_degree),
          .out_degree = std::move(out_degree),
          .neighbor_offsets = std::move(neighbor_offsets),
          .neighbors = neighbor_count};
}

template ego_plan plan_ego_batch(const cuda&, const device_graph<std::int32_t>&, std::span<const std::int32_t>,
                                 ego_options);
template device_ego_batch<std::int32_t> make_ego_batch(const cuda&, const device_graph<std::int32_t>&,
                                                       std::span<const std::int32_t>, ego_options);

}  // namespace graphpatcher
