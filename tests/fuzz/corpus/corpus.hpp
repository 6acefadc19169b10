// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

/// What fuzzers start from: good files, small enough to be changed byte by byte,
/// and files that are bad in a way somebody thought of.
namespace gp_fuzz {

struct corpus_case {
  std::string target;   ///< its name in targets.hpp
  std::string name;     ///< of the file
  std::string content;  ///< of the file
  std::string refusal;  ///< part of what the error says; empty for a good file
};

std::vector<corpus_case> npy_cases();
std::vector<corpus_case> npz_cases();
std::vector<corpus_case> gzip_cases();
std::vector<corpus_case> safetensors_cases();
std::vector<corpus_case> pickle_cases();
std::vector<corpus_case> json_cases();
std::vector<corpus_case> text_cases();  // edge_list, text_table, geom_gcn
std::vector<corpus_case> checkpoint_cases();

inline std::vector<corpus_case> all_cases() {
  std::vector<corpus_case> all;
  for (const auto& cases : {npy_cases(), npz_cases(), gzip_cases(), safetensors_cases(), pickle_cases(), json_cases(),
                            text_cases(), checkpoint_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace gp_fuzz
