#include "compiler/pipeline/elementwise_pipeline.h"

#include "compiler/bundle/attach_records.h"
#include "compiler/lower/passes.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/machine_code.h"
#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/cpu/object_code.h"
#include "compiler/targets/elementwise/gpu_kernel.h"
#include "compiler/targets/elementwise/passes.h"
#include "compiler/targets/elementwise/task.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/parameters.h"
#include "compiler/targets/nvidia/ptx.h"
#include "runtime/gpu_kernel_abi.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {
namespace {

/// A function's kernel on its way to a target, in a context of its own.
class Way {
public:
  Way(const ElementwiseFunction &function, const CompileOptions &options)
      : function_(function), compilation_(options.print_ir_after_all),
        module_(compilation_.parse(function.kernel)) {}

  ModuleOp get() { return *module_; }
  void toVector(const CpuLevel &level);
  /// With the record of the kernel, which is described.
  algrt::ElementwiseKernel toLlvm(const CpuLevel &level);
  /// For a GPU; images are not set, and there is no record yet.
  algrt::ElementwiseKernel toNvvm(Target target);
  /// With it.
  algrt::ElementwiseKernel toRecordedNvvm(Target target);

private:
  const ElementwiseFunction &function_;
  Compilation compilation_;
  OwningOpRef<ModuleOp> module_;
};

void Way::toVector(const CpuLevel &level) {
  compilation_.run(*module_, [&](OpPassManager &passes) {
    passes.addPass(createExpandMath());
    ConvertElementwiseToCpuOptions choice;
    choice.lanes = level.lanes;
    passes.addPass(createConvertElementwiseToCpu(choice));
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    passes.addPass(createLoopInvariantCodeMotionPass());
  });
}

algrt::ElementwiseKernel Way::toLlvm(const CpuLevel &level) {
  toVector(level);
  const auto task =
      (*module_->getOps<func::FuncOp>().begin())->getAttrOfType<DenseI64ArrayAttr>("tile.task").asArrayRef();
  algrt::ElementwiseKernel kernel;
  kernel.target = "cpu";
  kernel.known = true;
  kernel.rows_per_task = task[0];
  kernel.columns_per_task = task[1];
  kernel.level = level.name;
  kernel.features = level.features;
  kernel.symbol = function_.description.name;
  kernel.section = function_.description.name + "-cpu-" + level.name;
  compilation_.run(*module_,
                   [&](OpPassManager &passes) { addVectorToLlvm(passes, /*expand_bf16=*/!level.bf16_dot); });
  attachElementwiseRecord(*module_, function_.description, kernel);
  return kernel;
}

algrt::ElementwiseKernel Way::toNvvm(Target target) {
  compilation_.run(*module_, addMathOfGpus);
  const auto tile = *module_->getOps<tile::ElementwiseOp>().begin();
  const ElementwiseTask task = gpuTask(tile);
  algrt::ElementwiseKernel kernel;
  kernel.target = toString(target);
  kernel.known = true;
  kernel.rows_per_task = task.rows;
  kernel.columns_per_task = task.columns;
  algrt::GpuCode &code = kernel.gpu.emplace();
  code.architecture = entryOf(target).architecture;
  code.exact_architecture = entryOf(target).exact_architecture;
  code.symbol = function_.description.name;
  code.threads = gpuThreads(tile);
  code.cluster = 1;
  code.shared_bytes = algrt_elementwise_shared_bytes(code.threads);
  module_ = gpuElementwiseModule(tile);
  code.parameters = readParameters(*module_->getOps<LLVM::LLVMFuncOp>().begin());
  return kernel;
}

algrt::ElementwiseKernel Way::toRecordedNvvm(Target target) {
  algrt::ElementwiseKernel kernel = toNvvm(target);
  attachElementwiseRecord(*module_, function_.description, kernel);
  return kernel;
}

} // namespace

