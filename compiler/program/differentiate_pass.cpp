// alg-differentiate: the gradient of one function of a module.
#include "compiler/program/differentiate.h"
#include "compiler/program/passes.h"
#include "compiler/program/value_names.h"

namespace compiler {
#define GEN_PASS_DEF_ALGDIFFERENTIATE
#include "compiler/program/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct AlgDifferentiate : compiler::impl::AlgDifferentiateBase<AlgDifferentiate> {
  using AlgDifferentiateBase::AlgDifferentiateBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>(function.getValue());
    if (!forward) {
      getOperation().emitError("there is no function '") << function.getValue() << "'";
      return signalPassFailure();
    }
    GradientOptions request;
    request.name = name.empty() ? function + "_gradient" : name.getValue();
    request.keeping = keeping;
    if (failed(findArguments(forward, request)) || failed(differentiate(forward, request)))
      signalPassFailure();
  }

private:
  LogicalResult findArguments(func::FuncOp forward, GradientOptions &request);
};

} // namespace

LogicalResult AlgDifferentiate::findArguments(func::FuncOp forward, GradientOptions &request) {
  for (const std::string &wanted : arguments) {
    unsigned index = 0;
    if (StringRef(wanted).getAsInteger(10, index)) {
      auto named =
          llvm::find_if(forward.getArguments(), [&](Value value) { return nameOf(value) == wanted; });
      if (named == forward.getArguments().end())
        return forward.emitError("has no argument '") << wanted << "'";
      index = named->getArgNumber();
    }
    request.arguments.push_back(index);
  }
  if (!arguments.empty())
    return success();
  for (BlockArgument argument : forward.getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType());
        tensor && isa<FloatType>(tensor.getElementType()))
      request.arguments.push_back(argument.getArgNumber());
  return success();
}
