// The programs of others that the compiler runs, for doctor.
#include "compiler/tools/machine.h"

#include "compiler/targets/cpu/object_code.h"
#include "compiler/targets/nvidia/assembler.h"

#include <fmt/format.h>

namespace compiler {

static Finding asFinding(const AssemblerTool &tool) {
  if (!tool.found())
    return {false, tool.reason};
  const std::string version = toolVersion(tool.path);
  return {true, version.empty() ? tool.path : fmt::format("{}, version {}", tool.path, version)};
}

Toolchain inspectToolchain() {
  const std::string linker = findLinker();
  return {linker.empty() ? Finding{false, "ld.lld is not in PATH: install the package lld-22"}
                         : Finding{true, linker},
          asFinding(findPtxas()), asFinding(findDisassembler())};
}

} // namespace compiler
