#include "dialects/alg/alg.h"
#include "dialects/alg/syntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "dialects/alg/alg_types.cpp.inc"

using namespace mlir;
using namespace alg;

void AlgDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/alg/alg_types.cpp.inc"
      >();
}

Type SlotsType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element) ||
      parser.parseComma())
    return {};
  Attribute rows;
  GroupsAttr cols;
  int64_t plain = 0;
  if (succeeded(parser.parseOptionalKeyword("plain"))) {
    if (parser.parseLParen() || parser.parseInteger(plain) || parser.parseRParen())
      return {};
    if (plain < 1) {
      parser.emitError(loc) << "an algebra has at least one slot, got plain(" << plain << ")";
      return {};
    }
  } else if (parser.parseKeyword("rows") || parser.parseLParen() || !(rows = parseRows(parser)) ||
             parser.parseRParen() || parser.parseComma() || parser.parseKeyword("cols") ||
             parser.parseLParen() || !(cols = parseGroups(parser)) || parser.parseRParen()) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  auto error = [&] { return parser.emitError(loc); };
  if (failed(RankedTensorType::verify(error, shape, element, Attribute())))
    return {};
  return parser.getChecked<SlotsType>(loc, parser.getContext(), RankedTensorType::get(shape, element), rows,
                                      cols, plain);
}

void SlotsType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", ";
  if (getPlain()) {
    printer << "plain(" << getPlain() << ")>";
    return;
  }
  printer << "rows(";
  printRows(printer, getRows());
  printer << "), cols(";
  printGroups(printer, getCols());
  printer << ")>";
}

/// That `groups` cut a dimension of size `size` without rest.
static LogicalResult verifyCover(function_ref<InFlightDiagnostic()> error, StringRef dimension, int64_t size,
                                 GroupsAttr groups) {
  if (ShapedType::isDynamic(size))
    return error() << "the " << dimension << " are cut into groups and need a static number, not '?'";
  if (groups.getTotal() != size)
    return error() << describe(groups) << " cover " << groups.getTotal() << " " << dimension
                   << ", the tensor has " << size;
  return success();
}

static LogicalResult verifyPlain(function_ref<InFlightDiagnostic()> error, RankedTensorType tensor,
                                 int64_t slots) {
  if (tensor.getRank() == 2) {
    int64_t width = tensor.getDimSize(1);
    if (ShapedType::isDynamic(width))
      return error() << "the columns are cut into slots and need a static number, not '?'";
    if (width == 0 || width % slots != 0)
      return error() << width << " columns cannot be cut into " << slots << " slots of equal width";
    return success();
  }
  if (tensor.getRank() != 3)
    return error() << "a plain view has rank 2 (activations) or 3 (weight matrix), not " << tensor.getRank();
  if (tensor.getDimSize(0) != slots)
    return error() << "a weight matrix of " << slots << " slots needs a first dimension of " << slots
                   << ", in " << tensor;
  for (int64_t size : tensor.getShape().drop_front()) {
    int64_t total = 0;
    if (ShapedType::isDynamic(size) || size == 0)
      return error() << "the blocks of a weight matrix need static positive sizes, in " << tensor;
    if (__builtin_mul_overflow(slots, size, &total))
      return error() << slots << " slots of " << size << " overflow 64 bits";
  }
  return success();
}

LogicalResult SlotsType::verify(function_ref<InFlightDiagnostic()> error, RankedTensorType tensor,
                                Attribute rows, GroupsAttr cols, int64_t plain) {
  if (!isa<FloatType>(tensor.getElementType()))
    return error() << "slots hold floating-point elements, not " << tensor.getElementType();
  if (plain != 0) {
    if (plain < 0 || rows || cols)
      return error() << "a plain view has a positive number of slots and neither row types nor groups";
    return verifyPlain(error, tensor, plain);
  }
  if (!rows || !cols)
    return error() << "a view names its rows and its columns, or it is plain";
  if (tensor.getRank() != 2)
    return error() << "a view with rows and columns has rank 2, not " << tensor.getRank();
  if (failed(verifyCover(error, "columns", tensor.getDimSize(1), cols)))
    return failure();
  if (auto groups = dyn_cast<GroupsAttr>(rows))
    return verifyCover(error, "rows", tensor.getDimSize(0), groups);
  if (!isa<RowTypesAttr>(rows))
    return error() << "rows are cut by row types or by groups, not by " << rows;
  return success();
}

RowTypesAttr SlotsType::getRowTypes() const { return dyn_cast_if_present<RowTypesAttr>(getRows()); }

GroupsAttr SlotsType::getRowGroups() const { return dyn_cast_if_present<GroupsAttr>(getRows()); }

GroupsAttr SlotsType::getWeightInputs() const {
  if (!isWeights())
    return {};
  if (getPlain())
    return GroupsAttr::get(getContext(), getPlain(), getShape()[1], ArrayRef<int64_t>());
  return getRowGroups();
}

GroupsAttr SlotsType::getFeatures() const {
  if (!getPlain())
    return getCols();
  int64_t width = isWeights() ? getShape()[2] : getShape()[1] / getPlain();
  return GroupsAttr::get(getContext(), getPlain(), width, ArrayRef<int64_t>());
}

SlotsType SlotsType::withElementType(Type element) const {
  return get(getContext(), RankedTensorType::get(getShape(), element), getRows(), getCols(), getPlain());
}

RankedTensorType SlotsType::getColumnsType(Type element) const {
  if (getTensor().getRank() != 2)
    return {};
  return RankedTensorType::get({getShape()[1]}, element);
}

RankedTensorType SlotsType::getRowsType(Type element) const {
  if (getTensor().getRank() != 2)
    return {};
  return RankedTensorType::get({getShape()[0]}, element);
}

RankedTensorType SlotsType::getNumberType(Type element) const { return RankedTensorType::get({}, element); }
