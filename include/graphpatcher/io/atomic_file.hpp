// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

namespace graphpatcher {

struct atomic_write_options {
  bool make_parents = false;  ///< make missing directories on the way
};

/// Writes a whole file, or nothing: the content goes to a new file beside it,
/// is forced to disk and then takes the name in one step. Whoever reads `path`
/// sees the old content or the new, never a part, also after a crash or a full
/// disk. A link is followed; a file keeps its permissions. Throws file_error.
///
/// The new file is called ".NAME.tmp". An error removes it; a writer that was
/// killed leaves it, and the next one uses it again. Writers of one file wait
/// for each other.
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           atomic_write_options options = {});

}  // namespace graphpatcher
