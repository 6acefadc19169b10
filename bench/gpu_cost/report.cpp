// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "number_text.hpp"

namespace gpu_cost {

namespace {

using line = std::vector<std::string>;
using memory = launch::memory;

/// Words to the left, numbers (from column `first_number` on) to the right.
std::string aligned(const std::vector<line>& lines, std::size_t first_number) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const line& each : lines) {
    for (std::size_t c = 0; c < each.size(); ++c) {
      widths[c] = std::max(widths[c], each[c].size());
    }
  }
  std::string text;
  for (const line& each : lines) {
    for (std::size_t c = 0; c < each.size(); ++c) {
      const std::string space(widths[c] - each[c].size(), ' ');
      text += c == 0 ? "" : "  ";
      text += c < first_number ? each[c] + space : space + each[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

line cells_of(const measurement& what, const launch& each) {
  const auto sectors = [](const memory& m) {
    return std::to_string(m.sectors) + " / " + std::to_string(m.fewest_sectors);
  };
  const auto share = [](const memory& m) { return percent(efficiency(m.fewest_sectors, m.sectors)); };
  return {what.workload,
          what.graph,
          short_name(each.kernel),
          std::to_string(each.threads),
          fixed(instructions_a_thread(each), 1),
          sectors(each.global_load),
          share(each.global_load),
          sectors(each.global_store),
          share(each.global_store),
          std::to_string(each.shared_conflict_ways),
          percent(each.active_lane_share),
          std::to_string(sum_of({each}).bytes())};
}

nlohmann::ordered_json to_json(const memory& m) {
  return {{"requests", m.requests},
          {"bytes", m.bytes},
          {"sectors", m.sectors},
          {"fewest_sectors", m.fewest_sectors},
          {"efficiency", efficiency(m.fewest_sectors, m.sectors)}};
}

nlohmann::ordered_json to_json(const launch& each) {
  const auto extent = [](const gpu_host::extent& e) { return nlohmann::ordered_json{e.x, e.y, e.z}; };
  return {{"kernel", short_name(each.kernel)},
          {"signature", each.kernel},
          {"grid", extent(each.shape.grid)},
          {"block", extent(each.shape.block)},
          {"threads", each.threads},
          {"instructions", each.instructions},
          {"instructions_a_thread", instructions_a_thread(each)},
          {"load", to_json(each.global_load)},
          {"store", to_json(each.global_store)},
          {"shared_requests", each.shared_requests},
          {"bank_conflicts", each.shared_conflict_ways},
          {"atomic_requests", each.atomic_requests},
          {"active_lane_share", each.active_lane_share}};
}

}  // namespace

std::string text_table(const std::vector<measurement>& all) {
  std::vector<line> lines{{"workload", "graph", "kernel", "threads", "instr/thread", "load sectors/fewest", "eff",
                           "store sectors/fewest", "eff", "conflicts", "lanes", "bytes"}};
  for (const measurement& what : all) {
    for (const launch& each : what.launches) {
      lines.push_back(cells_of(what, each));
    }
  }
  return aligned(lines, 3);
}

std::string json(const std::vector<measurement>& all) {
  auto workloads = nlohmann::ordered_json::array();
  for (const measurement& what : all) {
    const totals sum = sum_of(what.launches);
    auto launches = nlohmann::ordered_json::array();
    for (const launch& each : what.launches) {
      launches.push_back(to_json(each));
    }
    workloads.push_back({{"workload", what.workload},
                         {"graph", what.graph},
                         {"flops", what.flops},
                         {"flops_formula", what.formula},
                         {"bytes", sum.bytes()},
                         {"fewest_bytes", sum.fewest_bytes()},
                         {"sector_efficiency", sum.sector_efficiency()},
                         {"bank_conflicts", sum.bank_conflicts},
                         {"launches", std::move(launches)}});
  }
  const nlohmann::ordered_json document{
      {"about", "counted on the processor by tests/gpu_host; nothing here was measured on a GPU"},
      {"workloads", std::move(workloads)}};
  return document.dump(2) + "\n";
}

}  // namespace gpu_cost
