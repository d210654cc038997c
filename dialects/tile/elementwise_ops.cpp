// tile.elementwise: its domain, its syntax and its verifiers.
#include "dialects/tile/verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tile;

void ElementwiseOp::build(OpBuilder &builder, OperationState &state, StringRef name, ArrayRef<int64_t> shape,
                          ArrayRef<ElementwiseInput> inputs) {
  Block &block = state.addRegion()->emplaceBlock();
  SmallVector<Attribute> reads;
  for (const ElementwiseInput &input : inputs) {
    block.addArgument(input.element, state.location);
    reads.push_back(PerAttr::get(builder.getContext(), input.per));
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.shape = builder.getDenseI64ArrayAttr(shape);
  properties.reads = builder.getArrayAttr(reads);
}

int64_t ElementwiseOp::getRows() {
  int64_t rows = 1;
  for (int64_t size : getShape().drop_back(getShape().empty() ? 0 : 1))
    rows = ShapedType::isDynamic(size) ? size : rows * size;
  return rows;
}

int64_t ElementwiseOp::getColumns() { return getShape().empty() ? 1 : getShape().back(); }

Per ElementwiseOp::getPer(unsigned number) { return cast<PerAttr>(getReads()[number]).getValue(); }

SmallVector<Operation *> ElementwiseOp::getResultOps() {
  SmallVector<Operation *> ops;
  for (Operation &op : getBody().front())
    if (isa<PutOp, SumOp, MaximumOp>(op))
      ops.push_back(&op);
  return ops;
}

static std::optional<Per> extentOf(Operation *op) {
  if (auto sum = dyn_cast<SumOp>(op))
    return sum.getPer();
  if (auto maximum = dyn_cast<MaximumOp>(op))
    return maximum.getPer();
  return std::nullopt;
}

Per ElementwiseOp::getReducedExtent() {
  for (Operation *op : getResultOps())
    if (std::optional<Per> extent = extentOf(op))
      return *extent;
  return Per::Element;
}

void ElementwiseOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  for (BlockArgument argument : region.getArguments()) {
    const unsigned number = argument.getArgNumber();
    set(argument, number == 0 ? std::string("x") : "x" + std::to_string(number + 1));
  }
}

// tile.elementwise @name over [?, 2048] (%x: bf16 per <element>, ...) { ... }

ParseResult ElementwiseOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<int64_t> shape;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> reads;
  const auto parse_size = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      shape.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(shape.emplace_back());
  };
  const auto parse_input = [&]() -> ParseResult {
    PerAttr per;
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseKeyword("per") ||
        parser.parseCustomAttributeWithFallback(per))
      return failure();
    reads.push_back(per);
    return success();
  };
  Properties &properties = state.getOrAddProperties<Properties>();
  if (parser.parseSymbolName(name) || parser.parseKeyword("over") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parse_size) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parse_input) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  properties.sym_name = name;
  properties.shape = parser.getBuilder().getDenseI64ArrayAttr(shape);
  properties.reads = parser.getBuilder().getArrayAttr(reads);
  return parser.parseRegion(*state.addRegion(), arguments);
}

void ElementwiseOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " over [";
  llvm::interleaveComma(getShape(), printer, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
  });
  printer << "] (";
  llvm::interleaveComma(getBody().getArguments(), printer, [&](BlockArgument argument) {
    printer.printRegionArgument(argument);
    printer << " per ";
    printer.printStrippedAttrOrType(cast<PerAttr>(getReads()[argument.getArgNumber()]));
  });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getShapeAttrName(), getReadsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// Verifiers

static LogicalResult verifyDomain(ElementwiseOp op) {
  ArrayRef<int64_t> shape = op.getShape();
  if (shape.size() > 3)
    return op.emitOpError("goes over at most 3 dimensions, got ") << shape.size();
  int64_t elements = 1;
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size)) {
      // Rows of activations, or one number for each of them.
      if (dimension != 0 || shape.size() > 2)
        return op.emitOpError("goes over dimensions of which only the first of one or two may be '?'");
      continue;
    }
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements))
      return op.emitOpError("goes over sizes that are negative or leave 64 bits");
  }
  return success();
}

LogicalResult ElementwiseOp::verify() {
  if (failed(verifyDomain(*this)))
    return failure();
  Block &block = getBody().front();
  if (block.getNumArguments() != getReads().size())
    return emitOpError("body takes ")
           << block.getNumArguments() << " numbers of " << getReads().size() << " operands";
  for (BlockArgument argument : block.getArguments()) {
    if (!argument.getType().isF32() && !argument.getType().isBF16())
      return emitOpError("reads f32 or bf16, not ") << argument.getType();
    const Per per = getPer(argument.getArgNumber());
    if ((per == Per::Row || per == Per::Column) && getShape().size() != 2)
      return emitOpError("reads a number per ")
             << stringifyPer(per) << ", but its domain has no rows and columns";
  }
  std::optional<Per> extent;
  for (Operation &op : block) {
    if (!isa<PutOp, SumOp, MaximumOp>(op)) {
      if (failed(verifyScalarCode(&op)))
        return failure();
      continue;
    }
    const std::optional<Per> other = extentOf(&op);
    if (extent && other && *extent != *other)
      return op.emitOpError("is per ")
             << stringifyPer(*other) << ", but another result of the kernel per " << stringifyPer(*extent)
             << ": a worker owns whole rows, or whole columns";
    extent = other ? other : extent;
  }
  if (getResultOps().empty())
    return emitOpError("has no result");
  return success();
}

LogicalResult PutOp::verify() {
  Type element = getValue().getType();
  if (!element.isF32() && !element.isBF16())
    return emitOpError("writes f32 or bf16, not ") << element;
  return success();
}

template <typename Op> static LogicalResult verifyReduction(Op op) {
  Type element = op.getElement();
  if (!element.isF32() && !element.isBF16())
    return op.emitOpError("writes f32 or bf16, not ") << element;
  auto kernel = cast<ElementwiseOp>(op->getParentOp());
  if (op.getPer() == Per::Element)
    return op.emitOpError("is per row, column or call; what is per element is put");
  if (op.getPer() != Per::Call && kernel.getShape().size() != 2)
    return op.emitOpError("is per ") << stringifyPer(op.getPer())
                                     << ", but the domain has no rows and columns";
  return success();
}

LogicalResult SumOp::verify() {
  if (failed(verifyReduction(*this)))
    return failure();
  if (!getFactor())
    return success();
  if (getPer() != Per::Column)
    return emitOpError("adds to what its result held, which is of sums per column alone, and it is per ")
           << stringifyPer(getPer());
  auto factor = dyn_cast<BlockArgument>(getFactor());
  if (!factor || cast<ElementwiseOp>((*this)->getParentOp()).getPer(factor.getArgNumber()) != Per::Call)
    return emitOpError("counts what its result held by a number that is not an operand per call");
  return success();
}
LogicalResult MaximumOp::verify() { return verifyReduction(*this); }
