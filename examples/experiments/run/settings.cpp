// SPDX-License-Identifier: MIT
#include "experiments/run/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <vector>

#include "graphpatcher/patcher/config_words.hpp"

namespace graphpatcher {

namespace {

template <class Number>
Number parse_number(std::string_view name, std::string_view value) {
  Number number{};
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  expects(problem == std::errc() && end == value.data() + value.size(), "setting ", name, ": expected a number, got '",
          value, "'");
  return number;
}

template <class Choice>
Choice parse_word(std::string_view name, std::string_view value) {
  std::string known;
  for (const auto& [word, choice] : words_of<Choice>()) {
    if (word == value) {
      return choice;
    }
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw argument_error(text("setting ", name, ": expected one of ", known, "; got '", value, "'"));
}

/// The arithmetic sequence of the paper: t, 2t, ... up to the last that is below 1, decreasing.
std::vector<double> strengths_from_step(double step) {
  expects(step > 0 && step < 1, "setting strength: expected a step in (0, 1), got ", step);
  std::vector<double> strengths;
  for (int k = 1; k * step < 1 - 1e-9; ++k) {
    strengths.insert(strengths.begin(), std::round(k * step * 1e9) / 1e9);  // three times 0.3 is 0.9
  }
  return strengths;
}

}  // namespace

void apply_change(patcher_config& c, std::string_view change) {
  const auto equals = change.find('=');
  expects(equals != std::string_view::npos, "setting: expected name=value, got '", change, "'");
  const auto name = change.substr(0, equals), value = change.substr(equals + 1);
  const auto set = [&](std::string_view known, auto& target) {
    using type = std::remove_cvref_t<decltype(target)>;
    if (name != known) {
      return false;
    }
    if constexpr (std::is_enum_v<type>) {
      target = parse_word<type>(name, value);
    } else {
      target = parse_number<type>(name, value);
    }
    return true;
  };
  if (name == "strength") {
    c.strengths = strengths_from_step(parse_number<double>(name, value));
    return;
  }
  if (name == "strengths") {  // "0.6/0.3/0": a comma would end an item of a command line
    c.strengths.clear();
    for (std::size_t begin = 0; begin <= value.size();) {
      const auto end = std::min(value.find('/', begin), value.size());
      c.strengths.push_back(parse_number<double>(name, value.substr(begin, end - begin)));
      begin = end + 1;
    }
    return;
  }
  const bool known = set("loss", c.loss) || set("target", c.target) || set("hidden", c.hidden) ||
                     set("dropout", c.dropout) || set("samples", c.samples) || set("estimator", c.estimator) ||
                     set("reduction", c.reduction) || set("edge", c.edge) || set("degree", c.degree) ||
                     set("anchors", c.anchors) || set("batch", c.batch) || set("accumulate", c.accumulate) ||
                     set("learning-rate", c.learning_rate) || set("weight-decay", c.weight_decay) ||
                     set("max-iterations", c.max_iterations) || set("stop", c.stop) || set("warm-up", c.warmup) ||
                     set("evaluate-every", c.evaluate_every) || set("patience", c.patience) || set("path", c.path) ||
                     set("over", c.spread.over) || set("similar", c.spread.similar) || set("weight", c.spread.weight) ||
                     set("steps", c.spread.steps);
  expects(known, "setting: no option is called '", name,
          "'; there are loss, target, hidden, dropout, strength (step of the sequence), strengths (0.9/0.6/0.3), "
          "samples, estimator, reduction, edge, degree, anchors, batch, accumulate, learning-rate, weight-decay, "
          "max-iterations, stop, warm-up, evaluate-every, patience, path and, for target=spread, over, similar, "
          "weight, steps");
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
                             const best_settings& best) {
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
  } else if (preset == "small" || preset == "spread") {
    config.loss = patch_loss::released;
    config.hidden = 256;
    config.learning_rate = 5e-4;
    config.target = preset == "spread" ? patch_target::spread : patch_target::own;
  } else if (preset == "best") {
    const auto found = best.find(dataset + "-" + backbone);
    expects(found != best.end(), "setting best: nobody has searched for the best settings of ", dataset, " with ",
            backbone, " yet; run experiments --tune first");
    config = parse_setting(found->second, dataset, backbone);
  } else {
    throw argument_error(
        text("setting: expected to begin with a preset, released, paper, small, spread or best; got '", preset, "'"));
  }
  for (std::size_t begin = end_of_preset; begin < setting.size();) {
    begin += setting[begin] == ' ' ? 1 : 0;
    const auto end = std::min(setting.find(' ', begin), setting.size());
    if (end > begin) {
      apply_change(config, setting.substr(begin, end - begin));
    }
    begin = end;
  }
  return config;
}

}  // namespace graphpatcher
