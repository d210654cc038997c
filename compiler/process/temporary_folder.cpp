#include "compiler/process/temporary_folder.h"

#include "compiler/process/descriptor.h"
#include "compiler/process/failure.h"
#include "compiler/process/remove_folder.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "algctl-";
constexpr size_t random_letters = 6; // mkdtemp's

int openFolder(const std::string &path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Where folders are made.
fs::path place() {
  std::error_code error;
  const fs::path path = fs::temp_directory_path(error);
  if (error)
    throw Failure("there is no place for temporary files: set TMPDIR to a folder that can be written");
  return path;
}

/// What a signal's handler reads; points to the name below, which is never freed.
std::atomic<const char *> current = nullptr;

class Folder {
public:
  Folder() {
    const std::string pattern = (place() / (std::string(prefix) + "XXXXXX")).string();
    // Who sweeps may come between making and locking: then this one is gone, and there is another.
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::string made = pattern;
      if (::mkdtemp(made.data()) == nullptr)
        throw Failure("cannot make a temporary folder in " + fs::path(pattern).parent_path().string() + ": " +
                      std::strerror(errno) + "; set TMPDIR to a folder that can be written");
      name = new std::string(made);
      current = name->c_str();
      Descriptor folder(openFolder(made));
      // Where the file system has no locks, sweeping passes folders over.
      (void)::flock(folder.get(), LOCK_EX);
      struct stat status;
      if (folder.get() >= 0 && ::fstat(folder.get(), &status) == 0 && status.st_nlink > 0) {
        lock_ = folder.release();
        return;
      }
    }
    throw Failure("cannot keep a temporary folder in " + fs::path(pattern).parent_path().string());
  }
  ~Folder() {
    if (::getpid() == owner_) // not a child that was forked and ends by itself
      removeTemporaryFolder();
    ::close(lock_);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  const std::string *name = nullptr; // not freed: a handler may be reading it
  std::atomic<uint64_t> files = 0;

private:
  pid_t owner_ = ::getpid();
  int lock_ = -1;
};

Folder &folder() {
  static Folder made;
  return made;
}

bool isNameOfFolder(const std::string &name) {
  return name.size() == prefix.size() + random_letters && name.starts_with(prefix);
}

/// Whether it is a folder of this user's whose process is no more. Locks it, until the descriptor is closed.
bool isAbandoned(int folder) {
  struct stat status;
  return folder >= 0 && ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & 0777) == S_IRWXU && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

} // namespace

const std::string &temporaryFolder() { return *folder().name; }

std::string newTemporaryName(const std::string &suffix) {
  return temporaryFolder() + "/" + std::to_string(++folder().files) + "." + suffix;
}

size_t removeAbandonedTemporaryFolders() {
  size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator it(place(), error), end; !error && it != end; it.increment(error)) {
    if (!isNameOfFolder(it->path().filename().string()))
      continue;
    const Descriptor candidate(openFolder(it->path().string()));
    if (isAbandoned(candidate.get()))
      removed += removeFolder(it->path().c_str());
  }
  return removed;
}

void removeTemporaryFolder() noexcept {
  if (const char *name = current.exchange(nullptr); name != nullptr)
    (void)removeFolder(name);
}

} // namespace compiler
