#include "compiler/targets/nvidia/assembler.h"

#include "compiler/process/child_process.h"
#include "compiler/process/failure.h"
#include "compiler/process/temporary_file.h"

#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <tuple>

namespace compiler {

static std::string askVersion(const std::string &path) {
  TemporaryFile output("txt"), messages("txt");
  try {
    if (runProgram(path, {"--version"}, {output.name(), messages.name()}, std::chrono::minutes(1)) != 0)
      return {};
  } catch (const Failure &) {
    return {}; // does not run, or not to its end: no program of NVIDIA's
  }
  // "Cuda compilation tools, release 12.9, V12.9.86"
  const std::string text = output.read();
  const auto [before, after] = llvm::StringRef(text).split(", V");
  return after.take_while([](char c) { return (c >= '0' && c <= '9') || c == '.'; }).str();
}

std::string toolVersion(const std::string &path) {
  // Asking takes a process. Another program in the same place is another file, or has another date.
  using Identity = std::tuple<std::string, dev_t, ino_t, off_t, time_t, long>;
  static std::mutex mutex;
  static std::map<Identity, std::string> known;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return {};
  const std::lock_guard lock(mutex);
  const auto [entry, added] = known.try_emplace(
      {path, status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec});
  if (added)
    entry->second = askVersion(path);
  return entry->second;
}

Assembly assemble(const std::string &ptx, const std::string &architecture) {
  const AssemblerTool ptxas = findPtxas();
  if (!ptxas.found())
    throw AbsentError(ptxas.reason);
  TemporaryFile input("ptx"), output("cubin"), log("txt"), messages("txt");
  input.write(ptx);
  const std::string option = "-arch=" + architecture;
  const int status = runProgram(ptxas.path, {"-v", option, input.name(), "-o", output.name()},
                                {log.name(), messages.name()});
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
  // The analysis of the data's flow would name targets of branches through a stack, which our kernels have
  // not; it takes a third of the time.
  if (runProgram(nvdisasm.path, {"--print-code", "--no-dataflow", input.name()},
                 {output.name(), messages.name()}) != 0)
    throw Failure(fmt::format("{} cannot read the cubin:\n{}", nvdisasm.path, messages.read()));
  return output.read();
}

} // namespace compiler
