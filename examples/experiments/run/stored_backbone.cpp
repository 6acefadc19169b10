// SPDX-License-Identifier: MIT
#include "experiments/run/stored_backbone.hpp"

#include <string>

#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/fingerprint.hpp"

namespace graphpatcher {

// Compiled in gcn.cpp, sage.cpp and gat.cpp.
extern template trained<gcn_backbone<float>> train_backbone(const executor&, const experiment_data&, const gcn_config&,
                                                            fit_options);
extern template trained<sage_backbone<float>> train_backbone(const executor&, const experiment_data&,
                                                             const sage_config&, fit_options);
extern template trained<gat_backbone<float>> train_backbone(const executor&, const experiment_data&, const gat_config&,
                                                            fit_options);

template <class Config>
trained<typename Config::template model_type<float>> trained_or_stored(const executor& exec,
                                                                       const experiment_data& data,
                                                                       const Config& config, const fit_options& fitting,
                                                                       const std::filesystem::path& file) {
  using model_type = typename Config::template model_type<float>;
  const checkpoint_notes notes{{"fingerprint of the dataset", fingerprint(data)},
                               {"epochs", std::to_string(fitting.max_epochs)},
                               {"epoch-patience", std::to_string(fitting.patience)}};
  if (!file.empty() && std::filesystem::exists(file)) {
    const auto stored = load_backbone<Config, float>(file);
    expect_same_config(file, stored.config, config);
    expects(stored.info.notes == notes, file.string(), ": was made for other data or with other options; remove it");
    return {static_cast<const model_type&>(stored), stored.history};
  }
  auto made = train_backbone(exec, data, config, fitting);
  if (!file.empty()) {
    std::filesystem::create_directories(file.parent_path());
    save_backbone(file, made, config, notes);
  }
  return made;
}

template trained<gcn_backbone<float>> trained_or_stored(const executor&, const experiment_data&, const gcn_config&,
                                                        const fit_options&, const std::filesystem::path&);
template trained<sage_backbone<float>> trained_or_stored(const executor&, const experiment_data&, const sage_config&,
                                                         const fit_options&, const std::filesystem::path&);
template trained<gat_backbone<float>> trained_or_stored(const executor&, const experiment_data&, const gat_config&,
                                                        const fit_options&, const std::filesystem::path&);

}  // namespace graphpatcher
