// Every element of feed-forward networks within the bound of docs/compiler.md, "What rounding may do",
// whatever shares a kernel: of kernels of two layers and of steps, on CPUs and on the simulator.
#include "algebras/expression.h"
#include "compiler/bundle/layer_description.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/simulator/simulate.h"
#include "runtime/algrt.h"
#include "runtime/bundle/fusion.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/dense_product.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>

namespace {

using namespace compiler_test;
using algebras::DataType;
using compiler::Activation;
using Doubles = std::vector<double>;

struct Network {
  const char *name;
  std::string algebra;
  Activation activation;
  bool gate, bias;
  DataType dtype;
  int64_t in = 60, hidden = 96, out = 48;
};

void PrintTo(const Network &which, std::ostream *stream) { *stream << which.name; }

compiler::Swiglu swigluOf(const Network &which) {
  const algebras::Lift lift = algebras::Lift::rows(algebras::parseExpression(which.algebra));
  const auto cut = [&](int64_t total) {
    return algebras::Groups::equal(lift.outputGroups(), total / lift.outputGroups());
  };
  return {.lift = lift,
          .in = cut(which.in),
          .hidden = cut(which.hidden),
          .out = cut(which.out),
          .dtype = which.dtype,
          .row_types = algebras::RowTypes::cyclic(lift.types()),
          .activation = which.activation,
          .gate = which.gate,
          .bias = which.bias};
}

compiler::Spec specOf(const Network &which) {
  compiler::Spec spec;
  spec.source_name = which.name;
  spec.program = swigluOf(which);
  return spec;
}

double valueOf(Activation activation, double z) {
  switch (activation) {
  case Activation::Silu:
    return z / (1 + std::exp(-z));
  case Activation::Gelu:
    return z * (1 + std::erf(z / std::numbers::sqrt2)) / 2;
  case Activation::GeluTanh:
    return z / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (z + 0.044715 * z * z * z)));
  case Activation::Relu:
    return std::max(z, 0.0);
  case Activation::Relu2:
    return std::max(z, 0.0) * std::max(z, 0.0);
  case Activation::Identity:
    return z;
  }
  return 0;
}

/// The steepest that the activation is within `off` of z.
double steepness(Activation activation, double z, double off) {
  switch (activation) {
  case Activation::Silu:
    return 1.0999;
  case Activation::Gelu:
  case Activation::GeluTanh:
    return 1.13;
  case Activation::Relu:
  case Activation::Identity:
    return 1;
  case Activation::Relu2:
    return 2 * (std::abs(z) + off);
  }
  return 0;
}

/// Sums of products, and how far they may be off.
struct Sums {
  Doubles value, off;
};

constexpr double single = 0x1p-24;
double unitOf(DataType type) { return type == DataType::BF16 ? 0x1p-8 : single; }

/// The product of a layer with what it adds, where its rows are off by so much themselves.
Sums sumsOf(const algebras::Layer &layer, const Batch &batch, const Sums &rows, const Doubles &weights,
            const Doubles &bias) {
  const int64_t operations = mostTerms(layer) + 3 + (bias.empty() ? 0 : 1);
  const DenseProduct product(layer, weights), absolute(layer, magnitudes(weights), Terms::Absolute);
  Doubles largest = magnitudes(rows.value);
  for (size_t at = 0; at < largest.size(); ++at)
    largest[at] += rows.off[at];
  Sums sums{product.multiply(batch, rows.value), absolute.multiply(batch, rows.off)};
  const Doubles sum = absolute.multiply(batch, largest);
  for (size_t at = 0; at < sum.size(); ++at) {
    const double added = bias.empty() ? 0 : bias[at % bias.size()];
    sums.value[at] += added;
    sums.off[at] += gammaOf(operations) * (sum[at] + std::abs(added));
  }
  return sums;
}

struct Operands {
  Operands(const Network &which, int64_t m) : rows(m), dtype(which.dtype) {
    std::mt19937 random(11);
    const auto draw = [&](const char *name, int64_t height, int64_t width, double deviation) {
      std::normal_distribution<double> normal(0, deviation);
      auto matrix = std::make_unique<PaddedMatrix>(height, width, 0, dtype);
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column)
          matrix->set(row, column, normal(random));
      all[name] = std::move(matrix);
    };
    const double of_in = 1 / std::sqrt(static_cast<double>(which.in)),
                 of_hidden = 1 / std::sqrt(static_cast<double>(which.hidden));
    draw("x", m, which.in, 2);
    if (which.gate)
      draw("gate", which.in, which.hidden, of_in);
    draw("up", which.in, which.hidden, of_in);
    draw("down", which.hidden, which.out, of_hidden);
    if (which.bias && which.gate)
      draw("gate_bias", 1, which.hidden, 1);
    if (which.bias) {
      draw("up_bias", 1, which.hidden, 1);
      draw("down_bias", 1, which.out, 1);
    }
  }
  Doubles values(const char *name) const {
    const auto found = all.find(name);
    return found == all.end() ? Doubles() : found->second->values();
  }

  int64_t rows;
  DataType dtype;
  std::map<std::string, std::unique_ptr<PaddedMatrix>> all;
};

