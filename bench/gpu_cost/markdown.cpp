// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "number_text.hpp"
#include "report.hpp"

namespace gpu_cost {

namespace {

constexpr std::string_view begin_mark = "<!-- gpu-cost: begin -->\n";
constexpr std::string_view end_mark = "<!-- gpu-cost: end -->";

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& each : cells) {
    text += " " + each + " |";
  }
  return text + "\n";
}

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string kilobytes(std::uint64_t bytes) {
  return three_digits(static_cast<double>(bytes) / 1000);
}

}  // namespace

std::string markdown_counters(const std::vector<measurement>& all) {
  std::string text = row({"workload", "graph", "kernel", "instructions a thread", "active lanes", "load efficiency",
                          "store efficiency", "bank conflicts"});
  text += "|---|---|---|--:|--:|--:|--:|--:|\n";
  const auto share = [](const launch::memory& m) { return percent(efficiency(m.fewest_sectors, m.sectors)); };
  for (const measurement& what : all) {
    for (const launch& each : by_kernel(what.launches)) {
      text += row({what.workload, what.graph, code(short_name(each.kernel)), fixed(instructions_a_thread(each), 0),
                   percent(each.active_lane_share), share(each.global_load), share(each.global_store),
                   std::to_string(each.shared_conflict_ways)});
    }
  }
  return text;
}

std::string markdown_roofline(const std::vector<measurement>& all) {
  std::vector<std::string> head{"workload", "graph", "kB touched", "kB at least", "kflop", "flop / byte"};
  std::string rule = "|---|---|--:|--:|--:|--:|";
  for (const gpu& each : gpus) {
    head.push_back(std::string(each.name) + ", µs");
    rule += "--:|";
  }
  std::string text = row(head) + rule + "\n";
  for (const measurement& what : all) {
    const totals sum = sum_of(what.launches);
    const auto bytes = static_cast<double>(sum.bytes());
    std::vector<std::string> cells{what.workload,
                                   what.graph,
                                   kilobytes(sum.bytes()),
                                   kilobytes(sum.fewest_bytes()),
                                   three_digits(what.flops / 1000),
                                   fixed(bytes == 0 ? 0 : what.flops / bytes, 2)};
    for (const gpu& each : gpus) {
      cells.push_back(three_digits(1e6 * bytes / each.bytes_a_second));
    }
    text += row(cells);
  }
  return text;
}

std::string with_report(const std::string& page, const std::string& report) {
  const std::size_t begin = page.find(begin_mark);
  const std::size_t end = page.find(end_mark, begin == std::string::npos ? 0 : begin);
  graphpatcher::expects(begin != std::string::npos && end != std::string::npos, "gpu_cost: expected the lines '",
                        begin_mark.substr(0, begin_mark.size() - 1), "' and '", end_mark,
                        "' in the page, in this order; put them where the tables belong");
  return page.substr(0, begin + begin_mark.size()) + report + page.substr(end);
}

void write_report(const std::filesystem::path& file, const std::string& report) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw graphpatcher::file_error(file.string(), "can't be read; expected a Markdown page with the report's marks");
  }
  const std::string page(std::istreambuf_iterator<char>(in), {});
  graphpatcher::write_file_atomically(file, with_report(page, report));
}

}  // namespace gpu_cost
