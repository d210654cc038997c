// convert-tile-to-sm: what one thread block does, in order.
#include "compiler/lower/map_cycles.h"
#include "compiler/schedule/staged.h"
#include "compiler/targets/thread_block/chained_program.h"
#include "compiler/targets/thread_block/chained_row_program.h"
#include "compiler/targets/thread_block/passes.h"
#include "compiler/targets/thread_block/row_program.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "llvm/ADT/TypeSwitch.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTTILETOSM
#include "compiler/targets/thread_block/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

ThreadBlockProgram::ThreadBlockProgram(tile::KernelOp source)
    : KernelProgram(source), schedule_(source.getStagedSchedule()) {}

int64_t ThreadBlockProgram::storedRows() const {
  return schedule_.getRows() / (schedule_.getRowsOn() == tile::Side::N ? schedule_.getSplitK() : 1);
}

bool ThreadBlockProgram::storesInPieces() const {
  return hasSeveralResults() && !schedule_.hasWarps() && !splits();
}

int64_t ThreadBlockProgram::storedColumns() const {
  if (storesInPieces()) {
    MapOperations operations;
    source_->walk([&](tile::MapOp map) { countOperations(map.getBody().front(), operations); });
    return piecesOfResults(schedule_.getColumns(), operations.all);
  }
  return schedule_.getColumns() / (schedule_.getRowsOn() == tile::Side::M ? schedule_.getSplitK() : 1);
}

LogicalResult ThreadBlockProgram::checkSplitK() {
  if (!splits())
    return success();
  if (schedule_.hasWarps())
    return source_.emitOpError(
        "divides the steps of a tile among blocks, whose warpgroups exchange sums; where "
        "threads copy, single warps have them");
  if (schedule_.sharesCopies() || hasParts() || schedule_.getPingPong() > 1)
    return source_.emitOpError(
        "divides the steps of a tile among blocks: its tiles have one type, hold no rows, "
        "copy nothing for others and take no turns");
  const bool rows = schedule_.getRowsOn() == tile::Side::N;
  const int64_t whole = rows ? schedule_.getRows() : schedule_.getColumns();
  if (whole % (schedule_.getSplitK() * sm::mma_columns) != 0)
    return source_.emitOpError("has ")
           << whole << (rows ? " rows" : " columns") << ", of which " << schedule_.getSplitK()
           << " blocks cannot store equal parts, multiples of " << sm::mma_columns;
  return success();
}

LogicalResult ThreadBlockProgram::checkStationarySums() {
  if (schedule_.hasWarps())
    return source_.emitOpError(
        "has stationary sums; where threads copy, a tile has all of its steps at once");
  if (schedule_.getPingPong() > 1 || schedule_.ordersGroups() || hasSeveralWeights() || hasSeveralResults())
    return source_.emitOpError(
        "has stationary sums: its warpgroups take no turns, compute one product and go "
        "through the groups as they are numbered");
  const int64_t groups = layout_.getIn().getCount();
  if (groups < 2)
    return source_.emitOpError("has stationary sums of its only group: no other is gone through while they "
                               "stay");
  const int64_t share = llvm::divideCeil(groups, schedule_.getSplitK());
  if (schedule_.getStationaryGroups() != share)
    return source_.emitOpError("has sums that stay for ")
           << schedule_.getStationaryGroups() << " groups of dY, where each of " << schedule_.getSplitK()
           << " blocks has " << share << " of " << groups;
  return success();
}

