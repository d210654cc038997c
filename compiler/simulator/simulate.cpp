#include "compiler/simulator/simulate.h"

#include "compiler/process/failure.h"
#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/expert_lists.h"
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
#include <span>

namespace compiler {
namespace {

algrt::GpuKernel describedKernel(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr("nvvm.kernel"))
      return readKernelAttribute(function);
  throw Failure("the module holds no kernel: no function has the attribute nvvm.kernel");
}

simulator::Swizzle swizzleOf(int32_t bytes) {
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
      map.element == algrt::ElementType::F32 ? simulator::Element::F32 : simulator::Element::BF16;
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
int32_t registersAtEntry(int64_t threads) {
  constexpr int64_t register_file = 65536, most = 255;
  return static_cast<int32_t>(std::min(register_file / threads / 8 * 8, most));
}

const char *resultName(algrt::Map map) {
  switch (map) {
  case algrt::Map::Forward:
    return "Y";
  case algrt::Map::Dx:
    return "dX";
  case algrt::Map::Dw:
    return "dW";
  }
  return "unknown";
}

int64_t resultColumns(const algrt::Layer &layer, algrt::Map map) {
  switch (map) {
  case algrt::Map::Forward:
    return layer.n;
  case algrt::Map::Dx:
    return layer.k;
  case algrt::Map::Dw:
    return layer.weightColumns();
  }
  return 0;
}

SimulatedKernel::SimulatedKernel(mlir::ModuleOp module) : code_(module), kernel_(describedKernel(module)) {}

SimulatedKernel SimulatedKernel::parse(const std::string &text, const std::string &name) {
  KernelModule parsed(text, name);
  return SimulatedKernel(parsed.module());
}

int64_t SimulatedKernel::bytes(const algrt::Layer &layer, int64_t m) const {
  using algrt::checkedAdd, algrt::checkedMultiply, algrt::ElementType, simulator::Access;
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, kernel_);
  const int64_t columns = layer.weightColumns();
  int64_t sum = 0;
  const auto add = [&](int64_t bytes) { sum = checkedAdd(sum, bytes, "the bytes of all matrices"); };
  const auto add_floats = [&](int64_t rows, int64_t width) {
    add(checkedMultiply(checkedMultiply(rows, width, "the size of a matrix"), int64_t{4},
                        "the bytes of a matrix"));
  };
  add(DeviceMatrix::bytes(m, shape.k(), ElementType::Bf16, Access::Read));
  if (shape.isWeightGradient()) {
    add(DeviceMatrix::bytes(m, layer.n, ElementType::Bf16, Access::Read));
    add(DeviceMatrix::bytes(layer.k, columns, kernel_.output, Access::ReadWrite));
    add_floats(layer.k, columns);
  } else {
    add(DeviceMatrix::bytes(layer.k, columns, ElementType::Bf16, Access::Read));
    add(DeviceMatrix::bytes(m, shape.n(), kernel_.output, Access::Write));
    add_floats(m, shape.n());
  }
  if (layer.fusion)
    add(FurtherMatrices::bytes(layer, kernel_, m));
  add_floats(m, 5); // positions in two widths, or types in two and the list
  return sum;
}

Simulation SimulatedKernel::run(const ProductOperands &product, const SimulationSettings &settings) const {
  const algrt::Layer &layer = *product.layer;
  auto matrix = [&](int64_t rows, int64_t columns, int64_t padding, int64_t shift,
                    algrt::ElementType element) {
    const int64_t widest = 16 / algrt::elementBytes(element);
    const int64_t unit =
        kernel_.copies == algrt::GpuCopies::Engine ? widest : std::min(kernel_.vector, widest);
    return DeviceMatrix(rows, columns, unit * padding, unit * shift, element);
  };
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, kernel_, product.experts());
  DeviceMatrix x =
      matrix(product.rowsOfX(), shape.k(), settings.x_padding, settings.x_shift, algrt::ElementType::Bf16);
  const bool weight_gradient = shape.isWeightGradient();
  const auto second = [&] {
    const int64_t rows = weight_gradient ? product.m : product.networks() * layer.k,
                  columns = weight_gradient ? layer.n : layer.weightColumns();
    return matrix(rows, columns, settings.w_padding, settings.w_shift, algrt::ElementType::Bf16);
  };
  const auto result = [&] {
    const int64_t rows = weight_gradient ? layer.k : product.m,
                  columns = weight_gradient ? layer.weightColumns() : shape.n();
    return matrix(rows, columns, settings.y_padding, settings.y_shift, kernel_.output);
  };
  DeviceMatrix w = second(), y = result();
  FurtherMatrices further(layer, kernel_, product, settings, w);
  const bool takes_bias =
      !layer.fusion && kernel_.parameters.find(algrt::ParameterValue::Operand, "bias") != nullptr;
  x.set(product.x);
  w.set(product.w);
  if (layer.bias && shape.map == algrt::Map::Forward && !takes_bias)
    throw Failure("the layer has a bias, and the kernel takes none: it is the kernel of another layer");
  const int64_t bias_size = product.networks() * layer.n;
  if (takes_bias && !(layer.bias && product.bias.size() == static_cast<size_t>(bias_size)))
    throw Failure("the kernel adds a bias, and the layer has none: it is the kernel of another layer");
  const bool adds = weight_gradient && product.beta != 0;
  if (adds)
    y.set(product.held);

