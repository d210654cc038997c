#include "tests/device/compiled_bundle.h"

#include "compiler/auxiliary/images.h"
#include "compiler/gpu_pipeline.h"
#include "compiler/simulator/kernel_module.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

namespace device_test {
namespace {

std::string compiled(const compiler::Spec &spec, const compiler::CompileOptions &options) {
  const std::string path = testing::TempDir() + "layer.alg";
  compiler::compileBundle(spec, path, options);
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The spec of which the kernel was made: whose rows are listed of a layer whose types follow from positions
// has explicit types.
compiler::Spec specOf(const compiler::Spec &spec, const algrt::Kernel &kernel) {
  return kernel.gpu->listed ? compiler::withListedRows(spec) : spec;
}

compiler::CompileOptions optionsOf(compiler::CompileOptions options, const algrt::Kernel &kernel) {
  options.targets = {compiler::targetNamed(kernel.target)};
  options.map = kernel.gpu->map;
  options.output =
      kernel.gpu->output == algrt::ElementType::F32 ? algebras::DataType::F32 : algebras::DataType::BF16;
  options.schedule = kernel.gpu->schedule;
  return options;
}

// A number of the kernel's attribute that is a list of three, or `otherwise`.
int64_t firstOf(mlir::ModuleOp module, llvm::StringRef attribute, int64_t otherwise) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (auto list = function->getAttrOfType<mlir::DenseI32ArrayAttr>(attribute))
      return list[0];
  return otherwise;
}

} // namespace

CompiledBundle::CompiledBundle(compiler::Spec spec, compiler::CompileOptions given)
    : layer_spec_(std::move(spec)), options_(std::move(given)), text_(compiled(layer_spec_, options_)),
      bundle_(algrt::Bundle::parse(text_)) {}

const algrt::Kernel &CompiledBundle::kernelOf(const std::string &image) const {
  for (const algrt::Kernel &kernel : bundle_.manifest().kernels)
    if (const algrt::GpuCode *code = kernel.gpuCode())
      for (const algrt::GpuImage &one : code->images)
        if (bundle_.section(*bundle_.manifest().findSection(one.section)).starts_with(image))
          return kernel;
  throw std::runtime_error("an image was loaded that is none of the bundle's");
}

std::string CompiledBundle::moduleOf(const algrt::Kernel &kernel) const {
  const compiler::Target target = compiler::targetNamed(kernel.target);
  if (kernel.auxiliary() != nullptr)
    return compiler::emitAuxiliary(kernel.map, target, compiler::Stage::Nvvm, {});
  return compiler::gpuProgram(specOf(layer_spec_, kernel), target, optionsOf(options_, kernel)).nvvm;
}

std::string CompiledBundle::ptxOf(const algrt::Kernel &kernel) const {
  const compiler::Target target = compiler::targetNamed(kernel.target);
  if (kernel.auxiliary() != nullptr)
    return compiler::emitAuxiliary(kernel.map, target, compiler::Stage::Ptx, {});
  const compiler::KernelSource source =
      compiler::projectionSource(specOf(layer_spec_, kernel), {kernel.gpu->map});
  return compiler::emitGpuStage(source, target, compiler::Stage::Ptx, optionsOf(options_, kernel));
}

const Program &CompiledBundle::programOf(const std::string &image) {
  const algrt::Kernel &kernel = kernelOf(image);
  if (const auto found = programs_.find(&kernel); found != programs_.end())
    return found->second;
  bool same = false;
  for (const algrt::GpuImage &one : kernel.gpuCode()->images)
    if (one.kind == algrt::ImageKind::Ptx)
      same = bundle_.section(*bundle_.manifest().findSection(one.section)) == ptxOf(kernel);
  if (!same)
    throw std::runtime_error("kernel " + kernel.name +
                             " of the bundle is not what the compiler writes for it");
  compiler::KernelModule module(moduleOf(kernel), kernel.name);
  const Program program{&kernel, compiler::HostKernel(module.module()),
                        firstOf(module.module(), mlir::NVVM::NVVMDialect::getReqntidAttrName(), 0),
                        firstOf(module.module(), mlir::NVVM::NVVMDialect::getClusterDimAttrName(), 1)};
  return programs_.emplace(&kernel, program).first->second;
}

} // namespace device_test
