// The programs of others that the compiler runs, for doctor.
#include "compiler/tools/machine.h"

#include "compiler/targets/cpu/object_code.h"
#include "compiler/targets/nvidia/assembler.h"

#include <fmt/format.h>

namespace compiler {

static std::string placeOf(const AssemblerTool &tool, const char *variable) {
  switch (tool.place) {
  case AssemblerTool::Place::Variable:
    return std::string("named by ") + variable;
  case AssemblerTool::Place::Pinned:
    return "the pinned one";
  case AssemblerTool::Place::Path:
    return "from PATH";
  case AssemblerTool::Place::Toolkit:
    return "of the CUDA toolkit";
  case AssemblerTool::Place::Cache:
    return "in the cache folder, not the pinned one";
  }
  return "";
}

static Finding asFinding(const AssemblerTool &tool, const char *variable) {
  if (!tool.found())
    return {false, tool.reason};
  if (tool.version.empty())
    return {true, fmt::format("{}, {}", tool.path, placeOf(tool, variable))};
  return {true, fmt::format("{}, version {}, {}", tool.path, tool.version, placeOf(tool, variable))};
}

/// With what drivers its machine code is for, where that is not what the pinned one's is.
static Finding describePtxas(const AssemblerTool &tool) {
  Finding finding = asFinding(tool, "ALGCTL_PTXAS");
  if (!tool.version.empty() && needsNewerDriver(tool.version))
    finding.detail +=
        fmt::format("; drivers older than {} refuse its machine code and compile the PTX beside it, those "
                    "from {} on take "
                    "that of version {}, which scripts/fetch-cuda-assembler fetches",
                    driversFor(tool.version), driversFor(pinnedPtxasVersion()), pinnedPtxasVersion());
  return finding;
}

Toolchain inspectToolchain() {
  const std::string linker = findLinker();
  return {linker.empty() ? Finding{false, "ld.lld is not in PATH: install the package lld-22"}
                         : Finding{true, linker},
          describePtxas(findPtxas()), asFinding(findDisassembler(), "ALGCTL_NVDISASM")};
}

} // namespace compiler
