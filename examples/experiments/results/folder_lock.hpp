// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "graphpatcher/io/file_descriptor.hpp"

namespace graphpatcher {

/// Keeps a folder to one program: a second one that asks for it is told so, and doesn't wait. The folder is made if it
/// isn't there. The system takes the lock back however a program ends, so none is ever left behind; on file systems
/// without locks everybody is let in.
class folder_lock {
public:
  /// Throws file_error if another lock holds the folder.
  explicit folder_lock(const std::filesystem::path& folder);

private:
  file_descriptor folder_;
};

}  // namespace graphpatcher
