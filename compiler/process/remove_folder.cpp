#include "compiler/process/remove_folder.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace compiler {
namespace {

constexpr int deepest = 16, most_passes = 8;

int openFolder(int parent, const char *name) {
  return ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool isDots(const char *name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

bool removeFrom(int parent, const char *name, int depth);

/// Removes what one reading of the folder shows. readdir would allocate.
void removeWhatIsSeen(int folder, int depth) {
  // struct linux_dirent64: inode and offset of 8 bytes each, the length of 2, the type of 1, the name.
  constexpr size_t length_at = 16, name_at = 19;
  alignas(8) char entries[2048];
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0)
      return;
    for (long at = 0; at < bytes;) {
      uint16_t length = 0;
      std::memcpy(&length, entries + at + length_at, sizeof length);
      const char *name = entries + at + name_at;
      if (!isDots(name))
        (void)removeFrom(folder, name, depth);
      at += length;
    }
  }
}

bool removeFrom(int parent, const char *name, int depth) {
  if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT)
    return true;
  if (depth == deepest)
    return false;
  // Files may appear while others are removed, and a reading may pass over some when others go.
  for (int pass = 0; pass < most_passes; ++pass) {
    const int folder = openFolder(parent, name);
    if (folder < 0)
      return errno == ENOENT;
    removeWhatIsSeen(folder, depth + 1);
    ::close(folder);
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
      return true;
  }
  return false;
}

} // namespace

bool removeFolder(const char *path) noexcept { return removeFrom(AT_FDCWD, path, 0); }

} // namespace compiler
