// SPDX-License-Identifier: MIT
#include "experiments/results/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

namespace graphpatcher {

namespace {

file_descriptor open_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  file_descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) {
    // Why it could not be made says more than that it isn't there.
    throw_file_error(folder, "can't be made or opened as a folder", problem ? problem.value() : errno);
  }
  return opened;
}

}  // namespace

folder_lock::folder_lock(const std::filesystem::path& folder) : folder_(open_folder(folder)) {
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw file_error(folder.string(),
                     "another program is at work in this folder; wait until it ends, or choose another folder");
  }
}

}  // namespace graphpatcher
