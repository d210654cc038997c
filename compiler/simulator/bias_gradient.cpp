#include "compiler/simulator/bias_gradient.h"

#include "compiler/auxiliary/bias_gradient.h"
#include "compiler/auxiliary/instruction_writer.h"
#include "compiler/simulator/device_matrix.h"
#include "runtime/cuda/launch_parameters.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compiler {
namespace {

/// Partial sums in the workspace. Before a launch writes them they are NaN.
std::vector<double> workspaceFor(const BiasGradientOperands &operands) {
  const int64_t words = algrt::cuda::biasGradientBytes(operands.n, operands.m) / 8;
  return std::vector<double>(static_cast<size_t>(words), std::numeric_limits<double>::quiet_NaN());
}

} // namespace

int64_t biasGradientBytes(int64_t n, int64_t m) {
  using algrt::checkedAdd, algrt::checkedMultiply, simulator::Access;
  // Partial sums and the writer of each of their bytes.
  const int64_t sums =
      checkedMultiply(algrt::cuda::biasGradientBytes(n, m), int64_t{1 + sizeof(uint32_t)}, "sums");
  const int64_t operands =
      checkedAdd(DeviceMatrix::bytes(m, n, algrt::ElementType::Bf16, Access::Read),
                 DeviceMatrix::bytes(1, n, algrt::ElementType::F32, Access::Write), "the bytes of dY");
  return checkedAdd(sums, operands, "the bytes of dbias");
}

HostKernel biasGradientKernel() {
  mlir::MLIRContext context;
  loadAuxiliaryDialects(context);
  return HostKernel(*biasGradientModule(context));
}

SimulatedBiasGradient simulateBiasGradient(const HostKernel &kernel, int64_t threads,
                                           const BiasGradientOperands &operands,
                                           const BiasGradientSettings &settings) {
  DeviceMatrix dy(operands.m, operands.n, settings.padding, settings.shift, algrt::ElementType::Bf16);
  DeviceMatrix dbias(1, operands.n, 0, settings.shift, operands.output);
  dy.set(operands.dy);
  if (operands.beta != 0)
    dbias.set(operands.held);
  std::vector<double> sums = workspaceFor(operands);

  SimulatedBiasGradient result;
  const auto launches = algrt::cuda::planBiasGradient({dy.address(), dy.leading(), operands.m, operands.n,
                                                       dbias.address(), operands.output, operands.beta,
                                                       reinterpret_cast<uint64_t>(sums.data())});
  for (const algrt::cuda::ColumnSumsLaunch &planned : launches) {
    const bool to_sums = (planned.form & algrt_dbias_to_sums) != 0,
               from_sums = (planned.form & algrt_dbias_from_sums) != 0;
    simulator::GlobalMemory memory;
    if (!from_sums && operands.m > 0)
      dy.registerWith(memory, "dY", simulator::Access::Read);
    if (to_sums || from_sums)
      memory.registerGlobal("the partial sums", sums.data(), static_cast<int64_t>(sums.size() * 8),
                            to_sums ? simulator::Access::Write : simulator::Access::Read);
    if (!to_sums)
      dbias.registerWith(memory, "dbias",
                         operands.beta != 0 ? simulator::Access::ReadWrite : simulator::Access::Write);
    algrt::cuda::ParameterBlock block(kernel.parameters());
    algrt::cuda::setColumnSums(block, kernel.parameters(), planned);
    const std::vector<void *> arguments = block.pointers();
    simulator::Launch launch;
    launch.kernel = [&] { kernel.call(arguments.data()); };
    launch.grid = settings.blocks > 0 ? settings.blocks : planned.grid;
    launch.threads = static_cast<int32_t>(threads);
    launch.shared_bytes = algrt_dbias_shared_bytes(threads);
    launch.seed = settings.seed;
    if (settings.most_steps > 0)
      launch.most_steps = settings.most_steps;
    const simulator::Report report = simulator::run(launch, memory);
    result.calls += report.statistics.calls;
    result.faults = report.faults;
    if (!report.ok())
      break;
    result.unwritten = to_sums ? memory.neverWritten("the partial sums") : dbias.unwritten(memory);
    if (result.unwritten > 0)
      break;
  }
  result.dbias = dbias.values();
  return result;
}

ExpectedProduct expectedBiasGradient(const BiasGradientOperands &operands) {
  const size_t n = static_cast<size_t>(operands.n);
  ExpectedProduct expected{std::vector<double>(n), std::vector<double>(n)};
  const auto add = [&](size_t column, double number) {
    expected.value[column] += number;
    expected.slack[column] += std::abs(number);
  };
  for (size_t i = 0; i < operands.dy.size(); ++i)
    add(i % n, operands.dy[i]);
  for (size_t column = 0; operands.beta != 0 && column < n; ++column)
    add(column, double{operands.beta} * operands.held[column]);
  // Half a unit in the last place for each addition, here and there; half of one of f32 in the end.
  const double additions = static_cast<double>(operands.m + 1);
  for (size_t column = 0; column < n; ++column)
    expected.slack[column] = expected.slack[column] * additions * std::numeric_limits<double>::epsilon() +
                             std::ldexp(std::abs(expected.value[column]), -24) + std::ldexp(1.0, -150);
  return expected;
}

} // namespace compiler
