#include "compiler/process/child_process.h"
#include "compiler/process/failure.h"
#include "compiler/process/temporary_file.h"
#include "compiler/targets/cpu/object_code.h"

#include "llvm/Support/Program.h"

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
  const int status =
      runProgram(linker,
                 {"-shared", "--no-undefined", "--gc-sections", "-z", "noexecstack", "-z", "relro",
                  "--strip-all", "--hash-style=gnu", input.name(), "-o", output.name()},
                 {messages.name(), messages.name()});
  if (status != 0)
    throw Failure("the linker " + linker + " failed: " + messages.read());
  return output.read();
}

} // namespace compiler
