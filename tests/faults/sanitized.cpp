// SPDX-License-Identifier: MIT
// What threads share, small enough to be compiled under a sanitizer in every test run (scripts/test --sanitizers does
// it with everything): the pool, exceptions that cross it, two users of it at once, graphs, ego-graphs, masks and sums.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/spmm.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

gp::csr_graph<node_id> some_graph(std::size_t nodes) {
  const gp::random_stream random(1, gp::purpose::generator);
  std::vector<gp::edge<node_id>> edges;
  for (std::size_t e = 0; e < 3 * nodes; ++e) {
    const auto end = [&](std::uint64_t which) {
      return static_cast<node_id>(random.uniform(e, which) * static_cast<double>(nodes));
    };
    edges.push_back({end(0), e % 5 == 0 ? node_id(0) : end(1)});
  }
  return gp::build_graph<node_id>(nodes, edges);
}

/// Ego-graphs, corrupted and joined, and sums over their edges forth and back.
std::vector<float> sums(const gp::cpu& exec, const gp::csr_graph<node_id>& graph) {
  std::vector<node_id> anchors(graph.nodes() / 4);
  std::iota(anchors.begin(), anchors.end(), node_id(1));
  const auto batch = gp::make_ego_batch<node_id>(exec, graph, anchors, {.hops = 2});
  const auto masks = gp::corrupt(exec, batch, {.strength = 0.4, .samples = 3, .seed = 2});
  const auto egos = gp::corrupted_egos(batch, masks);
  const auto messages = gp::materialise<node_id>(exec, batch, egos, {.degree = gp::degree_mode::graph});
  gp::matrix<float> x(graph.nodes(), 24);
  std::iota(x.values().begin(), x.values().end(), -50.0f);
  gp::matrix<float> gathered(messages.nodes(), x.cols());
  gp::gather_rows<float, node_id>(exec, x, messages.global_ids, gathered);
  const auto block = messages.towards(1);
  gp::arena scratch;
  const auto scales = gp::normalisation_scales<float>(block, gp::normalisation::symmetric, scratch);
  gp::matrix<float> out(block.rows(), x.cols());
  gp::spmm<float, node_id>(exec, block, scales, gathered, out);
  gp::matrix<float> back(messages.nodes(), x.cols());
  gp::spmm_adjoint<float, node_id>(exec, block, scales, out, back);
  std::vector<float> all(out.values().begin(), out.values().end());
  all.insert(all.end(), back.values().begin(), back.values().end());
  return all;
}

bool fails_once(const gp::cpu& exec) {
  try {
    gp::parallel_for(exec, 1000, 10, [](std::size_t begin, std::size_t) {
      if (begin >= 500) {
        throw std::runtime_error("a piece");
      }
    });
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const auto graph = some_graph(600);
  const auto expected = sums(gp::cpu{1}, graph);
  const gp::cpu four{4};
  bool right = true;
  for (int round = 0; round < 5; ++round) {
    right = sums(four, graph) == expected && fails_once(four) && right;
  }
  std::vector<int> fine(3);
  std::vector<std::thread> users;
  for (int& mine : fine) {  // a pool that is busy leaves the work to who asks
    users.emplace_back([&] { mine = sums(four, graph) == expected && fails_once(four); });
  }
  for (auto& user : users) {
    user.join();
  }
  right = right && std::ranges::count(fine, 1) == 3;
  std::cout << (right ? "the same sums on all threads\n" : "other sums\n");
  return right ? 0 : 1;
}
