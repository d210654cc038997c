// Whole files: read at once, written by rename.
#pragma once

#include <string>
#include <string_view>

namespace algrt {

// The bytes of a regular file. Throws Error(ALGRT_IO_ERROR) naming the path and the system's reason.
std::string readFile(const std::string &path);

// Writes a temporary file in the same folder, syncs it and renames it onto path: readers see the old file or
// the new one, never half. On failure the temporary file is removed. Throws Error(ALGRT_IO_ERROR).
void writeFileByRename(const std::string &path, std::string_view contents);

} // namespace algrt
