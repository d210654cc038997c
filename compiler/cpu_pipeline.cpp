#include "compiler/cpu_pipeline.h"

#include "compiler/bundle/attach_records.h"
#include "compiler/compilation.h"
#include "compiler/lower/passes.h"
#include "compiler/machine_code.h"
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
    choice.rows = options.rows;
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

std::string emitCpuStage(const Spec &spec, Stage stage, const CompileOptions &options) {
  if (stage == Stage::C)
    return plainC(requireLayer(spec), spec.source_name);
  Compilation compilation(options.print_ir_after_all);
  OwningOpRef<ModuleOp> module =
      compilation.algProgram(spec, {algrt::Map::forward, algrt::Map::dx, algrt::Map::dw});
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
  attachRecords(*module, kernels, requireLayer(spec), RecordSpace::Host);
  const MachineCode code = stage == Stage::Llvm       ? MachineCode::LlvmIr
                           : stage == Stage::Assembly ? MachineCode::Assembly
                                                      : MachineCode::Object;
  return generateMachineCode(*module, level, code);
}

static CompiledPart compileForLevel(const Spec &spec, const std::string &name,
                                    const CompileOptions &options) {
  const CpuLevel level = cpuLevel(name);
  Compilation compilation(options.print_ir_after_all);
  OwningOpRef<ModuleOp> module = compilation.algProgram(spec, options.maps);
  toTile(compilation, *module, name, options);
  toVector(compilation, *module);
  const std::vector<algrt::Kernel> kernels = cpuKernels(*module, level);
  toLlvm(compilation, *module, level);
  attachRecords(*module, kernels, requireLayer(spec), RecordSpace::Host);
  CompiledPart part;
  const std::string code = cpuCode(*module, level, options.cache.get(), part.notes);
  part.add = [=](BundleParts &parts) { parts.addCpu(level.name, kernels, code); };
  return part;
}

void addCpuJobs(const Spec &spec, const CompileOptions &options, std::vector<CompileJob> &jobs) {
  for (const std::string &name : options.cpu_levels)
    jobs.push_back(
        {"kernels for " + name, [&spec, &options, name] { return compileForLevel(spec, name, options); }});
}

} // namespace compiler
