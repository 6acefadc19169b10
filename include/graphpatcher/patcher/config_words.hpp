// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/frozen_options.hpp"

/// The words of the variants of the patcher.
namespace graphpatcher {

template <>
struct choice_words<patch_loss> {
  static constexpr std::array list{word<patch_loss>{"paper", patch_loss::paper},
                                   word<patch_loss>{"released", patch_loss::released}};
};
template <>
struct choice_words<sample_reduction> {
  static constexpr std::array list{word<sample_reduction>{"sum", sample_reduction::sum},
                                   word<sample_reduction>{"mean", sample_reduction::mean}};
};
template <>
struct choice_words<patch_target> {
  static constexpr std::array list{word<patch_target>{"own", patch_target::own},
                                   word<patch_target>{"spread", patch_target::spread}};
};
template <>
struct choice_words<spread_over> {
  static constexpr std::array list{word<spread_over>{"similar", spread_over::similar},
                                   word<spread_over>{"both", spread_over::both}};
};
template <>
struct choice_words<degree_mode> {
  static constexpr std::array list{word<degree_mode>{"graph", degree_mode::graph},
                                   word<degree_mode>{"ego", degree_mode::ego}};
};
template <>
struct choice_words<patch_edge> {
  static constexpr std::array list{word<patch_edge>{"to_anchor", patch_edge::to_anchor},
                                   word<patch_edge>{"to_anchor_loop", patch_edge::to_anchor_loop},
                                   word<patch_edge>{"undirected", patch_edge::undirected}};
};
template <>
struct choice_words<estimator> {
  static constexpr std::array list{word<estimator>{"sampled", estimator::sampled},
                                   word<estimator>{"exact", estimator::exact}};
};
template <>
struct choice_words<anchor_choice> {
  static constexpr std::array list{word<anchor_choice>{"connected", anchor_choice::connected},
                                   word<anchor_choice>{"train", anchor_choice::train}};
};
template <>
struct choice_words<stop_rule> {
  static constexpr std::array list{word<stop_rule>{"accuracy", stop_rule::accuracy},
                                   word<stop_rule>{"loss", stop_rule::loss}};
};
template <>
struct choice_words<patch_path> {
  static constexpr std::array list{word<patch_path>{"auto", patch_path::automatic},
                                   word<patch_path>{"generic", patch_path::generic},
                                   word<patch_path>{"fast", patch_path::fast}};
};
template <>
struct choice_words<frozen_path> {
  static constexpr std::array list{
      word<frozen_path>{"auto", frozen_path::automatic}, word<frozen_path>{"rows", frozen_path::rows},
      word<frozen_path>{"fused", frozen_path::fused}, word<frozen_path>{"generic", frozen_path::generic}};
};

}  // namespace graphpatcher
