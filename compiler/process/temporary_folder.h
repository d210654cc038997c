// The one place of a process for files that it needs for a while.
#pragma once

#include <cstddef>
#include <string>

namespace compiler {

/// "algctl-XXXXXX" in $TMPDIR or /tmp, for this user alone. Made at the first call; gone with all that is in
/// it when the process ends by itself, and where a signal ends it that cleanUpOnSignals (interruption.h)
/// sees. Any number of threads may call. Throws Failure with the system's reason.
const std::string &temporaryFolder();

/// A name in that folder that nothing else has: a number and a dot before `suffix`. Throws Failure.
std::string newTemporaryName(const std::string &suffix);

/// Removes the folders in $TMPDIR or /tmp of this user's processes that were killed, and says how many there
/// were. A folder is locked while its process lives, in whatever container of this machine that is.
size_t removeAbandonedTemporaryFolders();

/// Removes this process's folder. For the handler of a signal.
void removeTemporaryFolder() noexcept;

} // namespace compiler
