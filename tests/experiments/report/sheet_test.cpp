// SPDX-License-Identifier: MIT
#include "experiments/report/sheet.hpp"

#include <catch2/catch.hpp>

#include "report/html_checker.hpp"

using namespace graphpatcher;
using Catch::Contains;

namespace {

sheet sample_sheet() {
  const auto gain = paired({{1, 71}, {2, 74}, {3, 77}}, {{1, 70}, {2, 72}, {3, 74}});
  sheet s{"Title <1>", "a | b", {"name", "value", "gain"}, {}};
  s.rows.push_back({"group & co", {}, false});
  s.rows.push_back({"a_b", {value_cell({74, 3, 3}), gain_cell(gain)}, true});
  s.rows.push_back({"c", {value_cell({}), gain_cell({})}, false});
  return s;
}

}  // namespace

TEST_CASE("cells as text") {
  const auto gain = paired({{1, 71}, {2, 74}, {3, 77}}, {{1, 70}, {2, 72}, {3, 74}});
  CHECK(plain_text(value_cell({74, 3, 3})) == "74.00 ± 3.00");
  CHECK(plain_text(value_cell({74, 0, 1})) == "74.00");
  CHECK(plain_text(value_cell({}, 2, "not built yet")) == "not built yet");
  CHECK(plain_text(gain_cell(gain)) == "+2.00 [-0.48, +4.48]");
  CHECK(plain_text(gain_cell(gain, value_cell({74, 3, 3}))) == "74.00 ± 3.00 (+2.00) [-0.48, +4.48]");
  CHECK(plain_text(gain_cell(paired({{1, 2}}, {{1, 1}}))) == "+1.00 one seed");
  CHECK(plain_text(gain_cell({})) == "n/a");
}

TEST_CASE("a sheet as HTML") {
  const std::string page = sheet_html(sample_sheet());
  CHECK(test::html_problem("<!DOCTYPE html>" + page) == "");
  CHECK_THAT(page, Contains("aria-label=\"Title &lt;1&gt;\"") && Contains("tabindex=\"0\""));
  CHECK_THAT(page, Contains("<th scope=\"colgroup\" colspan=\"3\">group &amp; co</th>"));
  CHECK_THAT(page, Contains("<span class=\"change gain unsure\">▲ +2.00</span>"));
  auto cell = gain_cell(paired({{1, 3.0}, {2, 3.1}, {3, 3.2}}, {{1, 0}, {2, 0}, {3, 0}}), {}, true);
  CHECK_THAT(sheet_badge(cell), Contains("\"change loss\">▲ +3.10"));
  cell.change = 0;
  CHECK_THAT(sheet_badge(cell), Contains("\"change same\">0.00"));
}

TEST_CASE("a sheet as Markdown and as text") {
  const std::string markdown = sheet_markdown(sample_sheet());
  CHECK_THAT(markdown, Contains("### Title \\<1\\>\n\na \\| b\n\n| name | value | gain |\n|---|---:|---:|\n"));
  CHECK_THAT(markdown, Contains("| **group & co** | | |\n"));
  CHECK_THAT(markdown, Contains("| **a\\_b** | 74.00 ± 3.00 | +2.00 \\[-0.48, +4.48\\] |\n"));
  CHECK(sheet_markdown({"nothing", "", {"a"}, {}}).empty());
  CHECK(sheet_text(sample_sheet()) ==
        "Title <1>\n"
        "name  value         gain\n"
        "----  ------------  --------------------\n"
        "group & co\n"
        "a_b   74.00 ± 3.00  +2.00 [-0.48, +4.48]\n"
        "c     not run       n/a\n");
}
