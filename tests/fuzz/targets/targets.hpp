// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

/// What fuzzers try to break: every reader of files from elsewhere. A target
/// hands the bytes to the reader, and either throws its error (only a
/// graphpatcher::error is one) or checks that what came out is sound, which
/// support/invariants.hpp turns into a std::logic_error if it is not.
namespace gp_fuzz {

using bytes = std::span<const std::uint8_t>;

void checkpoint(bytes input);   // checkpoints of backbones, patchers, trainings
void edge_list(bytes input);    // csv and MatrixMarket
void geom_gcn(bytes input);     // out1_node_feature_label.txt
void gzip(bytes input);         // gzip, and text inside of it
void json(bytes input);         // JSON, and Wiki-CS
void npy(bytes input);          // NumPy arrays
void npz(bytes input);          // zip archives of them, and datasets in these
void pickle(bytes input);       // the files of a Planetoid dataset
void safetensors(bytes input);  // tensors by name
void text_table(bytes input);   // tables and columns of numbers

struct target {
  const char* name;
  void (*read)(bytes);
};

inline constexpr std::array<target, 10> targets{{{"checkpoint", checkpoint},
                                                 {"edge_list", edge_list},
                                                 {"geom_gcn", geom_gcn},
                                                 {"gzip", gzip},
                                                 {"json", json},
                                                 {"npy", npy},
                                                 {"npz", npz},
                                                 {"pickle", pickle},
                                                 {"safetensors", safetensors},
                                                 {"text_table", text_table}}};

}  // namespace gp_fuzz
