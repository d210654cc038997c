// Syntax and verifiers of the operations that change how a tensor is seen; the others have files of their
// own.
#include "dialects/alg/alg.h"
#include "dialects/alg/schedules.h"
#include "dialects/alg/syntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "dialects/alg/alg_ops.cpp.inc"

using namespace mlir;
using namespace alg;

void AlgDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "dialects/alg/alg_ops.cpp.inc"
      >();
}

// Slots

namespace {

/// The text between a tensor and its type.
struct Partition {
  Attribute rows;
  GroupsAttr cols;
  int64_t plain = 0;
  std::optional<OpAsmParser::UnresolvedOperand> rows_operand; // the offset, or the vector of types
};

} // namespace

static ParseResult parsePartition(OpAsmParser &parser, Partition &partition) {
  if (succeeded(parser.parseOptionalKeyword("plain")))
    return failure(parser.parseLParen() || parser.parseInteger(partition.plain) || parser.parseRParen());
  if (parser.parseKeyword("rows") || parser.parseLParen() || !(partition.rows = parseRows(parser)))
    return failure();
  if (succeeded(parser.parseOptionalComma()) && parser.parseOperand(partition.rows_operand.emplace()))
    return failure();
  return failure(parser.parseRParen() || parser.parseKeyword("cols") || parser.parseLParen() ||
                 !(partition.cols = parseGroups(parser)) || parser.parseRParen());
}

/// One `i32` for each row of the tensor.
static RankedTensorType typeVector(RankedTensorType tensor, MLIRContext *context) {
  return RankedTensorType::get({tensor.getDimSize(0)}, IntegerType::get(context, 32));
}

ParseResult SlotsOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand operand;
  Partition partition;
  RankedTensorType tensor;
  SMLoc type_loc;
  if (parser.parseOperand(operand) || parsePartition(parser, partition) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&type_loc) || parser.parseType(tensor) ||
      parser.resolveOperand(operand, tensor, state.operands))
    return failure();
  if (!partition.rows && partition.plain < 1)
    return parser.emitError(loc) << "an algebra has at least one slot, got plain(" << partition.plain << ")";
  auto view = parser.getChecked<SlotsType>(loc, parser.getContext(), tensor, partition.rows, partition.cols,
                                           partition.plain);
  if (!view)
    return failure();
  int32_t offsets = 0, types = 0;
  if (partition.rows_operand) {
    RowTypesAttr row_types = view.getRowTypes();
    if (!row_types)
      return parser.emitError(partition.rows_operand->location)
             << "the rows of a weight matrix have no offset";
    bool is_explicit = row_types.getKind() == RowTypeKind::Explicit;
    (is_explicit ? types : offsets) = 1;
    Type type =
        is_explicit ? Type(typeVector(tensor, parser.getContext())) : parser.getBuilder().getIndexType();
    if (parser.resolveOperand(*partition.rows_operand, type, state.operands))
      return failure();
  }
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, offsets, types};
  state.addTypes(view);
  return success();
}

void SlotsOp::print(OpAsmPrinter &printer) {
  SlotsType view = cast<SlotsType>(getView().getType());
  printer << ' ' << getTensor() << ' ';
  if (view.getPlain()) {
    printer << "plain(" << view.getPlain() << ')';
  } else {
    printer << "rows(";
    printRows(printer, view.getRows());
    if (Value operand = getOffset() ? Value(getOffset()) : Value(getTypes()))
      printer << ", " << operand;
    printer << ") cols(";
    printGroups(printer, view.getCols());
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getTensor().getType();
}

LogicalResult SlotsOp::verify() {
  SlotsType view = cast<SlotsType>(getView().getType());
  if (view.getTensor() != getTensor().getType())
    return emitOpError("is a view of ")
           << view.getTensor() << ", but its operand is " << getTensor().getType();
  RowTypesAttr types = view.getRowTypes();
  if (!types && (getOffset() || getTypes()))
    return emitOpError("has no row types, so it takes neither an offset nor types");
  if (types && types.getKind() == RowTypeKind::Explicit) {
    if (!getTypes() || getOffset())
      return emitOpError("has an explicit schedule: it takes the vector of the types and no offset");
    auto vector = cast<RankedTensorType>(getTypes().getType());
    if (vector != typeVector(view.getTensor(), getContext()))
      return emitOpError("needs one type for each row, that is ")
             << typeVector(view.getTensor(), getContext()) << ", not " << vector;
  } else if (getTypes()) {
    return emitOpError("takes a vector of types only with an explicit schedule");
  }
  std::optional<int64_t> offset = constantOffset(*this);
  if (offset && *offset < 0)
    return emitOpError("starts at position ") << *offset << "; positions count from 0";
  return success();
}

// Gather and regroup

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto view = dyn_cast<SlotsType>(adaptor.getView().getType());
  if (!view)
    return emitOptionalError(location, "'alg.gather' op gathers a slot view, not ",
                             adaptor.getView().getType());
  types.push_back(view.getTensor());
  return success();
}

LogicalResult RegroupOp::verify() {
  SlotsType from = cast<SlotsType>(getSource().getType()), to = cast<SlotsType>(getResult().getType());
  if (from.getTensor() != to.getTensor())
    return emitOpError("changes groups, not the tensor: ") << from.getTensor() << " and " << to.getTensor();
  if (from.getPlain() || to.getPlain())
    return emitOpError("changes groups, and plain views have none");
  if (from.isWeights() != to.isWeights() || from.getRowTypes() != to.getRowTypes())
    return emitOpError("changes groups, not the types of the rows");
  return success();
}
