// Parser, printer and names of the kernel, whose syntax TableGen's formats cannot say.
#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace sm;

// sm.kernel @name(%x: !sm.maps<...>, ...) attributes {...} { ... }

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, mlir::SymbolTable::getSymbolAttrName(), state.attributes) ||
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
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {mlir::SymbolTable::getSymbolAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef product[] = {"x",
                               "w",
                               "y",
                               "rows",
                               "offset",
                               "terms",
                               "positions",
                               "position_bytes",
                               "expert_starts",
                               "experts",
                               "x_rows",
                               "expert_rows",
                               "batch_rows"};
  const StringRef weight_gradient[] = {"x", "dy", "dw", "rows", "offset", "terms", "beta", "dw_plain"};
  auto layout = dyn_cast<tile::LayoutAttr>(getLayout());
  const StringRef listed_experts[] = {"x", "w", "y", "rows", "offset", "terms", "experts"};
  const bool of_experts = region.getNumArguments() > 6 && region.getArgument(6).getType().isIndex();
  ArrayRef<StringRef> names = product;
  if (layout && layout.isWeightGradient())
    names = weight_gradient;
  else if (!isa<tile::ReducedAttr>(getSchedule()))
    names = ArrayRef(listed_experts).take_front(of_experts ? 7 : 6);
  else if (llvm::none_of(region.getArgumentTypes(), llvm::IsaPred<ExpertStartsType>))
    names = names.drop_back(5);
  for (auto [number, argument] : llvm::enumerate(region.getArguments()))
    set(argument, number < names.size() ? names[number] : StringRef("operand"));
}

// sm.map (%v = %sum : type, ...) at [%column, %group]
//     rows [%map, %column, %group, %segment, %row] -> type {
//   ...
// }

/// What an input hands to the body.
static Type elementOfInput(Type type) {
  if (auto columns = dyn_cast<ColumnsType>(type))
    return columns.getElementType();
  if (auto maps = dyn_cast<MapsType>(type))
    return maps.getElementType();
  return Float32Type::get(type.getContext());
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, place, rows;
  SmallVector<Type> types;
  Builder &builder = parser.getBuilder();
  auto parse_input = [&]() -> ParseResult {
    Type type;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) || parser.parseColonType(type))
      return failure();
    types.push_back(type);
    arguments.back().type = elementOfInput(type);
    return success();
  };
  AccumulatorType result;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parse_input) ||
      parser.parseKeyword("at") || parser.parseOperandList(place, 2, OpAsmParser::Delimiter::Square) ||
      (succeeded(parser.parseOptionalKeyword("rows")) &&
       parser.parseOperandList(rows, 5, OpAsmParser::Delimiter::Square)) ||
      parser.parseArrow() || parser.parseType(result) ||
      parser.resolveOperands(inputs, types, parser.getNameLoc(), state.operands) ||
      parser.resolveOperands(place, builder.getIndexType(), state.operands) ||
      parser.resolveOperands(rows, builder.getIndexType(), state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {static_cast<int32_t>(inputs.size()), 1, 1,
                                                                static_cast<int32_t>(rows.size())};
  state.addTypes(result);
  return success();
}

void MapOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : " << std::get<1>(pair).getType();
  });
  printer << ") at [" << getColumn() << ", " << getGroup() << "]";
  if (!getRows().empty())
    printer << " rows [" << getRows() << "]";
  printer << " -> " << getResult().getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
