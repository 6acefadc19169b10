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
/// disk. A file keeps its permissions. Throws file_error.
///
/// A link is followed, also one that leads to no file yet; links in a circle are
/// an error. A pipe or a device is written as it is, a pipe once somebody reads
/// it; until then an interrupt_scope is heeded.
///
/// The new file is called ".NAME.tmp" and made anew each time: what is found
/// under that name, of whomever, is never written to. An error removes it; a
/// writer that was killed leaves it, and the next one removes it. Writers of one
/// file wait for each other.
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           atomic_write_options options = {});

/// Whether a file or directory of this name is there, or what a link of this
/// name leads to. Throws file_error where the system won't tell.
bool file_exists(const std::filesystem::path& path);

/// Makes a directory, and those that it is in, where they are missing. Throws
/// file_error.
void make_directories(const std::filesystem::path& path);

}  // namespace graphpatcher
