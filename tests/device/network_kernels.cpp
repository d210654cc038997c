#include "tests/device/network_kernels.h"

#include "runtime/bundle/fusion.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/device/launch_parameters.h"
#include "tests/runtime/cuda_stand_in/work.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

namespace device_test {

using algrt::ElementType;
using algrt::ParameterValue;

/// A kernel that a step of a bundle's program may call.
struct NetworkKernels::Step {
  RunningKernel running;
  const algrt::GpuCode *code;
  std::vector<std::string_view> images;
  /// Of a product.
  const algrt::Bundle *projection = nullptr;
  ElementType output = ElementType::Bf16;
  /// Of an element-wise function.
  const algrt::Elementwise *function = nullptr;
  bool gate_is_first = true; ///< of its weights, or of what it reads
};

namespace {

/// Whether that operand of a step is the gate, or what a step before it makes of the gate.
bool isGate(const algrt::Program &program, const algrt::ProgramStep &step, const char *operand) {
  std::string name = step.operands.at(operand);
  for (const algrt::ProgramStep &before : program.steps)
    if (const auto result = before.operands.find("y"), weight = before.operands.find("w");
        result != before.operands.end() && result->second == name && weight != before.operands.end())
      name = weight->second;
  return name == "gate";
}

/// The rows of a launch: their types, and which of the networks whose weights lie one behind the other is
/// theirs.
struct Batch {
  std::vector<int64_t> types, networks;
};

float numberAt(uint64_t address, int64_t index, ElementType type) {
  return type == ElementType::F32 ? reinterpret_cast<const float *>(address)[index]
                                  : algrt::fromBfloat16(reinterpret_cast<const uint16_t *>(address)[index]);
}

void setNumber(uint64_t address, int64_t index, ElementType type, double value) {
  if (type == ElementType::F32)
    reinterpret_cast<float *>(address)[index] = static_cast<float>(value);
  else
    reinterpret_cast<uint16_t *>(address)[index] = algrt::toBfloat16(static_cast<float>(value));
}

double silu(double x) { return x / (1 + std::exp(-x)); }

Batch batchOf(LaunchParameters &parameters, const algrt::GpuCode &code, const algrt::Layer &layer) {
  const auto rows = parameters.of<int32_t>(ParameterValue::Rows),
             offset = parameters.of<int32_t>(ParameterValue::Offset);
  // Rows of one type after the other have two maps, of which the first shows row 0 where not all types have
  // as many.
  const auto in_segments = [](const algrt::KernelParameter &parameter) {
    return parameter.view == algrt::ViewKind::LongerSegments;
  };
  if (layer.row_types != algrt::RowTypesKind::Cyclic ||
      (rows % layer.types == 0 && std::ranges::any_of(code.parameters, in_segments)))
    throw std::runtime_error("rows of which it is not known where they begin");
  Batch batch;
  const int32_t *starts = nullptr;
  if (parameters.has(ParameterValue::Experts))
    starts =
        reinterpret_cast<const int32_t *>(parameters.of<uint64_t>(ParameterValue::Operand, "expert_starts"));
  int64_t network = 0;
  for (int64_t row = 0; row < rows; ++row) {
    batch.types.push_back((offset + row) % layer.types);
    while (starts != nullptr && row >= starts[network + 1])
      ++network;
    batch.networks.push_back(network);
  }
  return batch;
}

/// x times weights in bf16, row by row: the terms of the support, each a block times a block.
std::vector<double> multiply(const algrt::Layer &layer, const algrt::Support &support, const Batch &batch,
                             const std::vector<float> &x, uint64_t weights) {
  const int64_t depth = layer.in_groups.front(), width = layer.out_groups.front();
  std::vector<double> y(batch.types.size() * static_cast<size_t>(layer.n));
  algrt::TermStorage storage;
  for (size_t row = 0; row < batch.types.size(); ++row) {
    const auto *w = reinterpret_cast<const uint16_t *>(weights) + batch.networks[row] * layer.k * layer.n;
    const float *from = x.data() + static_cast<int64_t>(row) * layer.k;
    double *to = y.data() + static_cast<int64_t>(row) * layer.n;
    for (int64_t group = 0; group < layer.n / width; ++group)
      for (const algrt::Term &term : support.terms(batch.types[row], group, storage))
        for (int64_t d = 0; d < depth; ++d) {
          const double factor = double{from[term.input_group * depth + d]} * double(term.coefficient);
          const uint16_t *line = w + (term.weight_row * depth + d) * layer.n + group * width;
          for (int64_t column = 0; column < width; ++column)
            to[group * width + column] += factor * algrt::fromBfloat16(line[column]);
        }
  }
  return y;
}

} // namespace

NetworkKernels::NetworkKernels() {
  algrt::cuda_stand_in::onLaunch([this](const algrt::cuda_stand_in::Launch &launched) {
    try {
      launch(launched);
    } catch (const std::exception &error) {
      ADD_FAILURE() << "launch of " << launched.symbol << ": " << error.what();
    }
  });
}

NetworkKernels::~NetworkKernels() { algrt::cuda_stand_in::onLaunch({}); }

void NetworkKernels::open(const std::string &path) {
  bundles_.push_back(std::make_unique<algrt::Bundle>(algrt::Bundle::open(path)));
  const algrt::Bundle &bundle = *bundles_.back();
  const algrt::Program *program = bundle.manifest().findProgram("forward");
  for (size_t number = 0; program != nullptr && number < program->steps.size(); ++number) {
    const algrt::ProgramStep &step = program->steps[number];
    const auto add = [&](const std::string &name, size_t kernel, const algrt::GpuCode &code) -> Step & {
      Step &made = steps_.emplace_back();
      made.running = {std::filesystem::path(path).filename(), name, kernel, number};
      made.code = &code;
      for (const algrt::GpuImage &image : code.images)
        made.images.push_back(bundle.section(*bundle.manifest().findSection(image.section)));
      return made;
    };
    if (step.elementwise) {
      const algrt::Elementwise &function = bundle.manifest().elementwise.at(*step.elementwise);
      for (size_t kernel = 0; kernel < function.kernels.size(); ++kernel)
        if (const auto &code = function.kernels[kernel].gpu) {
          Step &made = add(function.name, kernel, *code);
          made.function = &function;
          made.gate_is_first = isGate(*program, step, "x");
        }
      continue;
    }
    const algrt::Bundle &projection = bundle.projection(step.projection);
    const std::vector<algrt::Kernel> &kernels = projection.manifest().kernels;
    for (size_t kernel = 0; kernel < kernels.size(); ++kernel)
      if (kernels[kernel].gpu) {
        Step &made = add(kernels[kernel].name, kernel, *kernels[kernel].gpu);
        made.projection = &projection;
        made.output = kernels[kernel].gpu->output;
        made.gate_is_first = isGate(*program, step, "w");
      }
  }
}

void NetworkKernels::launch(const algrt::cuda_stand_in::Launch &launched) {
  for (const Step &step : steps_)
    if (std::ranges::any_of(step.images,
                            [&](std::string_view image) { return image.starts_with(*launched.image); })) {
      EXPECT_EQ(launched.symbol, step.code->symbol);
      return step.function != nullptr ? elementwise(step, launched) : product(step, launched);
    }
  throw std::runtime_error("an image was loaded that is none of the bundles'");
}

void NetworkKernels::product(const Step &step, const algrt::cuda_stand_in::Launch &launched) {
  LaunchParameters parameters(launched, step.running.kernel, *step.code);
  const algrt::Layer &layer = step.projection->layer();
  const algrt::Support &support = step.projection->support();
  const algrt::Fusion fusion = algrt::fusionOf(layer, algrt::Map::Forward);
  const algrt::Layer first = algrt::layerOfWeight(layer, 0);
  const Batch batch = batchOf(parameters, *step.code, layer);
  const uint64_t argument = parameters.addressOf("x"), result = parameters.addressOf("y");
  const auto weights = [&](int64_t number) { return parameters.addressOf(algrt::numberedName("w", number)); };

  std::vector<float> x;
  for (int64_t i = 0; i < static_cast<int64_t>(batch.types.size()) * layer.k; ++i)
    x.push_back(numberAt(argument, i, ElementType::Bf16));
  std::vector<double> sums = multiply(first, support, batch, x, weights(0));
  if (fusion.weights == 2) {
    std::vector<double> ups = multiply(first, support, batch, x, weights(1));
    if (!step.gate_is_first)
      std::swap(sums, ups);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = silu(sums[i]) * ups[i];
  }
  if (fusion.next) { // which is given what the first layer has rounded
    x.clear();
    for (const double sum : sums)
      x.push_back(algrt::fromBfloat16(algrt::toBfloat16(static_cast<float>(sum))));
    sums = multiply(algrt::layerOfWeight(layer, fusion.weights), support, batch, x, weights(fusion.weights));
  }
  for (size_t i = 0; i < sums.size(); ++i)
    if (!forgets || !forgets(step.running, i))
      setNumber(result, static_cast<int64_t>(i), step.output, sums[i]);
  finish(step.running, step.output == ElementType::Bf16, argument, result);
}

void NetworkKernels::elementwise(const Step &step, const algrt::cuda_stand_in::Launch &launched) {
  LaunchParameters parameters(launched, step.running.kernel, *step.code);
  const auto rows = parameters.of<int32_t>(ParameterValue::Rows),
             columns = parameters.of<int32_t>(ParameterValue::Columns);
  const auto address = [&](const char *operand) {
    return parameters.of<uint64_t>(ParameterValue::Operand, operand);
  };
  const auto number = [&](const char *operand, int64_t row, int64_t column) {
    const auto stride = parameters.of<int64_t>(ParameterValue::OperandStride, operand);
    return double{
        numberAt(address(operand), row * stride + column, step.function->findOperand(operand)->type)};
  };
  const bool activates = step.function->findOperand("x2") != nullptr;
  const char *const gate = activates && !step.gate_is_first ? "x2" : "x";
  const ElementType type = step.function->findOperand("y")->type;
  const auto stride = parameters.of<int64_t>(ParameterValue::OperandStride, "y");
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      const double x = number(gate, row, column);
      setNumber(address("y"), row * stride + column, type,
                activates ? silu(x) * number(step.gate_is_first ? "x2" : "x", row, column) : x);
    }
  finish(step.running, type == ElementType::Bf16, address("x"), address("y"));
}

void NetworkKernels::finish(RunningKernel running, bool bf16, uint64_t argument, uint64_t result) {
  running.argument = argument;
  ran.push_back(running);
  if (microseconds)
    algrt::cuda_stand_in::advanceClock(1e-3 * microseconds(running));
  if (spoil && bf16)
    spoil(running, reinterpret_cast<uint16_t *>(result));
}

} // namespace device_test
