// tile.map: its inputs, its syntax and its verifier.
#include "dialects/tile/verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include <numeric>

using namespace mlir;
using namespace tile;

void MapOp::build(OpBuilder &builder, OperationState &state, FragmentType result, ArrayRef<MapInput> inputs) {
  SmallVector<Value> values, indices;
  SmallVector<int32_t> counts;
  for (const MapInput &input : inputs) {
    values.push_back(input.value);
    indices.append(input.indices.begin(), input.indices.end());
    counts.push_back(static_cast<int32_t>(input.indices.size()));
  }
  build(builder, state, result, values, indices, builder.getDenseI32ArrayAttr(counts));
}

OperandRange MapOp::getIndicesOf(unsigned input) {
  ArrayRef<int32_t> counts = getIndexCounts();
  size_t before = 0;
  for (int32_t count : counts.take_front(input))
    before += static_cast<size_t>(count);
  return getIndices().slice(before, static_cast<size_t>(counts[input]));
}

MapInputKind MapOp::getInputKind(unsigned input) {
  Type type = getInputs()[input].getType();
  if (isa<FragmentType>(type))
    return MapInputKind::Fragment;
  auto matrix = dyn_cast<MatrixType>(type);
  if (!matrix)
    return MapInputKind::Number;
  if (matrix.getRows() == 1)
    return MapInputKind::PerColumn;
  return getIndexCounts()[input] <= 2 ? MapInputKind::PerRow : MapInputKind::PerElement;
}

// tile.map (%v = %sum : type, %b = %bias[%j, %n] : type, ...) -> type { ... }

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, indices;
  SmallVector<Type> types;
  SmallVector<int32_t> counts;
  auto parse_input = [&]() -> ParseResult {
    SmallVector<OpAsmParser::UnresolvedOperand> place;
    Type type;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) ||
        parser.parseOperandList(place, OpAsmParser::Delimiter::OptionalSquare) || parser.parseColonType(type))
      return failure();
    types.push_back(type);
    counts.push_back(static_cast<int32_t>(place.size()));
    indices.append(place);
    if (auto fragment = dyn_cast<FragmentType>(type))
      type = fragment.getElementType();
    else if (auto matrix = dyn_cast<MatrixType>(type))
      type = matrix.getElementType();
    arguments.back().type = type;
    return success();
  };
  FragmentType result;
  Builder &builder = parser.getBuilder();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parse_input) || parser.parseArrow() ||
      parser.parseType(result) ||
      parser.resolveOperands(inputs, types, parser.getNameLoc(), state.operands) ||
      parser.resolveOperands(indices, builder.getIndexType(), state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(indices.size())};
  properties.index_counts = builder.getDenseI32ArrayAttr(counts);
  state.addTypes(result);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer, [&](BlockArgument argument) {
    const unsigned number = argument.getArgNumber();
    Value input = getInputs()[number];
    printer << argument << " = " << input;
    if (OperandRange place = getIndicesOf(number); !place.empty())
      printer << '[' << place << ']';
    printer << " : " << input.getType();
  });
  printer << ") -> " << getResult().getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizesAttrName(), getIndexCountsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// A matrix that the map reads: what it is like, and where the tile is in it.
