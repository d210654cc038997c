// convert-tile-to-sm: what one thread block does, in order.
#include "compiler/targets/thread_block/cluster_place.h"
#include "compiler/targets/thread_block/passes.h"
#include "compiler/targets/thread_block/row_lines.h"
#include "compiler/targets/thread_block/shared_terms.h"
#include "compiler/targets/thread_block/step_terms.h"

#include "llvm/ADT/TypeSwitch.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTTILETOSM
#include "compiler/targets/thread_block/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// Writes one kernel.
class ThreadBlockProgram {
public:
  explicit ThreadBlockProgram(tile::KernelOp source)
      : source(source), layout(source.getLayout()), schedule(source.getStagedSchedule()),
        builder(source.getContext()), location(source.getLoc()), math(builder, location) {}

  LogicalResult write();

private:
  /// Where the tile that the block works on lies.
  struct Tile {
    RowLines::Line line; ///< of a tile of one type
    Value row, group, column;
    SmallVector<RowLines::RowBlock> parts; ///< of a tile of several types
    Value present;                         ///< parts up to the last that has rows
    Value held;                            ///< rows of the types' own groups, where they stay
  };

  LogicalResult check(tile::OwnOp own);
  FailureOr<sm::KernelOp> declare();
  LogicalResult writeTile(tile::OwnOp own, const Tile &tile);
  LogicalResult writeOp(Operation *op, tile::OwnOp own, const Tile &tile);
  LogicalResult checkTerms(tile::TermsOp terms, tile::OwnOp own);
  LogicalResult writeTerms(tile::TermsOp terms, tile::OwnOp own, const Tile &tile);
  /// Whether a tile's terms are told apart: the one of its own group, and those of its types' groups.
  bool hasParts() const { return schedule.getTypes() > 1 || holds(); }
  bool holds() const { return schedule.getHeldGroups() > 0; }
  LogicalResult writeTurn(tile::OwnOp own, Tile &tile);
  void writeHold(Tile &tile);
  /// Whether the tile has rows at all.
  Value locate(const RowLines &lines, Value number, Tile &tile);
  void writeSharedTerms(tile::TermsOp terms, const Tile &tile);
  Value fetch(Value maps, Value map, ValueRange coordinates, std::int64_t parts, Value ClusterPlace::*part,
              Value ClusterPlace::*mask);
  Value fetchBank(const Tile &tile, Value k, Value bank_row);
  void markShallow(sm::MultiplyOp multiply, Value depth_block);
  /// Where the sums are: in single warps or in warpgroups.
  sm::AccumulatorType sumsOf(tile::FragmentType fragment, function_ref<InFlightDiagnostic()> error);
  void writeScaling(const StepTerms &steps, Value ordinal, Value ends_term, Value partial, Value total);
  LogicalResult writeMap(tile::MapOp map);
  LogicalResult writeStore(tile::StoreOp store, tile::OwnOp own, const Tile &tile);

  tile::KernelOp source;
  tile::LayoutAttr layout;
  tile::StagedAttr schedule;
  OpBuilder builder;
  Location location;
  IndexMath math;
  Value x, w, y, table;              ///< operands of the new kernel
  std::optional<ClusterPlace> place; ///< of the block, where it runs in a cluster
  llvm::DenseMap<Value, Value> sums; ///< fragments of the tile program
};

} // namespace

