// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "graphpatcher/eval/report.hpp"

namespace graphpatcher {

/// Keeps the keys in the order in which they are written (eval/report.hpp).
using record_json = nlohmann::ordered_json;

/// The whole record as a JSON object; `mean` and `std` are computed from the
/// runs. Throws argument_error if the record has no runs or contradicts itself
/// (check_record).
record_json record_to_json(const run_record& record);

/// What the rule that weighs has decided, and the same back: file_error where a key is missing or of another type.
record_json decision_to_json(const run_decision& decision);
run_decision decision_from_json(const record_json& object);

/// Options and their values as an object.
record_json settings_to_json(const run_settings& settings);

/// The same back; what an option was called once is read as its name of today.
/// Throws argument_error for a value that is no setting's.
run_settings settings_from_json(const record_json& object);

}  // namespace graphpatcher