static LogicalResult verifyMatrix(MapOp map, unsigned number, MatrixType matrix) {
  if (matrix.isPanels())
    return map.emitOpError("reads rows, not panels, got ") << matrix;
  auto kernel = map->getParentOfType<KernelOp>();
  const size_t indices = map.getIndicesOf(number).size();
  const MapInputKind kind = map.getInputKind(number);
  const size_t row_indices = kernel && kernel.getReducedSchedule() ? 1 : 2;
  if (kind == MapInputKind::PerColumn && indices != 2)
    return map.emitOpError("reads one row at output group and column, got ") << indices << " indices";
  if (kind == MapInputKind::PerRow && (matrix.getColumns() != 1 || indices < 1))
    return map.emitOpError(
               "reads a matrix at type, row, output group and column, one of a single column at type "
               "and row; of ")
           << matrix << " it has " << indices << " indices";
  if (kind == MapInputKind::PerElement && indices != 3 && indices != 4)
    return map.emitOpError("reads a matrix at type, row, output group and column, got ")
           << indices << " indices";
  if (!kernel)
    return success();
  if (const size_t wanted = kind == MapInputKind::PerRow ? row_indices : row_indices + 2;
      kind != MapInputKind::PerColumn && indices != wanted)
    return map.emitOpError("reads rows ")
           << (row_indices == 1 ? "of the batch, by one index" : "of a type, by two indices") << ", got "
           << indices << " indices instead of " << wanted;
  LayoutAttr layout = layoutAround(map);
  if (layout.isWeightGradient())
    return map.emitOpError("reads operands like the result of modes k and i, but the layout's mode is j");
  if (kind != MapInputKind::PerRow && layout.getOut().getTotal() != matrix.getColumns())
    return map.emitOpError("reads a matrix of ")
           << matrix.getColumns() << " columns, the layout's output groups cover "
           << layout.getOut().getTotal();
  if (kind != MapInputKind::PerColumn && !ShapedType::isDynamic(matrix.getRows()))
    return map.emitOpError("reads a matrix with the rows of X, which only the launch knows, got ") << matrix;
  return success();
}

LogicalResult tile::verifyScalarCode(Operation *op) {
  const StringRef map = op->getParentOp()->getName().getStringRef();
  for (Value operand : op->getOperands())
    if (operand.getParentBlock() != op->getBlock() && !operand.getDefiningOp<arith::ConstantOp>())
      return op->emitOpError("uses a value from outside of its ")
             << map << " that is no constant: make it an input";
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumRegions() != 0)
    return op->emitOpError("is no scalar code of arith or math, so ")
           << map << " cannot apply it to elements";
  // These take and give bf16 as it lies in memory.
  const bool converts = isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::ConstantOp>(op);
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (!type.isIntOrIndex() && !type.isF32() && !type.isBF16())
      return op->emitOpError("is of ") << type << "; elements in " << map << " are f32 and bf16";
    if (type.isBF16() && !converts)
      return op->emitOpError("computes with ")
             << type << "; " << map << " computes in f32: widen its operands";
  }
  return success();
}

LogicalResult MapOp::verify() {
  Block &block = getBody().front();
  ArrayRef<int32_t> counts = getIndexCounts();
  if (counts.size() != getInputs().size() || llvm::any_of(counts, [](int32_t count) { return count < 0; }) ||
      std::accumulate(counts.begin(), counts.end(), int64_t{0}) != static_cast<int64_t>(getIndices().size()))
    return emitOpError("needs the number of indices of each input, got ") << getIndexCountsAttr();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("body has ") << block.getNumArguments() << " arguments for " << getInputs().size()
                                    << " inputs";
  FragmentType result = getResult().getType();
  bool fragments = false;
  for (auto [input, argument] : llvm::zip_equal(getInputs(), block.getArguments())) {
    const unsigned number = argument.getArgNumber();
    Type element = input.getType();
    if (auto type = dyn_cast<FragmentType>(input.getType())) {
      fragments = true;
      element = type.getElementType();
      if (type.getRows() != result.getRows() || type.getColumns() != result.getColumns())
        return emitOpError("maps fragments of different shapes");
    } else if (auto matrix = dyn_cast<MatrixType>(input.getType())) {
      element = matrix.getElementType();
      if (failed(verifyMatrix(*this, number, matrix)))
        return failure();
    }
    if (element != argument.getType())
      return emitOpError("body takes ") << argument.getType() << " where the input has " << element;
    if (!isa<MatrixType>(input.getType()) && counts[number] != 0)
      return emitOpError("has indices for ") << input.getType() << ", which does not lie in memory";
  }
  if (!fragments)
    return emitOpError("needs at least one fragment");
  for (Operation &op : block)
    if (failed(verifyScalarCode(&op)))
      return failure();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getNumOperands() != 1 || yield.getOperand(0).getType() != result.getElementType())
    return emitOpError("body must yield one value of type ") << result.getElementType();
  return success();
}
