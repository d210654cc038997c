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

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  const StringRef product[] = {"x", "w", "y", "rows", "offset", "terms", "bias"};
  const StringRef bank_gradient[] = {"x", "dy", "dw", "rows", "offset", "terms", "beta"};
  auto layout = dyn_cast<tile::LayoutAttr>(getLayout());
  ArrayRef<StringRef> names = product;
  if (layout && layout.isBankGradient())
    names = bank_gradient;
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    set(argument, name);
}