LogicalResult ThreadBlockProgram::check(tile::ForallOp own) {
  if (RowSegments::areListed(layout_.getRowTypes()) && !schedule_.hasWarps())
    return source_.emitOpError(
        "has explicit row types, whose rows no tensor map can address; threads find them in "
        "a list: give its schedule warps");
  if (layout_.hasUnequalGroups() && !schedule_.hasWarps())
    return source_.emitOpError(
        "has groups of unequal widths, which one tensor map cannot address; threads find "
        "them in a list: give its schedule warps");
  if (failed(checkWeightGradient()) || failed(checkSeveral()) || failed(checkSplitK()) ||
      failed(checkOrder()))
    return failure();
  if (schedule_.getClusterTypes() > 1)
    return source_.emitOpError("runs in clusters along the types, which kernels of two layers do: there "
                               "output groups have blocks of the weight matrices that all types read");
  const int64_t cluster_rows = schedule_.getClusterRows(), cluster_columns = schedule_.getClusterColumns();
  if (schedule_.sharesCopies() && schedule_.hasWarps())
    return source_.emitOpError(
        "runs in clusters, whose blocks copy for each other: the copy engine does that, and "
        "threads cannot; take away its warps");
  const bool weights = layout_.isWeightGradient();
  const int64_t x_rows = weights ? schedule_.getDepth() : schedule_.getRows(),
                second_rows = weights ? schedule_.getDepth() : weightBlockRows();
  if (schedule_.sharesCopies() && (second_rows % (cluster_rows * sm::swizzle_rows) != 0 ||
                                   x_rows % (cluster_columns * sm::swizzle_rows) != 0))
    return source_.emitOpError("runs in clusters of ")
           << cluster_rows << " x " << cluster_columns << ", but " << second_rows << " rows of "
           << (weights ? "dY" : "the weight matrix") << " and " << x_rows
           << " of X have no parts that are multiples of " << sm::swizzle_rows;
  if (hasParts() && (schedule_.sharesCopies() || schedule_.getRowsOn() == tile::Side::N))
    return source_.emitOpError(
        "shares blocks among its types, or holds rows: its workers run alone, with rows on "
        "the first side");
  if (layout_.isTransposed() && hasParts())
    return source_.emitOpError("multiplies by a transposed weight matrix (mode i), of which no kernel shares "
                               "blocks among types: its "
                               "tiles have one type");
  const int64_t types = schedule_.getTypes();
  if (types > 1 && schedule_.hasWarps())
    return source_.emitOpError("owns ") << types << " types in a tile; where threads copy, it has one";
  if (holds() && schedule_.hasWarps())
    return source_.emitOpError("holds rows of X; where threads copy, they come with every group");
  const std::optional<int64_t> complete = layout_.getTerms().completeGraph();
  if (types > 1 && types > complete.value_or(0))
    return source_.emitOpError("owns ")
           << types << " types in a tile; only those of a complete graph share blocks, and "
           << layout_.getRowTypes().getCount() << " are there";
  if ((holds() || hasStationarySums()) && !complete)
    return source_.emitOpError(holds() ? "holds rows of X" : "has stationary sums")
           << "; only types of a complete graph have a group of their own";
  if (hasStationarySums() && failed(checkStationarySums()))
    return failure();
  if (!goesBy(own, {{weights ? tile::AxisKind::WeightRows : tile::AxisKind::Types, types},
                    {weights ? tile::AxisKind::Features : tile::AxisKind::Rows, schedule_.getRows()},
                    {tile::AxisKind::Groups, 1},
                    {tile::AxisKind::Columns, schedule_.getColumns()}}))
    return own.emitOpError("must own one tile of the schedule: <")
           << (weights ? "weight_rows, " : "types, ") << types << ">, <"
           << (weights ? "features, " : "rows, ") << schedule_.getRows() << ">, <groups, 1>, <columns, "
           << schedule_.getColumns() << ">";
  return success();
}

LogicalResult ThreadBlockProgram::write() {
  auto own = *source_.getBody().getOps<tile::ForallOp>().begin();
  sortOperands();
  if (failed(check(own)))
    return failure();
  FailureOr<sm::KernelOp> kernel = declare();
  if (failed(kernel))
    return failure();
  // Dependent launches came with the copy engine.
  if (!schedule_.hasWarps())
    sm::WaitForPredecessorOp::create(builder_, location_);
  segments_.emplace(math_, layout_.getRowTypes(), rows_, offset_, x_, experts_);
  return writeFor(own);
}

/// Its products, and behind the last of them what is done with the sums that a block stores.
LogicalResult ThreadBlockProgram::writeTile(tile::ForallOp own, Tile tile) {
  tile.narrow = isNarrow(tile);
  const SmallVector<Operation *> epilogue = epilogueOf(own);
  for (Operation &op : own.getBody().front()) {
    if (!epilogue.empty() && &op == epilogue.front())
      break;
    if (failed(writeOp(&op, own, tile)))
      return failure();
  }
  return writeEpilogue(epilogue, own, tile);
}

SmallVector<Operation *> ThreadBlockProgram::epilogueOf(tile::ForallOp own) {
  SmallVector<Operation *> epilogue;
  for (Operation &op : own.getBody().front()) {
    epilogue.push_back(&op);
    if (isa<tile::TermsOp, tile::WeightTermsOp>(op))
      epilogue.clear();
  }
  return epilogue;
}

