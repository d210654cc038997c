// Faults planted in kernels of element-wise functions, one at a time: the simulator has to object, or a
// result is wrong.
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/process/failure.h"
#include "compiler/simulator/elementwise.h"
#include "compiler/simulator/kernel_module.h"
#include "runtime/support/error.h"
#include "tests/compiler/elementwise/elementwise_function.h"
#include "tests/mutation/plain_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

using namespace mutation_test;
using namespace elementwise_test;
using compiler::ElementwiseSettings;

namespace {

constexpr int64_t step_limit = 1'000'000; // the kernels as they are take about a tenth

struct Subject {
  std::string name, text;
  compiler::HeldResults held;
  int64_t most; ///< of the whole numbers that it computes with, and of their negatives
  /// Of the calls, each of which is made with vectors at multiples of 16 bytes and with such that are not.
  std::vector<int64_t> rows;
};

const Subject subjects[] = {
    // The gradient of a bias: one block of 32 columns and one of 8, a whole round of 16 slices of 16 rows and
    // some
    // more, and what the result held.
    {"sums_of_columns",
     R"mlir(
!v = !alg.slots<?x40xbf16, rows(cyclic 1), cols(1 x 40)>
func.func private @f(%x: tensor<?x40xbf16>) -> tensor<40xf32> {
  %v = alg.slots %x rows(cyclic 1) cols(1 x 40) : tensor<?x40xbf16>
  %y = alg.reduce sum %v over rows : !v -> tensor<40xf32>
  return %y : tensor<40xf32>
})mlir",
     compiler::HeldResults::AddedTo,
     3,
     {757, 5, 0}},
    // Of each row's 28 numbers, which are three vectors of 8 and a half.
    {"maxima_of_rows",
     R"mlir(
!v = !alg.slots<?x28xbf16, rows(cyclic 1), cols(1 x 28)>
func.func private @f(%x: tensor<?x28xbf16>) -> tensor<?xbf16> {
  %v = alg.slots %x rows(cyclic 1) cols(1 x 28) : tensor<?x28xbf16>
  %y = alg.reduce maximum %v over columns : !v -> tensor<?xbf16>
  return %y : tensor<?xbf16>
})mlir",
     compiler::HeldResults::Overwritten,
     127,
     {70, 1}},
    // The same of sums, before which numbers are squared: rows of one block and of the next.
    {"sums_of_rows",
     R"mlir(
!v = !alg.slots<?x20xf32, rows(cyclic 1), cols(1 x 20)>
func.func private @f(%x: tensor<?x20xf32>) -> tensor<?xf32> {
  %v = alg.slots %x rows(cyclic 1) cols(1 x 20) : tensor<?x20xf32>
  %s = alg.map %v : (!v) -> !v {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    alg.yield %b : f32
  }
  %y = alg.reduce sum %s over columns : !v -> tensor<?xf32>
  return %y : tensor<?xf32>
})mlir",
     compiler::HeldResults::Overwritten,
     3,
     {35, 1}},
    // A map with operands of every kind: rows of two blocks, vectors of 8 and a half.
    {"map",
     R"mlir(
!v = !alg.slots<?x20xbf16, rows(cyclic 1), cols(1 x 20)>
func.func private @f(%x: tensor<?x20xbf16>, %c: tensor<20xbf16>, %r: tensor<?xf32>, %n: tensor<f32>)
    -> tensor<?x20xbf16> {
  %v = alg.slots %x rows(cyclic 1) cols(1 x 20) : tensor<?x20xbf16>
  %m = alg.map %v columns %c rows %r numbers %n : (!v, tensor<20xbf16>, tensor<?xf32>, tensor<f32>) -> !v {
  ^bb0(%a: bf16, %b: bf16, %d: f32, %e: f32):
    %wide = arith.extf %a : bf16 to f32
    %column = arith.extf %b : bf16 to f32
    %product = arith.mulf %wide, %column : f32
    %moved = arith.addf %product, %d : f32
    %scaled = arith.mulf %moved, %e : f32
    %rounded = arith.truncf %scaled : f32 to bf16
    alg.yield %rounded : bf16
  }
  %y = alg.gather %m : !v
  return %y : tensor<?x20xbf16>
})mlir",
     compiler::HeldResults::Overwritten,
     3,
     {420, 1}},
};

