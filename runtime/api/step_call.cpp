#include "runtime/api/step_call.h"

#include "runtime/api/products.h"

namespace algrt {

namespace {

template <typename Args> Args argumentsOf(const StepCall &call, Args args) {
  args.types = call.tensor("types");
  args.positions = call.tensor("positions");
  args.sequence_starts = call.tensor("sequence_starts");
  args.sequence_positions = call.tensor("sequence_positions");
  args.p0 = call.p0;
  args.sequence_rows = call.sequence_rows;
  args.stream = call.stream;
  args.workspace = call.workspace;
  args.workspace_bytes = call.workspace_bytes;
  args.threads = call.threads;
  args.kernel = call.kernel;
  return args;
}

} // namespace

const algrt_named_tensor *StepCall::find(std::string_view operand) const {
  const auto found = operands.find(operand);
  return found == operands.end() ? nullptr : found->second;
}

const DLTensor *StepCall::tensor(std::string_view operand) const {
  const algrt_named_tensor *found = find(operand);
  return found == nullptr ? nullptr : found->tensor;
}

RowArguments StepCall::rows() const {
  return {tensor("types"), p0, tensor("positions"), tensor("sequence_starts"), tensor("sequence_positions"),
          sequence_rows};
}

void runProjectionStep(const LoadedProjection &projection, Map map, const StepCall &call) {
  const OperandNames names = operandNames(map);
  switch (map) {
  case Map::Forward: {
    auto args = argumentsOf(call, algrt_forward_args_init());
    const algrt_named_tensor *w = call.find(names.w);
    args.x = call.tensor(names.x);
    args.w = w->tensor;
    args.weights = w->weights;
    args.y = call.tensor(names.y);
    args.bias = call.tensor("bias");
    args.dependent_launch = call.dependent_launch ? 1 : 0;
    runForward(projection, args, call.place);
    return;
  }
  case Map::Dx: {
    auto args = argumentsOf(call, algrt_dx_args_init());
    args.dy = call.tensor(names.x);
    args.w = call.tensor(names.w);
    args.dx = call.tensor(names.y);
    args.dependent_launch = call.dependent_launch ? 1 : 0;
    runDx(projection, args, call.place);
    return;
  }
  case Map::Dw: {
    auto args = argumentsOf(call, algrt_dw_args_init());
    args.x = call.tensor(names.x);
    args.dy = call.tensor(names.w);
    args.dw = call.tensor(names.y);
    args.dbias = call.tensor("dbias");
    args.beta = call.beta;
    runDw(projection, args, call.place);
    return;
  }
  }
}

} // namespace algrt
