#include "compiler/pipeline/cpu_pipeline.h"

#include "compiler/bundle/attach_records.h"
#include "compiler/lower/passes.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/kernel_options.h"
#include "compiler/pipeline/machine_code.h"
#include "compiler/schedule/work.h"
#include "compiler/targets/c/plain_c.h"
#include "compiler/targets/cpu/object_code.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {
namespace {

void toTile(Compilation &compilation, ModuleOp module, const std::string &level,
            const CompileOptions &options) {
  compilation.run(module, [&](OpPassManager &passes) {
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ConvertAlgToTileOptions choice;
    choice.cpu = level;
    choice.rows = RowsOfNetworks(options.rows, options.experts).rows; // one expert after another
    passes.addPass(createConvertAlgToTile(choice));
  });
}

void toVector(Compilation &compilation, ModuleOp module) {
  compilation.run(module, [](OpPassManager &passes) {
    passes.addPass(createExpandMath());
    passes.addPass(createConvertTileToCpu());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createLoopInvariantCodeMotionPass());
  });
}

void toLlvm(Compilation &compilation, ModuleOp module, const CpuLevel &level) {
  compilation.run(module,
                  [&](OpPassManager &passes) { addVectorToLlvm(passes, /*expand_bf16=*/!level.bf16_dot); });
}

} // namespace

std::string emitCpuStage(const KernelSource &source, Stage stage, const CompileOptions &options) {
  if (stage == Stage::C)
    return plainC(source.layer, source.title);
  Compilation compilation(options.print_ir_after_all, source.origin);
  OwningOpRef<ModuleOp> module = compilation.algProgram(source, source.maps);
  if (stage == Stage::Alg)
    return printModule(*module, /*names=*/true);
  const CpuLevel level = cpuLevel(options.cpu_levels.front());
  toTile(compilation, *module, options.cpu_levels.front(), options);
  if (stage == Stage::Tile)
    return printModule(*module, /*names=*/true);
  toVector(compilation, *module);
  if (stage == Stage::Vector)
    return printModule(*module, /*names=*/false);
  const std::vector<algrt::Kernel> kernels = cpuKernels(*module, level);
  toLlvm(compilation, *module, level);
  attachRecords(*module, kernels, source, RecordSpace::Host);
  const MachineCode code = stage == Stage::Llvm       ? MachineCode::LlvmIr
                           : stage == Stage::Assembly ? MachineCode::Assembly
                                                      : MachineCode::Object;
  return generateMachineCode(*module, level, code);
}

static CompiledPart compileForLevel(const KernelSource &source, const std::string &name,
                                    const CompileOptions &options) {
  const CpuLevel level = cpuLevel(name);
  Compilation compilation(options.print_ir_after_all, source.origin);
  OwningOpRef<ModuleOp> module = compilation.algProgram(source, source.maps);
  toTile(compilation, *module, name, options);
  toVector(compilation, *module);
  const std::vector<algrt::Kernel> kernels = cpuKernels(*module, level);
  toLlvm(compilation, *module, level);
  attachRecords(*module, kernels, source, RecordSpace::Host);
  CompiledPart part;
  const std::string code = cpuCode(*module, level, options.cache.get(), part.notes);
  part.add = [=, projection = source.projection](BundleParts &parts) {
    parts.addCpu(projection, level.name, kernels, code);
  };
  return part;
}

void addCpuJobs(const KernelSource &source, const CompileOptions &options, std::vector<CompileJob> &jobs) {
  const std::string of = source.projection.empty() ? "" : " of " + source.projection;
  for (const std::string &name : options.cpu_levels)
    jobs.push_back({"kernels" + of + " for " + name, [&source, own = optionsFor(source, options), name] {
                      return compileForLevel(source, name, own);
                    }});
}

} // namespace compiler
