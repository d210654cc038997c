// Faults planted in the kernel of the bias's gradient, one at a time: the simulator has to object, or the
// sums are wrong.
#include "compiler/auxiliary/bias_gradient.h"
#include "compiler/auxiliary/instruction_writer.h"
#include "compiler/failure.h"
#include "compiler/simulator/bias_gradient.h"
#include "runtime/reference/random.h"
#include "tests/mutation/plain_code.h"

#include <gtest/gtest.h>
#include <map>

using namespace compiler;
using namespace mutation_test;

namespace {

constexpr int64_t block_threads = 128;

// What survives, and why it is no fault.
const std::map<std::string, std::string> &survivors() {
  static const std::map<std::string, std::string> reasons = {
      {"late nvvm.barrier #1", "it comes where the loop over tiles begins anew, which all threads do alike"},
      {"never llvm.icmp #3", "no round of partial sums: all of them are added one by one, in the same order"},
      {"never llvm.icmp #5", "no round of rows: all of them are added one by one, in the same order"},
  };
  return reasons;
}

struct Case {
  BiasGradientOperands operands;
  std::vector<float> dy, held;
};

class Laboratory {
public:
  Laboratory() {
    loadAuxiliaryDialects(context);
    module = biasGradientModule(context, block_threads);
    // Whole rounds of loads and rows left over, one part and several, columns of one block and of two.
    for (const int64_t m : {0, 1, 37, 600})
      for (const int64_t n : {64, 71})
        for (const algrt::ElementType output : {algrt::ElementType::F32, algrt::ElementType::Bf16})
          for (const float beta : {0.0f, 0.75f})
            add(m, n, output, beta);
    // More partial sums than the two slices have on their way at a time.
    add(int64_t{256} * 70, 2, algrt::ElementType::F32, 0);
  }

  std::string objection(mlir::ModuleOp mutant) const {
    try {
      const HostKernel kernel(mutant);
      BiasGradientSettings settings;
      settings.most_steps = 1'000'000;
      for (const Case &one : cases_)
        for (const int64_t blocks : {2, 3}) {
          settings.blocks = blocks;
          settings.padding = static_cast<int64_t>(++settings.seed % 3);
          const SimulatedBiasGradient made =
              simulateBiasGradient(kernel, block_threads, one.operands, settings);
          if (!made.faults.empty())
            return made.faults.front().text();
          if (made.unwritten > 0)
            return "not all is written";
          if (agreement(made.dbias, expectedBiasGradient(one.operands), one.operands.output).wrong > 0)
            return "the sums are wrong";
        }
    } catch (const Failure &failure) {
      return failure.what();
    }
    return "";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  void add(int64_t m, int64_t n, algrt::ElementType output, float beta) {
    Case one{{m, n, {}, output, {}, beta},
             algrt::randomValues(m * n, 1, cases_.size() + 1),
             algrt::randomValues(n, 1, cases_.size() + 100)};
    algrt::roundToBfloat16(one.dy);
    algrt::roundToBfloat16(one.held);
    cases_.push_back(std::move(one));
    cases_.back().operands.dy = cases_.back().dy;
    if (beta != 0)
      cases_.back().operands.held = cases_.back().held;
  }

  std::vector<Case> cases_;
};

TEST(BiasGradientMutants, AreFoundOut) {
  Laboratory laboratory;
  ASSERT_EQ(laboratory.objection(*laboratory.module), "") << "the kernel as it is";
  std::map<std::string, bool> seen;
  for (const Mutation &mutation : mutationsOfPlainCode(*laboratory.module)) {
    if (!seen.emplace(mutation.name, true).second)
      continue; // planted already
    mlir::OwningOpRef<mlir::ModuleOp> mutant = laboratory.module->clone();
    mutation.apply(*mutant);
    const bool survives = laboratory.objection(*mutant).empty();
    EXPECT_EQ(survives, survivors().contains(mutation.name)) << mutation.name << "\n  " << mutation.op;
  }
  for (const auto &[name, reason] : survivors())
    EXPECT_TRUE(seen.contains(name)) << "listed as a survivor, but no mutation: " << name;
  EXPECT_GT(seen.size(), 100u);
}

} // namespace
