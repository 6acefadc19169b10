// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/cell_index.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/sheet.hpp"

/// What a report of an experiment says, in order; HTML and Markdown are made of this.
namespace graphpatcher {

/// Tables and figures that belong together, under a line that opens and closes them if there is one.
struct report_block {
  std::string summary;  ///< empty: always open
  bool open = false;
  std::vector<sheet> sheets;
  std::vector<experiment_figure> figures;

  bool empty() const { return sheets.empty() && figures.empty(); }
  void add(sheet s) {
    if (!s.rows.empty()) {
      sheets.push_back(std::move(s));
    }
  }
  void add(experiment_figure figure) {
    if (figure) {
      figures.push_back(std::move(figure));
    }
  }
};

struct report_section {
  std::string id;  ///< for links
  std::string title;
  std::string hint;
  std::vector<report_block> blocks;

  void add(report_block block) {
    if (!block.empty()) {
      blocks.push_back(std::move(block));
    }
  }
};

/// The result in numbers: means over all pairs of dataset and backbone that have them.
struct preset_headline {
  struct part {
    std::size_t pairs = 0;
    paired_difference gain{};  ///< mean over the pairs
    std::size_t above = 0;     ///< pairs whose interval is above zero
    std::size_t below = 0;
  };
  std::string setting;
  part low, low_over_control, high, overall;
};

preset_headline headline(const cell_index& index, const std::string& setting);

/// "clearly up on 18 of 21, down on 3": pairs whose 95 % interval leaves out zero; of a single pair what it says.
std::string headline_note(const preset_headline::part& part);

/// The result of the first preset in two sentences.
std::string lead_text(const cell_index& index);

/// All presets in one table: means over the pairs of dataset and backbone.
sheet headline_table(const cell_index& index);

/// All sections that have something to say.
std::vector<report_section> experiment_sections(const cell_index& index);

}  // namespace graphpatcher
