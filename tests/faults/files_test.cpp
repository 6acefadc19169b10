// SPDX-License-Identifier: MIT
// Memory that runs out while files are written: the old one stays or the new one is there, whole.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "faults/fail_everywhere.hpp"
#include "faults/processes.hpp"
#include "faults/small.hpp"
#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/resumable_training.hpp"
#include "support/fingerprint.hpp"
#include "support/temporary_folder.hpp"

namespace gp = graphpatcher;
namespace fs = std::filesystem;
using namespace faults;
using support::fingerprint;

namespace {

std::ptrdiff_t count_files(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes again and again over a file, which afterwards is always one of the two that were whole. Beside it may be what
/// the next writer takes over, and takes away.
template <class Write>
void write_with_failures(const Write& write) {
  const gp_test::temporary_folder folder;
  const fs::path path = folder.path() / "file";
  write(path);
  const std::string whole = content_of(path);
  const std::string old = "what stood here before";
  REQUIRE(whole.size() > old.size());
  const auto requests = fail_everywhere(
      [&] {
        write(path);
        return 0;
      },
      [&](bool threw) {
        const std::string now = content_of(path);
        if (count_files(folder.path()) > (threw ? 2 : 1) || now != (threw ? old : whole)) {
          FAIL(count_files(folder.path()) << " files, of " << now.size() << " bytes, threw " << threw);
        }
        folder.write("file", old);
      });
  CHECK(requests > 3);
}

}  // namespace

TEST_CASE("memory runs out while a file is written: the old one stays, whole", "[faults]") {
  const std::vector<float> numbers(40, 1.5f);
  write_with_failures([&](const fs::path& path) { gp::npz_writer().add<float>("a", numbers).write(path); });
  const auto data = small_data();
  const auto model = small_backbone(data, gcn);
  const auto patcher = gp::train_patcher(alone, data, model, small_config(gp::patch_path::automatic));
  const auto result = gp::evaluate(alone, data, model, patcher, {.patches = 2});
  const std::pair<const char*, std::function<void(const fs::path&)>> writers[] = {
      {"result.json", [&](const fs::path& path) { result.write_json(path); }},
      {"report.html", [&](const fs::path& path) { result.write_html(path); }},
      {"patcher.safetensors", [&](const fs::path& path) { gp::save_patcher(path, patcher); }},
      {"backbone.safetensors", [&](const fs::path& path) { gp::save_backbone(path, model, gcn); }}};
  for (const auto& [name, write] : writers) {
    INFO(name);
    const gp_test::temporary_folder folder;
    const fs::path path = folder.path() / name;
    write(path);
    const std::string whole = content_of(path);
    const std::string old = "what stood here before";
    folder.write(name, old);
    const auto look = [&](outcome what) {
      const auto now = content_of(path);
      const bool wrote = what == outcome::done || what == outcome::survived;
      REQUIRE((now == whole || (now == old && !wrote)));
      REQUIRE(count_files(folder.path()) <= (wrote ? 1 : 2));
      folder.write(name, old);
    };
    fail_in_processes(
        7, [&] { write(path); }, look);
  }
}

TEST_CASE("memory runs out in a training that is kept in a file: it goes on from there to the same bits", "[faults]") {
  const auto data = small_data();
  const auto model = small_backbone(data, gcn);
  const auto config = small_config(gp::patch_path::automatic);
  auto expected = gp::train_patcher(alone, data, model, config);
  const auto bits = fingerprint().weights(expected.generator).hash();
  const gp_test::temporary_folder folder;
  const fs::path path = folder.path() / "training.safetensors";
  const auto train = [&] { return gp::train_patcher_resumably(alone, data, model, config, path, {.every = 1}); };
  int went_on = 0;
  fail_in_processes(97, train, [&](outcome) {
    went_on += fs::exists(path);
    auto patcher = train();
    REQUIRE(fingerprint().weights(patcher.generator).hash() == bits);
    fs::remove(path);
  });
  CHECK(went_on > 3);
}
