// Parsers and printers of the ops whose syntax TableGen's formats cannot say.
#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tile;

// Names of block arguments in printed IR: the letters that the dialect's manual uses for each index.

static StringRef letterOf(AxisKind kind, bool owned) {
  switch (kind) {
  case AxisKind::Types:
    return owned ? "i" : "t";
  case AxisKind::Rows:
    return owned ? "r" : "s";
  case AxisKind::Groups:
    return owned ? "g" : "j";
  case AxisKind::Columns:
    return "n";
  case AxisKind::WeightRows:
    return "b";
  case AxisKind::Features:
    return owned ? "f" : "h";
  case AxisKind::Batch:
    return "r";
  }
  llvm_unreachable("all axes are above");
}

static void nameIndices(Region &region, ArrayAttr axes, bool owned, OpAsmSetValueNameFn set) {
  for (auto [index, axis] : llvm::zip(region.getArguments(), axes.getAsRange<AxisAttr>()))
    set(index, letterOf(axis.getKind(), owned));
}

void ForallOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameIndices(region, getAxes(), /*owned=*/true, set);
}

void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameIndices(region, getAxes(), /*owned=*/false, set);
}

void TermsOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef names[] = {"k", "b", "c"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    set(argument, name);
  for (BlockArgument carried : region.getArguments().drop_front(3))
    set(carried, "sum");
}

void WeightTermsOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef names[] = {"t", "k", "o", "c"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    set(argument, name);
  for (BlockArgument carried : region.getArguments().drop_front(4))
    set(carried, "sum");
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef product[] = {"x", "w", "y"}, gradient[] = {"dy", "w", "dx"}, weights[] = {"x", "dy", "dw"},
                  packing[] = {"w", "packed"};
  ArrayRef<StringRef> names = product;
  if (getLayout().isTransposed())
    names = gradient;
  if (getLayout().isWeightGradient())
    names = weights;
  if (region.getNumArguments() == 2)
    names = packing;
  for (BlockArgument argument : region.getArguments()) {
    // Of further operands and results the location has the name.
    const unsigned number = argument.getArgNumber();
    const bool last = number + 1 == region.getNumArguments();
    auto name = dyn_cast<NameLoc>(argument.getLoc());
    if (!last && number + 1 < names.size())
      set(argument, names[number]);
    else if (name && region.getNumArguments() > names.size())
      set(argument, name.getName());
    else if (last)
      set(argument, names.back());
    else
      set(argument, "operand");
  }
}

// tile.kernel @name(%x: !tile.matrix<...>, ...) attributes {...} { ... }

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), state.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {SymbolTable::getSymbolAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// tile.terms (%k, %b, %c) of (%t, %j) carry(%acc = %zero) : types { ... }
// tile.weight_terms (%t, %k, %o, %c) of (%b, %j) carry(%acc = %zero) : types { ... }

/// Some indices and a coefficient, `count` together, whose terms they are, and what is carried from one to
/// the next.
template <class Op>
static ParseResult parseTerms(OpAsmParser &parser, OperationState &state, StringRef expected,
                              unsigned count) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> of(2);
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("of") ||
      parser.parseLParen() || parser.parseOperand(of[0]) || parser.parseComma() ||
      parser.parseOperand(of[1]) || parser.parseRParen())
    return failure();
  if (arguments.size() != count)
    return parser.emitError(parser.getNameLoc(), "expected ") << expected;
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  arguments.back().type = builder.getF32Type();

  SmallVector<OpAsmParser::Argument> carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalKeyword("carry"))) {
    llvm::SMLoc where = parser.getCurrentLocation();
    if (parser.parseAssignmentList(carried, inits) || parser.parseColonTypeList(types))
      return failure();
    if (types.size() != inits.size())
      return parser.emitError(where, "expected one type for each carried fragment");
    for (auto [argument, fragment] : llvm::zip_equal(carried, types))
      argument.type = fragment;
    arguments.append(carried);
  }
  if (parser.resolveOperands(of, builder.getIndexType(), state.operands) ||
      parser.resolveOperands(inits, types, parser.getNameLoc(), state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  Op::ensureTerminator(*body, builder, state.location);
  state.addTypes(types);
  return success();
}

template <class Op>
static void printTerms(OpAsmPrinter &printer, Op op, unsigned count, Value first, Value second) {
  Block &block = op.getBody().front();
  printer << " (" << ValueRange(block.getArguments().take_front(count)) << ") of (" << first << ", " << second
          << ')';
  if (!op.getInits().empty()) {
    printer << " carry(";
    llvm::interleaveComma(llvm::zip_equal(block.getArguments().drop_front(count), op.getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") : " << op.getInits().getTypes();
  }
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!op.getInits().empty());
}

ParseResult TermsOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseTerms<TermsOp>(parser, state, "(input group, weight row group, coefficient)", 3);
}

void TermsOp::print(OpAsmPrinter &printer) { printTerms(printer, *this, 3, getRowType(), getGroup()); }

ParseResult WeightTermsOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseTerms<WeightTermsOp>(parser, state, "(type, input group, output group, coefficient)", 4);
}

void WeightTermsOp::print(OpAsmPrinter &printer) {
  printTerms(printer, *this, 4, getWeightRow(), getGroup());
}

// tile.row_terms (%k) of (%r, %j) { ... }

ParseResult RowTermsOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument input_group;
  OpAsmParser::UnresolvedOperand row, group;
  Type index = parser.getBuilder().getIndexType();
  input_group.type = index;
  return failure(parser.parseLParen() || parser.parseArgument(input_group) || parser.parseRParen() ||
                 parser.parseKeyword("of") || parser.parseLParen() || parser.parseOperand(row) ||
                 parser.parseComma() || parser.parseOperand(group) || parser.parseRParen() ||
                 parser.resolveOperands({row, group}, index, state.operands) ||
                 parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), input_group));
}

void RowTermsOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArgument(0) << ") of (" << getRow() << ", " << getGroup() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void RowTermsOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  set(region.getArgument(0), "k");
}
