// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/io/npy.hpp"

namespace graphpatcher {

class npz_file;

/// The arrays of an .npz file: a zip archive of .npy files, stored or deflated,
/// as numpy.savez and numpy.savez_compressed write it. The file is mapped, its
/// directory is read and checked at once, an array when it is asked for; what is
/// deflated is unpacked on the way. Sizes and places are checked before anything
/// is allocated, content by its CRC. An array that takes more than two seconds
/// has a progress display.
class npz_archive {
public:
  explicit npz_archive(const std::filesystem::path& path, const progress_options& display = {});
  /// From bytes; `path` is for messages.
  npz_archive(std::string path, std::vector<std::uint8_t> bytes);

  const std::string& path() const noexcept;
  /// Names of the arrays, in the order of the archive.
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const noexcept;

  /// The array called `name`, its values converted to `T` if that changes none
  /// (read_npy).
  template <npy_scalar T>
  npy_array<T> read(std::string_view name, npy_rounding rounding = npy_rounding::none) const;

private:
  std::shared_ptr<const npz_file> file_;
};

}  // namespace graphpatcher