/// What survives of a subject, and why it is no fault.
const std::map<std::string, std::string> &survivors() {
  static const std::string at_the_head = "at the head of the loop over tasks it still stands between what "
                                         "one task reads and the next one writes";
  static const std::string without_rows = "there is one task more, which has no rows";
  static const std::string in_another_order =
      "threads, or tasks, take columns in another order, each of them once";
  static const std::string one_by_one =
      "elements one by one are right whatever the alignment and the end of the row";
  static const std::string row_by_row = "rows one by one are right whatever their number";
  static const std::map<std::string, std::string> reasons = {
      {"sums_of_columns late nvvm.barrier #1", at_the_head},
      {"sums_of_columns position llvm.urem #0", in_another_order},
      {"sums_of_columns position llvm.urem #1", in_another_order},
      {"sums_of_columns never llvm.icmp #4", row_by_row},
      {"maxima_of_rows late nvvm.barrier #2", at_the_head},
      {"maxima_of_rows never llvm.icmp #0", one_by_one},
      {"maxima_of_rows position llvm.udiv #0", without_rows},
      {"maxima_of_rows one further llvm.icmp #4", without_rows},
      {"maxima_of_rows never llvm.icmp #7", one_by_one},
      {"maxima_of_rows one further llvm.icmp #7", one_by_one},
      {"maxima_of_rows delete the other of llvm.intr.maximum #0",
       "a thread has one vector of a row at most: what it has before is the least number"},
      {"sums_of_rows late nvvm.barrier #3", at_the_head},
      {"sums_of_rows never llvm.icmp #0", one_by_one},
      {"sums_of_rows position llvm.udiv #0", without_rows},
      {"sums_of_rows position llvm.udiv #1", "a row has five vectors: the last of its eight threads, which "
                                             "is taken for one of the next row, has none"},
      {"sums_of_rows one further llvm.icmp #5", without_rows},
      {"sums_of_rows never llvm.icmp #8", one_by_one},
      {"sums_of_rows always llvm.icmp #8", "20 columns are whole vectors of four"},
      {"sums_of_rows one further llvm.icmp #8", one_by_one},
      {"sums_of_rows delete the other of llvm.fadd #0",
       "a thread has one vector of a row at most: what it has before is zero"},
      {"map stride llvm.mul #0", "the other matrix has the same stride, which says as much about alignment; "
                                 "where both are aligned, elements are taken one by one"},
      {"map stride llvm.mul #1", "the other matrix has the same stride, which says as much about alignment; "
                                 "where both are aligned, elements are taken one by one"},
      {"map never llvm.icmp #1", one_by_one},
      {"map position llvm.udiv #0", without_rows},
      {"map one further llvm.icmp #2", without_rows},
      {"map position llvm.urem #0", in_another_order},
      {"map never llvm.icmp #4", one_by_one},
      {"map one further llvm.icmp #4", one_by_one}};
  return reasons;
}

class Laboratory {
public:
  explicit Laboratory(const Subject &subject)
      : most_(subject.most), function_(subject.text, "f", subject.held),
        program_(compiler::gpuElementwiseProgram(function_.described, compiler::Target::Sm90a,
                                                 compiler::CompileOptions())),
        module_(program_.nvvm, subject.name) {
    std::mt19937 random(3);
    uint64_t seed = 0;
    for (const int64_t rows : subject.rows)
      for (const bool aligned : {true, false})
        calls_.push_back(callWith(rows, aligned, ++seed, random));
  }