static std::int64_t roundUp(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// What the boxes of some maps make up, one below the other.
static sm::BlockType blockOf(Value maps, std::int64_t boxes = 1) {
  auto type = cast<sm::MapsType>(maps.getType());
  return sm::BlockType::get(maps.getContext(), boxes * type.getRows(), type.getColumns(),
                            type.getElementType(), type.getSwizzle());
}

LogicalResult ThreadBlockProgram::check(tile::OwnOp own) {
  if (layout.getRowTypes().getKind() == alg::RowTypeKind::Explicit)
    return source.emitOpError("has explicit row types, whose rows no map can address");
  if (!layout.getIn().isEqual() || !layout.getBank().isEqual() || !layout.getOut().isEqual())
    return source.emitOpError("has groups of unequal widths, which one map cannot address");
  const std::int64_t cluster_rows = schedule.getClusterRows(), cluster_columns = schedule.getClusterColumns();
  if (schedule.getCluster() > 1 && schedule.hasWarps())
    return source.emitOpError(
        "runs in clusters, whose blocks copy for each other: the copy engine does that, and "
        "threads cannot; take away its warps");
  if (schedule.getCluster() > 1 && (schedule.getDepth() % (cluster_rows * sm::swizzle_rows) != 0 ||
                                    schedule.getRows() % (cluster_columns * sm::swizzle_rows) != 0))
    return source.emitOpError("runs in clusters of ")
           << cluster_rows << " x " << cluster_columns << ", but " << schedule.getDepth()
           << " rows of the bank and " << schedule.getRows() << " of X have no parts that are multiples of "
           << sm::swizzle_rows;
  if (hasParts() && (schedule.getCluster() > 1 || schedule.getRowsOn() == tile::Side::N))
    return source.emitOpError(
        "shares blocks among its types, or holds rows: its workers run alone, with rows on "
        "the first side");
  const std::int64_t types = schedule.getTypes();
  if (types > 1 && schedule.hasWarps())
    return source.emitOpError("owns ") << types << " types in a tile; where threads copy, it has one";
  if (holds() && schedule.hasWarps())
    return source.emitOpError("holds rows of X; where threads copy, they come with every group");
  const std::optional<std::int64_t> complete = layout.getTerms().completeGraph();
  if (types > 1 && types > complete.value_or(0))
    return source.emitOpError("owns ")
           << types << " types in a tile; only those of a complete graph share blocks, and "
           << layout.getRowTypes().getCount() << " are there";
  if (holds() && !complete)
    return source.emitOpError("holds rows of X; only types of a complete graph have a group of their own");
  const std::pair<tile::AxisKind, std::int64_t> wanted[] = {{tile::AxisKind::Types, types},
                                                            {tile::AxisKind::Rows, schedule.getRows()},
                                                            {tile::AxisKind::Groups, 1},
                                                            {tile::AxisKind::Columns, schedule.getColumns()}};
  bool owns = own.getAxes().size() == std::size(wanted);
  for (auto [kind, step] : wanted)
    owns = owns && own.getAxis(kind) && own.getAxis(kind).getStep() == step;
  if (!owns)
    return own.emitOpError("must own one tile of the schedule: <types, ")
           << types << ">, <rows, " << schedule.getRows() << ">, <groups, 1>, <columns, "
           << schedule.getColumns() << ">";
  return success();
}

/// The kernel with its operands; the builder stands in its body afterwards.
FailureOr<sm::KernelOp> ThreadBlockProgram::declare() {
  Block &matrices = source.getBody().front();
  if (matrices.getNumArguments() != 3)
    return source.emitOpError("takes X, W and Y, got ") << matrices.getNumArguments() << " operands";
  auto element = [&](unsigned operand) {
    return cast<tile::MatrixType>(matrices.getArgument(operand).getType()).getElementType();
  };
  MLIRContext *context = builder.getContext();
  const std::int64_t row_maps = RowLines::maps(layout.getRowTypes());
  auto maps = [&](std::int64_t count, std::int64_t rows, std::int64_t columns, Type type,
                  std::int64_t dimension, std::int64_t vector) {
    return sm::MapsType::getChecked([&] { return source.emitError(); }, context, count, rows, columns, type,
                                    dimension, /*swizzle=*/std::int64_t{0}, vector);
  };
  const std::int64_t rows = schedule.getRows(), columns = schedule.getColumns(), depth = schedule.getDepth();
  // Sums of single warps lie in pairs of columns: no wider does Y need to be aligned.
  const std::int64_t vector = schedule.getVector(), most_result_vector = 2;
  // What blocks of a cluster share, each copies a part of.
  sm::MapsType x_maps = maps(row_maps, rows / schedule.getClusterColumns(), depth, element(0), 3, vector),
               w_maps = maps(1, depth / schedule.getClusterRows(), columns, element(1), 2, vector),
               y_maps = maps(row_maps, rows, columns, element(2), 3, std::min(vector, most_result_vector));
  if (!x_maps || !w_maps || !y_maps)
    return failure();

  builder.setInsertionPoint(source);
  auto kernel = sm::KernelOp::create(builder, location, source.getSymName(), layout, schedule);
  Block &body = kernel.getBody().emplaceBlock();
  Type index = builder.getIndexType();
  body.addArguments({x_maps, w_maps, y_maps, index, index, sm::TermsTableType::get(context)},
                    SmallVector<Location>(6, location));
  x = body.getArgument(0);
  w = body.getArgument(1);
  y = body.getArgument(2);
  table = body.getArgument(5);
  builder.setInsertionPointToEnd(&body);
  return kernel;
}

LogicalResult ThreadBlockProgram::write() {
  auto own = *source.getBody().getOps<tile::OwnOp>().begin();
  if (failed(check(own)))
    return failure();
  FailureOr<sm::KernelOp> kernel = declare();
  if (failed(kernel))
    return failure();
  Block &body = kernel->getBody().front();

  // Dependent launches came with the copy engine.
  if (!schedule.hasWarps())
    sm::WaitForPredecessorOp::create(builder, location);
  const RowLines lines(math, layout.getRowTypes(), body.getArgument(3), body.getArgument(4));
  const std::int64_t groups = layout.getOut().getCount();
  const std::int64_t column_blocks =
      (layout.getOut().getWidth(0) + schedule.getColumns() - 1) / schedule.getColumns();
  // Where blocks run in clusters, tiles do, too: all of a cluster go through the same steps together.
  const std::int64_t cluster_columns = schedule.getClusterColumns(), cluster_rows = schedule.getClusterRows();
  const std::int64_t column_clusters = (column_blocks + cluster_columns - 1) / cluster_columns;
  Value row_clusters = math.ceilDivide(lines.longest(), schedule.getRows() * cluster_rows);
  Value line_blocks = hasParts() ? math.ceilDivide(lines.count(), schedule.getTypes()) : lines.count();
  // A turn is a tile, or where rows of X stay all tiles of some groups.
  const std::int64_t held = schedule.getHeldGroups();
  const std::int64_t column_turns = holds() ? 1 : column_clusters;
  const std::int64_t group_turns = holds() ? (groups + held - 1) / held : groups;
  Value tiles = math.multiply(math.multiply(line_blocks, row_clusters), group_turns * column_turns);

  Value first = sm::BlockIndexOp::create(builder, location, builder.getIndexType());
  Value blocks = sm::BlockCountOp::create(builder, location, builder.getIndexType());
  if (schedule.getCluster() > 1) {
    place.emplace(builder, location, cluster_rows, cluster_columns);
    first = math.divide(first, schedule.getCluster());
    blocks = math.divide(blocks, schedule.getCluster());
  }
  auto loop = scf::ForOp::create(builder, location, first, tiles, blocks);
  builder.setInsertionPoint(loop.getBody()->getTerminator());

  // From fast to slow: column block, group, row block, line; or with the group the slowest.
  Value number = loop.getInductionVar();
  auto peel = [&](auto extent) {
    Value index = math.remainder(number, extent);
    number = math.divide(number, extent);
    return index;
  };
  const bool groups_outside = schedule.getOuter() == tile::AxisKind::Groups;
  Tile tile;
  auto groupAt = [&](Value turn) { return math.multiply(turn, std::max<std::int64_t>(held, 1)); };
  tile.column = math.multiply(peel(column_turns), schedule.getColumns() * cluster_columns);
  if (!groups_outside)
    tile.group = groupAt(peel(group_turns));
  tile.row = math.multiply(peel(row_clusters), schedule.getRows() * cluster_rows);
  Value line_number = groups_outside ? peel(line_blocks) : number;
  if (groups_outside)
    tile.group = groupAt(number);

  // Lines differ in length, so that the last block of rows of a line may be empty. A block of a cluster has a
  // part of what the others need, even where it has no rows or columns of its own: the condition is that of
  // the first one.
  auto exists =
      scf::IfOp::create(builder, location, locate(lines, line_number, tile), /*withElseRegion=*/false);
  if (place) {
    builder.setInsertionPoint(exists);
    tile.row = math.add(tile.row, math.multiply(place->row, schedule.getRows()));
    tile.column = math.add(tile.column, math.multiply(place->column, schedule.getColumns()));
  }
  builder.setInsertionPoint(exists.thenBlock()->getTerminator());
  return writeTurn(own, tile);
}

/// A tile, or all those of a walk over groups that begins with it.
LogicalResult ThreadBlockProgram::writeTurn(tile::OwnOp own, Tile &tile) {
  if (!holds())
    return writeTile(own, tile);
  writeHold(tile);
  Value end =
      math.least(math.add(tile.group, schedule.getHeldGroups()), math.constant(layout.getOut().getCount()));
  auto over_groups = scf::ForOp::create(builder, location, tile.group, end, math.constant(1));
  builder.setInsertionPoint(over_groups.getBody()->getTerminator());
  tile.group = over_groups.getInductionVar();
  auto over_columns =
      scf::ForOp::create(builder, location, math.constant(0), math.constant(layout.getOut().getWidth(0)),
                         math.constant(schedule.getColumns()));
  builder.setInsertionPoint(over_columns.getBody()->getTerminator());
  tile.column = over_columns.getInductionVar();
  return writeTile(own, tile);
}

/// The rows of each part of its type's own group, all their columns.
void ThreadBlockProgram::writeHold(Tile &tile) {
  const std::int64_t depth = schedule.getDepth();
  SmallVector<Value> maps, coordinates;
  for (const RowLines::RowBlock &block : tile.parts) {
    maps.push_back(block.line.map);
    coordinates.append({math.constant(0), block.line.type, block.line.line, block.row});
  }
  const sm::BlockType box = blockOf(x, schedule.getTypes());
  const std::int64_t columns = (layout.getIn().getWidth(0) + depth - 1) / depth * depth;
  tile.held = sm::HoldOp::create(
      builder, location,
      sm::BlockType::get(box.getContext(), box.getRows(), columns, box.getElementType(), 0), x, maps,
      coordinates);
}

Value ThreadBlockProgram::locate(const RowLines &lines, Value number, Tile &tile) {
  if (!hasParts()) {
    tile.line = lines.at(math, number);
    return math.less(tile.row, tile.line.rows);
  }
  // Consecutive lines have consecutive types. Those of runs may be shorter before as well as behind.
  Value first = math.multiply(number, schedule.getTypes());
  tile.present = math.constant(0);
  for (std::int64_t part = 0; part < schedule.getTypes(); ++part) {
    const RowLines::RowBlock block = lines.blockAt(math, math.add(first, part), tile.row);
    tile.present = math.select(block.exists, math.constant(part + 1), tile.present);
    tile.parts.push_back(block);
  }
  return math.less(math.constant(0), tile.present);
}

LogicalResult ThreadBlockProgram::writeTile(tile::OwnOp own, const Tile &tile) {
  for (Operation &op : own.getBody().front())
    if (failed(writeOp(&op, own, tile)))
      return failure();
  return success();
}

LogicalResult ThreadBlockProgram::writeOp(Operation *op, tile::OwnOp own, const Tile &tile) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ZeroOp zero) -> LogicalResult {
        sm::AccumulatorType sum = sumsOf(zero.getResult().getType(), [&] { return zero.emitError(); });
        if (!sum)
          return failure();
        sums[zero.getResult()] = sm::ZeroOp::create(builder, location, sum);
        return success();
      })
      .Case([&](tile::TermsOp terms) { return writeTerms(terms, own, tile); })
      .Case([&](tile::MapOp map) { return writeMap(map); })
      // The maps clip.
      .Case([&](tile::MaskOp) { return LogicalResult(success()); })
      .Case([&](tile::StoreOp store) { return writeStore(store, own, tile); })
      .Default([&](Operation *other) -> LogicalResult {
        return other->emitOpError("is not something that a GPU target can lower");
      });
}