  const bool lists_experts = kernel_.listed && product.experts() > 0;
  if (!product.positions.empty() && !kernel_.isReduction() && !lists_experts)
    throw Failure("the kernel reads no positions: give it a schedule of vector reductions, as reduce=32");
  if (!product.positions.empty() && product.positions.size() != static_cast<size_t>(product.positionCount()))
    throw Failure(
        fmt::format("there are {} positions for {} rows", product.positions.size(), product.positionCount()));

  simulator::GlobalMemory memory;
  // What nobody writes between two calls may be read before the grid before has ended.
  const bool early = kernel_.isReduction();
  std::vector<int32_t> terms, row_list;
  auto read_only = [&](const char *name, const std::vector<int32_t> &words, bool independent) {
    memory.registerGlobal(name, words.data(), static_cast<int64_t>(words.size() * 4), simulator::Access::Read,
                          independent);
    return reinterpret_cast<uint64_t>(words.data());
  };
  algrt::cuda::DeviceLists lists;
  if (kernel_.terms) {
    terms = algrt::cuda::termsTable(layer, kernel_, *product.support);
    lists.terms = read_only("the terms table", terms, early);
  }
  ExpertLists of_experts;
  if (lists_experts) {
    of_experts = expertLists(product);
    lists.rows = read_only("the row list", of_experts.of_y, false);
    if (product.hasList() && product.x_by_list)
      lists.rows_of_x = read_only("the row list of X", of_experts.of_x, false);
  } else if (kernel_.listed) {
    row_list = algrt::cuda::rowList(layer.types,
                                    algrt::rowTypes(layer, product.m, product.p0,
                                                    product.types.empty() ? nullptr : product.types.data()));
    lists.rows = read_only("the row list", row_list, false);
  }
  const int64_t p0 = kernel_.listed ? 0 : product.p0;
  const auto plan = algrt::cuda::planLaunch(layer, kernel_,
                                            {{x.address(), x.leading()},
                                             {w.address(), w.leading()},
                                             {y.address(), y.leading()},
                                             further.operands(),
                                             product.experts(),
                                             product.hasList() && product.x_by_list ? product.batch_rows : 0},
                                            product.m, p0, settings.blocks, lists);
  const bool has_rows = product.m > 0;
  if (has_rows)
    x.registerWith(memory, shape.map == algrt::Map::Dx ? "dY" : "X", simulator::Access::Read);
  if (has_rows || !weight_gradient)
    w.registerWith(memory, weight_gradient ? "dY" : "W", simulator::Access::Read, early);
  const std::string result_name = resultName(shape.map);
  y.registerWith(memory, result_name, adds ? simulator::Access::ReadWrite : simulator::Access::Write);
  further.registerWith(memory, has_rows, early);
  // Its numbers may lie at any multiple of their size.
  DeviceMatrix bias(1, bias_size, 0, 1, algrt::ElementType::Bf16);
  if (takes_bias) {
    bias.set(product.bias);
    bias.registerWith(memory, "the bias", simulator::Access::Read);
  }
  std::vector<int32_t> narrow_positions(product.positions.begin(), product.positions.end());
  int32_t position_bytes = product.wide_positions ? 8 : 4;
  const void *positions_address = nullptr;
  if (!product.positions.empty()) {
    positions_address = product.wide_positions ? static_cast<const void *>(product.positions.data())
                                               : static_cast<const void *>(narrow_positions.data());
    memory.registerGlobal("the positions", positions_address, product.positionCount() * position_bytes,
                          simulator::Access::Read);
  }
  if (!product.expert_starts.empty())
    memory.registerGlobal("the starts of experts", product.expert_starts.data(),
                          static_cast<int64_t>(product.expert_starts.size_bytes()), simulator::Access::Read);
  const auto list = reinterpret_cast<uint64_t>(product.expert_rows.data());
  if (product.hasList())
    memory.registerGlobal("the rows of experts", product.expert_rows.data(),
                          static_cast<int64_t>(product.expert_rows.size_bytes()), simulator::Access::Read);
  algrt::cuda::ParameterBlock block(kernel_.parameters);
  algrt::cuda::setProduct(
      block, kernel_.parameters, plan,
      {plan.rows, plan.offset, lists.terms, product.beta, takes_bias ? bias.address() : 0,
       reinterpret_cast<uint64_t>(positions_address), position_bytes, layer.fusion ? &*layer.fusion : nullptr,
       further.operands(), further.numbers(), reinterpret_cast<uint64_t>(product.expert_starts.data()),
       static_cast<int32_t>(product.experts()), product.hasList() && product.x_by_list ? list : 0,
       product.hasList() ? list : 0, static_cast<int32_t>(product.batch_rows)},
      [](const algrt::cuda::TensorMap &map, std::byte *to) {
        const simulator::TensorMap encoded = encode(map);
        static_assert(sizeof(encoded) == algrt_tensor_map_bytes);
        std::memcpy(to, &encoded, sizeof(encoded));
      });
  if (const std::span<const std::byte> plain_maps = block.plainMaps(); !plain_maps.empty())
    memory.registerGlobal("the maps", plain_maps.data(), static_cast<int64_t>(plain_maps.size()),
                          simulator::Access::Read, /*independent=*/true);
  const std::span<void *> arguments = block.pointers();

  simulator::Launch launch;
  launch.kernel = [this, &arguments] { code_.call(arguments.data()); };
  launch.grid = plan.grid;
  launch.cluster = static_cast<int32_t>(plan.cluster);
  launch.threads = static_cast<int32_t>(plan.threads);
  launch.shared_bytes = plan.shared_bytes;
  launch.registers = registersAtEntry(plan.threads);
  launch.seed = settings.seed;
  launch.dependent_launch = kernel_.dependent_launch;
  if (settings.most_steps > 0)
    launch.most_steps = settings.most_steps;
  const double result_bytes = static_cast<double>(y.bytes());
  if (settings.progress)
    launch.progress = [&](int64_t written) {
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
  if (const std::string &op = code.site(fault.other_site); !op.empty())
    text += "\n  against " + op;
  if (fault.block >= 0)
    text += fmt::format("\n  in block {}", fault.block);
  if (fault.thread >= 0)
    text += fmt::format(", thread {}", fault.thread);
  return text;
}

std::string SimulatedKernel::explain(const simulator::Fault &fault) const {
  return compiler::explain(code_, fault);
}

} // namespace compiler
