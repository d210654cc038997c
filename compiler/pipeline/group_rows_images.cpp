#include "compiler/pipeline/group_rows_images.h"

#include "algebras/error.h"
#include "compiler/bundle/assemble.h"
#include "compiler/bundle/attach_records.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/machine_code.h"
#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/group_rows.h"
#include "compiler/targets/nvidia/instruction_writer.h"
#include "compiler/targets/nvidia/parameters.h"
#include "compiler/targets/nvidia/ptx.h"
#include "runtime/gpu_kernel_abi.h"

#include <fmt/format.h>

using namespace mlir;

namespace compiler {
namespace {

/// The module with its context, and for a target what the manifest says of the kernel, without images.
struct Program {
  explicit Program(ListedNetworks networks) {
    loadAuxiliaryDialects(context);
    module = groupRowsModule(context, group_rows_threads, networks);
  }
  /// What becomes machine code, with what the kernel says of itself.
  Program(Target target, ListedNetworks networks) : Program(networks) {
    kernel.name = group_rows_name.str();
    kernel.map = algrt::group_rows_map;
    kernel.target = toString(target);
    algrt::GpuCode &code = kernel.group_rows.emplace();
    code.symbol = group_rows_name.str();
    code.threads = group_rows_threads;
    code.architecture = entryOf(target).architecture;
    code.exact_architecture = entryOf(target).exact_architecture;
    code.parameters = readParameters(*module->getOps<LLVM::LLVMFuncOp>().begin());
    attachGroupRowsRecord(*module, kernel);
  }
  /// As it is loaded.
  GpuCode code(const CompileOptions &options) {
    return gpuCode(*module, kernel.target, kernel.name, options.cache.get());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  algrt::Kernel kernel;
};

ListedNetworks networksOf(const CompileOptions &options) {
  return options.experts > 0 ? ListedNetworks::Experts : ListedNetworks::One;
}

std::string requireCubin(Target target, const CompileOptions &options) {
  GpuCode made = Program(target, networksOf(options)).code(options);
  if (made.code.cubin.empty())
    throw AbsentError(made.why_no_cubin);
  return std::move(made.code.cubin);
}

void requireFewTypes(const algebras::Layer &layer) {
  const int64_t types = layer.row_types.count(), most = algrt::mostListedTypes(group_rows_threads);
  if (types > most)
    throw algebras::InputError(
        fmt::format("a GPU lists the rows of at most {} row types, the layer has {}", most, types))
        .hint("use the target cpu, or cyclic or interval row types without --row-lists");
}

} // namespace

std::string emitGroupRows(Target target, Stage stage, const CompileOptions &options) {
  switch (stage) {
  case Stage::Nvvm:
    return printModule(*Program(networksOf(options)).module, /*names=*/true);
  case Stage::Llvm:
    return nvptxLlvmIr(*Program(target, networksOf(options)).module, toString(target));
  case Stage::Ptx:
    return generatePtx(*Program(target, networksOf(options)).module, toString(target)).ptx;
  case Stage::Cubin:
    return requireCubin(target, options);
  case Stage::Sass:
    return disassemble(requireCubin(target, options));
  default:
    throw UsageError(
        "the kernel group_rows is written as instructions at once: its stages are nvvm, llvm, ptx, "
        "cubin and sass");
  }
}

CompileJob groupRowsJob(const KernelSource &source, Target target, const CompileOptions &options) {
  requireFewTypes(source.layer);
  return {"kernel that lists rows by type for " + toString(target),
          [target, &options, projection = source.projection] {
            Program program(target, networksOf(options));
            GpuCode made = program.code(options);
            return CompiledPart{
                [projection, kernel = program.kernel, code = std::move(made.code)](BundleParts &parts) {
                  parts.addGpu(projection, kernel, code.ptx, code.cubin);
                },
                std::move(made.notes)};
          }};
}

} // namespace compiler
