// SPDX-License-Identifier: MIT
// Memory that runs out at any request of a training, of patching or of an evaluation: an error, nothing left behind,
// and the same bits when it is tried again.
#include <catch2/catch.hpp>
#include <new>

#include "faults/fail_everywhere.hpp"
#include "faults/small.hpp"
#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "support/fingerprint.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using namespace faults;
using support::fingerprint;

TEMPLATE_TEST_CASE("memory runs out in the training of a backbone", "[faults]", gp::gcn_config, gp::sage_config,
                   gp::gat_config) {
  const auto data = small_data();
  const TestType config{.hidden = 3, .seed = 1};
  const auto requests = fail_everywhere([&] {
    auto model = small_backbone(data, config);
    return fingerprint().weights(model).all(model.history.loss).hash();
  });
  CHECK(requests > 100);
}

TEST_CASE("memory runs out in training a model of one's own, which stays as it was", "[faults]") {
  const auto data = small_data();
  gp::gcn_backbone<float> start(gcn, data.features.cols(), data.classes);
  auto model = start;
  fail_everywhere(
      [&] {
        model = start;                               // takes no memory
        const auto parameters = model.parameters();  // stay where they are
        gp::fit(alone, data, model, {.max_epochs = 2});
        fingerprint trained;
        for (const auto* p : parameters) {
          trained.all(p->value.values());
        }
        return trained.hash();
      },
      [&](bool threw) {
        REQUIRE((!threw || fingerprint().weights(model).hash() == fingerprint().weights(start).hash()));
        model = start;
      });
}

TEST_CASE("memory runs out in the training of a patcher and in its answers", "[faults]") {
  const auto data = small_data();
  const auto model = small_backbone(data, gcn);
  const auto path = GENERATE(gp::patch_path::fast, gp::patch_path::generic);
  const auto config = small_config(path);
  const auto trained = gp::train_patcher(alone, data, model, config);
  const auto training = fail_everywhere([&] {
    auto patcher = gp::train_patcher(alone, data, model, config);
    return fingerprint().weights(patcher.generator).add(patcher.evaluations.back().training_loss).hash();
  });
  CHECK(training > 100);
  const auto patching = fail_everywhere([&] {
    return fingerprint()
        .all(gp::patch_nodes(alone, data.graph, data.features, model, trained.generator, data.split.test,
                             {.patches = 2, .path = path})
                 .logits)
        .hash();
  });
  CHECK(patching > 20);
}

TEST_CASE("memory runs out in a frozen model's answers", "[faults]") {
  const auto data = small_data();
  const auto model = small_backbone(data, gcn);
  const auto path = GENERATE(gp::frozen_path::rows, gp::frozen_path::generic);
  gp::matrix<float> logits(data.split.test.size() * 3, data.classes);
  const auto requests = fail_everywhere([&] {
    const gp::frozen_model<float, node_id> frozen(alone, model, data, {.path = path});
    frozen.answer(data.split.test, {.strength = 0.5, .samples = 3}, {.logits = logits.view()});
    return fingerprint().all(logits.values()).hash();
  });
  CHECK(requests > 5);
}

TEST_CASE("memory runs out in an evaluation", "[faults]") {
  const auto data = small_data();
  const auto model = small_backbone(data, gcn);
  const auto patcher = gp::train_patcher(alone, data, model, small_config(gp::patch_path::automatic));
  const auto requests =
      fail_everywhere([&] { return gp::evaluate(alone, data, model, patcher, {.patches = 2}).table(); });
  CHECK(requests > 100);
}

TEST_CASE("memory runs out on one of several threads", "[faults]") {
  const auto data = toy::make<float>(900, 2500, 40);  // enough for more than one piece
  const gp::cpu three{3};
  const auto work = [&] {
    const auto model = gp::train_backbone(three, data, gp::gcn_config{.hidden = 48, .seed = 1}, {.max_epochs = 1});
    const auto how = gp::patching_options{.patches = 1, .batch = 200, .path = gp::patch_path::generic};
    return fingerprint()
        .all(gp::patch_nodes(three, data.graph, data.features, model, gp::fixed_patch::copy, data.split.test, how)
                 .logits)
        .hash();
  };
  work();
  const auto expected = work();
  const std::size_t before = gp_test::live_bytes;
  std::size_t failures = 0;
  for (long count = 0; count < 400; count += 7) {  // which thread asks first differs from time to time
    const gp_test::failing_allocations failing(count, count % 2 == 0 ? gp_test::failures::all : gp_test::failures::one);
    try {
      if (work() != expected) {
        FAIL("request " << count << ": something else came out");
      }
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  }
  CHECK(gp_test::live_bytes == before);
  CHECK(failures > 30);
  CHECK(work() == expected);
}
