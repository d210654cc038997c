// Forward kernels that add a bias, as the compiler emits them, on the model of the SM: whole numbers, whose
// sums are exact, every way in which sums leave a block, and faults planted where the bias is read and added.
#include "compiler/bundle/layer_description.h"
#include "compiler/simulator/agreement.h"
#include "compiler/simulator/kernel_module.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/simulator/kernels/exact_case.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace simulator_test;

namespace {

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;

compiler::Spec biased(const std::string &algebra, int64_t in, int64_t out,
                      const std::string &row_types = "cyclic", const std::string &lift = "rows") {
  compiler::Spec spec = projection(algebra, in, out, row_types, lift);
  spec.layer->bias = true;
  return spec;
}

struct Product {
  Product(const compiler::Spec &spec, int64_t m, int64_t p0, uint64_t seed)
      : layer(compiler::runtimeLayer(compiler::requireLayer(spec))),
        support(compiler::runtimeSupport(compiler::requireLayer(spec))), m(m), p0(p0) {
    std::mt19937_64 random(seed);
    auto numbers = [&](int64_t count, int largest) {
      std::vector<float> values(static_cast<size_t>(count));
      for (float &value : values)
        value =
            static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * largest + 1)) - largest);
      return values;
    };
    x = numbers(m * layer.k, 8);
    w = numbers(layer.k * layer.weightColumns(), 8);
    bias = numbers(layer.n, 127); // every column has most likely another one than its neighbours
  }
  compiler::ProductOperands operands() const {
    compiler::ProductOperands product;
    product.layer = &layer;
    product.support = &support;
    product.m = m;
    product.p0 = p0;
    product.x = x;
    product.w = w;
    product.bias = bias;
    return product;
  }

  /// What is wrong with the kernel's result; nothing if it is right.
  std::string objection(const compiler::SimulatedKernel &kernel,
                        const compiler::SimulationSettings &settings) const {
    const compiler::Simulation run = kernel.run(operands(), settings);
    if (!run.report.faults.empty())
      return kernel.explain(run.report.faults.front());
    if (run.unwritten != 0)
      return "elements that were not written";
    const algrt::ElementType output = kernel.description().output;
    const std::vector<double> expected = compiler::expectedProduct(operands(), algrt::Map::Forward).value;
    for (size_t i = 0; i < expected.size(); ++i) {
      const float exact = static_cast<float>(expected[i]);
      const float wanted = output == bf16 ? algrt::roundToBfloat16(exact) : exact;
      if (run.y[i] != wanted)
        return "element " + std::to_string(i) + " is " + std::to_string(run.y[i]) + ", not " +
               std::to_string(wanted);
    }
    return "";
  }

  algrt::Layer layer;
  algrt::Support support;
  std::vector<float> x, w, bias;
  int64_t m, p0;
};