sm::AccumulatorType ThreadBlockProgram::sumsOf(tile::FragmentType fragment,
                                               function_ref<InFlightDiagnostic()> error) {
  return sm::AccumulatorType::getChecked(error, builder.getContext(), fragment.getRows(),
                                         fragment.getColumns(), schedule.getWarpRows(),
                                         schedule.getWarpColumns(), schedule.getRowsOn() == tile::Side::N);
}

LogicalResult ThreadBlockProgram::checkTerms(tile::TermsOp terms, tile::OwnOp own) {
  Block &body = terms.getBody().front();
  auto mma = dyn_cast<tile::MmaOp>(body.front());
  auto yield = cast<tile::YieldOp>(body.getTerminator());
  if (terms.getInits().size() != 1 || !mma || mma->getNextNode() != yield.getOperation() ||
      yield.getOperand(0) != mma.getResult() || mma.getAccumulator() != body.getArgument(3))
    return terms.emitOpError("must add one product to one sum for each term");
  auto index = [&](tile::AxisKind kind) { return own.getIndex(kind); };
  Block &matrices = source.getBody().front();
  if (mma.getRows() != matrices.getArgument(0) || mma.getBank() != matrices.getArgument(1))
    return mma.emitOpError("must multiply X and W straight from memory");
  if (terms.getRowType() != index(tile::AxisKind::Types) ||
      terms.getGroup() != index(tile::AxisKind::Groups) || mma.getRowType() != index(tile::AxisKind::Types) ||
      mma.getRow() != index(tile::AxisKind::Rows) || mma.getGroup() != index(tile::AxisKind::Groups) ||
      mma.getColumn() != index(tile::AxisKind::Columns) || mma.getInputGroup() != body.getArgument(0) ||
      mma.getBankRow() != body.getArgument(1))
    return mma.emitOpError("must multiply what its tile owns");
  if (mma.getScale() && !mma.getSigns() && !schedule.hasWarps())
    return mma.emitOpError("scales by coefficients that are not signs, which tensor cores cannot do in "
                           "passing; only a schedule with warps has sums to scale");
  return success();
}

