#include "compiler/pipeline/machine_code.h"

#include "compiler/pipeline/compilation.h"
#include "compiler/targets/cpu/object_code.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/ptx.h"

#include "llvm/Support/FileSystem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {
namespace {

/// Which assembler it is, without its path: version and size. Empty where that cannot be known; code that
/// comes from such a program is not kept.
std::string assemblerIdentity(const AssemblerTool &tool) {
  if (!tool.found())
    return "none";
  uint64_t bytes = 0;
  if (tool.version.empty() || llvm::sys::fs::file_size(tool.path, bytes))
    return "";
  return fmt::format("{}, {} bytes", tool.version, bytes);
}

KernelCode makeGpuCode(mlir::ModuleOp program, const std::string &architecture, const std::string &symbol,
                       bool assembler) {
  KernelCode code;
  code.ptx = generatePtx(program, architecture).ptx;
  if (!assembler)
    return code;
  Assembly assembly = assemble(code.ptx, architecture);
  code.cubin = std::move(assembly.cubin);
  for (const KernelResources &resources : assembly.report.kernels)
    if (resources.name == symbol)
      code.registers = resources.registers;
  return code;
}

} // namespace

GpuCode gpuCode(mlir::ModuleOp program, const std::string &architecture, const std::string &symbol,
                const CompilationCache *cache) {
  const AssemblerTool ptxas = findPtxas();
  GpuCode result;
  if (!ptxas.found())
    result.why_no_cubin = ptxas.reason;
  const std::string assembler = cache ? assemblerIdentity(ptxas) : "";
  if (assembler.empty()) {
    result.code = makeGpuCode(program, architecture, symbol, ptxas.found());
    return result;
  }
  CacheKey key = CompilationCache::key("GPU kernel");
  key.add("architecture", architecture)
      .add("symbol", symbol)
      .add("assembler", assembler)
      .add("program", printModule(program, /*names=*/false));
  if (std::optional<KernelCode> kept = cache->loadKernel(key)) {
    result.code = std::move(*kept);
    return result;
  }
  result.code = makeGpuCode(program, architecture, symbol, ptxas.found());
  const std::string note =
      cache->storeKernel(key, fmt::format("kernel {} for {}", symbol, architecture), result.code);
  if (!note.empty())
    result.notes.push_back(note);
  return result;
}

// Linking takes no time and depends on the linker; what is kept is the object.
std::string cpuCode(mlir::ModuleOp program, const CpuLevel &level, const CompilationCache *cache,
                    std::vector<std::string> &notes) {
  if (!cache)
    return linkSharedObject(generateMachineCode(program, level, MachineCode::Object));
  CacheKey key = CompilationCache::key("CPU kernels");
  key.add("level", fmt::format("{} {} {}", level.base, level.tune, level.lanes))
      .add("features", fmt::format("{}", fmt::join(level.features, " ")))
      .add("program", printModule(program, /*names=*/false));
  std::optional<std::string> object = cache->load(key);
  if (!object) {
    object = generateMachineCode(program, level, MachineCode::Object);
    if (const std::string note = cache->store(key, "kernels for " + level.name, *object); !note.empty())
      notes.push_back(note);
  }
  return linkSharedObject(*object);
}

} // namespace compiler
