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
  case AxisKind::BankRows:
    return "b";
  }
  llvm_unreachable("all axes are above");
}

static void nameIndices(Region &region, ArrayAttr axes, bool owned, OpAsmSetValueNameFn set) {
  for (auto [index, axis] : llvm::zip(region.getArguments(), axes.getAsRange<AxisAttr>()))
    set(index, letterOf(axis.getKind(), owned));
}

void OwnOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameIndices(region, getAxes(), /*owned=*/true, set);
}

void WalkOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  nameIndices(region, getAxes(), /*owned=*/false, set);
}

void TermsOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef names[] = {"k", "b", "c"};
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    set(argument, name);
  for (BlockArgument carried : region.getArguments().drop_front(3))
    set(carried, "sum");
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef product[] = {"x", "w", "y"}, gradient[] = {"dy", "w", "dx"}, packing[] = {"w", "packed"};
  ArrayRef<StringRef> names = getLayout().isTransposed() ? gradient : product;
  if (region.getNumArguments() == 2)
    names = packing;
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    set(argument, name);
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

ParseResult TermsOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments;
  OpAsmParser::UnresolvedOperand type, group;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("of") ||
      parser.parseLParen() || parser.parseOperand(type) || parser.parseComma() ||
      parser.parseOperand(group) || parser.parseRParen())
    return failure();
  if (arguments.size() != 3)
    return parser.emitError(parser.getNameLoc(), "expected (input group, bank row group, coefficient)");
  arguments[0].type = arguments[1].type = builder.getIndexType();
  arguments[2].type = builder.getF32Type();

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
  if (parser.resolveOperands({type, group}, builder.getIndexType(), state.operands) ||
      parser.resolveOperands(inits, types, parser.getNameLoc(), state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  TermsOp::ensureTerminator(*body, builder, state.location);
  state.addTypes(types);
  return success();
}

void TermsOp::print(OpAsmPrinter &printer) {
  Block &block = getBody().front();
  printer << " (" << block.getArgument(0) << ", " << block.getArgument(1) << ", " << block.getArgument(2)
          << ") of (" << getRowType() << ", " << getGroup() << ')';
  if (!getInits().empty()) {
    printer << " carry(";
    llvm::interleaveComma(llvm::zip_equal(block.getArguments().drop_front(3), getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") : " << getInits().getTypes();
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
}

// tile.map (%v = %sum : type, ...) -> type { ... }

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<Type> types;
  auto parseInput = [&]() -> ParseResult {
    FragmentType type;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) || parser.parseColonType(type))
      return failure();
    types.push_back(type);
    arguments.back().type = type.getElementType();
    return success();
  };
  FragmentType result;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseInput) || parser.parseArrow() ||
      parser.parseType(result) ||
      parser.resolveOperands(inputs, types, parser.getNameLoc(), state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  state.addTypes(result);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : " << std::get<1>(pair).getType();
  });
  printer << ") -> " << getResult().getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
