#include "dialects/alg/syntax.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace alg;

/// `count x width`, with the count already read.
static ParseResult parseByWidth(AsmParser &parser, int64_t &width) {
  return failure(parser.parseKeyword("x") || parser.parseInteger(width));
}

GroupsAttr alg::parseGroups(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  int64_t count = 0;
  OptionalParseResult short_form = parser.parseOptionalInteger(count);
  if (short_form.has_value()) {
    int64_t width = 0;
    if (failed(*short_form) || parseByWidth(parser, width))
      return {};
    return parser.getChecked<GroupsAttr>(loc, context, count, width, ArrayRef<int64_t>());
  }
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> widths;
    if (succeeded(parser.parseOptionalRSquare()))
      return parser.getChecked<GroupsAttr>(loc, context, int64_t(0), int64_t(0), ArrayRef<int64_t>());
    auto parse_width = [&] { return parser.parseInteger(widths.emplace_back()); };
    if (parser.parseCommaSeparatedList(parse_width) || parser.parseRSquare())
      return {};
    bool equal = llvm::all_equal(widths);
    return parser.getChecked<GroupsAttr>(loc, context, int64_t(widths.size()), equal ? widths.front() : 0,
                                         equal ? ArrayRef<int64_t>() : ArrayRef<int64_t>(widths));
  }
  GroupsAttr groups;
  if (parser.parseAttribute(groups))
    return {};
  return groups;
}

void alg::printGroups(AsmPrinter &printer, GroupsAttr groups) {
  if (groups.isEqual()) {
    printer << groups.getCount() << " x " << groups.getWidth();
    return;
  }
  printer << '[';
  llvm::interleaveComma(groups.getWidths(), printer);
  printer << ']';
}

RowTypesAttr alg::parseRowTypes(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<RowTypeKind> kind = symbolizeRowTypeKind(keyword);
  if (!kind) {
    parser.emitError(loc) << "'" << keyword
                          << "' is no schedule of row types; there are cyclic, interval and explicit";
    return {};
  }
  int64_t count = 0, width = 1;
  if (parser.parseInteger(count) || (*kind == RowTypeKind::Interval && parseByWidth(parser, width)))
    return {};
  if (width == 1 && *kind == RowTypeKind::Interval) // which has a name of its own
    kind = RowTypeKind::Cyclic;
  return parser.getChecked<RowTypesAttr>(loc, parser.getContext(), *kind, count, width);
}

void alg::printRowTypes(AsmPrinter &printer, RowTypesAttr types) {
  printer << stringifyRowTypeKind(types.getKind()) << ' ' << types.getCount();
  if (types.getKind() == RowTypeKind::Interval)
    printer << " x " << types.getWidth();
}

Attribute alg::parseRows(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  // The first word decides; an attribute starts with '#', groups with a digit or a bracket.
  const char *text = loc.getPointer();
  if (llvm::isAlpha(*text))
    return parseRowTypes(parser);
  if (*text != '#')
    return parseGroups(parser);
  Attribute rows;
  if (parser.parseAttribute(rows))
    return {};
  if (!isa<RowTypesAttr, GroupsAttr>(rows)) {
    parser.emitError(loc) << "expected row types or groups, found " << rows;
    return {};
  }
  return rows;
}

void alg::printRows(AsmPrinter &printer, Attribute rows) {
  if (auto types = dyn_cast<RowTypesAttr>(rows))
    return printRowTypes(printer, types);
  printGroups(printer, cast<GroupsAttr>(rows));
}

std::string alg::describe(GroupsAttr groups) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (groups.isEqual()) {
    os << groups.getCount() << (groups.getCount() == 1 ? " group of " : " groups of ") << groups.getWidth();
    return text;
  }
  // Enough of a long list to recognise it by.
  constexpr size_t shown = 8;
  os << groups.getCount() << " groups of [";
  llvm::interleaveComma(groups.getWidths().take_front(shown), os);
  os << (groups.getWidths().size() > shown ? ", ...]" : "]");
  return text;
}

std::string alg::describe(RowTypesAttr types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyRowTypeKind(types.getKind()) << ' ' << types.getCount();
  if (types.getKind() == RowTypeKind::Interval)
    os << " x " << types.getWidth();
  return text;
}
