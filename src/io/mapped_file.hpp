// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphpatcher {

/// The bytes of a regular file, mapped into memory: nothing is copied, and the
/// system may drop pages that were read. For text of any size. `hint` ends the
/// message when the file is not there.
///
/// A file must not be cut short while it is mapped: no program can turn that
/// into an exception. A file that is replaced by a rename, as careful writers
/// do it, is safe.
class mapped_file {
public:
  explicit mapped_file(const std::filesystem::path& path, const std::string& hint = {});
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  const std::string& path() const noexcept { return path_; }
  std::size_t size() const noexcept { return size_; }
  std::string_view characters() const noexcept { return {data_, size_}; }
  std::span<const std::uint8_t> bytes() const noexcept { return {reinterpret_cast<const std::uint8_t*>(data_), size_}; }

private:
  std::string path_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same, read at once: for files that somebody may cut short, and for bytes that are kept.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path, const std::string& hint = {});

}  // namespace graphpatcher
