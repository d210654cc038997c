#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

/// `8x48x` followed by an element type, or `8x48` alone when there is none.
static ParseResult parseExtent(AsmParser &parser, int64_t &rows, int64_t &columns, Type *element_type,
                               bool allow_dynamic) {
  SmallVector<int64_t, 2> shape;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, allow_dynamic, /*withTrailingX=*/element_type != nullptr))
    return failure();
  if (shape.size() != 2)
    return parser.emitError(where, "expected two dimensions, rows x columns");
  rows = shape[0];
  columns = shape[1];
  return element_type ? parser.parseType(*element_type) : ParseResult(success());
}

static void printExtent(AsmPrinter &printer, int64_t rows, int64_t columns) {
  if (ShapedType::isDynamic(rows))
    printer << '?';
  else
    printer << rows;
  printer << 'x' << columns;
}

static ParseResult parsePanelShape(AsmParser &parser, int64_t &rows, int64_t &columns, Type &element_type,
                                   int64_t &panel, int64_t &interleave) {
  panel = 0;
  interleave = 1;
  if (parseExtent(parser, rows, columns, &element_type, /*allowDynamic=*/true))
    return failure();
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("panels") || parser.parseInteger(panel) || parser.parseKeyword("x") ||
                 parser.parseInteger(interleave));
}

static void printPanelShape(AsmPrinter &printer, int64_t rows, int64_t columns, Type element_type,
                            int64_t panel, int64_t interleave) {
  printExtent(printer, rows, columns);
  printer << 'x' << element_type;
  if (panel)
    printer << ", panels " << panel << " x " << interleave;
}

static ParseResult parseFragmentShape(AsmParser &parser, int64_t &rows, int64_t &columns,
                                      Type &element_type) {
  return parseExtent(parser, rows, columns, &element_type, /*allowDynamic=*/false);
}

static void printFragmentShape(AsmPrinter &printer, int64_t rows, int64_t columns, Type element_type) {
  printExtent(printer, rows, columns);
  printer << 'x' << element_type;
}

static ParseResult parseMaskShape(AsmParser &parser, int64_t &rows, int64_t &columns) {
  return parseExtent(parser, rows, columns, nullptr, /*allowDynamic=*/false);
}

static void printMaskShape(AsmPrinter &printer, int64_t rows, int64_t columns) {
  printExtent(printer, rows, columns);
}

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/tile_types.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/tile_types.cpp.inc"
      >();
}

/// `by_blocks`: where depths may interleave as a matrix unit takes them.
static LogicalResult verifyMemory(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                  Type element_type, int64_t panel, int64_t interleave, bool by_blocks) {
  if (rows == 0 || columns == 0)
    return error() << "an operand cannot have 0 rows or columns";
  if (ShapedType::isDynamic(columns))
    return error() << "only the number of rows may be left to the launch";
  if (!element_type.isF32() && !element_type.isBF16())
    return error() << "elements must be f32 or bf16, got " << element_type;
  if (panel < 0)
    return error() << "the width of a panel cannot be negative";
  if (interleave != 1 && interleave != 2 && !(by_blocks && interleave == 32))
    return error() << "depths interleave by " << (by_blocks ? "1, 2 or 32" : "1 or by 2") << ", got "
                   << interleave;
  if (interleave != 1 && !element_type.isBF16())
    return error() << "only bf16 depths interleave in " << (interleave == 2 ? "pairs" : "blocks");
  return success();
}

LogicalResult MatrixType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                 Type element_type, int64_t panel, int64_t interleave) {
  if (panel && ShapedType::isDynamic(rows))
    return error() << "a weight matrix in panels has a known number of rows";
  return verifyMemory(error, rows, columns, element_type, panel, interleave, /*by_blocks=*/false);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                 Type element_type, int64_t panel, int64_t interleave) {
  if (ShapedType::isDynamic(rows))
    return error() << "a buffer has a known size";
  return verifyMemory(error, rows, columns, element_type, panel, interleave, /*by_blocks=*/true);
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                   Type element_type) {
  if (rows < 1 || columns < 1)
    return error() << "a fragment has at least one row and one column";
  if (!element_type.isF32() && !element_type.isBF16())
    return error() << "elements must be f32 or bf16, got " << element_type;
  return success();
}