/// What the network is by its definition, and how far a result may be from it, where the activation is
/// computed to within `approximation` times its argument.
Sums expected(const Network &which, const Operands &operands, int64_t p0, double approximation) {
  const compiler::Swiglu network = swigluOf(which);
  algebras::Layer first = algebras::makeLayer(network.lift, which.in, which.hidden, which.dtype),
                  last = algebras::makeLayer(network.lift, which.hidden, which.out, which.dtype);
  Batch batch;
  batch.m = operands.rows;
  batch.p0 = p0;
  const Doubles x = operands.values("x");
  const Sums rows{x, Doubles(x.size(), 0)};
  const Sums up = sumsOf(first, batch, rows, operands.values("up"), operands.values("up_bias"));
  const Sums &read = up;
  const Sums gate =
      which.gate ? sumsOf(first, batch, rows, operands.values("gate"), operands.values("gate_bias")) : read;
  Sums hidden = up;
  const double unit = unitOf(which.dtype);
  for (size_t at = 0; at < hidden.value.size(); ++at) {
    const double z = gate.value[at], off = gate.off[at], value = valueOf(which.activation, z),
                 off_value = steepness(which.activation, z, off) * off +
                             (approximation + 3 * single) * (std::abs(z) + off) *
                                 (which.activation == Activation::Relu2 ? std::abs(z) + off : 1);
    const double factor = which.gate ? up.value[at] : 1, off_factor = which.gate ? up.off[at] : 0;
    const double product = value * factor,
                 off_product = off_value * (std::abs(factor) + off_factor) + std::abs(value) * off_factor;
    hidden.value[at] = product;
    // The product is rounded to f32, and to the type between the layers.
    hidden.off[at] = off_product + (unit + single) * (std::abs(product) + off_product);
  }
  Sums y = sumsOf(last, batch, hidden, operands.values("down"), operands.values("down_bias"));
  for (size_t at = 0; at < y.value.size(); ++at)
    y.off[at] += unit * (std::abs(y.value[at]) + y.off[at]);
  return y;
}

/// Not by much more than what may happen: a bound that is a thousand times the error says nothing.
void expectWithin(const Doubles &found, const Sums &sums, double least) {
  ASSERT_EQ(found.size(), sums.value.size());
  double worst = 0;
  size_t at = 0;
  for (size_t element = 0; element < found.size(); ++element) {
    const double error = std::abs(found[element] - sums.value[element]),
                 ratio = error == 0 ? 0 : error / sums.off[element];
    if (!(ratio <= worst)) {
      worst = ratio;
      at = element;
    }
  }
  EXPECT_LE(worst, 1) << "element " << at << " is " << found[at] << ", not " << sums.value[at];
  EXPECT_GE(worst, least);
}

class NetworkBounds : public testing::TestWithParam<Network> {};

TEST_P(NetworkBounds, HoldForEveryElementOnACpu) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const Network &which = GetParam();
  constexpr double polynomials = 1.5e-6;
  for (const char *level : {"x86-64-v3", "native"})
    for (const compiler::Fusing fusing :
         {compiler::Fusing::Layers, compiler::Fusing::Products, compiler::Fusing::Nothing}) {
      SCOPED_TRACE(std::string(level) + ", fusing " + std::to_string(static_cast<int>(fusing)));
      compiler::CompileOptions options;
      options.cpu_levels = {level};
      options.fusing = fusing;
      const std::string bytes = compiler::compiledBundle(specOf(which), options);
      algrt_bundle *opened = nullptr;
      ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK)
          << algrt_last_error();
      const std::unique_ptr<algrt_bundle, void (*)(algrt_bundle *)> bundle(opened, algrt_bundle_close);
      for (const int64_t m : {1, 37}) {
        const Operands operands(which, m);
        PaddedMatrix y(m, which.out, 0, which.dtype);
        std::vector<DLTensor> vectors;
        vectors.reserve(operands.all.size());
        std::vector<algrt_named_tensor> tensors = {{"y", y.tensor(), nullptr}};
        for (const auto &[name, matrix] : operands.all) {
          if (name.ends_with("_bias"))
            vectors.push_back(matrix->vector());
          tensors.push_back(
              {name.c_str(), name.ends_with("_bias") ? &vectors.back() : matrix->tensor(), nullptr});
        }
        algrt_run_options run = algrt_run_options_init();
        run.p0 = 3;
        ASSERT_EQ(algrt_run(opened, "forward", tensors.data(), static_cast<int64_t>(tensors.size()), &run),
                  ALGRT_OK)
            << algrt_last_error();
        expectWithin(y.values(), expected(which, operands, 3, polynomials), m > 1 ? 1e-3 : 0);
      }
    }
}

