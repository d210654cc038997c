#include "compiler/row_list/images.h"

#include "algebras/error.h"
#include "compiler/bundle/assemble.h"
#include "compiler/compilation.h"
#include "compiler/failure.h"
#include "compiler/gpu_target.h"
#include "compiler/machine_code.h"
#include "compiler/row_list/group_rows.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/ptx.h"
#include "runtime/gpu_kernel_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <fmt/format.h>

using namespace mlir;

namespace compiler {
namespace {

/// The module with its context.
struct Program {
  Program() {
    context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                        scf::SCFDialect>();
    module = groupRowsModule(context);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

GpuCode codeFor(Target target, const CompileOptions &options) {
  Program program;
  return gpuCode(*program.module, toString(target), group_rows_name.str(), options.cache.get());
}

std::string requireCubin(Target target, const CompileOptions &options) {
  GpuCode made = codeFor(target, options);
  if (made.code.cubin.empty())
    throw AbsentError(made.why_no_cubin);
  return std::move(made.code.cubin);
}

} // namespace

std::string emitGroupRows(Target target, Stage stage, const CompileOptions &options) {
  Program program;
  switch (stage) {
  case Stage::Nvvm:
    return printModule(*program.module, /*names=*/true);
  case Stage::Llvm:
    return nvptxLlvmIr(*program.module, toString(target));
  case Stage::Ptx:
    return generatePtx(*program.module, toString(target)).ptx;
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

bool needsGroupRows(const algebras::Layer &layer, const CompileOptions &options) {
  return layer.lift.kind() == algebras::Lift::Kind::Rows &&
         (options.row_lists || layer.row_types.kind() == algebras::RowTypes::Kind::Explicit);
}

CompileJob groupRowsJob(const algebras::Layer &layer, Target target, const CompileOptions &options) {
  constexpr std::int64_t bytes_of_type = sizeof(std::int32_t);
  const std::int64_t room =
      algrt::most_group_rows_shared_bytes - algrt_group_rows_shared_bytes(group_rows_threads, 0);
  const std::int64_t types = layer.row_types.count();
  if (types > room / bytes_of_type)
    throw algebras::InputError(fmt::format("a GPU lists the rows of at most {} row types, the layer has {}",
                                           room / bytes_of_type, types))
        .hint("use the target cpu, or cyclic or interval row types without --row-lists");
  return {"kernel that lists rows by type for " + toString(target), [target, &options] {
            GpuCode made = codeFor(target, options);
            algrt::Kernel kernel;
            kernel.name = group_rows_name.str();
            kernel.map = algrt::group_rows_map;
            kernel.target = toString(target);
            kernel.group_rows.emplace();
            kernel.group_rows->symbol = group_rows_name.str();
            kernel.group_rows->threads = group_rows_threads;
            kernel.group_rows->architecture = gpuTarget(target).architecture;
            kernel.group_rows->exact_architecture = gpuTarget(target).exact_architecture;
            return CompiledPart{[kernel, code = std::move(made.code)](BundleParts &parts) {
                                  parts.addGpu(kernel, code.ptx, code.cubin);
                                },
                                std::move(made.notes)};
          }};
}

} // namespace compiler
