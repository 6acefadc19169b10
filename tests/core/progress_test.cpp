// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "graphpatcher/core/progress.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

/// What stood on the terminal's line after each redraw.
std::vector<std::string> drawings(const std::string& output) {
  std::vector<std::string> result;
  std::stringstream stream(output);
  std::string part;
  while (std::getline(stream, part, '\r')) {
    if (!part.empty()) {
      result.push_back(part.substr(0, part.find('\x1b')));
    }
  }
  return result;
}

constexpr std::chrono::milliseconds at_once{0};

}  // namespace

TEST_CASE("a bar is redrawn in place and ends with a line break", "[progress]") {
  std::ostringstream out;
  progress bar("training", 4, {.style = progress_style::bar, .out = &out, .width = 80, .bar_interval = at_once});
  bar.advance(1, "loss 0.5");
  bar.advance();
  bar.advance(2, "loss 0.25");
  bar.finish();
  const auto shown = drawings(out.str());
  REQUIRE(shown.size() == 5);
  CHECK_THAT(shown[0], StartsWith("training [....") && Contains("0/4"));
  CHECK_THAT(shown[1], Contains("1/4") && Contains("left") && EndsWith("loss 0.5"));
  CHECK_THAT(shown[2], Contains("2/4") && EndsWith("loss 0.5"));
  CHECK(std::ranges::count(shown[2], '#') == 15);
  CHECK(std::ranges::count(shown[2], '.') >= 15);
  CHECK_THAT(shown[4], Contains("4/4") && Contains("/s") && EndsWith("loss 0.25"));
  CHECK(std::ranges::count(out.str(), '\n') == 1);
  CHECK_THAT(out.str(), EndsWith("\n"));
}

TEST_CASE("a bar fits the terminal, however narrow", "[progress]") {
  for (const std::size_t width : {1u, 2u, 10u, 25u, 40u, 60u, 120u}) {
    std::ostringstream out;
    {
      progress bar("a name of some length", 1000,
                   {.style = progress_style::bar, .out = &out, .width = width, .bar_interval = at_once});
      bar.advance(123, "a message that would like to have a very long line for itself, with many words");
    }
    for (auto line : drawings(out.str())) {
      std::erase(line, '\n');
      CHECK(line.size() < width);
    }
  }
}

TEST_CASE("cutting a line leaves whole characters, and breaks do not tear it", "[progress]") {
  std::ostringstream out;
  {
    progress bar("\xc3\xa9\xc3\xa9\xc3\xa9", 0, {.style = progress_style::bar, .out = &out, .width = 4});
    bar.advance(1, "two\nlines\x1b[2J");
  }
  CHECK_THAT(out.str(), StartsWith("\r\xc3\xa9\x1b[K"));
  CHECK(std::ranges::count(out.str(), '\n') == 1);
}

TEST_CASE("a bar is not redrawn more often than its interval", "[progress]") {
  std::ostringstream out;
  progress bar("work", 100000,
               {.style = progress_style::bar, .out = &out, .width = 80, .bar_interval = std::chrono::hours(1)});
  for (int i = 0; i < 1000; ++i) {
    bar.advance();
  }
  CHECK(drawings(out.str()).size() == 1);
  bar.finish();
  const auto shown = drawings(out.str());
  CHECK(shown.size() == 2);
  CHECK_THAT(shown.back(), Contains("1000/100000"));
}

TEST_CASE("without a terminal progress is lines: few, and the last one always", "[progress]") {
  std::ostringstream out;
  {
    progress lines("evaluating", 10, {.out = &out});
    lines.advance(10, "accuracy 81.5");
  }
  CHECK_THAT(out.str(), StartsWith("evaluating: 10/10") && EndsWith("accuracy 81.5\n"));
  CHECK(std::ranges::count(out.str(), '\n') == 1);
  CHECK_THAT(out.str(), !Contains("\r") && !Contains("\x1b"));

  std::ostringstream often;
  progress lines("evaluating", 3, {.out = &often, .line_interval = at_once});
  lines.advance();
  lines.advance();
  CHECK(std::ranges::count(often.str(), '\n') == 2);
}

