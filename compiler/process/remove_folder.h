// Removing a folder with all that is in it, also where a signal's handler does it.
#pragma once

namespace compiler {

/// Removes the folder and what is in it; follows no symbolic link. Calls nothing that the handler of a signal
/// may not call. False where something of it stays.
bool removeFolder(const char *path) noexcept;

} // namespace compiler
