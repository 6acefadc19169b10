// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npy.hpp"

#include <filesystem>

#include "io/instantiate.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_values.hpp"

namespace graphpatcher {

template <npy_scalar T>
npy_array<T> read_npy(const std::filesystem::path& path, npy_rounding rounding) {
  const mapped_file file(path);
  return decode_npy<T>(byte_reader(file.path(), file.bytes()), rounding);
}

#define GP_INSTANTIATE(T) template npy_array<T> read_npy<T>(const std::filesystem::path&, npy_rounding);
GP_FOR_NPY_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
