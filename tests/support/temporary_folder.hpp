// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

namespace gp_test {

/// A folder that is gone when the test is over.
class temporary_folder {
public:
  temporary_folder() {
    path_ = std::filesystem::temp_directory_path() / ("graphpatcher_test_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(path_);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream stream(path_ / name, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(stream.good());
  }

private:
  std::filesystem::path path_;
};

}  // namespace gp_test
