// SPDX-License-Identifier: MIT
#include "experiments/run/settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/option_text.hpp"
#include "graphpatcher/patcher/config_words.hpp"

namespace graphpatcher {

namespace {

/// The arithmetic sequence of the paper: t, 2t, ... up to the last that is below 1, decreasing.
std::vector<double> strengths_from_step(double step) {
  std::vector<double> strengths;
  for (int k = 1; k * step < 1 - 1e-9; ++k) {
    strengths.insert(strengths.begin(), std::round(k * step * 1e9) / 1e9);  // three times 0.3 is 0.9
  }
  return strengths;
}

/// What cell_config() decides, whatever the setting.
bool is_fixed(std::string_view name) {
  return name == "seed" || name == "patches" || name == "quiet" || name == "capture";
}

}  // namespace

std::string settings_help() {
  std::string help = "A setting is a preset and changes: 'small learning-rate=0.001'. It can change";
  const patcher_config defaults;
  for_each_option(defaults, [&](const option& o, const auto& value) {
    if (!is_fixed(o.name)) {
      help += text("\n  ", typed_name(o.name), "=", option_text(value), "  (", option_values<decltype(value)>(o), ") ",
                   o.meaning);
    }
  });
  return help + "\n  strength=T  instead of strengths: the sequence ..., 2 T, T below 1";
}

void apply_change(patcher_config& c, std::string_view change) {
  const auto equals = change.find('=');
  expects(equals != std::string_view::npos, "setting: expected name=value, got '", change, "'");
  const auto name = change.substr(0, equals), value = change.substr(equals + 1);
  expects(!is_fixed(option_name(name)), "setting: ", name, " is the same for all settings of an experiment");
  try {
    if (name == "strength") {
      double step = 0;
      read_option({"strength", "", from_to_below(0.001, 1)}, value, step);
      c.strengths = strengths_from_step(step);
    } else {
      set_option(c, name, value);
    }
  } catch (const argument_error& problem) {
    throw argument_error(text("setting: ", problem.what()));
  }
}

namespace {

/// How many anchors a batch has and how many batches make a step.
struct batch_shape {
  std::size_t batch;
  std::size_t accumulate;
};

/// The paper's table of hyper-parameters; the citation graphs' for datasets that it leaves out.
batch_shape paper_batches(std::string_view dataset) {
  if (dataset == "wiki-cs") {
    return {8, 32};
  }
  if (dataset == "coauthor-cs") {
    return {4, 16};
  }
  return dataset == "amazon-photo" ? batch_shape{16, 16} : batch_shape{64, 16};
}

/// The released scripts know the citation graphs only. Amazon-Photo, Coauthor-CS and Wiki-CS have the paper's number of
/// anchors a step, in one batch: the gradient is the same mean, and what the anchors' surroundings share is computed
/// once.
std::size_t released_batch(std::string_view dataset) {
  if (dataset == "amazon-photo" || dataset == "coauthor-cs" || dataset == "wiki-cs") {
    const auto [batch, accumulate] = paper_batches(dataset);
    return batch * accumulate;
  }
  return dataset == "citeseer" ? 32 : 64;
}

}  // namespace

patcher_config parse_setting(std::string_view setting, const std::string& dataset, const std::string& backbone,
                             const tuned_settings& tuned) {
  patcher_config config;
  config.batch = released_batch(dataset);
  const auto end_of_preset = std::min(setting.find(' '), setting.size());
  const auto preset = setting.substr(0, end_of_preset);
  if (preset == "released") {
    config.loss = patch_loss::released;
  } else if (preset == "paper") {
    config.loss = patch_loss::paper;
    config.weight_decay = 1e-5;
    config.batch = paper_batches(dataset).batch;
    config.accumulate = paper_batches(dataset).accumulate;
    config.stop = stop_rule::loss;
    config.patience = 2;
    config.warmup *= config.accumulate;  // iterations are batches
    config.evaluate_every *= config.accumulate;
    config.max_iterations *= config.accumulate;
  } else if (preset == "small" || preset == "spread" || preset == "best") {
    config.loss = patch_loss::released;
    config.hidden = 256;
    config.learning_rate = 5e-4;
    config.target = preset == "spread" ? patch_target::spread : patch_target::own;
  } else if (preset == "tuned") {
    const auto found = tuned.find(dataset + "-" + backbone);
    expects(found != tuned.end(), "setting tuned: nobody has searched for the best settings of ", dataset, " with ",
            backbone, " yet; run experiments --tune first");
    config = parse_setting(found->second, dataset, backbone);
  } else {
    throw argument_error(text(
        "setting: expected to begin with a preset, released, paper, small, spread, tuned or best; got '", preset, "'"));
  }
  for (std::size_t begin = end_of_preset; begin < setting.size();) {
    begin += setting[begin] == ' ' ? 1 : 0;
    const auto end = std::min(setting.find(' ', begin), setting.size());
    if (end > begin) {
      apply_change(config, setting.substr(begin, end - begin));
    }
    begin = end;
  }
  expects(preset != "best" || config.target == patch_target::own, "setting best: its rule trains a patcher of each ",
          "target, got the change target=", word_of(config.target), "; take the preset small");
  config.check();
  return config;
}

}  // namespace graphpatcher
