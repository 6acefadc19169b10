// SPDX-License-Identifier: MIT
// The kernels, variables and source positions of the translated files that are linked in.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "engine/device_memory.hpp"
#include "engine/report.hpp"

namespace gpu_host {
namespace {

struct registry {
  std::unordered_map<std::string_view, const kernel*> kernels;
  std::unordered_map<std::string_view, std::vector<const symbol*>> symbols;
  std::vector<site> sites{{"", 0}};  // 0: nowhere

  // Translated files register themselves before main(), in any order.
  static registry& get() {
    static registry all;
    return all;
  }
};

}  // namespace

void add_kernels(std::span<const kernel> kernels) {
  for (const kernel& each : kernels)  // instantiations of one template in two files are the same code
    registry::get().kernels.emplace(each.name, &each);
}

void add_symbols(std::span<const symbol> symbols) {
  for (const symbol& each : symbols) {
    *each.address = device_memory::get().add_variable(each);
    registry::get().symbols[each.name].push_back(&each);
  }
}

std::uint32_t add_sites(std::span<const site> sites) {
  auto& all = registry::get().sites;
  const auto first = static_cast<std::uint32_t>(all.size());
  all.insert(all.end(), sites.begin(), sites.end());
  return first;
}

void set_device_pointer(std::uint64_t where, std::uint64_t value) {
  std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof(value),
              device_heap::host_view(reinterpret_cast<const void*>(where), sizeof(value)));
}

const kernel* find_kernel(std::string_view mangled_name) {
  const auto& all = registry::get().kernels;
  const auto found = all.find(mangled_name);
  return found == all.end() ? nullptr : found->second;
}

const symbol* find_symbol(std::string_view name) {
  const auto& all = registry::get().symbols;
  const auto found = all.find(name);
  if (found == all.end())
    return nullptr;
  if (found->second.size() > 1)
    throw std::logic_error("the device variable '" + std::string(name) +
                           "' is defined in several translated files; give each a name of its own");
  return found->second.front();
}

const site& site_at(std::uint32_t number) {
  return registry::get().sites.at(number);
}

}  // namespace gpu_host
