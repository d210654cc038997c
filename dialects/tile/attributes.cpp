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

const algebras::Lift &LayoutAttr::getTerms() const {
  return isTransposed() ? *getAlgebra().getTransposedLift(getKind()) : *getAlgebra().getLift(getKind());
}

std::pair<int64_t, int64_t> LayoutAttr::getWeightShape() const {
  const bool slots = getLift() == LiftKind::Slots; // a block is as wide as one group
  if (isTransposed())
    return {getOut().getTotal(), slots ? getWeights().getWidth(0) : getWeights().getTotal()};
  return {getWeights().getTotal(), slots ? getOut().getWidth(0) : getOut().getTotal()};
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> error, alg::AlgebraAttr algebra,
                                 LiftKind kind, alg::GroupsAttr in, alg::GroupsAttr weights,
                                 alg::GroupsAttr out, alg::RowTypesAttr row_types, alg::OutputMode) {
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
      failed(check("row groups in its weight matrix", weights.getCount(), lift->weightRows())) ||
      failed(check("output groups", out.getCount(), lift->outputGroups())) ||
      failed(check("row types", row_types.getCount(), lift->types())))
    return failure();
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t types, int64_t rows,
                                   int64_t register_rows, int64_t register_columns, int64_t lanes,
                                   WeightAccess weights, MultiplyUnit unit) {
  if (types < 1 || rows < 1 || register_rows < 1 || register_columns < 1 || lanes < 1)
    return error() << "every size of a schedule must be at least 1";
  if (register_columns % lanes != 0)
    return error() << "the register tile's columns (" << register_columns
                   << ") must be a multiple of the vector's lanes (" << lanes << ")";
  if (unit == MultiplyUnit::Amx) {
    constexpr int64_t square = 16, most_sums = 4;
    if (register_rows % square != 0 || register_columns % square != 0 ||
        register_rows / square * (register_columns / square) > most_sums)
      return error() << "AMX has registers for the sums of " << most_sums << " squares of " << square
                     << " rows and columns, a register tile of " << register_rows << " x " << register_columns
                     << " is not made of these";
    if (lanes != square)
      return error() << "AMX writes sums for vectors of " << square << " lanes, not " << lanes;
    if (weights == WeightAccess::Direct)
      return error() << "AMX multiplies by panels of the weight matrix, which are packed or copied";
  }
  return success();
}

// #tile.staged<types = 1, rows = 128, ..., cluster = 2 x 1>: entries by their names.

namespace {
struct StagedValues {
  int64_t types = 0, rows = 0, columns = 0, depth = 0, stages = 0;
  int64_t warp_rows = 0, warp_columns = 0, vector = 0;
  int64_t cluster_rows = 1, cluster_columns = 1, stationary_groups = 0, ping_pong = 1, split_k = 1,
          longest_first = 0, cluster_types = 1, evict_first = 0, overlap = 0;
};

/// A number, or two with an x between them.
struct StagedEntry {
  StringRef name;
  int64_t *first;
  int64_t *second = nullptr;
  std::optional<int64_t> usual = std::nullopt; ///< is left out
  bool seen = false;

  bool isUsual() const { return usual && *first == *usual && (!second || *second == *usual); }
};
} // namespace

static SmallVector<StagedEntry> entriesOf(StagedValues &values) {
  return {{"types", &values.types},
          {"rows", &values.rows},
          {"columns", &values.columns},
          {"depth", &values.depth},
          {"stages", &values.stages},
          {"warps", &values.warp_rows, &values.warp_columns, 0},
          {"vector", &values.vector, nullptr, 0},
          {"cluster", &values.cluster_rows, &values.cluster_columns, 1},
          {"cluster_types", &values.cluster_types, nullptr, 1},
          {"evict_first", &values.evict_first, nullptr, 0},
          {"overlap", &values.overlap, nullptr, 0},
          {"stationary", &values.stationary_groups, nullptr, 0},
          {"ping_pong", &values.ping_pong, nullptr, 1},
          {"split_k", &values.split_k, nullptr, 1},
          {"longest_first", &values.longest_first, nullptr, 0}};
}

Attribute StagedAttr::parse(AsmParser &parser, Type) {
  StagedValues values;
  SmallVector<StagedEntry> entries = entriesOf(values);
  AxisKind outer = AxisKind::Types;
  Side rows_on = Side::M;
  auto parse_entry = [&]() -> ParseResult {
    StringRef name;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "outer") {
      FailureOr<AxisKind> axis = FieldParser<AxisKind>::parse(parser);
      outer = axis.value_or(outer);
      return LogicalResult(axis);
    }
    if (name == "rows_on") {
      FailureOr<Side> side = FieldParser<Side>::parse(parser);
      rows_on = side.value_or(rows_on);
      return LogicalResult(side);
    }
    auto *entry = llvm::find_if(entries, [&](const StagedEntry &known) { return known.name == name; });
    if (entry == entries.end())
      return parser.emitError(where, "a staged schedule has no '") << name << "'";
    if (std::exchange(entry->seen, true))
      return parser.emitError(where, "'") << name << "' is there twice";
    if (parser.parseInteger(*entry->first))
      return failure();
    return entry->second ? failure(parser.parseKeyword("x") || parser.parseInteger(*entry->second))
                         : ParseResult(success());
  };
  SMLoc begin = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parse_entry))
    return {};
  for (const StagedEntry &entry : entries)
    if (!entry.usual && !entry.seen) {
      parser.emitError(begin, "a staged schedule needs '") << entry.name << "'";
      return {};
    }
  return parser.getChecked<StagedAttr>(
      begin, parser.getContext(), values.types, values.rows, values.columns, values.depth, values.stages,
      values.warp_rows, values.warp_columns, values.vector, values.cluster_rows, values.cluster_columns,
      values.stationary_groups, outer, rows_on, values.ping_pong, values.split_k, values.longest_first,
      values.cluster_types, values.evict_first, values.overlap);
}

