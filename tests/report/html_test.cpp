// SPDX-License-Identifier: MIT
#include "report/html.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "report/html_checker.hpp"

using namespace graphpatcher;

TEST_CASE("text is escaped") {
  CHECK(html::escape("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  CHECK(html::escape("caf\xC3\xA9\n\t") == "caf\xC3\xA9\n\t");
  CHECK(html::escape(std::string("\0\x1B", 2)) == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("elements") {
  CHECK(html::element("p", {{"class", "a\"b"}, {"id", ""}}, "<b>x</b>") == "<p class=\"a&quot;b\"><b>x</b></p>");
  CHECK(html::text_element("p", "1 < 2") == "<p>1 &lt; 2</p>");
  CHECK(html::empty_element("meta", {{"charset", "utf-8"}}) == "<meta charset=\"utf-8\" />");
}

TEST_CASE("the checker of the report tests sees what is broken") {
  using test::html_problem;
  CHECK(html_problem("<!DOCTYPE html><p class=\"a>b\">x &amp; y<br /></p>\n") == "");
  CHECK_THAT(html_problem("<!DOCTYPE html><p><b></p></b>"), Catch::Contains("</p> closes <b>"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p>"), Catch::Contains("<p> is not closed"));
  CHECK_THAT(html_problem("<!DOCTYPE html></p>"), Catch::Contains("closes nothing"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p>a & b</p>"), Catch::Contains("stray &"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p>a > b</p>"), Catch::Contains("stray >"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p id=x></p>"), Catch::Contains("without quotes"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p"), Catch::Contains("does not end"));
  CHECK_THAT(html_problem("<!DOCTYPE html><p>1 < 2</p>"), Catch::Contains("a < inside a tag"));
}