/// Kernels of two layers: for few rows, and of rows that come in stages.
TEST_P(NetworkBounds, HoldForEveryElementOnTheSimulator) {
  const Network &which = GetParam();
  if (which.dtype != DataType::BF16)
    GTEST_SKIP() << "GPUs compute on bf16";
  constexpr double approximate_instructions = 5e-5;
  for (const int64_t m : {5, 128}) {
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm90a};
    options.rows = m;
    options.schedule = m > 64 && which.algebra.starts_with("Q(") && which.algebra.ends_with(")")
                           ? "rows=64,hidden=16,depth=16,stages=4x2,stationary=1"
                           : "reduce=16,rows=4,hidden=8,columns=8,vector=4,cluster=2";
    SCOPED_TRACE(options.schedule);
    const compiler::ProgramPlan plan = compiler::planProgram(specOf(which), options);
    ASSERT_EQ(plan.kernels.size(), 1U);
    const compiler::KernelSource &source = plan.kernels.front();
    const algrt::Layer layer = compiler::runtimeLayer(source.layer, source.fusion);
    const algrt::Support support = compiler::runtimeSupport(source.layer);
    const compiler::SimulatedKernel kernel = compiler::SimulatedKernel::parse(
        compiler::gpuProgram(source, options.targets.front(), options).nvvm, which.name);
    const Operands operands(which, m);
    std::map<std::string, std::vector<float>> given;
    for (const auto &[name, matrix] : operands.all) {
      const Doubles values = matrix->values();
      given[name] = {values.begin(), values.end()};
    }
    compiler::ProductOperands product;
    product.layer = &layer;
    product.support = &support;
    product.m = m;
    product.p0 = 3;
    const auto &step = plan.programs.front().steps.front();
    for (const auto &[role, tensor] : step.operands) {
      if (!given.contains(tensor))
        continue;
      if (role == "x")
        product.x = given.at(tensor);
      else if (role == "w")
        product.w = given.at(tensor);
      else
        product.further[role] = given.at(tensor);
    }
    compiler::SimulationSettings settings;
    settings.seed = 1;
    settings.blocks = 4;
    const compiler::Simulation simulation = kernel.run(product, settings);
    for (const simulator::Fault &fault : simulation.report.faults)
      FAIL() << kernel.explain(fault);
    expectWithin({simulation.y.begin(), simulation.y.end()},
                 expected(which, operands, 3, approximate_instructions), 1e-3);
  }
}

using enum Activation;
INSTANTIATE_TEST_SUITE_P(
    Networks, NetworkBounds,
    testing::Values(Network{"Silu", "Q(3)", Silu, true, false, DataType::F32},
                    Network{"SiluOfBf16", "Q(3)", Silu, true, false, DataType::BF16, 96, 192, 96},
                    Network{"Biases", "Q(3)", Silu, true, true, DataType::F32},
                    Network{"BiasesOfBf16", "Q(3)", Silu, true, true, DataType::BF16, 96, 192, 96},
                    Network{"Gelu", "T(4)", Gelu, true, false, DataType::F32},
                    Network{"GeluOfBf16", "T(4)", Gelu, true, true, DataType::BF16, 64, 96, 64},
                    Network{"GeluTanh", "Q(2)^2", GeluTanh, false, true, DataType::F32},
                    Network{"GeluTanhOfBf16", "Q(2)^2", GeluTanh, false, false, DataType::BF16, 64, 96, 64},
                    Network{"Relu", "Q(6)", Relu, false, false, DataType::F32},
                    Network{"SquaredRelu", "Q(3)", Relu2, true, true, DataType::F32},
                    Network{"SquaredReluOfBf16", "Q(3)", Relu2, true, false, DataType::BF16, 96, 192, 96},
                    Network{"Identity", "Q(12)", Identity, true, false, DataType::F32}),
    [](const auto &info) { return info.param.name; });

} // namespace
