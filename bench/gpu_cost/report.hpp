// SPDX-License-Identifier: MIT
// Measurements as text for people, as JSON for programs and as Markdown for the documentation.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "costs.hpp"

namespace gpu_cost {

/// One line a launch, in columns that are aligned.
std::string text_table(const std::vector<measurement>& all);

std::string json(const std::vector<measurement>& all);

/// One line a kernel of a workload.
std::string markdown_counters(const std::vector<measurement>& all);

/// A GPU's memory bandwidth, from its maker's specification.
struct gpu {
  std::string_view name;
  double bytes_a_second;
};
inline constexpr std::array<gpu, 4> gpus{
    {{"RTX 3090", 936e9}, {"A100 40 GB", 1555e9}, {"A100 80 GB SXM", 2039e9}, {"H100 SXM", 3350e9}}};

/// Bytes, flops, and the time that the bytes take at each GPU's bandwidth: computed from what was counted.
std::string markdown_roofline(const std::vector<measurement>& all);

/// Replaces what stands between the lines "<!-- gpu-cost: begin -->" and "<!-- gpu-cost: end -->".
std::string with_report(const std::string& page, const std::string& report);

/// The same in a file.
void write_report(const std::filesystem::path& file, const std::string& report);

}  // namespace gpu_cost
