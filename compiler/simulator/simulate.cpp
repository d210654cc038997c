#include "compiler/simulator/simulate.h"

#include "compiler/process/failure.h"
#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/further_matrices.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/simulated_call.h"
#include "compiler/targets/nvidia/kernel_attribute.h"
#include "runtime/support/checked.h"

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
  return SimulatedCall(code_, kernel_, product, settings).run();
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