TEST_CASE("an unknown total shows the count and the time", "[progress]") {
  std::ostringstream out;
  progress bar("training", 0, {.style = progress_style::bar, .out = &out, .width = 80, .bar_interval = at_once});
  bar.advance(7, "best 81.2");
  CHECK_THAT(drawings(out.str()).back(), StartsWith("training 7, ") && EndsWith(", 0:00, best 81.2"));
  CHECK_THAT(out.str(), !Contains("[#") && !Contains("left"));
}

TEST_CASE("quiet progress shows nothing", "[progress]") {
  std::ostringstream out;
  for (const auto style : {progress_style::bar, progress_style::lines}) {
    progress bar("training", 3, {.quiet = true, .style = style, .out = &out, .bar_interval = at_once});
    bar.advance(3, "loss 0");
    bar.finish("done");
  }
  CHECK(out.str().empty());
}

TEST_CASE("finishing twice, and going on afterwards, shows nothing more", "[progress]") {
  std::ostringstream out;
  progress lines("work", 2, {.out = &out, .line_interval = at_once});
  lines.finish("stopped early");
  const auto once = out.str();
  CHECK_THAT(once, Contains("0/2") && Contains("stopped early"));
  lines.advance();
  lines.finish();
  CHECK(out.str() == once);
}

TEST_CASE("more work than was said is shown as it is", "[progress]") {
  std::ostringstream out;
  progress bar("work", 2, {.style = progress_style::bar, .out = &out, .width = 80, .bar_interval = at_once});
  bar.advance(5);
  CHECK_THAT(drawings(out.str()).back(), Contains("5/2") && !Contains("left"));
  CHECK(std::ranges::count(drawings(out.str()).back(), '#') == 30);
}

TEST_CASE("a stream that fails does not stop the work", "[progress]") {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  CHECK_THROWS(out.setstate(std::ios::badbit));
  CHECK_NOTHROW([&] {
    progress bar("work", 2, {.style = progress_style::bar, .out = &out, .bar_interval = at_once});
    bar.advance();
    bar.finish();
  }());
}

TEST_CASE("progress may be advanced by several threads", "[progress]") {
  std::ostringstream out;
  progress lines("work", 400, {.out = &out});
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        lines.advance();
      }
    });
  }
  for (auto& worker : workers) {
    worker.join();
  }
  lines.finish();
  CHECK_THAT(out.str(), Contains("400/400"));
}

TEST_CASE("a label says what displays are about, on its thread and while it lives", "[progress]") {
  const auto shown = [] {
    std::ostringstream out;
    progress("training", 2, {.style = progress_style::lines, .out = &out}).finish();
    return out.str();
  };
  {
    const progress_label seed("seed 2");
    CHECK_THAT(shown(), StartsWith("seed 2: training: 0/2"));
    {
      const progress_label part("test");
      CHECK_THAT(shown(), StartsWith("seed 2, test: training: "));
      std::thread([&] { CHECK_THAT(shown(), StartsWith("training: ")); }).join();
    }
    CHECK_THAT(shown(), StartsWith("seed 2: training: "));
  }
  CHECK_THAT(shown(), StartsWith("training: "));
}

TEST_CASE("work that goes on counts from where it was, at its own rate", "[progress]") {
  std::ostringstream out;
  progress bar("training", 1'000'000, {.style = progress_style::lines, .out = &out, .line_interval = at_once}, 999'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  bar.advance(10);
  CHECK_THAT(out.str(), StartsWith("training: 999010/1000000, "));
  const double rate = std::stod(out.str().substr(out.str().find(", ") + 2));
  CHECK(rate <= 100);  // ten in a tenth of a second, and not a million
}
