// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"
#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/safetensors_writer.hpp"
#include "graphpatcher/io/training_checkpoint.hpp"

namespace gp_fuzz {

namespace {

namespace gp = graphpatcher;

/// A checkpoint taken apart, to be put together with a change.
struct parts {
  std::map<std::string, std::string> metadata;
  std::map<std::string, gp::npy_array<float>> tensors;

  explicit parts(const std::string& file) {
    const gp::safetensors_archive archive("corpus", std::vector<std::uint8_t>(file.begin(), file.end()));
    metadata = archive.metadata();
    for (const auto& name : archive.names()) {
      tensors.emplace(name, archive.read<float>(name));
    }
  }
  std::string file() const {
    gp::safetensors_writer writer;
    for (const auto& [key, value] : metadata) {
      writer.note(key, value);
    }
    for (const auto& [name, tensor] : tensors) {
      writer.add<float>(name, tensor.shape, tensor.values);
    }
    return writer.bytes();
  }
};

/// What `save(path)` writes.
template <class Save>
std::string saved(const Save& save) {
  std::string folder = (std::filesystem::temp_directory_path() / "graphpatcher_corpus_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    throw std::runtime_error("corpus: expected a folder for temporary files");
  }
  const auto path = std::filesystem::path(folder) / "checkpoint.safetensors";
  save(path);
  std::ifstream stream(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove_all(folder);
  return content;
}

template <class Config>
std::string backbone(const Config& config) {
  const typename Config::template model_type<float> model(config, 3, 2);
  return saved([&](const auto& path) { gp::save_backbone(path, model, config, {{"made", "by hand"}}); });
}

std::string patcher() {
  gp::trained_patcher<float> made{gp::patch_generator<float>({.features = 3, .hidden = 2}), {}, {}};
  made.config.hidden = 2;
  made.evaluations.push_back({});
  return saved([&](const auto& path) { gp::save_patcher(path, made); });
}

/// Of the model that the target loads into.
std::string training() {
  gp::gcn_backbone<float> model(gp::gcn_config{.layers = 2, .hidden = 2}, 3, 2);
  const auto best = model;
  gp::adam<float> optimizer(model.parameters());
  return saved([&](const auto& path) {
    gp::save_training(path, model, best, optimizer, gp::training_state{.iteration = 7}, gp::dgl_names(model));
  });
}

}  // namespace

std::vector<corpus_case> checkpoint_cases() {
  const std::string gcn = backbone(gp::gcn_config{.layers = 2, .hidden = 2});
  const std::string sage = backbone(gp::sage_config{.layers = 2, .hidden = 2, .aggregator = gp::sage_aggregator::pool});
  const std::string gat = backbone(gp::gat_config{.layers = 2, .hidden = 2, .heads = 2});
  const std::string good_patcher = patcher();
  const std::string good_training = training();

  const auto changed = [](const std::string& file, const auto& change) {
    parts all(file);
    change(all);
    return all.file();
  };
  const auto noted = [&](const std::string& key, const std::string& value) {
    return changed(gcn, [&](parts& p) { p.metadata["graphpatcher." + key] = value; });
  };
  const auto config = [&](const std::string& file, const char* from, const std::string& to) {
    return changed(file, [&](parts& p) {
      auto& text = p.metadata.at("graphpatcher.config");
      text = replaced(text, from, to);
    });
  };
  const std::string samples = "\"samples\":" + std::to_string(gp::patcher_config{}.samples);
  const std::string c = "checkpoint";
  return {
      {c, "gcn", gcn, ""},
      {c, "sage", sage, ""},
      {c, "gat", gat, ""},
      {c, "patcher", good_patcher, ""},
      {c, "training", good_training, ""},

      {c, "nothing", "", "safetensors header"},
      {c, "cut", gcn.substr(0, gcn.size() - 1), "within the"},
      {c, "not_a_checkpoint", changed(gcn, [](parts& p) { p.metadata.clear(); }),
       "expected a checkpoint of graphpatcher"},
      {c, "format_2", noted("format", "2"), "update this library"},
      {c, "format_0", noted("format", "0"), "the number of a checkpoint format"},
      {c, "format_word", noted("format", "new"), "the number of a checkpoint format"},
      {c, "kind_unknown", noted("kind", "transformer"), "kind gcn, sage or gat"},
      {c, "kind_of_another", noted("kind", "gat"), "expected this field"},
      {c, "config_not_json", noted("config", "{"), "expected JSON"},
      {c, "config_list", noted("config", "[]"), "an object"},
      {c, "config_deep", noted("config", std::string(5000, '[')), "deep"},
      {c, "config_zero", config(gcn, "}", raw("}\0")), "a zero byte"},
      {c, "config_key_twice", config(gcn, "\"layers\"", "\"layers\":2,\"layers\""), "every key once"},
      {c, "config_key_unknown", config(gcn, "{", "{\"colour\":1,"), "no such field"},
      {c, "config_word_unknown", config(gcn, "\"mean\"", "\"median\""), "one of"},
      {c, "config_negative", config(gcn, "\"layers\":2", "\"layers\":-2"), "a whole number from 0"},
      {c, "config_number_above_64_bits", config(gcn, "\"layers\":2", "\"layers\":99999999999999999999"), "from 0"},
      {c, "layers_none", config(gcn, "\"layers\":2", "\"layers\":0"), "expected layers in [1, 1000]"},
      {c, "layers_2_to_60", config(gcn, "\"layers\":2", "\"layers\":1152921504606846976"), "more weights than"},
      {c, "hidden_2_to_60", config(gcn, "\"hidden\":2", "\"hidden\":1152921504606846976"), "more weights than"},
      {c, "heads_2_to_62", config(gat, "\"heads\":2", "\"heads\":4611686018427387904"), "more weights than"},
      {c, "features_2_to_63", config(sage, "\"features\":3", "\"features\":9223372036854775808"), "more weights than"},
      {c, "dropout_null", config(gcn, "\"dropout\":0.5", "\"dropout\":null"), "dropout"},
      {c, "dropout_2", config(gcn, "\"dropout\":0.5", "\"dropout\":2"), "dropout"},
      {c, "tensor_missing", changed(gcn, [](parts& p) { p.tensors.erase(p.tensors.begin()); }), "which is missing"},
      {c, "tensor_left_over",
       changed(gcn,
               [](parts& p) {
                 p.tensors["more"] = {{1}, {0}};
               }),
       "'more' as well"},
      {c, "tensor_of_another_shape",
       changed(gcn,
               [](parts& p) {
                 p.tensors.begin()->second = {{9}, std::vector<float>(9)};
               }),
       "expected shape"},
      {c, "patcher_hidden", config(good_patcher, "\"hidden\":2", "\"hidden\":1000000"), "more weights than"},
      {c, "patcher_samples_0", config(good_patcher, samples.c_str(), "\"samples\":0"), "got 0"},
      {c, "training_of_sgd", config(good_training, "\"adam\"", "\"sgd\""), "the state of adam"},
      {c, "training_steps", config(good_training, "\"steps\":[", "\"steps\":[1,"), "the steps of"},
      {c, "training_rate", config(good_training, "\"learning_rate\":0.001", "\"learning_rate\":-1"),
       "expected learning_rate >= 0"},
      {c, "training_rate_null", config(good_training, "\"learning_rate\":0.001", "\"learning_rate\":null"),
       "expected learning_rate >= 0"},
      {c, "training_beta", config(good_training, "\"beta2\":0.999", "\"beta2\":1"), "expected beta2 in [0, 1)"},
      {c, "training_weights_missing", changed(good_training, [](parts& p) { p.tensors.clear(); }), "which is missing"},
  };
}

}  // namespace gp_fuzz
