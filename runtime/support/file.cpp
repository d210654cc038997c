#include "runtime/support/file.h"

#include "runtime/support/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
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

// A new file whose name is `path` and a random suffix: an ordinary one, as far as the user's mask allows.
// mkstemp would make a private one, and the mask cannot be asked for without changing it, for other threads
// too.
int createBeside(const std::string &path, std::string &name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = path + ".";
    for (int i = 0; i < 6; ++i)
      name += letters[random() % letters.size()];
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

void writeAll(int descriptor, std::string_view contents, const std::string &path) {
  while (!contents.empty()) {
    ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      fail(path, "cannot write", errno);
    contents.remove_prefix(size_t(written));
  }
}

} // namespace

InputFile::InputFile(const std::string &path) : path_(path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    fail(path, "cannot open", errno);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    fail(path, "cannot examine", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ALGRT_IO_ERROR, path + ": is not a regular file");
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

void writeFileByRename(const std::string &path, std::string_view contents) {
  // A folder in the way would only be noticed by rename, after all the work.
  struct stat existing;
  if (::stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode))
    throw Error(ALGRT_IO_ERROR, path + ": is a folder; name a file");
  std::string temporary;
  Descriptor file{createBeside(path, temporary)};
  if (file.number < 0)
    fail(path, "cannot create a file beside it", errno);
  try {
    writeAll(file.number, contents, path);
    if (::fsync(file.number) != 0)
      fail(path, "cannot sync", errno);
    if (::rename(temporary.c_str(), path.c_str()) != 0)
      fail(path, "cannot put the finished file in place", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  // The new name is durable only once the folder is; a file system that cannot sync folders loses nothing
  // else.
  Descriptor folder{::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number >= 0)
    (void)::fsync(folder.number);
}

} // namespace algrt
