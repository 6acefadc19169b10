// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "graphpatcher/core/error.hpp"

/// The words by which variants are chosen on command lines and named in files:
/// words_of<patch_loss>() lists {"paper", patch_loss::paper}, ...
namespace graphpatcher {

template <class Choice>
using word = std::pair<std::string_view, Choice>;

/// To be specialised for each enum, with `static constexpr std::array list`.
template <class Choice>
struct choice_words;

/// Every value of a variant with its word.
template <class Choice>
constexpr const auto& words_of() {
  return choice_words<Choice>::list;
}

/// The word of a value.
template <class Choice>
constexpr std::string_view word_of(Choice value) {
  for (const auto& [name, known] : words_of<Choice>()) {
    if (known == value) {
      return name;
    }
  }
  throw argument_error("word_of: this value has no word; it was not made from one of the enumerators");
}

}  // namespace graphpatcher