/// One loop over the steps of a tile: `depth` of one term at a time, whatever their number.
LogicalResult ThreadBlockProgram::writeTerms(tile::TermsOp terms, tile::OwnOp own, const Tile &tile) {
  if (failed(checkTerms(terms, own)))
    return failure();
  if (hasParts()) {
    writeSharedTerms(terms, tile);
    return success();
  }
  auto mma = cast<tile::MmaOp>(terms.getBody().front().front());
  const bool scaled = mma.getScale() && !mma.getSigns();
  const StepTerms steps(builder, location, layout,
                        scaled           ? StepTerms::Coefficients::Numbers
                        : mma.getScale() ? StepTerms::Coefficients::Signs
                                         : StepTerms::Coefficients::None,
                        table, tile.line.type, tile.group);
  const std::int64_t depth = schedule.getDepth();
  const std::int64_t depth_blocks = (layout.getIn().getWidth(0) + depth - 1) / depth;
  Value init = sums.lookup(terms.getInits()[0]);
  // Scaled terms carry the products of the current coefficient and, last, the sum of what has been scaled.
  SmallVector<Value> carried = {init};
  if (scaled)
    carried.insert(carried.begin(), sm::ZeroOp::create(builder, location, init.getType()));
  auto loop = scf::ForOp::create(builder, location, math.constant(0),
                                 math.multiply(steps.count(), depth_blocks), math.constant(1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value step = loop.getInductionVar();
  Value depth_block = math.remainder(step, depth_blocks), ordinal = math.divide(step, depth_blocks);
  Value k = math.multiply(depth_block, depth);
  const StepTerms::Term term = steps.at(ordinal);

  Value a = fetch(x, tile.line.map, {k, term.input_group, tile.line.line, tile.row},
                  schedule.getClusterColumns(), &ClusterPlace::column, &ClusterPlace::row_mask);
  Value b = fetchBank(tile, k, term.bank_row);
  auto next = sm::MultiplyOp::create(builder, location, init.getType(), a, b, loop.getRegionIterArg(0),
                                     term.negative);
  markShallow(next, depth_block);
  if (scaled)
    writeScaling(steps, ordinal, math.equal(depth_block, math.constant(depth_blocks - 1)), next,
                 loop.getRegionIterArg(1));
  else
    scf::YieldOp::create(builder, location, next.getResult());
  sums[terms.getResult(0)] = loop.getResults().back();
  return success();
}

/// A block of so many parts, the rows of the maps' boxes. Where they are several, each block of a row or a
/// column of the cluster fetches one, by its place there, for all blocks of the mask.
Value ThreadBlockProgram::fetch(Value maps, Value map, ValueRange coordinates, std::int64_t parts,
                                Value ClusterPlace::*part, Value ClusterPlace::*mask) {
  if (parts == 1)
    return sm::FetchOp::create(builder, location, blockOf(maps), maps, map, coordinates);
  return sm::FetchOp::create(builder, location, blockOf(maps, parts), maps, map, coordinates, (*place).*part,
                             builder.getI64IntegerAttr(parts), (*place).*mask);
}

Value ThreadBlockProgram::fetchBank(const Tile &tile, Value k, Value bank_row) {
  // A block of the bank in the slot lift belongs to no output group: all read it from column 0 on.
  Value bank_group = layout.getLift() == tile::LiftKind::Slots ? math.constant(0) : tile.group;
  return fetch(w, math.constant(0), {tile.column, bank_group, k, bank_row}, schedule.getClusterRows(),
               &ClusterPlace::row, &ClusterPlace::column_mask);
}

/// What is left of a group for its last block may be less deep than a block.
void ThreadBlockProgram::markShallow(sm::MultiplyOp multiply, Value depth_block) {
  const std::int64_t depth = schedule.getDepth(), width = layout.getIn().getWidth(0);
  const std::int64_t last = (width + depth - 1) / depth - 1;
  const std::int64_t rest = roundUp(width - last * depth, sm::mma_depth);
  if (rest == depth)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(multiply);
  multiply.getShallowMutable().assign(math.equal(depth_block, math.constant(last)));
  multiply.setShallowDepth(rest);
}

/// The same loop for a tile of several types. A step of the term that they share brings and multiplies the
/// rows of all of them, one of a type's own term only that type's.
void ThreadBlockProgram::writeSharedTerms(tile::TermsOp terms, const Tile &tile) {
  const std::int64_t depth = schedule.getDepth(), parts = schedule.getTypes();
  const std::int64_t depth_blocks = (layout.getIn().getWidth(0) + depth - 1) / depth;
  const SharedTerms steps(math, layout.getRowTypes().getCount(), tile.parts[0].line.type, tile.present,
                          tile.group);
  Value init = sums.lookup(terms.getInits()[0]);
  auto loop = scf::ForOp::create(builder, location, math.constant(0),
                                 math.multiply(steps.count(), depth_blocks), math.constant(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value step = loop.getInductionVar();
  Value piece = math.remainder(step, depth_blocks), k = math.multiply(piece, depth);
  const SharedTerms::Term term = steps.at(math, math.divide(step, depth_blocks));
  Value part = math.select(term.shared, math.constant(parts), term.part);
  // What is held need not come.
  Value fetched = holds() ? math.select(term.shared, math.constant(parts), math.constant(parts + 1)) : part;

  SmallVector<Value> maps, coordinates;
  for (const RowLines::RowBlock &block : tile.parts) {
    maps.push_back(block.line.map);
    coordinates.append({k, term.group, block.line.line, block.row});
  }
  Value a = sm::FetchPartsOp::create(builder, location, blockOf(x, parts), x, maps, coordinates, fetched);
  Value b = fetchBank(tile, k, term.group);
  auto next = sm::MultiplyOp::create(builder, location, init.getType(), a, b, loop.getRegionIterArg(0),
                                     /*negate=*/Value());
  next.getPartMutable().assign(part);
  next.setParts(parts);
  if (holds()) {
    next.getHeldMutable().assign(tile.held);
    next.getPieceMutable().assign(piece);
  }
  markShallow(next, piece);
  scf::YieldOp::create(builder, location, next.getResult());
  sums[terms.getResult(0)] = loop.getResult(0);
}

/// Ends a step of scaled terms. The sum of their products is scaled behind the last step of a run of terms
/// with one coefficient, and begins anew.
void ThreadBlockProgram::writeScaling(const StepTerms &steps, Value ordinal, Value ends_term, Value partial,
                                      Value total) {
  const Type types[] = {partial.getType(), total.getType()};
  auto choose = [&](Value condition, auto then) {
    auto branch = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, location, ValueRange{partial, total});
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, location, then());
    return branch.getResults();
  };
  ValueRange next = choose(ends_term, [&]() -> SmallVector<Value> {
    const StepTerms::Coefficient coefficient = steps.coefficientAt(ordinal);
    return choose(coefficient.ends_run, [&]() -> SmallVector<Value> {
      Value scaled =
          sm::AddScaledOp::create(builder, location, total.getType(), partial, coefficient.number, total);
      return {sm::ZeroOp::create(builder, location, partial.getType()), scaled};
    });
  });
  scf::YieldOp::create(builder, location, next);
}

/// Only a rounding, which writing the result does in passing.
LogicalResult ThreadBlockProgram::writeMap(tile::MapOp map) {
  Block &body = map.getBody().front();
  auto round = dyn_cast<arith::TruncFOp>(body.front());
  if (map.getInputs().size() != 1 || !round || round.getIn() != body.getArgument(0) ||
      cast<tile::YieldOp>(body.getTerminator()).getOperand(0) != round.getOut())
    return map.emitOpError("must only round the sums; GPU targets have no other element-wise code yet");
  sums[map.getResult()] = sums.lookup(map.getInputs()[0]);
  return success();
}

LogicalResult ThreadBlockProgram::writeStore(tile::StoreOp store, tile::OwnOp own, const Tile &tile) {
  if (store.getTarget() != source.getBody().front().getArgument(2) ||
      store.getRowType() != own.getIndex(tile::AxisKind::Types) ||
      store.getRow() != own.getIndex(tile::AxisKind::Rows) ||
      store.getGroup() != own.getIndex(tile::AxisKind::Groups) ||
      store.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return store.emitOpError("must store what its tile owns to Y");
  if (hasParts()) {
    SmallVector<Value> maps, coordinates;
    for (const RowLines::RowBlock &block : tile.parts) {
      maps.push_back(block.line.map);
      coordinates.append({tile.column, tile.group, block.line.line, block.row});
    }
    sm::DeliverPartsOp::create(builder, location, sums.lookup(store.getValue()), y, maps, coordinates);
    return success();
  }
  sm::DeliverOp::create(builder, location, sums.lookup(store.getValue()), y, tile.line.map,
                        ValueRange{tile.column, tile.group, tile.line.line, tile.row});
  return success();
}

namespace {
struct ConvertTileToSm : compiler::impl::ConvertTileToSmBase<ConvertTileToSm> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getStagedSchedule()) {
        kernel.emitOpError(
            "is scheduled for threads; GPU targets lower kernels with a #tile.staged schedule");
        return signalPassFailure();
      }
      if (failed(ThreadBlockProgram(kernel).write()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace
