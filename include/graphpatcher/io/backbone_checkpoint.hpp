// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <variant>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/io/checkpoint.hpp"
#include "graphpatcher/io/torch_names.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/models/unwrapped.hpp"

namespace graphpatcher {

template <class Fields>
void list_fields(Fields& field, training_history& h) {
  field("best_epoch", h.best_epoch);
  field("validation_accuracy", h.validation_accuracy);
  field("loss", h.loss);
  field("validation_accuracies", h.validation_accuracies);
  field("seconds", h.seconds);
}

namespace detail {

/// A backbone without its weights, as fields.
template <class Config>
struct backbone_recipe {
  std::size_t features = 0;
  std::size_t classes = 0;
  Config config;
  training_history history;  ///< empty if the model was not trained here

  template <class Fields>
  void list(Fields& field) {
    field("features", features);
    field("classes", classes);
    list_fields(field, config);
    field("history", history);
  }
};

/// Throws unless the file could hold such a model.
template <class Config>
void expect_weights(held_values held, const backbone_recipe<Config>& recipe) {
  const auto& c = recipe.config;
  if (c.layers > held.tensors()) {
    held.fail();
  }
  std::size_t inputs = recipe.features;
  for (std::size_t l = 0; l < c.layers; ++l) {
    const bool last = l + 1 == c.layers;
    const std::size_t outputs = last ? recipe.classes : c.hidden;
    if constexpr (std::same_as<Config, gat_config>) {
      const std::size_t heads = last ? c.output_heads : c.heads;
      held.take({heads, outputs});  // the bias: now their product is known to be a number
      held.take({inputs, heads, outputs});
      inputs = heads * outputs;
    } else {
      held.take({outputs});
      held.take({inputs, outputs});
      if constexpr (std::same_as<Config, sage_config>) {
        held.take({c.aggregator == sage_aggregator::pool ? inputs : 0, inputs});
      }
      inputs = outputs;
    }
  }
}

}  // namespace detail

/// A model from a checkpoint and what belongs to it. It is the model: it goes
/// wherever that does.
template <class Model, class Config>
struct restored : Model {
  Config config;
  training_history history;
  checkpoint_info info;
};
template <class Model, class Config>
struct unwrapped<restored<Model, Config>> : unwrapped<Model> {};

namespace detail {

/// What save_backbone() says, of a model without what is around it.
template <class Model, class Config>
void write_backbone(const std::filesystem::path& path, const Model& model, const Config& config,
                    const training_history& history, const checkpoint_notes& notes) {
  backbone_recipe<Config> recipe{model.layers.front().inputs(), model.classes(), config, history};
  const auto names = dgl_names(Model(config, recipe.features, recipe.classes));
  const auto state = export_parameters(model, dgl_names(model));
  expects(state.size() == names.size(), "save_backbone: the config makes ", names.size(), " parameters, the model has ",
          state.size(), "; was it made with another?");
  for (const auto& [ours, place] : names) {
    const auto found = state.find(place.name);
    expects(found != state.end() && found->second.shape == place.shape, "save_backbone: the config makes '", ours,
            "' of shape ", shape_text(place.shape), ", which the model has not; was it made with another?");
  }
  fields_writer fields;
  recipe.list(fields);
  write_checkpoint<typename Model::scalar_type>(path, Model::name, fields.json, state, notes);
}

#if GP_HAS_INSTANCES
GP_EXTERN template void write_backbone(const std::filesystem::path&, const gcn_backbone<float>&, const gcn_config&,
                                       const training_history&, const checkpoint_notes&);
GP_EXTERN template void write_backbone(const std::filesystem::path&, const gcn_backbone<double>&, const gcn_config&,
                                       const training_history&, const checkpoint_notes&);
GP_EXTERN template void write_backbone(const std::filesystem::path&, const sage_backbone<float>&, const sage_config&,
                                       const training_history&, const checkpoint_notes&);
GP_EXTERN template void write_backbone(const std::filesystem::path&, const sage_backbone<double>&, const sage_config&,
                                       const training_history&, const checkpoint_notes&);
GP_EXTERN template void write_backbone(const std::filesystem::path&, const gat_backbone<float>&, const gat_config&,
                                       const training_history&, const checkpoint_notes&);
GP_EXTERN template void write_backbone(const std::filesystem::path&, const gat_backbone<double>&, const gat_config&,
                                       const training_history&, const checkpoint_notes&);
#endif

}  // namespace detail

/// Writes a backbone (gcn, sage or gat), the config that it was made with and,
/// if train_backbone() made it, its history.
template <class Model, class Config>
void save_backbone(const std::filesystem::path& path, const Model& model, const Config& config,
                   const checkpoint_notes& notes = {}) {
  using plain_model = typename Config::template model_type<typename Model::scalar_type>;
  static_assert(std::derived_from<Model, plain_model>, "save_backbone: the config is that of another model");
  if constexpr (requires { model.history; }) {
    detail::write_backbone<plain_model>(path, model, config, model.history, notes);
  } else {
    detail::write_backbone<plain_model>(path, model, config, {}, notes);
  }
}

/// Reads what save_backbone() wrote: load_backbone<gcn_config, float>(path).
/// Throws file_error (format_error for damage) that says what was expected.
template <class Config, class T>
restored<typename Config::template model_type<T>, Config> load_backbone(safetensors_archive archive) {
  using plain_model = typename Config::template model_type<T>;
  const detail::checkpoint_reader file(std::move(archive));
  file.expect_kind(plain_model::name);
  detail::backbone_recipe<Config> recipe;
  file.read_config([&](auto& fields) { recipe.list(fields); });
  detail::expect_weights(file.held(), recipe);
  return file.blame_file([&] {
    restored<plain_model, Config> model{
        {recipe.config, recipe.features, recipe.classes}, recipe.config, recipe.history, file.info()};
    file.fill<plain_model>(model, dgl_names(model));
    return model;
  });
}
#if GP_HAS_INSTANCES
GP_EXTERN template restored<gcn_backbone<float>, gcn_config> load_backbone<gcn_config, float>(safetensors_archive);
GP_EXTERN template restored<gcn_backbone<double>, gcn_config> load_backbone<gcn_config, double>(safetensors_archive);
GP_EXTERN template restored<sage_backbone<float>, sage_config> load_backbone<sage_config, float>(safetensors_archive);
GP_EXTERN template restored<sage_backbone<double>, sage_config> load_backbone<sage_config, double>(safetensors_archive);
GP_EXTERN template restored<gat_backbone<float>, gat_config> load_backbone<gat_config, float>(safetensors_archive);
GP_EXTERN template restored<gat_backbone<double>, gat_config> load_backbone<gat_config, double>(safetensors_archive);
#endif

template <class Config, class T>
restored<typename Config::template model_type<T>, Config> load_backbone(const std::filesystem::path& path) {
  return load_backbone<Config, T>(safetensors_archive(path));
}

/// Any of the backbones, for a program that learns which one from the file.
template <class T>
using any_backbone = std::variant<restored<gcn_backbone<T>, gcn_config>, restored<sage_backbone<T>, sage_config>,
                                  restored<gat_backbone<T>, gat_config>>;

template <class T>
any_backbone<T> load_any_backbone(const std::filesystem::path& path) {
  const auto kind = read_checkpoint_info(path).kind;
  if (kind == "gcn") {
    return load_backbone<gcn_config, T>(path);
  }
  if (kind == "sage") {
    return load_backbone<sage_config, T>(path);
  }
  if (kind == "gat") {
    return load_backbone<gat_config, T>(path);
  }
  throw file_error(path.string(),
                   text("expected a checkpoint of kind gcn, sage or gat, got kind ", detail::shortened(kind)));
}

}  // namespace graphpatcher
