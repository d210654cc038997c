#include "compiler/simulator/simulate.h"

#include "compiler/failure.h"
#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/further_matrices.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/model/tensor_map.h"
#include "compiler/targets/nvidia/kernel_attribute.h"
#include "runtime/cuda/launch_parameters.h"
#include "runtime/cuda/row_list.h"
#include "runtime/reference/reference.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace compiler {
namespace {

algrt::GpuKernel describedKernel(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      return readKernelAttribute(function);
  throw Failure("the module holds no kernel: no function has the attribute nvvm.kernel");
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

} // namespace

// In units of 8, at most 255 (PTX: setmaxnreg needs the cap that reqntid and minnctapersm imply).
std::int32_t registersAtEntry(std::int64_t threads) {
  constexpr std::int64_t kRegisterFile = 65536, kMost = 255;
  return static_cast<std::int32_t>(std::min(kRegisterFile / threads / 8 * 8, kMost));
}

const char *resultName(algrt::Map map) {
  switch (map) {
  case algrt::Map::forward:
    return "Y";
  case algrt::Map::dx:
    return "dX";
  case algrt::Map::dw:
    return "dW";
  }
  return "unknown";
}

std::int64_t resultColumns(const algrt::Layer &layer, algrt::Map map) {
  switch (map) {
  case algrt::Map::forward:
    return layer.n;
  case algrt::Map::dx:
    return layer.k;
  case algrt::Map::dw:
    return layer.bankColumns();
  }
  return 0;
}

SimulatedKernel::SimulatedKernel(mlir::ModuleOp module) : code(module), kernel(describedKernel(module)) {}

SimulatedKernel SimulatedKernel::parse(const std::string &text, const std::string &name) {
  KernelModule parsed(text, name);
  return SimulatedKernel(parsed.module());
}

std::int64_t SimulatedKernel::bytes(const algrt::Layer &layer, std::int64_t m) const {
  using algrt::checkedAdd, algrt::checkedMultiply, algrt::ElementType, simulator::Access;
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, kernel);
  const std::int64_t columns = layer.bankColumns();
  std::int64_t sum = 0;
  const auto add = [&](std::int64_t bytes) { sum = checkedAdd(sum, bytes, "the bytes of all matrices"); };
  const auto addFloats = [&](std::int64_t rows, std::int64_t width) {
    add(checkedMultiply(checkedMultiply(rows, width, "the size of a matrix"), std::int64_t{4},
                        "the bytes of a matrix"));
  };
  add(DeviceMatrix::bytes(m, shape.k(), ElementType::bf16, Access::Read));
  if (shape.isBankGradient()) {
    add(DeviceMatrix::bytes(m, layer.n, ElementType::bf16, Access::Read));
    add(DeviceMatrix::bytes(layer.k, columns, kernel.output, Access::ReadWrite));
    addFloats(layer.k, columns);
  } else {
    add(DeviceMatrix::bytes(layer.k, columns, ElementType::bf16, Access::Read));
    add(DeviceMatrix::bytes(m, shape.n(), kernel.output, Access::Write));
    addFloats(m, shape.n());
  }
  if (layer.fusion)
    add(FurtherMatrices::bytes(layer, kernel, m));
  addFloats(m, 5); // positions in two widths, or types in two and the list
  return sum;
}

