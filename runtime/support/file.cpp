#include "runtime/support/file.h"

#include "runtime/support/error.h"
#include "runtime/support/unfinished_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace algrt {

namespace {

[[noreturn]] void fail(const std::string &path, const char *what, int error) {
  throw Error(ALGRT_IO_ERROR, path + ": " + what + ": " + std::strerror(error));
}

// Closes on every path out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

const char *kindOf(mode_t mode) {
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a pipe";
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "a special file";
}

} // namespace

InputFile::InputFile(const std::string &path) : path_(path) {
  // Without O_NONBLOCK opening a pipe waits until somebody opens its other end; to regular files it means
  // nothing.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.number < 0)
    fail(path, "cannot open", errno);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    fail(path, "cannot examine", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ALGRT_IO_ERROR, path + ": is " + kindOf(status.st_mode) + ", not a regular file");
  size_ = uint64_t(status.st_size);
  descriptor_ = std::exchange(file.number, -1);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::string InputFile::read(uint64_t offset, uint64_t size) const {
  if (offset > size_ || size > size_ - offset)
    throw Error(ALGRT_IO_ERROR, path_ + ": ends after " + std::to_string(size_) + " bytes");
  std::string bytes(size_t(size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    ssize_t got = ::pread(descriptor_, bytes.data() + filled, bytes.size() - filled, off_t(offset + filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail(path_, "cannot read", errno);
    if (got == 0)
      throw Error(ALGRT_IO_ERROR, path_ + ": became shorter while it was read");
    filled += size_t(got);
  }
  return bytes;
}

std::string readFile(const std::string &path) {
  const InputFile file(path);
  return file.read(0, file.size());
}

void writeFileByRename(const std::string &path, std::string_view contents, mode_t mode) {
  // A folder in the way would only be noticed by rename, after all the work.
  struct stat existing;
  if (::stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode))
    throw Error(ALGRT_IO_ERROR, path + ": is a folder; name a file");
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    throw Error(ALGRT_IO_ERROR, path + ": is a device or a pipe, which a file must not replace");
  UnfinishedFile file(path, mode);
  if (file.descriptor() < 0)
    fail(path, "cannot create a file beside it", errno);
  if (!file.write(contents))
    fail(path, "cannot write", errno);
  if (::fsync(file.descriptor()) != 0)
    fail(path, "cannot sync", errno);
  if (!file.rename(path))
    fail(path, "cannot put the finished file in place", errno);
  // The new name is durable only once the folder is; a file system that cannot sync folders loses nothing
  // else.
  Descriptor folder{::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number >= 0)
    (void)::fsync(folder.number);
}

} // namespace algrt