  mlir::ModuleOp original() { return module_.module(); }
  /// Empty for a kernel that is right.
  std::string objection(mlir::ModuleOp mutant) const {
    try {
      const compiler::SimulatedElementwiseKernel kernel(function_.description(), program_.kernel,
                                                        compiler::HostKernel(mutant));
      for (const Call &call : calls_) {
        const compiler::SimulatedElementwise made =
            kernel.run(call.inputs, call.rows, call.settings, {call.held});
        for (const simulator::Fault &fault : made.report.faults)
          return kernel.explain(fault);
        if (made.unwritten > 0)
          return "a number is not written";
        if (made.outputs.front() != call.expected)
          return "a number is wrong";
      }
    } catch (const compiler::Failure &failure) {
      return failure.what();
    } catch (const algrt::Error &error) {
      return error.what();
    }
    return "";
  }

private:
  struct Call {
    int64_t rows;
    ElementwiseSettings settings;
    std::vector<std::vector<float>> inputs;
    std::vector<float> held, expected;
  };

  Call callWith(int64_t rows, bool aligned, uint64_t seed, std::mt19937 &random) {
    // Rows of 20 or 28 elements, and 4 that are no part of them, begin at multiples of 16 bytes.
    Call call{rows, {.seed = seed, .padding = 4, .most_steps = step_limit}, {}, {}, {}};
    if (!aligned) {
      call.settings.blocks = 1;
      call.settings.padding = 3;
      // The stride alone is no multiple in the first call.
      call.settings.shift = calls_.size() > 1 ? 1 : 0;
      call.settings.numbers_with_launch = false;
    }
    const std::vector<compiler::DenseArray> arguments = function_.wholeArguments(random, rows, most_);
    // What is held counts where vectors are not aligned, and may not be read elsewhere.
    const float factor = aligned ? 0 : 2;
    for (const algrt::ElementwiseOperand &operand : function_.description().operands) {
      if (operand.role == algrt::OperandRole::Output) {
        const std::vector<double> sums = function_.evaluate(arguments).front().values;
        for (const double sum : sums) {
          const double before = operand.held_by.empty() ? 0 : static_cast<double>(call.held.size() % 5) - 2;
          call.held.push_back(static_cast<float>(before));
          call.expected.push_back(static_cast<float>(rounded(sum + factor * before, operand.type)));
        }
      } else if (const size_t argument = function_.argumentOf(operand.name); argument < arguments.size()) {
        const std::vector<double> &values = arguments[argument].values;
        call.inputs.emplace_back(values.begin(), values.end());
      } else {
        call.inputs.push_back({factor});
      }
    }
    return call;
  }

  int64_t most_;
  TestFunction function_;
  compiler::GpuElementwiseProgram program_;
  compiler::KernelModule module_;
  std::vector<Call> calls_;
};

class ElementwiseMutants : public testing::TestWithParam<Subject> {};

TEST_P(ElementwiseMutants, AreFoundOut) {
  const Subject &subject = GetParam();
  Laboratory laboratory(subject);
  ASSERT_EQ(laboratory.objection(laboratory.original()), "") << "the kernel as it is";
  std::map<std::string, bool> seen;
  for (const Mutation &mutation : mutationsOfElements(laboratory.original())) {
    const std::string id = subject.name + " " + mutation.name;
    if (!seen.emplace(id, true).second)
      continue; // planted already
    mlir::OwningOpRef<mlir::ModuleOp> mutant = laboratory.original().clone();
    mutation.apply(*mutant);
    const bool survives = laboratory.objection(*mutant).empty();
    EXPECT_EQ(survives, survivors().contains(id))
        << (survives ? "survived: " : "is found out: ") << id << "\n  " << mutation.op;
  }
  for (const auto &[id, reason] : survivors())
    if (id.starts_with(subject.name + " "))
      EXPECT_TRUE(seen.contains(id)) << "listed as a survivor, but no mutation: " << id;
  EXPECT_GT(seen.size(), 50u);
}

INSTANTIATE_TEST_SUITE_P(Suite, ElementwiseMutants, testing::ValuesIn(subjects),
                         [](const auto &info) { return info.param.name; });

} // namespace
