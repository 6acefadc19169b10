// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "options.hpp"

inline bool has_patcher(const options& o) {
  return gp::trains_patches(gp::methods::find(o.method));
}

/// What a record of these options and data says before anything has run. Two records with the same settings are parts
/// of one experiment: files by the same name may hold other data.
template <class Config>
gp::run_record describe(const options& o, const Config& config, const dataset& data, const std::string& command) {
  gp::run_record record;
  record.dataset = o.name();
  record.backbone = o.backbone;
  record.method = o.method;
  record.command = command;
  record.settings.set("rule", gp::option_text(o.rule));
  if (has_patcher(o)) {
    gp::describe(o.patcher, record);
  }
  if (is_patcher(o) && o.rule == gp::patch_rule::weighted) {
    std::string targets;
    for (const auto& patcher : patcher_configs(o)) {
      targets += (targets.empty() ? "" : ",") + gp::option_text(patcher.target);
    }
    record.settings.set("target", targets);
  }
  record.settings.set("device", o.device);
  const auto keep = [&](const gp::option& about, const auto& value) {
    if (about.name != "backbone_seed") {
      record.settings.set(about.name, value);
    }
  };
  gp::for_each_option(config, keep, "backbone_");
  gp::for_each_option(o.fit, keep, "backbone_");
  if (o.split != 0) {
    record.settings.set("split", o.split);
  }
  if (o.split_seed != 0) {
    record.settings.set("split_seed", o.split_seed);
  }
  gp::describe(data, record);
  auto without_split = data;
  without_split.split = {};
  record.settings.set("data_checksum", gp::fingerprint(without_split));
  record.settings.set("split_checksum", gp::fingerprint(data));
  return record;
}

/// Takes over the runs of the file that --json names, which must be of the same experiment.
inline void take_runs(const std::string& file, gp::run_record& record) {
  const auto before = gp::read_json(file);
  const auto expect_same = [&](const std::string& name, const std::string& was, const std::string& now) {
    gp::expects(was == now, file, ": was made with other options: ", name, " = ", was, ", not ", now,
                "; start anew with --overwrite in the place of --resume");
  };
  expect_same("dataset", before.dataset, record.dataset);
  expect_same("backbone", before.backbone, record.backbone);
  expect_same("method", before.method, record.method);
  if (const auto other = gp::first_difference(before.settings, record.settings)) {
    expect_same(other->name, other->before, other->now);
  }
  gp::expects(before.settings == record.settings, file,
              ": was made before some options were added, so it doesn't say what they were; start anew with "
              "--overwrite in the place of --resume");
  record.runs = before.runs;
  record.path = before.path;
}

inline bool has_seed(const gp::run_record& record, std::uint64_t seed) {
  return std::ranges::any_of(record.runs, [&](const auto& run) { return run.seed == seed; });
}
