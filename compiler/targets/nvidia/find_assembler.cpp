// Where ptxas and nvdisasm are looked for. scripts/fetch-cuda-assembler follows the same rules.
#include "compiler/process/trust.h"
#include "compiler/targets/nvidia/assembler.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VersionTuple.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

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

llvm::VersionTuple numberOf(const std::string &version) {
  llvm::VersionTuple number;
  return !version.empty() && !number.tryParse(version) ? number : llvm::VersionTuple();
}

/// Who else could have put a program into the cache folder; empty where nobody could. Programs in PATH are
/// the user's affair.
std::string reasonNotToRun(const std::string &folder, const std::string &program) {
  for (const std::string &path : {folder, program}) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0)
      return "cannot be examined";
    if (const std::string reason = reasonToDistrust(status); !reason.empty())
      return path == folder ? "is in a folder that " + reason : reason;
  }
  return {};
}

/// A search for one of the programs.
class Search {
public:
  Search(const char *tool, std::string pinned) : tool_(tool), pinned_(std::move(pinned)) {}

  AssemblerTool run() {
    const std::string cache = assemblerCacheFolder();
    const std::string path = variable("PATH"), toolkit = variable("CUDA_HOME");
    const std::string toolkit_folder = join(toolkit.empty() ? "/usr/local/cuda" : toolkit, "bin");
    llvm::SmallVector<llvm::StringRef> in_path;
    llvm::StringRef(path).split(in_path, ':', -1, /*KeepEmpty=*/false);
    if (consider(cache, AssemblerTool::Place::Pinned))
      return found_;
    for (const llvm::StringRef folder : in_path)
      if (consider(folder.str(), AssemblerTool::Place::Path))
        return found_;
    if (consider(toolkit_folder, AssemblerTool::Place::Toolkit) ||
        consider(cache, AssemblerTool::Place::Cache))
      return found_;
    return {"", "", AssemblerTool::Place::Path,
            fmt::format("NVIDIA's {} {} or later was found neither in PATH nor in {}{}{}; "
                        "scripts/fetch-cuda-assembler fetches it",
                        tool_, oldest_toolkit.getAsString(), toolkit_folder,
                        cache.empty() ? "" : " nor in " + cache, passed_over_)};
  }

private:
  /// Whether the program in that folder will do; fills in `found`.
  bool consider(const std::string &folder, AssemblerTool::Place place) {
    const std::string candidate = join(folder, tool_);
    if (folder.empty() || !llvm::sys::fs::can_execute(candidate))
      return false;
    const bool in_cache = place == AssemblerTool::Place::Pinned || place == AssemblerTool::Place::Cache;
    if (const std::string reason = in_cache ? reasonNotToRun(folder, candidate) : ""; !reason.empty()) {
      if (place == AssemblerTool::Place::Cache)
        passed_over_ += fmt::format("; {} {}", candidate, reason);
      return false;
    }
    const std::string version = toolVersion(candidate);
    if (place == AssemblerTool::Place::Pinned && version != pinned_)
      return false; // considered again when there is nothing else
    if (version.empty())
      passed_over_ += fmt::format("; {} does not run", candidate);
    else if (numberOf(version) < oldest_toolkit)
      passed_over_ += fmt::format("; {} is version {}, which is too old", candidate, version);
    else
      found_ = {candidate, version, place, ""};
    return found_.found();
  }

  const char *tool_;
  std::string pinned_, passed_over_;
  AssemblerTool found_;
};

AssemblerTool find(const char *tool, const std::string &pinned, const char *override_variable) {
  const std::string given = variable(override_variable);
  if (given.empty())
    return Search(tool, pinned).run();
  if (llvm::sys::fs::can_execute(given))
    return {given, toolVersion(given), AssemblerTool::Place::Variable, ""};
  return {"", "", AssemblerTool::Place::Variable,
          fmt::format("{} is {}, which cannot be executed", override_variable, given)};
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

std::string pinnedPtxasVersion() { return ALGCTL_PINNED_PTXAS; }

AssemblerTool findPtxas() { return find("ptxas", ALGCTL_PINNED_PTXAS, "ALGCTL_PTXAS"); }
AssemblerTool findDisassembler() { return find("nvdisasm", ALGCTL_PINNED_NVDISASM, "ALGCTL_NVDISASM"); }

std::string driversFor(const std::string &version) {
  const llvm::VersionTuple number = numberOf(version);
  return fmt::format("CUDA {}.{}", number.getMajor(), number.getMinor().value_or(0));
}

bool needsNewerDriver(const std::string &version) {
  const auto release = [](const std::string &text) {
    const llvm::VersionTuple number = numberOf(text);
    return llvm::VersionTuple(number.getMajor(), number.getMinor().value_or(0));
  };
  return release(version) > release(ALGCTL_PINNED_PTXAS);
}

} // namespace compiler
