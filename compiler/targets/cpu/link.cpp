#include "compiler/failure.h"
#include "compiler/targets/cpu/object_code.h"
#include "compiler/temporary_file.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

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
