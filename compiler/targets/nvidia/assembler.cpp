#include "compiler/targets/nvidia/assembler.h"

#include "compiler/failure.h"
#include "compiler/temporary_file.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>
#include <optional>

namespace compiler {

/// Runs a program to its end and returns its exit status; what it prints is in the two files.
static int execute(const std::string &program, llvm::ArrayRef<llvm::StringRef> arguments,
                   const TemporaryFile &output, const TemporaryFile &messages) {
  llvm::SmallVector<llvm::StringRef> all = {program};
  all.append(arguments.begin(), arguments.end());
  const std::optional<llvm::StringRef> redirects[] = {"", output.name(), messages.name()};
  std::string error;
  const int status = llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects, /*SecondsToWait=*/600,
                                               /*MemoryLimit=*/0, &error);
  if (status < 0)
    throw Failure(program + ": " + error);
  return status;
}

std::string toolVersion(const std::string &path) {
  TemporaryFile output("txt"), messages("txt");
  try {
    if (execute(path, {"--version"}, output, messages) != 0)
      return {};
  } catch (const Failure &) {
    return {}; // does not run, or not to its end: no program of NVIDIA's
  }
  // "Cuda compilation tools, release 12.9, V12.9.86"
  const std::string text = output.read();
  const auto [before, after] = llvm::StringRef(text).split(", V");
  return after.take_while([](char c) { return (c >= '0' && c <= '9') || c == '.'; }).str();
}

Assembly assemble(const std::string &ptx, const std::string &architecture) {
  const AssemblerTool ptxas = findPtxas();
  if (!ptxas.found())
    throw AbsentError(ptxas.reason);
  TemporaryFile input("ptx"), output("cubin"), log("txt"), messages("txt");
  input.write(ptx);
  const std::string option = "-arch=" + architecture;
  const int status = execute(ptxas.path, {"-v", option, input.name(), "-o", output.name()}, log, messages);
  Assembly assembly;
  assembly.log = log.read() + messages.read();
  if (status != 0)
    throw Failure(fmt::format("{} refuses the program:\n{}", ptxas.path, assembly.log));
  assembly.cubin = output.read();
  assembly.report = parseAssemblyLog(assembly.log);
  return assembly;
}

std::string disassemble(const std::string &cubin) {
  const AssemblerTool nvdisasm = findDisassembler();
  if (!nvdisasm.found())
    throw AbsentError(nvdisasm.reason);
  TemporaryFile input("cubin"), output("sass"), messages("txt");
  input.write(cubin);
  if (execute(nvdisasm.path, {"--print-code", input.name()}, output, messages) != 0)
    throw Failure(fmt::format("{} cannot read the cubin:\n{}", nvdisasm.path, messages.read()));
  return output.read();
}

} // namespace compiler
