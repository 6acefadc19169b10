// SPDX-License-Identifier: MIT
// printf, assert and trap of device code.
#include <cstdio>
#include <string>

#include "engine/device_memory.hpp"
#include "engine/report.hpp"
#include "engine/state.hpp"

namespace gpu_host::device {
namespace {

std::string text_at(u64 address) {
  auto& all = device_memory::get();
  std::string text;
  for (; all.owns(address, 1); ++address) {
    const char character = get<char>(all.memory().data + (address - all.base()));
    if (character == 0)
      break;
    text += character;
  }
  return text;
}

template <class T>
std::string formatted(const std::string& specification, T value) {
  char text[512];
  std::snprintf(text, sizeof text, specification.c_str(), value);
  return text;
}

}  // namespace

/// The arguments lie one after another, each aligned to its size: 4 bytes for int, 8 for long, double and pointers.
s32 print(u64 format_address, u64 arguments, u32 site) {
  const std::string format = text_at(format_address);
  const auto next = [&]<class T>(T) {
    arguments = (arguments + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = get<T>(generic_memory(arguments, sizeof(T), access::read, site));
    arguments += sizeof(T);
    return value;
  };
  std::string output;
  s32 count = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      output += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      output += format[++i];
      continue;
    }
    const std::size_t end = format.find_first_of("diouxXcfFeEgGaAsp", i + 1);
    const std::string specification = format.substr(i, end == std::string::npos ? end : end + 1 - i);
    if (end == std::string::npos || specification.find('*') != std::string::npos)
      fail(fault_kind::unsupported, "printf format " + specification, site);
    const char kind = format[end];
    const bool is_long = specification.find_first_of("lzjt") != std::string::npos;
    ++count;
    i = end;
    if (kind == 's')
      output += formatted(specification, text_at(next(u64())).c_str());
    else if (kind == 'p')
      output += formatted(specification, reinterpret_cast<void*>(next(u64())));
    else if (std::string("fFeEgGaA").find(kind) != std::string::npos)
      output += formatted(specification, next(f64()));
    else
      output += is_long ? formatted(specification, next(s64())) : formatted(specification, next(s32()));
  }
  std::fputs(output.c_str(), stdout);
  return count;
}

void assert_failed(u64 message, u64 file, u32 line, u64 function, u32 site) {
  fail(
      fault_kind::device_assert,
      "expected " + text_at(message) + " in " + text_at(function) + " at " + text_at(file) + ":" + std::to_string(line),
      site);
}

void trap(u32 site) {
  fail(fault_kind::device_assert, "trap", site);
}

}  // namespace gpu_host::device
