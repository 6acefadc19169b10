// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npz.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/instantiate.hpp"
#include "io/npz_file.hpp"

namespace graphpatcher {

npz_archive::npz_archive(const std::filesystem::path& path, const progress_options& display)
    : file_(std::make_shared<npz_file>(path, display)) {}

npz_archive::npz_archive(std::string path, std::vector<std::uint8_t> bytes)
    : file_(std::make_shared<npz_file>(std::move(path), std::move(bytes))) {}

const std::string& npz_archive::path() const noexcept {
  return file_->path();
}

std::vector<std::string> npz_archive::names() const {
  return file_->names();
}

bool npz_archive::contains(std::string_view name) const noexcept {
  return file_->contains(name);
}

template <npy_scalar T>
npy_array<T> npz_archive::read(std::string_view name, npy_rounding rounding) const {
  return file_->read<T>(name, rounding);
}

#define GP_INSTANTIATE(T) template npy_array<T> npz_archive::read<T>(std::string_view, npy_rounding) const;
GP_FOR_NPY_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