struct Case {
  std::string name, algebra;
  int64_t in, out;
  std::string row_types, schedule;
  algrt::ElementType output = bf16;
  std::string target = "sm_90a", lift = "rows";
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

const std::vector<Case> &cases() {
  static const std::string quaternions = ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json";
  static const std::vector<Case> all = {
      // Tiles that end with their group, and such as reach beyond it.
      {"Warpgroups", "Q(3)", 192, 288, "cyclic", "rows=128,columns=96,depth=32,stages=3"},
      {"Clipped", "Q(3)", 96, 120, "interval(20)", "rows=64,columns=48,depth=32,stages=2", f32},
      {"Transposed", "Q(2)", 128, 176, "cyclic", "rows=24,columns=128,depth=32,stages=2,rows_on=n"},
      {"TransposedWide", "Q(2)", 128, 176, "cyclic", "rows=16,columns=64,depth=32,stages=2,rows_on=n", f32},
      {"Types", "Q(3)", 96, 96, "cyclic", "rows=64,columns=32,depth=32,stages=2,types=2"},
      {"Held", "Q(3)", 96, 48, "cyclic", "rows=64,columns=16,depth=32,stages=2,types=2,stationary=2"},
      {"Turns", "Q(3)", 192, 192, "cyclic", "rows=64,columns=32,depth=32,stages=3,ping_pong=2"},
      {"TransposedTurns", "Q(2)", 128, 256, "cyclic",
       "rows=16,columns=64,depth=32,stages=3,rows_on=n,ping_pong=2"},
      {"Clusters", "Q(2)", 96, 144, "cyclic", "rows=64,columns=48,depth=32,stages=2,cluster=2x2"},
      {"Split", "T(3)", 96, 120, "cyclic", "rows=64,columns=32,depth=32,stages=2,split_k=2"},
      {"TransposedSplit", "T(2)", 64, 128, "cyclic",
       "rows=32,columns=64,depth=32,stages=2,rows_on=n,split_k=2"},
      {"Slots", quaternions, 128, 128, "cyclic", "rows=64,columns=32,depth=32,stages=2", bf16, "sm_90a",
       "slots"},
      {"Threads", "Q(3)", 96, 144, "cyclic", "rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8", bf16,
       "sm_80"},
      {"ThreadsOdd", "Q(3)", 15, 21, "interval(4)", "rows=16,columns=16,depth=16,stages=2,warps=1x2,vector=1",
       bf16, "sm_80"},
      {"ThreadsWide", "Q(3)", 15, 33, "cyclic", "rows=32,columns=16,depth=16,stages=2,warps=2x1,vector=1",
       f32, "sm_80"},
  };
  return all;
}

class BiasedKernel : public testing::TestWithParam<Case> {};

TEST_P(BiasedKernel, AddsEveryColumnsNumberOnce) {
  const Case &which = GetParam();
  const compiler::Spec spec = biased(which.algebra, which.in, which.out, which.row_types, which.lift);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, which.schedule, which.output, which.target), which.name);
  for (const int64_t m : {1, 67, 150})
    for (uint64_t seed : {1u, 2u}) {
      const Product product(spec, m, static_cast<int64_t>(seed) * 5, seed);
      EXPECT_EQ(product.objection(kernel, settingsOf(seed, static_cast<int32_t>(1 + 3 * seed))), "")
          << m << " rows, seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Schedules, BiasedKernel, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

TEST(BiasedKernels, CarryNonFiniteNumbersIntoTheirColumns) {
  const compiler::Spec spec = biased("Q(3)", 96, 120);
  Product product(spec, 70, 3, 5);
  product.bias[0] = std::numeric_limits<float>::quiet_NaN();
  product.bias[41] = std::numeric_limits<float>::infinity();
  product.bias[119] = -std::numeric_limits<float>::infinity();
  for (const char *schedule :
       {"rows=64,columns=48,depth=32,stages=2", "rows=16,columns=64,depth=32,stages=2,rows_on=n",
        "rows=32,columns=48,depth=32,stages=2,warps=2x1,vector=8"}) {
    const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(spec, schedule, bf16), "Q(3)");
    const compiler::Simulation run = kernel.run(product.operands(), settingsOf(1, 4));
    ASSERT_TRUE(run.ok()) << schedule;
    const auto expected = compiler::expectedProduct(product.operands(), algrt::Map::Forward);
    EXPECT_EQ(compiler::agreement(run.y, expected, bf16).wrong, 0) << schedule;
  }
}

// A kernel of another layer than the one that it is given.
TEST(BiasedKernels, BelongToLayersWithABias) {
  const char *schedule = "rows=64,columns=48,depth=32,stages=2";
  const compiler::Spec with = biased("Q(3)", 96, 144), without = projection("Q(3)", 96, 144);
  const auto adds = compiler::SimulatedKernel::parse(emittedKernel(with, schedule, bf16), "with");
  const auto does_not = compiler::SimulatedKernel::parse(emittedKernel(without, schedule, bf16), "without");
  EXPECT_ANY_THROW(Product(without, 5, 0, 1).objection(adds, settingsOf(1, 2)));
  EXPECT_ANY_THROW(Product(with, 5, 0, 1).objection(does_not, settingsOf(1, 2)));
}

