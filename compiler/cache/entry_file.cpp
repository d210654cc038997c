#include "compiler/cache/entry_file.h"

#include "compiler/process/descriptor.h"
#include "compiler/process/trust.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace compiler {

/// The descriptor, or -1 with the reason in fault_.
int EntryFile::open(int parent, const char *name, int flags, const std::string &called) {
  const int opened = ::openat(parent, name, flags | O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (opened < 0 || ::fstat(opened, &status) != 0) {
    absent_ = errno == ENOENT;
    fault_ =
        errno == ELOOP ? called + "is a symbolic link" : called + "cannot be opened: " + std::strerror(errno);
  } else if ((flags & O_DIRECTORY) == 0 && !S_ISREG(status.st_mode)) {
    fault_ = called + "is no regular file";
  } else if (const std::string reason = reasonToDistrust(status); !reason.empty()) {
    fault_ = called + reason;
  } else {
    size_ = static_cast<uint64_t>(status.st_size);
    return opened;
  }
  if (opened >= 0)
    ::close(opened);
  return -1;
}

// The folder itself may be reached by links: what it is decides.
EntryFile::EntryFile(const std::filesystem::path &folder, const std::string &subfolder,
                     const std::string &name) {
  const Descriptor top(open(AT_FDCWD, folder.c_str(), O_DIRECTORY, "the folder of all "));
  if (top.get() < 0)
    return;
  const Descriptor within(open(top.get(), subfolder.c_str(), O_DIRECTORY | O_NOFOLLOW, "its folder "));
  if (within.get() >= 0)
    descriptor_ = open(within.get(), name.c_str(), O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, "");
}

EntryFile::~EntryFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

std::string EntryFile::read(uint64_t most) const {
  std::string bytes(static_cast<size_t>(std::min(most, size_)), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

void EntryFile::touch() const { (void)::futimens(descriptor_, nullptr); }

std::string reasonToDistrustFolder(const std::filesystem::path &folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  return opened.get() >= 0 && ::fstat(opened.get(), &status) == 0 ? reasonToDistrust(status) : "";
}

} // namespace compiler
