#include "compiler/tools/reference_program.h"

#include "compiler/pipeline/compilation.h"
#include "compiler/process/failure.h"
#include "compiler/program/evaluate.h"
#include "compiler/program/parse_program.h"
#include "compiler/program/swiglu.h"
#include "compiler/program/value_names.h"

#include <fmt/format.h>

namespace compiler {
namespace {

/// As the function's argument: where the first row is, or where each of them is.
DenseArray arrayOf(const ReferencePositions &positions) {
  if (positions.each.empty())
    return {{}, {0}, positions.first};
  // Positions of one batch are as near to each other as a double can count.
  DenseArray array{{static_cast<int64_t>(positions.each.size())}, {}, positions.each.front()};
  for (const int64_t position : positions.each)
    array.values.push_back(static_cast<double>(position - array.base));
  return array;
}

/// The operands of a function in the order of its arguments.
std::vector<DenseArray> argumentsOf(mlir::func::FuncOp function, const ReferenceArrays &operands,
                                    const ReferencePositions &positions) {
  std::vector<DenseArray> arguments;
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (argument.getType().isIndex()) {
      arguments.push_back(arrayOf(positions));
      continue;
    }
    const std::string name = nameOf(argument).str();
    const auto found = operands.find(name);
    if (found == operands.end())
      throw Failure(fmt::format("{}: is missing: program {} needs it", name, function.getSymName().str()));
    DenseArray array{found->second.shape, found->second.values};
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType());
    // Bundles hold a number as a tensor of one element.
    if (array.values.size() == 1 && (!tensor || tensor.getRank() == 0))
      array.shape.clear();
    arguments.push_back(std::move(array));
  }
  return arguments;
}

} // namespace

ReferenceArrays evaluateProgram(const std::string &text, const std::string &program,
                                const ReferenceArrays &operands, const ReferencePositions &positions,
                                unsigned rounding) {
  const auto file = std::make_shared<const ProgramFile>(ProgramFile{"<program>", text});
  Compilation compilation(/*print_ir_after_all=*/false, file);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseProgram(compilation.getContext(), *file);
  compilation.check(static_cast<bool>(module), "the program cannot be read");
  auto function = module->lookupSymbol<mlir::func::FuncOp>(program);
  if (!function)
    throw Failure(fmt::format("there is no program '{}' to compare with", program));
  mlir::FailureOr<std::vector<DenseArray>> values =
      evaluate(function, argumentsOf(function, operands, positions), {rounding});
  compilation.check(mlir::succeeded(values), "the program cannot be computed");
  ReferenceArrays results;
  for (auto [value, array] :
       llvm::zip_equal(function.getBody().front().getTerminator()->getOperands(), *values))
    results[nameOf(value).str()] = {std::move(array.shape), std::move(array.values)};
  return results;
}

std::vector<ReferenceArray>
evaluateKernel(const std::string &function, const std::vector<std::vector<std::string>> &operands, int64_t m,
               const ReferencePositions &positions, unsigned rounding,
               const std::function<std::vector<double>(const std::string &operand)> &operand) {
  Compilation compilation(/*print_ir_after_all=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module = compilation.parse(function);
  mlir::func::FuncOp kernel = *module->getOps<mlir::func::FuncOp>().begin();
  std::vector<DenseArray> arguments;
  for (auto [argument, roles] : llvm::zip_equal(kernel.getArguments(), operands)) {
    DenseArray array;
    if (argument.getType().isIndex())
      array = arrayOf(positions);
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(argument.getType()))
      for (const int64_t size : tensor.getShape())
        array.shape.push_back(mlir::ShapedType::isDynamic(size) ? m : size);
    // What the kernel does not read is anything.
    if (!roles.empty())
      array.values = operand(roles.front());
    else if (array.values.empty())
      array.values.resize(static_cast<size_t>(elementCount(array.shape)));
    arguments.push_back(std::move(array));
  }
  mlir::FailureOr<std::vector<DenseArray>> values = evaluate(kernel, arguments, {rounding});
  compilation.check(mlir::succeeded(values), "the kernel cannot be computed");
  std::vector<ReferenceArray> results;
  for (DenseArray &array : *values)
    results.push_back({std::move(array.shape), std::move(array.values)});
  return results;
}

static ProgramFile activationProgram(const Swiglu &network) {
  Compilation compilation(/*print_ir_after_all=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildActivation(compilation.getContext(), network);
  compilation.check(static_cast<bool>(module), "the activation could not be written in the alg dialect");
  return {"activation", printModule(*module, /*names=*/true)};
}

ProgramTools programTools() { return {planProgram, evaluateProgram, activationProgram}; }

} // namespace compiler
