// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "scale_runs.hpp"

namespace bench {

/// Time an anchor against the size of the graph, each workload relative to the smallest graph. A page of its own, SVG.
std::string time_plot(const std::vector<scale_point>& points);

/// Peak memory over the size of data and models, against the size of the graph.
std::string memory_plot(const std::vector<scale_point>& points);

}  // namespace bench
