// SPDX-License-Identifier: MIT
#pragma once

/// The one place the version is written: CMakeLists.txt reads it from here.
#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

namespace graphpatcher {

/// "major.minor.patch", as printed in every run record.
inline constexpr const char* version = "0.1.0";

}  // namespace graphpatcher
