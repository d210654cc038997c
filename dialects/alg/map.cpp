// Syntax and verifiers of the element-wise function.
#include "dialects/alg/alg.h"
#include "dialects/alg/schedules.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace alg;

void MapOp::build(OpBuilder &builder, OperationState &state, Type result, ValueRange inputs,
                  ValueRange columns, ValueRange rows, ValueRange numbers) {
  for (ValueRange operands : {inputs, columns, rows, numbers})
    state.addOperands(operands);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(inputs.size()), static_cast<int32_t>(columns.size()),
      static_cast<int32_t>(rows.size()), static_cast<int32_t>(numbers.size())};
  state.addTypes(result);
  Block &body = state.addRegion()->emplaceBlock();
  for (Value operand : state.operands)
    body.addArgument(elementTypeOf(operand), operand.getLoc());
}

// Syntax

using Unresolved = SmallVector<OpAsmParser::UnresolvedOperand>;

/// `: type` of all views and the result, or `: (types) -> type`.
static ParseResult parseTypes(OpAsmParser &parser, size_t views, size_t others, SmallVectorImpl<Type> &types,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLParen())) {
    SlotsType view;
    if (parser.parseType(view))
      return failure();
    if (others)
      return parser.emitError(loc) << "operands of columns, rows and numbers need their types: "
                                      "(TYPES) -> TYPE";
    types.append(views, view);
    result = view;
    return success();
  }
  SlotsType view;
  if (parser.parseTypeList(types) || parser.parseRParen() || parser.parseArrow() || parser.parseType(view))
    return failure();
  result = view;
  if (types.size() != views + others)
    return parser.emitError(loc) << "there are " << views + others << " operands, but " << types.size()
                                 << " types";
  return success();
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  Unresolved operands;
  if (parser.parseOperandList(operands))
    return failure();
  std::array<int32_t, 4> segments = {static_cast<int32_t>(operands.size()), 0, 0, 0};
  constexpr std::array<StringLiteral, 3> kinds = {"columns", "rows", "numbers"};
  for (auto [kind, keyword] : llvm::enumerate(kinds)) {
    Unresolved further;
    if (failed(parser.parseOptionalKeyword(keyword)))
      continue;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseOperandList(further))
      return failure();
    if (further.empty())
      return parser.emitError(loc) << "expected an operand after '" << keyword << "'";
    segments[kind + 1] = further.size();
    llvm::append_range(operands, further);
  }
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  Type result;
  if (parser.parseColon() || parseTypes(parser, segments[0], operands.size() - segments[0], types, result) ||
      parser.resolveOperands(operands, types, loc, state.operands) ||
      parser.parseRegion(*state.addRegion()) || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  llvm::copy(segments, state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  state.addTypes(result);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInputs();
  auto print_kind = [&](StringRef keyword, OperandRange operands) {
    if (!operands.empty())
      printer << ' ' << keyword << ' ' << operands;
  };
  print_kind("columns", getColumns());
  print_kind("rows", getRows());
  print_kind("numbers", getNumbers());
  printer << " : ";
  Type result = getResult().getType();
  if (llvm::all_of(getOperandTypes(), [&](Type type) { return type == result; }))
    printer << result;
  else
    printer << '(' << getOperandTypes() << ") -> " << result;
  printer << ' ';
  printer.printRegion(getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
}

// Verifiers

/// That operands have one element for each column, row or map of the result, as `type` says.
static LogicalResult verifyBroadcast(MapOp map, StringRef what, OperandRange operands,
                                     function_ref<RankedTensorType(Type)> type) {
  for (Value operand : operands) {
    RankedTensorType needed = type(elementTypeOf(operand));
    if (!needed)
      return map.emitOpError("maps a plain weight matrix, which has neither rows nor columns");
    if (operand.getType() != needed)
      return map.emitOpError("has one element for each ")
             << what << ", that is " << needed << ", not " << operand.getType();
  }
  return success();
}

LogicalResult MapOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one view");
  SlotsType result = getResult().getType();
  for (Value input : getInputs())
    if (!cast<SlotsType>(input.getType()).isCutLike(result))
      return emitOpError("maps views that are cut alike, but one is ")
             << input.getType() << " and the result " << result;
  if (failed(verifyBroadcast(*this, "column", getColumns(),
                             [&](Type element) { return result.getColumnsType(element); })) ||
      failed(verifyBroadcast(*this, "row", getRows(),
                             [&](Type element) { return result.getRowsType(element); })))
    return failure();
  return verifySameOffset(getOperation(), getInputs());
}

LogicalResult MapOp::verifyRegions() {
  Type element = getResult().getType().getElementType();
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError("has ") << getNumOperands() << " operands, but its body has "
                               << block.getNumArguments() << " arguments";
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), getOperands()))
    if (argument.getType() != elementTypeOf(operand))
      return emitOpError("maps elements of ")
             << elementTypeOf(operand) << ", but its body has an argument of " << argument.getType();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("has a body that does not end with 'alg.yield'");
  if (yield.getValue().getType() != element)
    return emitOpError("maps to elements of ")
           << element << ", but its body yields " << yield.getValue().getType();
  for (Operation &op : block)
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("has side effects, which the body of 'alg.map' must not have");
  return success();
}
