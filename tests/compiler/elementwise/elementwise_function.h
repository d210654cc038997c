// Element-wise functions with their arguments and what they compute, for kernels of any target to be compared
// with.
#pragma once

#include "compiler/lower/elementwise_function.h"
#include "tests/compiler/program/parsed_program.h"

#include <random>
#include <string>
#include <vector>

namespace elementwise_test {

/// The text of a function `f` of random operands, whose arithmetic is exact on small whole numbers: sums,
/// differences, products, maxima and selections of one or two for each, put or reduced.
std::string randomFunction(std::mt19937 &random);

/// A function that has been read, and what bundles know of it.
class TestFunction {
public:
  /// Of a function of a module's text. A failure of the test where it is no element-wise function.
  explicit TestFunction(const std::string &text, const std::string &name = "f",
                        compiler::HeldResults held = compiler::HeldResults::Overwritten);

  const algrt::Elementwise &description() const { return described.description; }

  /// Arrays for its arguments, of `rows` rows where the launch knows them: whole numbers between -most and
  /// most.
  std::vector<compiler::DenseArray> wholeArguments(std::mt19937 &random, int64_t rows, int64_t most = 3);
  /// Its results in double precision.
  std::vector<compiler::DenseArray> evaluate(const std::vector<compiler::DenseArray> &arguments);
  /// The argument that an operand is.
  size_t argumentOf(const std::string &operand) const;

  compiler::ElementwiseFunction described;

private:
  program_test::ProgramContext program_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
};

/// How many numbers an extent is in a call with so many rows.
int64_t lengthOf(const algrt::Extent &extent, int64_t rows);

/// A number as an operand of that type holds it.
double rounded(double number, algrt::ElementType type);

} // namespace elementwise_test
