// Where ptxas and nvdisasm are looked for. scripts/fetch-cuda-assembler follows the same rules.
#include "compiler/targets/nvidia/assembler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VersionTuple.h"

#include <cstdlib>
#include <fmt/format.h>

namespace compiler {
namespace {

// The first toolkit that reads the PTX that this compiler writes.
const llvm::VersionTuple oldest_toolkit(12, 0);

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string join(llvm::StringRef folder, llvm::StringRef file) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, file);
  return path.str().str();
}

AssemblerTool find(const char *tool, const char *override_variable) {
  const std::string advice = "; scripts/fetch-cuda-assembler fetches it";
  if (const std::string given = variable(override_variable); !given.empty()) {
    if (llvm::sys::fs::can_execute(given))
      return {given, ""};
    return {"", fmt::format("{} is {}, which cannot be executed", override_variable, given)};
  }
  const std::string path = variable("PATH"), toolkit = variable("CUDA_HOME");
  llvm::SmallVector<llvm::StringRef> in_path;
  llvm::StringRef(path).split(in_path, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> folders(in_path.begin(), in_path.end());
  folders.push_back(join(toolkit.empty() ? "/usr/local/cuda" : toolkit, "bin"));
  if (const std::string cache = assemblerCacheFolder(); !cache.empty())
    folders.push_back(cache);
  std::string passed_over;
  for (const std::string &folder : folders) {
    const std::string candidate = join(folder, tool);
    if (!llvm::sys::fs::can_execute(candidate))
      continue;
    const std::string version = toolVersion(candidate);
    llvm::VersionTuple number;
    if (!version.empty() && !number.tryParse(version) && number >= oldest_toolkit)
      return {candidate, ""};
    passed_over += version.empty() ? fmt::format("; {} does not run", candidate)
                                   : fmt::format("; {} is version {}, which is too old", candidate, version);
  }
  return {"", fmt::format("NVIDIA's {} {} or later was found neither in PATH nor in {}{}{}", tool,
                          oldest_toolkit.getAsString(), fmt::join(folders.end() - 1, folders.end(), ""),
                          passed_over, advice)};
}

} // namespace

std::string assemblerCacheFolder() {
  std::string base = variable("XDG_CACHE_HOME");
  if (base.empty()) {
    const std::string home = variable("HOME");
    if (home.empty())
      return {};
    base = join(home, ".cache");
  }
  return join(join(base, "algctl"), "cuda-assembler");
}

AssemblerTool findPtxas() { return find("ptxas", "ALGCTL_PTXAS"); }
AssemblerTool findDisassembler() { return find("nvdisasm", "ALGCTL_NVDISASM"); }

} // namespace compiler