void StagedAttr::print(AsmPrinter &printer) const {
  StagedValues values = {getTypes(),       getRows(),           getColumns(),          getDepth(),
                         getStages(),      getWarpRows(),       getWarpColumns(),      getVector(),
                         getClusterRows(), getClusterColumns(), getStationaryGroups(), getPingPong(),
                         getSplitK(),      getLongestFirst(),   getClusterTypes(),     getEvictFirst(),
                         getOverlap()};
  printer << '<';
  StringRef separator = "";
  for (const StagedEntry &entry : entriesOf(values)) {
    if (entry.isUsual())
      continue;
    printer << separator << entry.name << " = " << *entry.first;
    if (entry.second)
      printer << " x " << *entry.second;
    separator = ", ";
  }
  if (getOuter() != AxisKind::Types)
    printer << ", outer = " << stringifyAxisKind(getOuter());
  if (getRowsOn() != Side::M)
    printer << ", rows_on = " << stringifySide(getRowsOn());
  printer << '>';
}

LogicalResult StagedAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t types, int64_t rows,
                                 int64_t columns, int64_t depth, int64_t stages, int64_t warp_rows,
                                 int64_t warp_columns, int64_t vector, int64_t cluster_rows,
                                 int64_t cluster_columns, int64_t stationary_groups, AxisKind outer, Side,
                                 int64_t ping_pong, int64_t split_k, int64_t longest_first,
                                 int64_t cluster_types, int64_t evict_first, int64_t overlap) {
  if (types < 1 || rows < 1 || columns < 1 || depth < 1)
    return error() << "every size of a schedule must be at least 1";
  constexpr int64_t most = 65536; // so that products of some of them have 64 bits
  for (const int64_t size : {types, rows, columns, depth, stages, warp_rows, warp_columns, cluster_rows,
                             cluster_columns, ping_pong, split_k, cluster_types})
    if (size > most)
      return error() << "no size of a schedule is above " << most << ", got " << size;
  if (stages < 0)
    return error() << "stages are 0 (as many as fit) or more, got " << stages;
  if (cluster_rows < 1 || cluster_columns < 1)
    return error() << "a cluster has at least one worker in each direction, got " << cluster_rows << " x "
                   << cluster_columns;
  if (cluster_types < 1)
    return error() << "a cluster has at least one worker along the types, got " << cluster_types;
  if (evict_first < 0 || evict_first > 1)
    return error() << "blocks leave the cache first (1) or do not (0), got evict_first = " << evict_first;
  if (overlap < 0 || overlap > 1)
    return error() << "maps overlap with products (1) or do not (0), got overlap = " << overlap;
  if (ping_pong < 1)
    return error() << "a tile belongs to one part of the threads at least, got ping_pong = " << ping_pong;
  if (split_k < 1)
    return error() << "a tile's steps belong to at least one worker, got " << split_k;
  if (longest_first < 0)
    return error() << "0 groups of a type (none stand out) or more are long, got " << longest_first;
  if (stationary_groups < 0)
    return error() << "rows or sums are stationary for 0 groups (they are each group's own) or more, got "
                   << stationary_groups;
  if (outer != AxisKind::Types && outer != AxisKind::Groups)
    return error() << "the outermost axis of the tiles is 'types' or 'groups', got '"
                   << stringifyAxisKind(outer) << "'";
  if (!warp_rows && !warp_columns && !vector)
    return success();
  if (warp_rows < 1 || warp_columns < 1)
    return error() << "a tile is cut among at least one warp in each direction, got " << warp_rows << " x "
                   << warp_columns;
  if (rows % warp_rows != 0 || columns % warp_columns != 0)
    return error() << warp_rows << " x " << warp_columns << " warps do not cut a tile of " << rows << " x "
                   << columns << " into equal parts";
  if (vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "threads copy 1, 2, 4 or 8 elements at a time, got " << vector;
  return success();
}

LogicalResult ReducedAttr::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                  int64_t slices, int64_t vector, int64_t cluster) {
  constexpr int64_t warp = 32, most_threads = 1024;
  if (rows < 1 || columns < 1 || slices < 1)
    return error() << "every size of a schedule must be at least 1";
  if (vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "a thread reads 1, 2, 4 or 8 elements at a time, got " << vector;
  if (columns % vector != 0 || !llvm::isPowerOf2_64(static_cast<uint64_t>(columns / vector)) ||
      columns / vector > warp)
    return error() << "the columns of a part (" << columns << ") must be 1, 2, 4, ... or " << warp
                   << " times the vector (" << vector << "): so many threads stand side by side";
  const int64_t lanes = columns / vector;
  if (slices > most_threads / lanes || (slices * lanes) % warp != 0)
    return error() << slices << " slices of " << lanes << " threads must be whole warps of " << warp
                   << " threads, at most " << most_threads << " in all";
  constexpr int64_t most_cluster = 8;
  if (cluster < 1 || cluster > most_cluster)
    return error() << "a cluster has 1 to " << most_cluster << " thread blocks, got " << cluster;
  return success();
}