LogicalResult ThreadBlockProgram::writeOp(Operation *op, tile::ForallOp own, const Tile &tile) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::ZeroOp zero) -> LogicalResult {
        sm::AccumulatorType sum = sumsOf(zero.getResult().getType(), [&] { return zero.emitError(); });
        if (!sum)
          return failure();
        auto sums = sm::ZeroOp::create(builder_, location_, sum);
        if (tile.narrow) {
          sums.getNarrowMutable().assign(tile.narrow);
          sums.setNarrowColumns(narrowColumns());
        }
        sums_[zero.getResult()] = sums;
        return success();
      })
      .Case([&](tile::TermsOp terms) { return writeTerms(terms, own, tile); })
      .Case([&](tile::WeightTermsOp terms) { return writeWeightTerms(terms, own, tile); })
      .Case([&](tile::StoreWeightOp store) { return writeStoreWeights(store, own, tile); })
      .Case([&](tile::MapOp map) {
        // Numbers of columns of an expert lie behind those of the experts before it.
        const int64_t groups = layout_.getOut().getCount();
        Value expert = tile.segment.expert;
        Value group = expert ? math_.add(tile.group, math_.multiply(expert, groups)) : tile.group;
        return writeMap(map, NamedPlace(own), tile.column, group,
                        {tile.segment.map, tile.column, tile.group, tile.segment.segment, tile.row});
      })
      // The maps clip, and constants are written where they are used.
      .Case<tile::MaskOp, arith::ConstantOp>([&](auto) { return LogicalResult(success()); })
      .Case([&](tile::StoreOp store) { return writeStore(store, own, tile); })
      .Default([&](Operation *other) -> LogicalResult {
        return other->emitOpError("is not something that a GPU target can lower");
      });
}

sm::AccumulatorType ThreadBlockProgram::sumsOf(tile::FragmentType fragment,
                                               function_ref<InFlightDiagnostic()> error) {
  return sm::AccumulatorType::getChecked(error, builder_.getContext(), fragment.getRows(),
                                         fragment.getColumns(), schedule_.getWarpRows(),
                                         schedule_.getWarpColumns(), schedule_.getRowsOn() == tile::Side::N);
}

LogicalResult ThreadBlockProgram::writeStore(tile::StoreOp store, tile::ForallOp own, const Tile &tile) {
  Value target = operands_.lookup(store.getTarget());
  if (!target || store.getRowType() != own.getIndex(tile::AxisKind::Types) ||
      store.getRow() != own.getIndex(tile::AxisKind::Rows) ||
      store.getGroup() != own.getIndex(tile::AxisKind::Groups) ||
      store.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return store.emitOpError("must store what its tile owns to Y");
  if (hasParts()) {
    SmallVector<Value> maps, coordinates;
    for (const RowSegments::RowBlock &block : tile.parts) {
      maps.push_back(block.segment.map);
      coordinates.append({tile.column, tile.group, block.segment.segment, block.row});
    }
    sm::StoreSumsInPartsOp::create(builder_, location_, sums_.lookup(store.getValue()), target, maps,
                                   coordinates);
    return success();
  }
  sm::StoreSumsOp::create(builder_, location_, sums_.lookup(store.getValue()), target, tile.segment.map,
                          ValueRange{tile.column, tile.group, tile.segment.segment, tile.row});
  return success();
}

namespace {
struct ConvertTileToSm : compiler::impl::ConvertTileToSmBase<ConvertTileToSm> {
  using ConvertTileToSmBase::ConvertTileToSmBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      if (!kernel.getStagedSchedule() && !kernel.getReducedSchedule()) {
        kernel.emitOpError("is scheduled for threads; GPU targets lower kernels with a #tile.staged or a "
                           "#tile.reduced schedule");
        return signalPassFailure();
      }
      if (failed(write(kernel)))
        return signalPassFailure();
      kernel.erase();
    }
  }

private:
  LogicalResult write(tile::KernelOp kernel) {
    const bool layers = kernel.walk([](tile::LayerOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!kernel.getStagedSchedule())
      return layers ? ChainedRowProgram(kernel, dependent).write() : RowProgram(kernel, dependent).write();
    return layers ? ChainedProgram(kernel).write() : ThreadBlockProgram(kernel).write();
  }
};
} // namespace
