// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

/// What the tests of written files share.
namespace gp_test {

/// A directory of its own for one test.
struct scratch_directory {
  scratch_directory() {
    std::string name = (std::filesystem::temp_directory_path() / "graphpatcher_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path = name;
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() {
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(path);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }

  std::filesystem::path path;
};

/// Root may write everywhere: while one lives, root is nobody.
struct ordinary_user {
  ordinary_user() : changed(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() {
    if (changed && ::seteuid(0) != 0) {
      std::abort();
    }
  }
  bool changed;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gp_test