// Faults that a kernel could have. Each is planted at every place that there is for it, and has to be seen.

using Places = std::vector<mlir::Operation *>;

/// The loads of numbers of the bias: those whose address comes from the kernel's last parameter.
Places numbersRead(mlir::LLVM::LLVMFuncOp function) {
  Places loads;
  function.walk([&](mlir::LLVM::LoadOp load) {
    mlir::Value address = load.getAddr();
    while (auto step = address.getDefiningOp<mlir::LLVM::GEPOp>())
      address = step.getBase();
    if (address == function.getArguments().back())
      loads.push_back(load);
  });
  return loads;
}

/// The additions of numbers of the bias to sums.
Places additions(mlir::LLVM::LLVMFuncOp function) {
  Places found;
  function.walk([&](mlir::LLVM::FAddOp add) {
    auto number = add.getRhs().getDefiningOp<mlir::LLVM::BitcastOp>();
    if (number && number.getArg().getDefiningOp<mlir::LLVM::ShlOp>())
      found.push_back(add);
  });
  return found;
}

struct Fault {
  const char *name;
  Places (*places)(mlir::LLVM::LLVMFuncOp);
  void (*plant)(mlir::Operation *);
};

void nextColumn(mlir::Operation *op) {
  auto load = mlir::cast<mlir::LLVM::LoadOp>(op);
  mlir::OpBuilder build(op);
  load.getAddrMutable().assign(mlir::LLVM::GEPOp::create(build, op->getLoc(), load.getAddr().getType(),
                                                         build.getI16Type(), load.getAddr(),
                                                         llvm::ArrayRef<mlir::LLVM::GEPArg>{1}));
}

void left(mlir::Operation *op) { op->getResult(0).replaceAllUsesWith(op->getOperand(0)); }

void twice(mlir::Operation *op) {
  mlir::OpBuilder build(op->getContext());
  build.setInsertionPointAfter(op);
  auto again = mlir::LLVM::FAddOp::create(build, op->getLoc(), op->getResult(0), op->getOperand(1));
  op->getResult(0).replaceAllUsesExcept(again, again);
}

constexpr Fault faults[] = {
    {"the number of the next column", numbersRead, nextColumn},
    {"no number", additions, left},
    {"the number twice", additions, twice},
};

class BiasFault : public testing::TestWithParam<const char *> {};

TEST_P(BiasFault, IsSeen) {
  const Case *which = nullptr;
  for (const Case &one : cases())
    if (one.name == GetParam())
      which = &one;
  ASSERT_TRUE(which);
  const compiler::Spec spec = biased(which->algebra, which->in, which->out, which->row_types, which->lift);
  const std::string text = emittedKernel(spec, which->schedule, which->output, which->target);
  const Product product(spec, 150, 1, 3);
  const compiler::SimulationSettings settings = settingsOf(3, 4);
  for (const Fault &fault : faults) {
    compiler::KernelModule whole(text, which->name);
    size_t count = 0;
    whole.module().walk([&](mlir::LLVM::LLVMFuncOp function) {
      if (function->hasAttr("nvvm.kernel"))
        count = fault.places(function).size();
    });
    ASSERT_GT(count, 0u) << fault.name;
    // A few of them, from the first one to the last: they are alike.
    for (size_t at = 0; at < count; at += std::max<size_t>(1, (count - 1) / 5)) {
      compiler::KernelModule spoilt(text, which->name);
      spoilt.module().walk([&](mlir::LLVM::LLVMFuncOp function) {
        if (function->hasAttr("nvvm.kernel"))
          fault.plant(fault.places(function)[at]);
      });
      EXPECT_NE(product.objection(compiler::SimulatedKernel(spoilt.module()), settings), "")
          << fault.name << ", place " << at << " of " << count << " is not seen";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, BiasFault,
                         testing::Values("Warpgroups", "TransposedWide", "Split", "ThreadsWide"),
                         [](const testing::TestParamInfo<const char *> &info) { return info.param; });

} // namespace
