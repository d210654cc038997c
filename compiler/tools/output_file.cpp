#include "compiler/tools/output_file.h"

#include "compiler/tools/session.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace compiler {
namespace {

[[noreturn]] void failToWrite(const std::string &path, int error) {
  throw Failure(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

// mkstemp makes files that only the owner may read; results get what the umask allows, like any other output.
mode_t ordinaryMode() {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

} // namespace

OutputFile::OutputFile(std::string name) : path(std::move(name)) {
  if (path.empty())
    throw Failure("cannot write a file without a name: give one with -o FILE");
  std::error_code status;
  if (std::filesystem::is_directory(path, status))
    throw Failure(fmt::format("cannot write {}: it is a folder", path));
  // Devices and pipes (/dev/null, /dev/stdout) are written in place: there is nothing to rename.
  std::filesystem::file_status existing = std::filesystem::status(path, status);
  if (std::filesystem::exists(existing) && !std::filesystem::is_regular_file(existing)) {
    descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
      failToWrite(path, errno);
    return;
  }
  temporary = path + ".XXXXXX";
  descriptor = mkstemp(temporary.data());
  if (descriptor < 0) {
    int error = errno;
    temporary.clear();
    failToWrite(path, error);
  }
  fchmod(descriptor, ordinaryMode());
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void OutputFile::commit(std::string_view bytes) {
  write(bytes);
  rename();
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR)
        continue;
      failToWrite(path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!inPlace() && fsync(descriptor) != 0)
    failToWrite(path, errno);
}

void OutputFile::rename() {
  if (inPlace())
    return;
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    failToWrite(path, errno);
  temporary.clear();
}

void commitBoth(OutputFile &first, std::string_view first_bytes, OutputFile &second,
                std::string_view second_bytes) {
  first.write(first_bytes);
  second.write(second_bytes);
  // What `first` replaces, kept until `second` is in its place too.
  const std::string before = first.inPlace() ? "" : first.temporary + ".before";
  if (!before.empty() && link(first.path.c_str(), before.c_str()) != 0 && errno != ENOENT)
    failToWrite(first.path, errno);
  try {
    first.rename();
    second.rename();
  } catch (const Failure &) {
    if (!before.empty() && std::rename(before.c_str(), first.path.c_str()) != 0)
      unlink(first.path.c_str()); // there was none before
    throw;
  }
  if (!before.empty())
    unlink(before.c_str());
}

void requireWritable(const std::string &path) {
  OutputFile probe(path);
  if (probe.inPlace())
    throw Failure(fmt::format("cannot write {}: it is not a regular file", path));
}

void writeOutput(const std::string &path, std::string_view bytes) {
  if (path.empty() || path == "-") {
    // A failure is found by runGuarded, which checks the stream.
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return;
  }
  OutputFile(path).commit(bytes);
}

} // namespace compiler
