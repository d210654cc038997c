#include "compiler/simulator/elementwise.h"

#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/simulate.h"
#include "runtime/cuda/launch_parameters.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <span>

namespace compiler {
namespace {

using Per = algrt::FusedOperand::Per;

DeviceMatrix memoryOf(const algrt::ElementwiseOperand &operand, const algrt::Elementwise &function,
                      int64_t rows, const ElementwiseSettings &settings) {
  if (operand.per == Per::Element)
    return {function.rows.lengthFor(rows), function.columns.lengthFor(rows), settings.padding, settings.shift,
            operand.type};
  return {1, operand.shape[0].lengthFor(rows), 0, settings.shift, operand.type};
}

HostKernel hostKernel(const std::string &nvvm) {
  return HostKernel(KernelModule(nvvm, "the kernel").module());
}

} // namespace

SimulatedElementwiseKernel::SimulatedElementwiseKernel(algrt::Elementwise function,
                                                       algrt::ElementwiseKernel kernel,
                                                       const std::string &nvvm)
    : SimulatedElementwiseKernel(std::move(function), std::move(kernel), hostKernel(nvvm)) {}

SimulatedElementwiseKernel::SimulatedElementwiseKernel(algrt::Elementwise function,
                                                       algrt::ElementwiseKernel kernel, HostKernel code)
    : function_(std::move(function)), kernel_(std::move(kernel)), code_(std::move(code)) {}

SimulatedElementwise SimulatedElementwiseKernel::run(const std::vector<std::vector<float>> &inputs,
                                                     int64_t rows, const ElementwiseSettings &settings,
                                                     const std::vector<std::vector<float>> &held) const {
  simulator::GlobalMemory memory;
  std::list<DeviceMatrix> matrices;
  std::vector<algrt::cuda::ElementwiseOperandValue> values;
  auto next_held = held.begin();
  const auto holds = [&](const algrt::ElementwiseOperand &output) {
    const auto factor =
        static_cast<size_t>(function_.findOperand(output.held_by) - function_.operands.data());
    return inputs[factor][0] != 0;
  };
  for (size_t number = 0; number < function_.operands.size(); ++number) {
    const algrt::ElementwiseOperand &operand = function_.operands[number];
    const bool input = operand.role == algrt::OperandRole::Input;
    DeviceMatrix &matrix = matrices.emplace_back(memoryOf(operand, function_, rows, settings));
    if (input && operand.per == Per::Call && settings.numbers_with_launch) {
      values.push_back({0, 0, inputs[number][0]});
      continue;
    }
    simulator::Access access = input ? simulator::Access::Read : simulator::Access::Write;
    if (input) {
      matrix.set(inputs[number]);
    } else if (!operand.held_by.empty() && holds(operand)) {
      matrix.set(*next_held++);
      access = simulator::Access::ReadWrite;
    }
    if (matrix.bytes() > 0)
      matrix.registerWith(memory, operand.name, access);
    values.push_back({matrix.address(), matrix.leading(), 0});
  }
  const int64_t domain_rows = function_.rows.lengthFor(rows), columns = function_.columns.lengthFor(rows);
  algrt::cuda::ParameterBlock block(code_.parameters());
  algrt::cuda::setElementwise(block, code_.parameters(), function_, values, static_cast<int32_t>(domain_rows),
                              static_cast<int32_t>(columns));
  const std::span<void *> arguments = block.pointers();
  SimulatedElementwise result;
  if (const int64_t tasks = algrt::elementwiseTasks(kernel_, domain_rows, columns); tasks > 0) {
    simulator::Launch launch;
    launch.kernel = [&] { code_.call(arguments.data()); };
    launch.grid = std::min(tasks, settings.blocks);
    launch.threads = static_cast<int32_t>(kernel_.gpu->threads);
    launch.shared_bytes = algrt_elementwise_shared_bytes(kernel_.gpu->threads);
    launch.seed = settings.seed;
    if (settings.most_steps > 0)
      launch.most_steps = settings.most_steps;
    result.report = simulator::run(launch, memory);
  }
  auto matrix = matrices.begin();
  for (const algrt::ElementwiseOperand &operand : function_.operands) {
    if (operand.role == algrt::OperandRole::Output) {
      if (matrix->bytes() > 0)
        result.unwritten += matrix->unwritten(memory);
      result.outputs.push_back(matrix->values());
    }
    ++matrix;
  }
  return result;
}

ExpectedProduct expectedSums(const std::vector<float> &matrix, const std::vector<float> &held, float factor) {
  const size_t columns = held.size();
  ExpectedProduct expected{std::vector<double>(columns), std::vector<double>(columns)};
  const auto add = [&](size_t column, double number) {
    expected.value[column] += number;
    expected.slack[column] += std::abs(number);
  };
  for (size_t i = 0; i < matrix.size(); ++i)
    add(i % columns, matrix[i]);
  for (size_t column = 0; factor != 0 && column < columns; ++column)
    add(column, double{factor} * held[column]);
  // Half a unit in the last place for each addition, here and there; half of one of f32 in the end.
  const double additions = static_cast<double>(matrix.size() / std::max<size_t>(columns, 1) + 1);
  for (size_t column = 0; column < columns; ++column)
    expected.slack[column] = expected.slack[column] * additions * std::numeric_limits<double>::epsilon() +
                             std::ldexp(std::abs(expected.value[column]), -24) + std::ldexp(1.0, -150);
  return expected;
}

std::string SimulatedElementwiseKernel::explain(const simulator::Fault &fault) const {
  return compiler::explain(code_, fault);
}

} // namespace compiler
