#include "compiler/tools/output_file.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "runtime/support/standard_streams.h"
#include "runtime/support/unfinished_file.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace compiler {
namespace {

// The descriptor of this process that a path names: renaming onto such a name would replace the name.
std::optional<int> streamOf(const std::string &path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder))
      continue;
    int number = -1;
    const char *begin = path.data() + folder.size(), *end = path.data() + path.size();
    if (const auto [rest, error] = std::from_chars(begin, end, number); error == std::errc() && rest == end)
      return number;
  }
  return std::nullopt;
}

} // namespace

void OutputFile::fail(int error) const {
  throw Failure(
      fmt::format("cannot write {}{}: {}", standard_output_ ? "to " : "", path_, std::strerror(error)));
}

OutputFile::OutputFile(std::string name, Contents contents) : path_(std::move(name)) {
  if (path_.empty())
    throw Failure("cannot write a file without a name: give one with -o FILE");
  if (openStream() || openInPlace()) {
    if (contents == Contents::Binary && isatty(descriptor_)) {
      close(descriptor_); // the destructor does not run
      throw UsageError(fmt::format("{} is a terminal, and what is written is not text: name a file, or let "
                                   "standard output go to one",
                                   path_));
    }
    return;
  }
  unfinished_ = std::make_unique<algrt::UnfinishedFile>(path_);
  if (unfinished_->descriptor() < 0)
    fail(errno);
}

bool OutputFile::openStream() {
  const std::optional<int> stream = streamOf(path_);
  if (!stream)
    return false;
  standard_output_ = *stream == STDOUT_FILENO;
  if (standard_output_)
    path_ = "standard output";
  descriptor_ = fcntl(*stream, F_DUPFD_CLOEXEC, 3);
  if (descriptor_ < 0)
    fail(errno);
  return true;
}

bool OutputFile::openInPlace() {
  std::error_code status;
  const std::filesystem::file_type type = std::filesystem::status(path_, status).type();
  if (type == std::filesystem::file_type::directory)
    throw Failure(fmt::format("cannot write {}: it is a folder", path_));
  if (type == std::filesystem::file_type::block)
    throw Failure(
        fmt::format("cannot write {}: it is a device of blocks, and would lose what it holds", path_));
  if (type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character &&
      type != std::filesystem::file_type::socket)
    return false;
  // Without waiting for a reader, who may never come.
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0 && errno == ENXIO && type == std::filesystem::file_type::fifo)
    throw Failure(
        fmt::format("cannot write {}: it is a pipe that nobody reads; start its reader first", path_));
  if (descriptor_ < 0)
    fail(errno);
  fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  return true;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

void OutputFile::commit(std::string_view bytes) {
  write(bytes);
  rename();
}

void OutputFile::write(std::string_view bytes) {
  if (unfinished_) {
    if (!unfinished_->write(bytes) || fsync(unfinished_->descriptor()) != 0)
      fail(errno);
    return;
  }
  if (standard_output_)
    algrt::flushStandardOutput(); // what was said before it comes before it
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR)
        continue;
      fail(errno);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void OutputFile::rename() {
  if (unfinished_ && !unfinished_->rename(path_))
    fail(errno);
}

void commitBoth(OutputFile &first, std::string_view first_bytes, OutputFile &second,
                std::string_view second_bytes) {
  first.write(first_bytes);
  second.write(second_bytes);
  // What `first` replaces, kept until `second` is in its place too.
  const std::string before = first.inPlace() ? "" : first.unfinished_->name() + ".before";
  const algrt::NameToRemove kept(before);
  if (!before.empty() && link(first.path_.c_str(), before.c_str()) != 0 && errno != ENOENT)
    first.fail(errno);
  try {
    first.rename();
    second.rename();
  } catch (const Failure &) {
    if (!before.empty() && std::rename(before.c_str(), first.path_.c_str()) != 0)
      unlink(first.path_.c_str()); // there was none before
    throw;
  }
  if (!before.empty())
    unlink(before.c_str());
}

void writeOutput(std::string_view bytes) { algrt::writeStandardOutput(bytes); }

CLI::Option *outputFile(CLI::Option *option) { return option->type_name("FILE"); }

bool namesStandardOutput(const std::string &path) { return streamOf(path) == STDOUT_FILENO; }

bool nameOneFile(const std::string &first, const std::string &second) {
  namespace fs = std::filesystem;
  // A link in the place of the file itself is replaced, not followed.
  const auto place = [](const std::string &path) {
    std::error_code unknown;
    const fs::path whole = fs::absolute(path, unknown),
                   folder = fs::weakly_canonical(whole.parent_path(), unknown);
    return (unknown ? whole.parent_path() : folder) / whole.filename();
  };
  if (streamOf(first) || streamOf(second) || place(first) != place(second))
    return false;
  std::error_code absent;
  const fs::file_type type = fs::status(first, absent).type();
  return type == fs::file_type::not_found || type == fs::file_type::regular;
}

} // namespace compiler
