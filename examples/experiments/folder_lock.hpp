// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "graphpatcher/core/atomic_file.hpp"

namespace graphpatcher {

/// Keeps a folder to one program: a second one that asks for it is told so, and doesn't wait. The folder is made if it
/// isn't there. The system takes the lock back however a program ends, so none is ever left behind; on file systems
/// without locks everybody is let in.
class folder_lock {
public:
  /// Throws file_error if another lock holds the folder.
  explicit folder_lock(const std::filesystem::path& folder) : folder_(open_folder(folder)) {
    if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw file_error(folder.string(),
                       "another program is at work in this folder; wait until it ends, or choose another folder");
    }
  }

private:
  static file_descriptor open_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    file_descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.get() < 0) {
      throw_file_error(folder, "can't be made or opened as a folder", errno);
    }
    return opened;
  }

  file_descriptor folder_;
};

}  // namespace graphpatcher