ElementwiseCode compileElementwiseForGpu(const ElementwiseFunction &function, Target target,
                                         const CompileOptions &options) {
  Way way(function, options);
  ElementwiseCode code;
  code.kernel = way.toRecordedNvvm(target);
  GpuCode made = gpuCode(way.get(), toString(target), code.kernel.gpu->symbol, options.cache.get());
  code.ptx = std::move(made.code.ptx);
  code.cubin = std::move(made.code.cubin);
  code.notes = std::move(made.notes);
  const auto add = [&](algrt::ImageKind kind, const std::string &image) {
    if (!image.empty())
      code.kernel.gpu->images.push_back(
          {kind, function.description.name + "-" + toString(target) + "-" + algrt::name(kind)});
  };
  add(algrt::ImageKind::Cubin, code.cubin);
  add(algrt::ImageKind::Ptx, code.ptx);
  return code;
}

GpuElementwiseProgram gpuElementwiseProgram(const ElementwiseFunction &function, Target target,
                                            const CompileOptions &options) {
  Way way(function, options);
  algrt::ElementwiseKernel kernel = way.toNvvm(target);
  return {std::move(kernel), printModule(way.get(), /*names=*/true)};
}

static std::string emitForGpu(const ElementwiseFunction &function, Target target, Stage stage,
                              const CompileOptions &options) {
  Way way(function, options);
  const auto require_cubin = [&] {
    way.toRecordedNvvm(target);
    GpuCode made = gpuCode(way.get(), toString(target), function.description.name, options.cache.get());
    if (made.code.cubin.empty())
      throw AbsentError(made.why_no_cubin);
    return std::move(made.code.cubin);
  };
  switch (stage) {
  case Stage::Tile:
    return printModule(way.get(), /*names=*/true);
  case Stage::Nvvm:
    way.toNvvm(target);
    return printModule(way.get(), /*names=*/true);
  case Stage::Llvm:
    way.toRecordedNvvm(target);
    return nvptxLlvmIr(way.get(), toString(target));
  case Stage::Ptx:
    way.toRecordedNvvm(target);
    return generatePtx(way.get(), toString(target)).ptx;
  case Stage::Cubin:
    return require_cubin();
  case Stage::Sass:
    return disassemble(require_cubin());
  default:
    throw UsageError("an element-wise kernel has the stages tile, nvvm, llvm, ptx, cubin and sass for a GPU");
  }
}

ElementwiseCode compileElementwiseForCpu(const ElementwiseFunction &function, const std::string &level,
                                         const CompileOptions &options) {
  const CpuLevel chosen = cpuLevel(level);
  Way way(function, options);
  ElementwiseCode code;
  code.kernel = way.toLlvm(chosen);
  code.shared_object = cpuCode(way.get(), chosen, options.cache.get(), code.notes);
  return code;
}

static std::string emitForCpu(const ElementwiseFunction &function, Stage stage,
                              const CompileOptions &options) {
  const CpuLevel level = cpuLevel(options.cpu_levels.front());
  Way way(function, options);
  switch (stage) {
  case Stage::Tile:
    return printModule(way.get(), /*names=*/true);
  case Stage::Vector:
    way.toVector(level);
    return printModule(way.get(), /*names=*/false);
  case Stage::Llvm:
  case Stage::Assembly:
  case Stage::Object:
    way.toLlvm(level);
    return generateMachineCode(way.get(), level,
                               stage == Stage::Llvm       ? MachineCode::LlvmIr
                               : stage == Stage::Assembly ? MachineCode::Assembly
                                                          : MachineCode::Object);
  default:
    throw UsageError("an element-wise kernel has the stages tile, vector, llvm, asm and obj for the CPU");
  }
}

std::string emitElementwise(const ElementwiseFunction &function, Target target, Stage stage,
                            const CompileOptions &options) {
  return entryOf(target).isGpu() ? emitForGpu(function, target, stage, options)
                                 : emitForCpu(function, stage, options);
}

std::vector<algrt::SectionContent> elementwiseSections(const ElementwiseCode &code) {
  if (!code.kernel.gpu)
    return {{code.kernel.section, "shared-object", code.shared_object}};
  std::vector<algrt::SectionContent> sections;
  for (const algrt::GpuImage &image : code.kernel.gpu->images)
    sections.push_back({image.section, algrt::name(image.kind),
                        image.kind == algrt::ImageKind::Cubin ? code.cubin : code.ptx});
  return sections;
}

} // namespace compiler
