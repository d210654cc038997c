#include "dialects/tile/tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

#include "dialects/tile/tile_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/tile_attributes.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/tile_attributes.cpp.inc"
      >();
}

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> error, AxisKind kind, int64_t step) {
  if (step < 0)
    return error() << "the step along an axis cannot be negative, got " << step;
  if (step == 0 && kind != AxisKind::Groups)
    return error() << "the step along '" << stringifyAxisKind(kind)
                   << "' must be at least 1; only 'groups' may leave it to the launch with 0";
  return success();
}

static algebras::Lift::Kind toKind(LiftKind kind) {
  return kind == LiftKind::Rows ? algebras::Lift::Kind::Rows : algebras::Lift::Kind::Slots;
}

algebras::Lift::Kind LayoutAttr::getKind() const { return toKind(getLift()); }

const algebras::Lift &LayoutAttr::getTerms() const { return *getAlgebra().getLift(getKind()); }

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> error, alg::AlgebraAttr algebra,
                                 LiftKind kind, alg::GroupsAttr in, alg::GroupsAttr bank, alg::GroupsAttr out,
                                 alg::RowTypesAttr rowTypes) {
  const algebras::Lift *lift = algebra.getLift(toKind(kind));
  if (!lift)
    return error() << algebra.getText() << " is not matrix-like, so it has no row lift; say lift = slots";
  auto check = [&](const char *what, int64_t have, int64_t need) -> LogicalResult {
    if (have == need)
      return success();
    return error() << "the " << stringifyLiftKind(kind) << " lift of " << algebra.getText() << " has " << need
                   << ' ' << what << ", the layout has " << have;
  };
  if (failed(check("input groups", in.getCount(), lift->inputGroups())) ||
      failed(check("row groups in its bank", bank.getCount(), lift->bankRows())) ||
      failed(check("output groups", out.getCount(), lift->outputGroups())) ||
      failed(check("row types", rowTypes.getCount(), lift->types())))
    return failure();
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t types, int64_t rows,
                                   int64_t registerRows, int64_t registerColumns, int64_t lanes, BankAccess) {
  if (types < 1 || rows < 1 || registerRows < 1 || registerColumns < 1 || lanes < 1)
    return error() << "every size of a schedule must be at least 1";
  if (rows % registerRows != 0)
    return error() << "a worker's rows (" << rows << ") must be a multiple of the register tile's rows ("
                   << registerRows << ")";
  if (registerColumns % lanes != 0)
    return error() << "the register tile's columns (" << registerColumns
                   << ") must be a multiple of the vector's lanes (" << lanes << ")";
  return success();
}

LogicalResult StagedAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t types, int64_t rows,
                                 int64_t columns, int64_t depth, int64_t stages, int64_t warpRows,
                                 int64_t warpColumns, int64_t vector) {
  if (types < 1 || rows < 1 || columns < 1 || depth < 1)
    return error() << "every size of a schedule must be at least 1";
  if (stages < 0)
    return error() << "stages are 0 (as many as fit) or more, got " << stages;
  if (!warpRows && !warpColumns && !vector)
    return success();
  if (warpRows < 1 || warpColumns < 1)
    return error() << "a tile is cut among at least one warp in each direction, got " << warpRows << " x "
                   << warpColumns;
  if (rows % warpRows != 0 || columns % warpColumns != 0)
    return error() << warpRows << " x " << warpColumns << " warps do not cut a tile of " << rows << " x "
                   << columns << " into equal parts";
  if (vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "threads copy 1, 2, 4 or 8 elements at a time, got " << vector;
  return success();
}
