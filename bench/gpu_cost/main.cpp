// SPDX-License-Identifier: MIT
// Runs the CUDA kernels on standard workloads, on the processor (tests/gpu_host), and tells what they did:
// instructions, memory sectors, bank conflicts, active lanes. No GPU is needed, and nothing is timed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "goals.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "report.hpp"
#include "workload.hpp"

namespace {

using namespace gpu_cost;

struct options {
  std::string data;
  std::size_t anchors = input_options{}.anchors;
  std::vector<std::string> workloads;
  std::string json;
  std::string roofline;
  bool list = false;
  bool check = false;
};

/// Workloads by name, or all of them.
std::vector<workload> chosen(const options& o) {
  const auto all = all_workloads();
  if (o.workloads.empty()) {
    return all;
  }
  std::vector<workload> result;
  for (const std::string& name : o.workloads) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const workload& each) { return each.name == name; });
    gp::expects(found != all.end(), "gpu_cost: no workload is called '", name, "'; --list names them all");
    result.push_back(*found);
  }
  return result;
}

std::vector<measurement> measure_all(const std::vector<workload>& workloads, const std::vector<ego_input>& graphs) {
  meter counter{gp::cuda()};
  std::vector<measurement> result;
  for (const workload& what : workloads) {
    for (const ego_input& graph : graphs) {
      const bool wanted = what.every_graph || &graph == &graphs.front();
      if (wanted && (!what.needs_features || graph.features.rows() > 0)) {
        result.push_back(measure(what, graph, counter));
      }
    }
  }
  return result;
}

/// The page of the documentation: both tables.
std::string markdown_report(const std::vector<measurement>& all) {
  return "\n## Counters\n\n" + markdown_counters(all) +
         "\n## Roofline\n\n**Computed from counted bytes, not measured on any GPU.**\n\n" + markdown_roofline(all) +
         "\n";
}

/// Prints what the goals say; false if one is missed.
bool check(const std::vector<measurement>& all) {
  std::size_t missed = 0;
  for (const measurement& each : all) {
    for (const std::string& sentence : missed_goals(each)) {
      std::cout << "missed: " << sentence << '\n';
      ++missed;
    }
  }
  std::cout << (missed == 0 ? "all goals are reached\n" : std::to_string(missed) + " goals are missed\n");
  return missed == 0;
}

int run(const options& o) {
  const auto workloads = chosen(o);
  if (o.list) {
    for (const workload& each : workloads) {
      std::printf("%-28s flops: %s\n", each.name.c_str(), each.formula.c_str());
    }
    return 0;
  }
  input_options how{.data = std::nullopt, .anchors = o.anchors};
  if (!o.data.empty()) {
    how.data = o.data;
  }
  const auto inputs = make_inputs(how);
  for (const std::string& message : inputs.messages) {
    std::cout << message << '\n';
  }
  const auto all = measure_all(workloads, inputs.graphs);
  std::cout << text_table(all);
  if (!o.json.empty()) {
    gp::write_file_atomically(o.json, json(all));
  }
  if (!o.roofline.empty()) {
    write_report(o.roofline, markdown_report(all));
  }
  return !o.check || check(all) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Counts what the CUDA kernels do on standard workloads: instructions a thread, 32-byte sectors that loads and "
      "stores touch against the fewest that could serve them, passes lost to bank conflicts, active lanes. The kernels "
      "run on the processor; nothing is timed, no GPU is needed."};
  options o;
  app.get_formatter()->column_width(30);
  app.add_option("--data", o.data, "folder with the files of Cora and Pubmed; without, generated graphs stand in");
  app.add_option("--anchors", o.anchors, "ego-graphs in a batch")->capture_default_str();
  app.add_option("--workload", o.workloads, "only this one; may be given several times");
  app.add_flag("--list", o.list, "name the workloads and what their flops are, run nothing");
  app.add_option("--json", o.json, "write all numbers to this file");
  app.add_option("--roofline", o.roofline, "write both tables into this Markdown page, between its marks");
  app.add_flag("--check", o.check, "fail unless the goals for efficiency and bank conflicts are reached");
  app.footer("exit code: 0 all is well, 1 a goal is missed, 2 it could not run");
  try {
    app.parse(argc, argv);
    return run(o);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
