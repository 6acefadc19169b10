// SPDX-License-Identifier: MIT
#include "graphpatcher/io/detail/config_json.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/config_words.hpp"

using namespace graphpatcher;

namespace {

/// One field of each kind.
struct everything {
  std::size_t count = 3;
  bool flag = true;
  double share = 0.1;
  std::string name = "a \"b\"\n";
  std::vector<double> list = {0.9, 1e-300};
  normalisation norm = normalisation::symmetric;
  gcn_config inner{.layers = 4, .hidden = 5, .dropout = 0.25, .norm = normalisation::sum, .seed = ~std::uint64_t{0}};
};

template <class Fields>
void list_fields(Fields& field, everything& e) {
  field("count", e.count);
  field("flag", e.flag);
  field("share", e.share);
  field("name", e.name);
  field("list", e.list);
  field("norm", e.norm);
  field("inner", e.inner);
}

std::string written(everything e) {
  fields_writer fields;
  list_fields(fields, e);
  return json_text(fields.json);
}

everything read(const std::string& json) {
  const auto parsed = parse_strictly(json, "file", "config");
  fields_reader fields(parsed, "file", "config");
  everything result{0, false, 0, "", {}, normalisation::mean, {}};
  list_fields(fields, result);
  fields.finish();
  return result;
}

/// What `from` is replaced by `to` in the text of everything{} gets as an error.
void check_refused(const std::string& from, const std::string& to, const std::string& message) {
  std::string json = written({});
  const auto place = json.find(from);
  INFO(json);
  REQUIRE(place != std::string::npos);
  json.replace(place, from.size(), to);
  CHECK_THROWS_AS(read(json), file_error);
  CHECK_THROWS_WITH(read(json), Catch::Contains(message));
}

}  // namespace

TEST_CASE("config: every kind of field comes back as it was") {
  const auto back = read(written({}));
  const everything e;
  CHECK(back.count == e.count);
  CHECK(back.flag);
  CHECK(back.share == e.share);
  CHECK(back.name == e.name);
  CHECK(back.list == e.list);
  CHECK(back.norm == e.norm);
  CHECK(back.inner.layers == 4);
  CHECK(back.inner.hidden == 5);
  CHECK(back.inner.dropout == 0.25);
  CHECK(back.inner.norm == normalisation::sum);
  CHECK(back.inner.seed == ~std::uint64_t{0});
}

TEST_CASE("config: every option of the patcher and of the backbones goes to JSON by its name, and back") {
  const auto check = [](auto config) {
    fields_writer fields;
    list_fields(fields, config);
    std::size_t count = 0;
    decltype(config)::list_options(config, [&](const option& o, auto&) {
      INFO(o.name);
      CHECK(fields.json.names[count++] == o.name);
    });
    const auto parsed = parse_strictly(json_text(fields.json), "file", "config");
    fields_reader reader(parsed, "file", "config");
    decltype(config) back;
    list_fields(reader, back);
    reader.finish();
    fields_writer again;
    list_fields(again, back);
    CHECK(again.json == fields.json);
    return back;
  };
  patcher_config patcher;
  for_each_option(patcher, [](const option& o, auto& value) {
    using type = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_enum_v<type>) {
      value = words_of<type>().back().second;
    } else if constexpr (std::same_as<type, bool>) {
      value = !value;
    } else if constexpr (std::is_arithmetic_v<type>) {
      value = static_cast<type>(value + 1 + o.name.size());
    } else {
      value = {0.5, 0.125};
    }
  });
  CHECK(check(patcher) == patcher);
  check(gcn_config{.layers = 3, .norm = normalisation::sum});
  check(sage_config{.aggregator = sage_aggregator::mean, .random_bias = true});
  check(gat_config{.heads = 3, .slope = 0.5});
}

TEST_CASE("config: what is no number is null, and read as none") {
  everything e;
  e.share = std::nan("");
  CHECK_THAT(written(e), Catch::Contains(R"("share":null)"));
  CHECK(std::isnan(read(written(e)).share));
}

TEST_CASE("config: a field that is missing, unknown or of another kind is refused by name") {
  check_refused(R"("count":3,)", "", "config.count: expected this field, which is missing");
  check_refused(R"("count":3)", R"("count":3,"colour":1)", "config.colour: no such field");
  check_refused(R"("count":3)", R"("count":-3)", "config.count: expected a whole number from 0, got number");
  check_refused(R"("count":3)", R"("count":3.5)", "config.count: expected a whole number from 0");
  check_refused(R"("count":3)", R"("count":99999999999999999999)", "config.count: expected a whole number from 0");
  check_refused(R"("flag":true)", R"("flag":1)", "config.flag: expected true or false");
  check_refused(R"("share":0.1)", R"("share":"0.1")", "config.share: expected a number or null, got '0.1'");
  check_refused(R"("list":[0.9)", R"("list":[true)", "config.list[0]: expected a number");
  check_refused(R"("list":[0.9,1e-300])", R"("list":7)", "config.list: expected a list");
  check_refused(R"("norm":"symmetric")", R"("norm":"both")", "config.norm: expected one of sum, mean, symmetric");
  check_refused(R"("layers":4)", R"("layers":null)", "config.inner.layers: expected a whole number");
  check_refused(R"("inner":{)", R"("inner":{"seed":1,)", "expected every key once, got 'seed' again");
}

TEST_CASE("config: what is not JSON, too deep or not an object is refused") {
  for (const char* json : {"", "{", "{\"count\":", "nul", "{} {}"}) {
    CHECK_THROWS_AS(parse_strictly(json, "file", "config"), file_error);
  }
  CHECK_THROWS_WITH(parse_strictly(std::string(100000, '['), "file", "config"), Catch::Contains("at most 6 deep"));
  CHECK_THROWS_WITH(read("[1]"), Catch::Contains("config: expected an object, got array"));
}
