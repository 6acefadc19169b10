// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/core/option_text.hpp"

namespace gp = graphpatcher;

/// An option that lists itself (docs/options.md): it is typed as it is called, and what it is told must be in its
/// range.
template <class Value>
CLI::Option* add_option(CLI::App& app, const gp::option& o, Value& value) {
  const std::string name = "--" + gp::typed_name(o.name);
  const std::string meaning(o.meaning);
  if constexpr (std::same_as<Value, bool>) {
    return app.add_flag(name, value, meaning);
  } else {
    const auto read = [name = std::string(o.name), range = o.range, &value](const std::string& typed) {
      try {
        gp::read_option({name, {}, range}, typed, value);
      } catch (const gp::argument_error& problem) {
        throw CLI::ValidationError(problem.what());
      }
    };
    return app.add_option_function<std::string>(name, read, meaning)
        ->type_name(gp::option_values<Value>(o) + " [" + gp::option_text(value) + "]");
  }
}

/// One of these names; of another it is said which is nearest, or which there are.
inline CLI::Validator one_of(const std::vector<std::string>& names) {
  gp::option_names known;
  for (const auto& name : names) {
    known.add(gp::option_name(name));
  }
  const auto check = [names, known](const std::string& typed) {
    const bool there = std::ranges::find(names, typed) != names.end();
    return there ? std::string() : "nothing is called '" + typed + "'; " + known.advice(typed);
  };
  std::string all;
  for (const auto& name : names) {
    all += (all.empty() ? "{" : ",") + name;
  }
  return {check, all + "}"};
}

/// What find(name) knows: another name gets the sentence that it throws.
inline CLI::Validator known_to(auto find) {
  const auto check = [find](const std::string& typed) {
    try {
      find(typed);
      return std::string();
    } catch (const gp::argument_error& unknown) {
      return std::string(unknown.what());
    }
  };
  return {check, ""};
}

/// The words of a command line, as a shell takes them: what has a space or a quote in it stands in quotes.
inline std::string command_text(const std::string& program, int argc, const char* const* argv) {
  std::string command = program;
  for (int i = 1; i < argc; ++i) {
    std::string word;
    bool plain = argv[i][0] != '\0';
    for (const char c : std::string_view(argv[i])) {
      plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                        std::string_view("-_=./,:+@%").find(c) != std::string_view::npos);
      word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    command += plain ? " " + word : " '" + word + "'";
  }
  return command;
}
