#include "compiler/pipeline/program_module.h"

#include "compiler/program/differentiate.h"
#include "compiler/program/parse_program.h"
#include "compiler/program/swiglu.h"
#include "compiler/program/value_names.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace compiler {

std::shared_ptr<const ProgramFile> originOf(const Spec &spec) {
  const ProgramFile *file = spec.programFile();
  return file ? std::make_shared<const ProgramFile>(*file) : nullptr;
}

/// What a value is called without its name.
static Location withoutName(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getChildLoc() : location;
}

static std::vector<std::string> namesOfResults(func::FuncOp function) {
  std::vector<std::string> names;
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    names.push_back(nameOf(result).str());
  return names;
}

/// Calls the results of a function so, and nothing else in it.
static void nameResults(func::FuncOp function, ArrayRef<std::string> names) {
  llvm::StringSet<> taken;
  for (const std::string &name : names)
    taken.insert(name);
  for (BlockArgument argument : function.getArguments())
    taken.insert(nameOf(argument));
  function.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && taken.contains(nameOf(op->getResult(0))))
      op->setLoc(withoutName(op->getLoc()));
  });
  Operation *end = function.getBody().front().getTerminator();
  for (auto [value, name] : llvm::zip_equal(end->getOperands(), names))
    if (Operation *op = value.getDefiningOp())
      op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name), withoutName(op->getLoc())));
}

std::string keepingName(StringRef program) { return (program + "_keeping").str(); }

/// Adds the gradient of a program, and where it takes what was kept the program that returns that, too.
static LogicalResult addGradient(func::FuncOp function, bool keeping) {
  GradientOptions options;
  if (keeping)
    options.keeping = keepingName(function.getSymName());
  options.name = function.getSymName() == "forward" ? "backward" : function.getSymName().str() + "_backward";
  std::vector<std::string> names;
  for (BlockArgument argument : function.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor || !isa<FloatType>(tensor.getElementType()))
      continue;
    options.arguments.push_back(argument.getArgNumber());
    names.push_back(("d" + nameOf(argument)).str());
  }
  FailureOr<func::FuncOp> gradient = differentiate(function, options);
  if (failed(gradient))
    return failure();
  nameResults(*gradient, names);
  if (auto kept = function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(options.keeping);
      keeping && kept)
    nameResults(kept, namesOfResults(kept));
  return success();
}

OwningOpRef<ModuleOp> buildPrograms(Compilation &compilation, const Spec &spec, const ProgramMaps &maps) {
  MLIRContext &context = compilation.getContext();
  OwningOpRef<ModuleOp> module;
  if (const ProgramFile *file = spec.programFile())
    module = parseProgram(context, *file);
  else
    module = buildSwiglu(context, std::get<Swiglu>(*spec.program));
  compilation.check(static_cast<bool>(module), "the program could not be written in the alg dialect");
  compilation.check(succeeded(checkPrograms(*module)), "the program is none that a bundle can hold");
  const SmallVector<func::FuncOp> functions(module->getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    nameResults(function, namesOfResults(function));
    if (maps.backward)
      compilation.check(succeeded(addGradient(function, maps.keeping == Keeping::Always)),
                        "the program has no gradient");
    if (!maps.forward)
      function.erase();
  }
  if (maps.backward)
    compilation.check(succeeded(checkPrograms(*module)), "the gradient is no program that a bundle can hold");
  return module;
}

} // namespace compiler
