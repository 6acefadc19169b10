// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graphpatcher/eval/run_record.hpp"

/// A run record as a page to look at and as JSON that programs read. These are
/// functions of the library graphpatcher::io: a program that calls them links it.
///
/// The names of the JSON's keys are public:
///
///   dataset backbone method loss degree path version command
///   settings {option: value, ...}
///   mean, std {before {low high overall}, after {low high overall}}
///   runs [{seed chosen by_patches [{patches low high overall macro_f1}] answer {low high overall macro_f1}
///          decision {rule patches} or {rule verdict evidence needed agreement validation_nodes
///                    weights [{answer weight}] warnings [..]}
///          seconds {backbone patcher patching} iterations notes [..] peak_rss_mb
///          validation [..] by_degree [{degree nodes before after}]
///          curves {iteration [..] loss [..] validation [..]} backbone_curve {the same}}]
///
/// `answer` is what a method leaves that chooses no number of patches, else null; `decision` says how the run came to
/// what `after` counts: rule validated or always with the number of patches, or weighted (docs/rule.md) with a verdict,
/// "weighted" or "backbone". Numbers that are not finite are written as null.
namespace graphpatcher {

/// A record as one HTML page that needs nothing else: no network, no scripts,
/// plots inline. Throws argument_error if the record contradicts itself.
std::string html_report(const run_record& record);

/// Writes the page, whole or not at all; file_error if it can't be written.
void write_html(const run_record& record, const std::filesystem::path& path);

/// The record as indented JSON text; bytes that are not UTF-8 become U+FFFD.
/// Throws argument_error if the record has no runs or contradicts itself.
std::string record_to_text(const run_record& record);

/// Writes the record to a file, whole or not at all; file_error if it can't.
void write_json(const run_record& record, const std::filesystem::path& path);

/// A record from JSON text. `source` names it in errors: format_error with the
/// byte where the text stops being JSON, file_error with the key that is
/// missing, of the wrong type or contradicts another. `command`, `settings`, `answer`, `decision`,
/// `notes`, `validation`, `by_degree` and the curves may be missing; `mean` and `std`
/// follow from the runs and are not read; unknown keys are ignored.
run_record record_from_text(std::string_view json_text, const std::string& source = "run record");

/// Reads what write_json() wrote; errors as for record_from_text().
run_record read_json(const std::filesystem::path& path);

}  // namespace graphpatcher
