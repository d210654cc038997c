// Groups and row types; the algebra has its own file.
#include "dialects/alg/alg.h"
#include "dialects/alg/syntax.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

#define GET_ATTRDEF_CLASSES
#include "dialects/alg/alg_attributes.cpp.inc"

using namespace mlir;
using namespace alg;

void AlgDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/alg/alg_attributes.cpp.inc"
      >();
}

// Groups

Attribute GroupsAttr::parse(AsmParser &parser, Type) {
  GroupsAttr groups;
  if (parser.parseLess() || !(groups = parseGroups(parser)) || parser.parseGreater())
    return {};
  return groups;
}

void GroupsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printGroups(printer, *this);
  printer << '>';
}

LogicalResult GroupsAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t count, int64_t width,
                                 ArrayRef<int64_t> widths) {
  if (count < 1)
    return error() << "a dimension needs at least one group, got " << count;
  int64_t total = 0;
  if (widths.empty()) {
    if (width < 1)
      return error() << "a group needs a positive width, got " << width;
    if (__builtin_mul_overflow(count, width, &total))
      return error() << count << " groups of " << width << " overflow 64 bits";
    return success();
  }
  if (count != int64_t(widths.size()))
    return error() << "the number of groups is " << count << ", but there are " << widths.size() << " widths";
  if (width != 0 || llvm::all_equal(widths))
    return error() << "a list of widths is for groups that differ; equal ones are written 'count x width'";
  for (auto [group, w] : llvm::enumerate(widths)) {
    if (w < 1)
      return error() << "a group needs a positive width, group " << group << " has " << w;
    if (__builtin_add_overflow(total, w, &total))
      return error() << "the widths of the groups overflow 64 bits";
  }
  return success();
}

GroupsAttr GroupsAttr::get(MLIRContext *context, const algebras::Groups &groups) {
  if (groups.isEqual())
    return get(context, groups.count(), groups.width(0), ArrayRef<int64_t>());
  SmallVector<int64_t> widths;
  for (int64_t group = 0; group < groups.count(); ++group)
    widths.push_back(groups.width(group));
  return get(context, groups.count(), 0, widths);
}

algebras::Groups GroupsAttr::getGroups() const {
  if (isEqual())
    return algebras::Groups::equal(getCount(), getWidth());
  return algebras::Groups::explicitWidths(getWidths().vec());
}

int64_t GroupsAttr::getTotal() const {
  if (isEqual())
    return getCount() * getWidth();
  return std::accumulate(getWidths().begin(), getWidths().end(), int64_t(0));
}

int64_t GroupsAttr::getWidth(int64_t group) const { return isEqual() ? getWidth() : getWidths()[group]; }

int64_t GroupsAttr::getWidest() const { return isEqual() ? getWidth() : *llvm::max_element(getWidths()); }

GroupsAttr GroupsAttr::join(int64_t factor) const {
  if (getCount() % factor != 0)
    return {};
  int64_t joined = getCount() / factor;
  if (isEqual())
    return get(getContext(), joined, getWidth() * factor, ArrayRef<int64_t>());
  SmallVector<int64_t> widths(joined, 0);
  for (auto [group, width] : llvm::enumerate(getWidths()))
    widths[group / factor] += width;
  if (llvm::all_equal(widths))
    return get(getContext(), joined, widths.front(), ArrayRef<int64_t>());
  return get(getContext(), joined, 0, widths);
}

// Row types

Attribute RowTypesAttr::parse(AsmParser &parser, Type) {
  RowTypesAttr types;
  if (parser.parseLess() || !(types = parseRowTypes(parser)) || parser.parseGreater())
    return {};
  return types;
}

void RowTypesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printRowTypes(printer, *this);
  printer << '>';
}

LogicalResult RowTypesAttr::verify(function_ref<InFlightDiagnostic()> error, RowTypeKind kind, int64_t count,
                                   int64_t width) {
  if (count < 1)
    return error() << "a schedule needs at least one row type, got " << count;
  if (width < 1)
    return error() << "an interval needs a positive number of rows, got " << width;
  if (kind != RowTypeKind::Interval && width != 1)
    return error() << "only an interval schedule has a width";
  int64_t period = 0;
  if (__builtin_mul_overflow(count, width, &period))
    return error() << "the period of " << count << " intervals of " << width << " rows overflows 64 bits";
  return success();
}

int64_t RowTypesAttr::getPeriod() const {
  return getKind() == RowTypeKind::Explicit ? 0 : getCount() * getWidth();
}

RowTypesAttr RowTypesAttr::get(MLIRContext *context, const algebras::RowTypes &types) {
  switch (types.kind()) {
  case algebras::RowTypes::Kind::Cyclic:
    return get(context, RowTypeKind::Cyclic, types.count(), int64_t(1));
  case algebras::RowTypes::Kind::Interval:
    return get(context, RowTypeKind::Interval, types.count(), types.width());
  case algebras::RowTypes::Kind::Explicit:
    return get(context, RowTypeKind::Explicit, types.count(), int64_t(1));
  }
  llvm_unreachable("a kind of row types that has no attribute");
}

algebras::RowTypes RowTypesAttr::getRowTypes() const {
  switch (getKind()) {
  case RowTypeKind::Cyclic:
    return algebras::RowTypes::cyclic(getCount());
  case RowTypeKind::Interval:
    return algebras::RowTypes::interval(getCount(), getWidth());
  case RowTypeKind::Explicit:
    return algebras::RowTypes::explicitTypes(getCount());
  }
  llvm_unreachable("a kind of row types without a schedule");
}
