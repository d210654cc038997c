#include "compiler/auxiliary/images.h"

#include "algebras/error.h"
#include "compiler/auxiliary/bias_gradient.h"
#include "compiler/auxiliary/group_rows.h"
#include "compiler/auxiliary/instruction_writer.h"
#include "compiler/bundle/assemble.h"
#include "compiler/bundle/attach_records.h"
#include "compiler/compilation.h"
#include "compiler/failure.h"
#include "compiler/machine_code.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/parameters.h"
#include "compiler/targets/nvidia/ptx.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace compiler {
namespace {

struct AuxiliaryKernel {
  llvm::StringLiteral name;
  std::string_view map;
  OwningOpRef<ModuleOp> (*write)(MLIRContext &context, int64_t threads);
  int64_t threads;
  std::optional<algrt::GpuCode> algrt::Kernel::*code; ///< where the manifest has it
  const char *purpose;
};

constexpr AuxiliaryKernel group_rows = {
    group_rows_name,    algrt::group_rows_map,      groupRowsModule,
    group_rows_threads, &algrt::Kernel::group_rows, "kernel that lists rows by type"};
constexpr AuxiliaryKernel bias_gradient = {
    bias_gradient_name,    algrt::bias_gradient_map,      biasGradientModule,
    bias_gradient_threads, &algrt::Kernel::bias_gradient, "kernel of the bias's gradient"};

const AuxiliaryKernel *find(std::string_view map) {
  for (const AuxiliaryKernel *kernel : {&group_rows, &bias_gradient})
    if (kernel->map == map)
      return kernel;
  return nullptr;
}

/// The module with its context, and for a target what the manifest says of the kernel, without images.
struct Program {
  explicit Program(const AuxiliaryKernel &which) {
    loadAuxiliaryDialects(context);
    module = which.write(context, which.threads);
  }
  /// What becomes machine code, with what the kernel says of itself.
  Program(const AuxiliaryKernel &which, Target target) : Program(which) {
    kernel.name = which.name.str();
    kernel.map = which.map;
    kernel.target = toString(target);
    algrt::GpuCode &code = (kernel.*which.code).emplace();
    code.symbol = which.name.str();
    code.threads = which.threads;
    code.architecture = entryOf(target).architecture;
    code.exact_architecture = entryOf(target).exact_architecture;
    code.parameters = readParameters(*module->getOps<LLVM::LLVMFuncOp>().begin());
    attachAuxiliaryRecord(*module, kernel);
  }
  /// As it is loaded.
  GpuCode code(const CompileOptions &options) {
    return gpuCode(*module, kernel.target, kernel.name, options.cache.get());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  algrt::Kernel kernel;
};

std::string requireCubin(const AuxiliaryKernel &kernel, Target target, const CompileOptions &options) {
  GpuCode made = Program(kernel, target).code(options);
  if (made.code.cubin.empty())
    throw AbsentError(made.why_no_cubin);
  return std::move(made.code.cubin);
}

CompileJob jobOf(const AuxiliaryKernel &which, const KernelSource &source, Target target,
                 const CompileOptions &options) {
  return {std::string(which.purpose) + " for " + toString(target),
          [&which, target, &options, projection = source.projection] {
            Program program(which, target);
            GpuCode made = program.code(options);
            return CompiledPart{
                [projection, kernel = program.kernel, code = std::move(made.code)](BundleParts &parts) {
                  parts.addGpu(projection, kernel, code.ptx, code.cubin);
                },
                std::move(made.notes)};
          }};
}

void requireFewTypes(const algebras::Layer &layer) {
  constexpr int64_t bytes_of_type = sizeof(int32_t);
  const int64_t room =
      algrt::most_group_rows_shared_bytes - algrt_group_rows_shared_bytes(group_rows_threads, 0);
  const int64_t types = layer.row_types.count();
  if (types > room / bytes_of_type)
    throw algebras::InputError(fmt::format("a GPU lists the rows of at most {} row types, the layer has {}",
                                           room / bytes_of_type, types))
        .hint("use the target cpu, or cyclic or interval row types without --row-lists");
}

} // namespace

bool isAuxiliaryMap(std::string_view map) { return find(map) != nullptr; }

std::string emitAuxiliary(std::string_view map, Target target, Stage stage, const CompileOptions &options) {
  const AuxiliaryKernel &kernel = *find(map);
  switch (stage) {
  case Stage::Nvvm:
    return printModule(*Program(kernel).module, /*names=*/true);
  case Stage::Llvm:
    return nvptxLlvmIr(*Program(kernel, target).module, toString(target));
  case Stage::Ptx:
    return generatePtx(*Program(kernel, target).module, toString(target)).ptx;
  case Stage::Cubin:
    return requireCubin(kernel, target, options);
  case Stage::Sass:
    return disassemble(requireCubin(kernel, target, options));
  default:
    throw UsageError(fmt::format("the kernel {} is written as instructions at once: its stages are nvvm, "
                                 "llvm, ptx, cubin and sass",
                                 kernel.name.str()));
  }
}

std::vector<CompileJob> auxiliaryJobs(const KernelSource &source, Target target,
                                      const CompileOptions &options) {
  const algebras::Layer &layer = source.layer;
  std::vector<CompileJob> jobs;
  if (layer.lift.kind() == algebras::Lift::Kind::Rows &&
      (options.row_lists || layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)) {
    requireFewTypes(layer);
    jobs.push_back(jobOf(group_rows, source, target, options));
  }
  if (layer.bias && std::ranges::count(source.maps, algrt::Map::Dw) > 0)
    jobs.push_back(jobOf(bias_gradient, source, target, options));
  return jobs;
}

} // namespace compiler