Simulation SimulatedKernel::run(const ProductOperands &product, const SimulationSettings &settings) const {
  const algrt::Layer &layer = *product.layer;
  auto matrix = [&](std::int64_t rows, std::int64_t columns, std::int64_t padding, std::int64_t shift,
                    algrt::ElementType element) {
    const std::int64_t widest = 16 / algrt::elementBytes(element);
    const std::int64_t unit =
        kernel.copies == algrt::GpuCopies::engine ? widest : std::min(kernel.vector, widest);
    return DeviceMatrix(rows, columns, unit * padding, unit * shift, element);
  };
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, kernel);
  DeviceMatrix x =
      matrix(product.m, shape.k(), settings.x_padding, settings.x_shift, algrt::ElementType::bf16);
  const bool bank_gradient = shape.isBankGradient();
  const auto second = [&] {
    const std::int64_t rows = bank_gradient ? product.m : layer.k,
                       columns = bank_gradient ? layer.n : layer.bankColumns();
    return matrix(rows, columns, settings.w_padding, settings.w_shift, algrt::ElementType::bf16);
  };
  const auto result = [&] {
    const std::int64_t rows = bank_gradient ? layer.k : product.m,
                       columns = bank_gradient ? layer.bankColumns() : shape.n();
    return matrix(rows, columns, settings.y_padding, settings.y_shift, kernel.output);
  };
  DeviceMatrix w = second(), y = result();
  FurtherMatrices further(layer, kernel, product, settings, w);
  const bool takes_bias =
      !layer.fusion && kernel.parameters.find(algrt::ParameterValue::operand, "bias") != nullptr;
  x.set(product.x);
  w.set(product.w);
  if (layer.bias && shape.map == algrt::Map::forward && !takes_bias)
    throw Failure("the layer has a bias, and the kernel takes none: it is the kernel of another layer");
  if (takes_bias && !(layer.bias && product.bias.size() == static_cast<std::size_t>(layer.n)))
    throw Failure("the kernel adds a bias, and the layer has none: it is the kernel of another layer");
  const bool adds = bank_gradient && product.beta != 0;
  if (adds)
    y.set(product.held);

  if (!product.positions.empty() && !kernel.isReduction())
    throw Failure("the kernel reads no positions: give it a schedule of vector reductions, as reduce=32");
  if (!product.positions.empty() && product.positions.size() != static_cast<std::size_t>(product.m))
    throw Failure(fmt::format("there are {} positions for {} rows", product.positions.size(), product.m));

  simulator::GlobalMemory memory;
  // What nobody writes between two calls may be read before the grid before has ended.
  const bool early = kernel.isReduction();
  std::vector<std::int32_t> terms, row_list;
  auto readOnly = [&](const char *name, const std::vector<std::int32_t> &words, bool independent) {
    memory.registerGlobal(name, words.data(), static_cast<std::int64_t>(words.size() * 4),
                          simulator::Access::Read, independent);
    return reinterpret_cast<std::uint64_t>(words.data());
  };
  algrt::cuda::DeviceLists lists;
  if (kernel.terms) {
    terms = algrt::cuda::termsTable(layer, kernel, *product.support);
    lists.terms = readOnly("the terms table", terms, early);
  }
  if (kernel.listed) {
    row_list = algrt::cuda::rowList(layer.types,
                                    algrt::rowTypes(layer, product.m, product.p0,
                                                    product.types.empty() ? nullptr : product.types.data()));
    lists.rows = readOnly("the row list", row_list, false);
  }
  const std::int64_t p0 = kernel.listed ? 0 : product.p0;
  const auto plan = algrt::cuda::planLaunch(layer, kernel,
                                            {{x.address(), x.leading()},
                                             {w.address(), w.leading()},
                                             {y.address(), y.leading()},
                                             further.operands()},
                                            product.m, p0, settings.blocks, lists);
  const bool has_rows = product.m > 0;
  if (has_rows)
    x.registerWith(memory, shape.map == algrt::Map::dx ? "dY" : "X", simulator::Access::Read);
  if (has_rows || !bank_gradient)
    w.registerWith(memory, bank_gradient ? "dY" : "W", simulator::Access::Read, early);
  const std::string result_name = resultName(shape.map);
  y.registerWith(memory, result_name, adds ? simulator::Access::ReadWrite : simulator::Access::Write);
  further.registerWith(memory, has_rows, early);
  // Its numbers may lie at any multiple of their size.
  DeviceMatrix bias(1, layer.n, 0, 1, algrt::ElementType::bf16);
  if (takes_bias) {
    bias.set(product.bias);
    bias.registerWith(memory, "the bias", simulator::Access::Read);
  }
  std::vector<std::int32_t> narrow_positions(product.positions.begin(), product.positions.end());
  std::int32_t position_bytes = product.wide_positions ? 8 : 4;
  const void *positions_address = nullptr;
  if (!product.positions.empty()) {
    positions_address = product.wide_positions ? static_cast<const void *>(product.positions.data())
                                               : static_cast<const void *>(narrow_positions.data());
    memory.registerGlobal("the positions", positions_address, product.m * position_bytes,
                          simulator::Access::Read);
  }
  algrt::cuda::ParameterBlock block(kernel.parameters);
  algrt::cuda::setProduct(block, kernel.parameters, plan,
                          {plan.rows, plan.offset, lists.terms, product.beta, takes_bias ? bias.address() : 0,
                           reinterpret_cast<std::uint64_t>(positions_address), position_bytes,
                           layer.fusion ? &*layer.fusion : nullptr, further.operands(), further.numbers()},
                          [](const algrt::cuda::TensorMap &map, std::byte *to) {
                            const simulator::TensorMap encoded = encode(map);
                            static_assert(sizeof(encoded) == algrt_tensor_map_bytes);
                            std::memcpy(to, &encoded, sizeof(encoded));
                          });
  if (const std::span<const std::byte> plain_maps = block.plainMaps(); !plain_maps.empty())
    memory.registerGlobal("the maps", plain_maps.data(), static_cast<std::int64_t>(plain_maps.size()),
                          simulator::Access::Read, /*independent=*/true);
  const std::vector<void *> arguments = block.pointers();

  simulator::Launch launch;
  launch.kernel = [this, &arguments] { code.call(arguments.data()); };
  launch.grid = plan.grid;
  launch.cluster = static_cast<std::int32_t>(plan.cluster);
  launch.threads = static_cast<std::int32_t>(plan.threads);
  launch.sharedBytes = plan.shared_bytes;
  launch.registers = registersAtEntry(plan.threads);
  launch.seed = settings.seed;
  launch.dependentLaunch = kernel.dependent_launch;
  if (settings.most_steps > 0)
    launch.mostSteps = settings.most_steps;
  const double result_bytes = static_cast<double>(y.bytes());
  if (settings.progress)
    launch.progress = [&](std::int64_t written) {
      settings.progress(static_cast<double>(written) / result_bytes);
    };

  Simulation simulation;
  simulation.grid = plan.grid;
  simulation.tiles = plan.tiles;
  simulation.report = simulator::run(launch, memory);
  simulation.unwritten = y.unwritten(memory);
  simulation.y = y.values();
  further.collect(simulation, memory);
  return simulation;
}

std::string explain(const HostKernel &code, const simulator::Fault &fault) {
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

std::string SimulatedKernel::explain(const simulator::Fault &fault) const {
  return compiler::explain(code, fault);
}

} // namespace compiler
