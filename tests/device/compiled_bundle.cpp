#include "tests/device/compiled_bundle.h"

#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/simulator/kernel_module.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <algorithm>
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

CompiledBundle::Entry CompiledBundle::entryOf(const std::string &image) const {
  const auto has = [&](const algrt::GpuCode *code) {
    return code != nullptr && std::ranges::any_of(code->images, [&](const algrt::GpuImage &one) {
             return bundle_.section(*bundle_.manifest().findSection(one.section)).starts_with(image);
           });
  };
  for (const algrt::Kernel &kernel : bundle_.manifest().kernels)
    if (has(kernel.gpuCode()))
      return {kernel.name, kernel.gpuCode(), &kernel, kernel.target};
  for (const algrt::Elementwise &function : bundle_.manifest().elementwise)
    for (const algrt::ElementwiseKernel &kernel : function.kernels)
      if (kernel.gpu && has(&*kernel.gpu))
        return {function.name, &*kernel.gpu, nullptr, kernel.target};
  throw std::runtime_error("an image was loaded that is none of the bundle's");
}

std::string CompiledBundle::textOf(const Entry &entry, compiler::Stage stage) const {
  const compiler::Target target = compiler::targetNamed(entry.target);
  if (entry.kernel == nullptr) {
    compiler::CompileOptions options;
    options.targets = {target};
    options.output = entry.name == algrt::dbiasFunction(algrt::ElementType::F32) ? algebras::DataType::F32
                                                                                 : algebras::DataType::BF16;
    return compiler::emitDbias(layer_spec_, stage, options);
  }
  const algrt::Kernel &kernel = *entry.kernel;
  if (kernel.group_rows)
    return compiler::emitGroupRows(target, stage, {});
  const compiler::CompileOptions options = optionsOf(options_, kernel);
  if (stage == compiler::Stage::Nvvm)
    return compiler::gpuProgram(specOf(layer_spec_, kernel), target, options).nvvm;
  const compiler::KernelSource source =
      compiler::projectionSource(specOf(layer_spec_, kernel), {kernel.gpu->map});
  return compiler::emitGpuStage(source, target, stage, options);
}

const Program &CompiledBundle::programOf(const std::string &image) {
  const Entry entry = entryOf(image);
  if (const auto found = programs_.find(entry.code); found != programs_.end())
    return found->second;
  bool same = false;
  for (const algrt::GpuImage &one : entry.code->images)
    if (one.kind == algrt::ImageKind::Ptx)
      same = bundle_.section(*bundle_.manifest().findSection(one.section)) ==
             textOf(entry, compiler::Stage::Ptx);
  if (!same)
    throw std::runtime_error("kernel " + entry.name +
                             " of the bundle is not what the compiler writes for it");
  compiler::KernelModule module(textOf(entry, compiler::Stage::Nvvm), entry.name);
  const Program program{entry.name,
                        entry.code,
                        entry.kernel,
                        compiler::HostKernel(module.module()),
                        firstOf(module.module(), mlir::NVVM::NVVMDialect::getReqntidAttrName(), 0),
                        firstOf(module.module(), mlir::NVVM::NVVMDialect::getClusterDimAttrName(), 1)};
  return programs_.emplace(entry.code, program).first->second;
}

} // namespace device_test
