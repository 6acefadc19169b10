// SPDX-License-Identifier: MIT
// Which level's table the program calls through. Compiled for every processor.
#include <atomic>
#include <cstdlib>
#include <string>

#include "graphpatcher/core/levels.hpp"
#include "kernels/cpu/table.hpp"
#include "kernels/cpu/table_name.hpp"

#if GP_LEVELS_OF_X86
#define GP_FIRST_LEVEL baseline
#else  // the only one, that of the compiler's flags: this file has the same
#define GP_FIRST_LEVEL GP_LEVEL
#endif
#define GP_TEXT_OF(name) #name
#define GP_NAME_OF(level) GP_TEXT_OF(level)

extern "C" {
extern const graphpatcher::compiled::level_table GP_TABLE_OF(GP_FIRST_LEVEL);
#if GP_LEVELS_OF_X86
extern const graphpatcher::compiled::level_table graphpatcher_level_v3;
extern const graphpatcher::compiled::level_table graphpatcher_level_v4;
#endif
}

namespace graphpatcher {

namespace {

struct level_choice {
  std::string_view name;
  const compiled::level_table* table;
  bool (*available)();
};

// x86-64-v3 and x86-64-v4 as GCC defines them: Clang 14 doesn't know those words.
#if GP_LEVELS_OF_X86
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

const level_choice choices[] = {
    {GP_NAME_OF(GP_FIRST_LEVEL), &GP_TABLE_OF(GP_FIRST_LEVEL), [] { return true; }},
#if GP_LEVELS_OF_X86
    {"v3", &graphpatcher_level_v3, has_v3},
    {"v4", &graphpatcher_level_v4, has_v4},
#endif
};

const level_choice& choice_of(std::string_view name, std::string_view who) {
  for (const auto& choice : choices) {
    if (choice.name == name) {
      expects(choice.available(), who, ": this processor lacks the instructions of level ", name,
              "; leave the level out to have the best one chosen");
      return choice;
    }
  }
  throw argument_error(text(who, ": expected baseline, v3 or v4, got '", name, "'"));
}

const level_choice& first_choice() {
  if (const char* wanted = std::getenv("GRAPHPATCHER_LEVEL"); wanted != nullptr && *wanted != '\0') {
    return choice_of(wanted, "GRAPHPATCHER_LEVEL");
  }
  const level_choice* best = &choices[0];
  for (const auto& choice : choices) {
    best = choice.available() ? &choice : best;
  }
  return *best;
}

std::atomic<const level_choice*> chosen_level{nullptr};

const level_choice& chosen() {
  const auto* now = chosen_level.load(std::memory_order_acquire);
  if (now == nullptr) {  // two threads may look at once: they find the same
    now = &first_choice();
    chosen_level.store(now, std::memory_order_release);
  }
  return *now;
}

template <class T, graph_index I>
const auto& functions_of() {
  const auto& table = *chosen().table;
  if constexpr (std::same_as<T, float>) {
    if constexpr (std::same_as<I, std::int32_t>) {
      return table.float_32;
    } else {
      return table.float_64;
    }
  } else if constexpr (std::same_as<I, std::int32_t>) {
    return table.double_32;
  } else {
    return table.double_64;
  }
}

}  // namespace

std::string_view level_in_use() {
  return chosen().name;
}

std::vector<std::string_view> levels_available() {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) {
    if (choice.available()) {
      names.push_back(choice.name);
    }
  }
  return names;
}

void use_level(std::string_view name) {
  chosen_level.store(&choice_of(name, "use_level"), std::memory_order_release);
}

namespace compiled {

template <class T>
const backend::dense_operations<cpu, T>& dense_operations() {
  return *std::get<const backend::dense_operations<cpu, T>*>(chosen().table->dense);
}
template <class T, graph_index I>
const backend::graph_operations<cpu, T, I>& graph_operations() {
  return *std::get<const backend::graph_operations<cpu, T, I>*>(functions_of<T, I>());
}
template <graph_index I>
const backend::id_checks<I>& id_checks() {
  return *std::get<const backend::id_checks<I>*>(chosen().table->ids);
}
template <class T, graph_index I, class Backbone>
const backbone_functions<T, I, Backbone>& backbone_functions_of() {
  return *std::get<const backbone_functions<T, I, Backbone>*>(functions_of<T, I>());
}
template <class T, graph_index I, class Backbone>
const patcher_functions<T, I, Backbone>& patcher_functions_of() {
  return *std::get<const patcher_functions<T, I, Backbone>*>(functions_of<T, I>());
}

#define GP_FOR_BACKBONE(T, I, BACKBONE)                                                             \
  template const backbone_functions<T, I, BACKBONE<T>>& backbone_functions_of<T, I, BACKBONE<T>>(); \
  template const patcher_functions<T, I, BACKBONE<T>>& patcher_functions_of<T, I, BACKBONE<T>>();
#define GP_FOR_INDEX(T, I)                                                       \
  template const backend::graph_operations<cpu, T, I>& graph_operations<T, I>(); \
  GP_FOR_BACKBONE(T, I, gcn_backbone)                                            \
  GP_FOR_BACKBONE(T, I, sage_backbone)                                           \
  GP_FOR_BACKBONE(T, I, gat_backbone)
#define GP_FOR_NUMBER(T)                                                   \
  template const backend::dense_operations<cpu, T>& dense_operations<T>(); \
  GP_FOR_INDEX(T, std::int32_t)                                            \
  GP_FOR_INDEX(T, std::int64_t)

GP_FOR_NUMBER(float)
GP_FOR_NUMBER(double)
template const backend::id_checks<std::int32_t>& id_checks<std::int32_t>();
template const backend::id_checks<std::int64_t>& id_checks<std::int64_t>();

}  // namespace compiled
}  // namespace graphpatcher
