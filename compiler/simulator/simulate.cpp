#include "compiler/simulator/simulate.h"

#include "compiler/failure.h"
#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/model/tensor_map.h"
#include "compiler/targets/nvidia/kernel_attribute.h"
#include "runtime/cuda/launch_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

algrt::GpuKernel describedKernel(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      return readKernelAttribute(function);
  throw Failure("the module holds no kernel: no function has the attribute nvvm.kernel");
}

/// How many tensor maps the kernel takes: the byval type of its first parameter says it.
std::size_t mapsTaken(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr("nvvm.kernel") || function.getNumArguments() != 4)
      continue;
    auto by_value = function.getArgAttrOfType<mlir::TypeAttr>(0, mlir::LLVM::LLVMDialect::getByValAttrName());
    if (auto maps = by_value ? mlir::dyn_cast<mlir::LLVM::LLVMArrayType>(by_value.getValue())
                             : mlir::LLVM::LLVMArrayType())
      return maps.getNumElements();
  }
  throw Failure("the kernel's parameters are not tensor maps by value, rows, offset and the terms table");
}

simulator::Swizzle swizzleOf(std::int32_t bytes) {
  switch (bytes) {
  case 32:
    return simulator::Swizzle::B32;
  case 64:
    return simulator::Swizzle::B64;
  case 128:
    return simulator::Swizzle::B128;
  default:
    return simulator::Swizzle::None;
  }
}

simulator::TensorMap encode(const algrt::cuda::TensorMap &map) {
  simulator::TensorMapFields fields;
  fields.base = reinterpret_cast<const void *>(map.address);
  fields.element =
      map.element == algrt::ElementType::f32 ? simulator::Element::F32 : simulator::Element::BF16;
  fields.rank = map.rank;
  std::copy(map.extents.begin(), map.extents.end(), fields.extents);
  std::copy(map.strides.begin(), map.strides.end(), fields.strides);
  std::copy(map.box.begin(), map.box.end(), fields.box);
  fields.swizzle = swizzleOf(map.swizzle);
  simulator::TensorMap result{};
  if (std::string refusal = simulator::encodeTensorMap(fields, result); !refusal.empty())
    throw Failure("the driver would refuse a tensor map of this launch: " + refusal);
  return result;
}

/// What ptxas leaves each thread at entry: the block's share of the register file, in units of 8, at most 255
/// (PTX: setmaxnreg needs the cap that reqntid and minnctapersm imply).
std::int32_t registersAtEntry(std::int64_t threads) {
  constexpr std::int64_t kRegisterFile = 65536, kMost = 255;
  return static_cast<std::int32_t>(std::min(kRegisterFile / threads / 8 * 8, kMost));
}

} // namespace

SimulatedKernel::SimulatedKernel(mlir::ModuleOp module)
    : code(module), kernel(describedKernel(module)), map_count(mapsTaken(module)) {}

SimulatedKernel SimulatedKernel::parse(const std::string &text, const std::string &name) {
  KernelModule parsed(text, name);
  return SimulatedKernel(parsed.module());
}

Simulation SimulatedKernel::run(const ProductOperands &product, const SimulationSettings &settings) const {
  const algrt::Layer &layer = *product.layer;
  const std::int64_t y_unit = 16 / algrt::elementBytes(kernel.output);
  DeviceMatrix x(product.m, layer.k, 8 * settings.x_padding, algrt::ElementType::bf16);
  DeviceMatrix w(layer.k, layer.bankColumns(), 8 * settings.w_padding, algrt::ElementType::bf16);
  DeviceMatrix y(product.m, layer.n, y_unit * settings.y_padding, kernel.output);
  x.set(product.x);
  w.set(product.w);
  const auto plan =
      algrt::cuda::planForward(layer, kernel, {x.address(), x.leading()}, {w.address(), w.leading()},
                               {y.address(), y.leading()}, product.m, product.p0, settings.blocks);

  simulator::GlobalMemory memory;
  x.registerWith(memory, "X", simulator::Access::Read);
  w.registerWith(memory, "W", simulator::Access::Read);
  y.registerWith(memory, "Y", simulator::Access::Write);
  std::vector<std::int32_t> terms;
  if (kernel.terms) {
    terms = algrt::cuda::termsTable(layer, kernel, *product.support);
    memory.registerGlobal("the terms table", terms.data(), static_cast<std::int64_t>(terms.size() * 4),
                          simulator::Access::Read);
  }

  if (plan.maps.size() != map_count)
    throw Failure(
        fmt::format("the kernel takes {} tensor maps, but a launch of this layer has {}: it is the kernel of "
                    "another layer",
                    map_count, plan.maps.size()));
  std::vector<simulator::TensorMap> maps;
  for (const algrt::cuda::TensorMap &map : plan.maps)
    maps.push_back(encode(map));
  std::int32_t rows = plan.rows, offset = plan.offset;
  const void *terms_address = terms.empty() ? nullptr : terms.data();
  void *arguments[] = {maps.data(), &rows, &offset, &terms_address};

  simulator::Launch launch;
  launch.kernel = [this, &arguments] { code.call(arguments); };
  launch.grid = plan.grid;
  launch.cluster = static_cast<std::int32_t>(plan.cluster);
  launch.threads = static_cast<std::int32_t>(plan.threads);
  launch.sharedBytes = plan.shared_bytes;
  launch.registers = registersAtEntry(plan.threads);
  launch.seed = settings.seed;
  launch.dependentLaunch = kernel.dependent_launch;
  if (settings.most_steps > 0)
    launch.mostSteps = settings.most_steps;

  Simulation result;
  result.grid = plan.grid;
  result.tiles = plan.tiles;
  result.report = simulator::run(launch, memory);
  result.unwritten = y.unwritten(memory, "Y");
  result.y = y.values();
  return result;
}

std::string SimulatedKernel::explain(const simulator::Fault &fault) const {
  std::string text = fmt::format("{}: {}", simulator::name(fault.kind), fault.message);
  if (const std::string &op = code.site(fault.site); !op.empty())
    text += "\n  at " + op;
  if (const std::string &op = code.site(fault.otherSite); !op.empty())
    text += "\n  against " + op;
  if (fault.block >= 0)
    text += fmt::format("\n  in block {}", fault.block);
  if (fault.thread >= 0)
    text += fmt::format(", thread {}", fault.thread);
  return text;
}

} // namespace compiler
