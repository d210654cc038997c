#include "compiler/failure.h"
#include "compiler/targets/cpu/object_code.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace compiler {

std::string findLinker() {
  for (const char *name : {"ld.lld-22", "ld.lld"})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ld.lld", {"/usr/lib/llvm-22/bin"}))
    return *path;
  return {};
}

namespace {
/// A file that is gone when the object is.
class TemporaryFile {
public:
  explicit TemporaryFile(const char *suffix) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("algctl", suffix, path))
      throw Failure("cannot make a temporary file: " + error.message());
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  void write(const std::string &bytes) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    if (!error) {
      stream << bytes;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      throw Failure("cannot write " + path.str().str() + ": " + error.message());
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      throw Failure("cannot read " + path.str().str() + ": " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }
  llvm::StringRef name() const { return path; }

private:
  llvm::SmallString<128> path;
};
} // namespace

std::string linkSharedObject(const std::string &object) {
  const std::string linker = findLinker();
  if (linker.empty())
    throw AbsentError("the linker ld.lld was not found; install the package lld-22");
  TemporaryFile input("o"), output("so"), messages("txt");
  input.write(object);
  const llvm::StringRef arguments[] = {
      linker,  "-shared",     "--no-undefined",   "--gc-sections", "-z", "noexecstack", "-z",
      "relro", "--strip-all", "--hash-style=gnu", input.name(),    "-o", output.name()};
  const std::optional<llvm::StringRef> redirects[] = {std::nullopt, messages.name(), messages.name()};
  std::string error;
  if (llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, redirects, 0, 0, &error) != 0)
    throw Failure("the linker " + linker + " failed: " + error + messages.read());
  return output.read();
}

} // namespace compiler
