// SPDX-License-Identifier: MIT
// A backend with every operation, each the processor's: whole algorithms go through its tables and give the same bits.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "additions/backend/toy.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/ops/gemm.hpp"  // the processor's operations
#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "support/compare.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

using namespace graphpatcher;
using toy::node_id;

namespace {

std::set<std::string>& called() {
  static std::set<std::string> names;
  return names;
}

// clang-format off
#define FILL(entry, name, parameters, arguments)        \
  .entry = [](const device&, GP_LIST parameters) {      \
    called().insert(#entry);                            \
    backend::name(cpu{1}, GP_LIST arguments);           \
  },
// clang-format on
template <class T>
constexpr backend::dense_operations<device, T> every_dense{GP_DENSE_OPERATIONS(FILL) GP_ELEMENT_OPERATIONS(FILL)};
template <class T, graph_index I>
constexpr backend::graph_operations<device, T, I> every_graph{GP_GRAPH_OPERATIONS(FILL)};
#undef FILL

class full_device : public toy_accelerator {
public:
  std::span<const backend::function_table> tables() const noexcept override {
    static const backend::function_table all[] = {
        backend::function_table(every_dense<double>),
        backend::function_table(every_graph<double, node_id>),
    };
    return all;
  }
};

/// What a part of the library calls.
template <class Work>
std::set<std::string> calls_of(Work&& work) {
  called().clear();
  work();
  return called();
}

}  // namespace

TEMPLATE_TEST_CASE("training and patching through tables: the bits of the processor", "[backend]", gcn_config,
                   sage_config, gat_config) {
  const device exec(std::make_shared<full_device>());
  const auto data = toy::make<double>(60, 120, 12, 1);
  TestType settings;
  settings.hidden = 6;
  settings.dropout = 0.3;
  const fit_options few{.learning_rate = 1e-2, .max_epochs = 4};
  const auto model = train_backbone(cpu{1}, data, settings, few);
  const auto there = train_backbone(exec, data, settings, few);
  CHECK(there.history.loss == model.history.loss);
  CHECK(support::same_bits(predict(exec, there, data.graph, data.features),
                           predict(cpu{1}, model, data.graph, data.features)));

  auto config = toy::quick_config();
  config.path = patch_path::generic;
  config.max_iterations = 4;
  config.warmup = 1;
  config.evaluate_every = 2;
  const auto patcher = train_patcher(cpu{1}, data, model, config);
  config.capture = true;  // which this device can't: the work is called as it is
  const auto patcher_there = train_patcher(exec, data, there, config);
  CHECK(patcher_there.path == patch_path::generic);
  const patching_options options{.patches = 2, .path = patch_path::generic};
  const auto& nodes = data.split.test;
  const auto expected = patch_nodes(cpu{1}, data.graph, data.features, model, patcher.generator, nodes, options);
  const auto got = patch_nodes(exec, data.graph, data.features, there, patcher_there.generator, nodes, options);
  for (std::size_t k = 0; k < expected.logits.size(); ++k) {
    CHECK(support::same_bits(got.logits[k], expected.logits[k]));
  }

  const corruption_options corruption{.strength = 0.4, .samples = 3, .seed = 7};
  const frozen_model frozen(cpu{1}, model, data, {.path = frozen_path::generic});
  const frozen_model frozen_there(exec, there, data);
  CHECK(frozen_there.path() == frozen_path::generic);
  matrix<double> answers(nodes.size(), data.classes), answers_there(exec, nodes.size(), data.classes);
  frozen.answer(nodes, corruption, {.mean_probabilities = answers.view()});
  frozen_there.answer(nodes, corruption, {.mean_probabilities = answers_there.view()});
  CHECK(support::same_bits(answers_there.copy_on(cpu{}), answers));
}

TEST_CASE("what docs/adding-a-backend.md says is needed is what is called, and all memory comes back", "[backend]") {
  const device exec(std::make_shared<full_device>());
  {
    const auto data = toy::make<double>();
    gcn_backbone<double> model({.hidden = 6, .dropout = 0.3}, data.features.cols(), data.classes);
    std::set<std::string> needed{"gemm", "sparse_gemm", "spmm", "map_sum", "map_relu"};
    CHECK(calls_of([&] { predict(exec, model, data.graph, data.features); }) == needed);
    needed.insert({"sparse_gemm_adjoint", "spmm_adjoint", "map_add_relu_slope", "add_column_sums", "map_constant",
                   "map_identity", "map_add_identity", "dropout", "dropout_add", "cross_entropy", "add_slopes",
                   "sum_all", "adam_step"});
    CHECK(calls_of([&] { fit(exec, data, model, {.max_epochs = 2}); }) == needed);
  }
  CHECK(backend::memory_use_of(exec).bytes_in_use == 0);
}
