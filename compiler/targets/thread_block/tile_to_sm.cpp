// convert-tile-to-sm: what one thread block does, in order.
#include "compiler/targets/thread_block/passes.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "llvm/ADT/TypeSwitch.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTTILETOSM
#include "compiler/targets/thread_block/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

ThreadBlockProgram::ThreadBlockProgram(tile::KernelOp source)
    : source(source), layout(source.getLayout()), schedule(source.getStagedSchedule()),
      builder(source.getContext()), location(source.getLoc()), math(builder, location) {}

std::int64_t ThreadBlockProgram::storedRows() const {
  return schedule.getRows() / (schedule.getRowsOn() == tile::Side::N ? schedule.getSplit() : 1);
}

std::int64_t ThreadBlockProgram::storedColumns() const {
  return schedule.getColumns() / (schedule.getRowsOn() == tile::Side::M ? schedule.getSplit() : 1);
}

LogicalResult ThreadBlockProgram::checkSplit() {
  if (!splits())
    return success();
  if (schedule.hasWarps())
    return source.emitOpError(
        "divides the steps of a tile among blocks, whose warpgroups exchange sums; where "
        "threads copy, single warps have them");
  if (schedule.sharesCopies() || hasParts() || schedule.getTurns() > 1)
    return source.emitOpError(
        "divides the steps of a tile among blocks: its tiles have one type, hold no rows, "
        "copy nothing for others and take no turns");
  const bool rows = schedule.getRowsOn() == tile::Side::N;
  const std::int64_t whole = rows ? schedule.getRows() : schedule.getColumns();
  if (whole % (schedule.getSplit() * sm::mma_columns) != 0)
    return source.emitOpError("has ")
           << whole << (rows ? " rows" : " columns") << ", of which " << schedule.getSplit()
           << " blocks cannot store equal parts, multiples of " << sm::mma_columns;
  return success();
}

LogicalResult ThreadBlockProgram::check(tile::OwnOp own) {
  if (RowLines::areListed(layout.getRowTypes()) && !schedule.hasWarps())
    return source.emitOpError(
        "has explicit row types, whose rows no tensor map can address; threads find them in "
        "a list: give its schedule warps");
  if (layout.hasUnequalGroups() && !schedule.hasWarps())
    return source.emitOpError(
        "has groups of unequal widths, which one tensor map cannot address; threads find "
        "them in a list: give its schedule warps");
  if (failed(checkBankGradient()) || failed(checkSeveral()) || failed(checkSplit()) || failed(checkOrder()))
    return failure();
  const std::int64_t cluster_rows = schedule.getClusterRows(), cluster_columns = schedule.getClusterColumns();
  if (schedule.sharesCopies() && schedule.hasWarps())
    return source.emitOpError(
        "runs in clusters, whose blocks copy for each other: the copy engine does that, and "
        "threads cannot; take away its warps");
  const bool bank = layout.isBankGradient();
  const std::int64_t x_rows = bank ? schedule.getDepth() : schedule.getRows(),
                     second_rows = bank ? schedule.getDepth() : bankBlockRows();
  if (schedule.sharesCopies() && (second_rows % (cluster_rows * sm::swizzle_rows) != 0 ||
                                  x_rows % (cluster_columns * sm::swizzle_rows) != 0))
    return source.emitOpError("runs in clusters of ")
           << cluster_rows << " x " << cluster_columns << ", but " << second_rows << " rows of "
           << (bank ? "dY" : "the bank") << " and " << x_rows << " of X have no parts that are multiples of "
           << sm::swizzle_rows;
  if (hasParts() && (schedule.sharesCopies() || schedule.getRowsOn() == tile::Side::N))
    return source.emitOpError(
        "shares blocks among its types, or holds rows: its workers run alone, with rows on "
        "the first side");
  if (layout.isTransposed() && hasParts())
    return source.emitOpError("multiplies by a transposed bank (mode i), where the rows of a type's own "
                              "group of dY are no more used than "
                              "others: its tiles have one type and hold no rows");
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
  const std::pair<tile::AxisKind, std::int64_t> wanted[] = {
      {bank ? tile::AxisKind::BankRows : tile::AxisKind::Types, types},
      {bank ? tile::AxisKind::Features : tile::AxisKind::Rows, schedule.getRows()},
      {tile::AxisKind::Groups, 1},
      {tile::AxisKind::Columns, schedule.getColumns()}};
  bool owns = own.getAxes().size() == std::size(wanted);
  for (auto [kind, step] : wanted)
    owns = owns && own.getAxis(kind) && own.getAxis(kind).getStep() == step;
  if (!owns)
    return own.emitOpError("must own one tile of the schedule: <")
           << (bank ? "bank_rows, " : "types, ") << types << ">, <" << (bank ? "features, " : "rows, ")
           << schedule.getRows() << ">, <groups, 1>, <columns, " << schedule.getColumns() << ">";
  return success();
}

LogicalResult ThreadBlockProgram::write() {
  auto own = *source.getBody().getOps<tile::OwnOp>().begin();
  sortOperands();
  if (failed(check(own)))
    return failure();
  FailureOr<sm::KernelOp> kernel = declare();
  if (failed(kernel))
    return failure();
  Block &body = kernel->getBody().front();

  // Dependent launches came with the copy engine.
  if (!schedule.hasWarps())
    sm::WaitForPredecessorOp::create(builder, location);
  lines.emplace(math, layout.getRowTypes(), rows, body.getArgument(4), x);
  return writeWalk(own);
}

/// Its products, and behind the last of them what is done with the sums that a block stores.
LogicalResult ThreadBlockProgram::writeTile(tile::OwnOp own, const Tile &tile) {
  Block &body = own.getBody().front();
  auto epilogue = body.begin();
  for (Operation &op : body)
    if (isa<tile::TermsOp, tile::BankTermsOp>(op))
      epilogue = std::next(op.getIterator());
  for (Operation &op : llvm::make_range(body.begin(), epilogue))
    if (failed(writeOp(&op, own, tile)))
      return failure();
  SmallVector<Operation *> rest;
  for (Operation &op : llvm::make_range(epilogue, body.end()))
    rest.push_back(&op);
  return writeEpilogue(rest, own, tile);
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
      .Case([&](tile::BankTermsOp terms) { return writeBankTerms(terms, own, tile); })
      .Case([&](tile::StoreBankOp store) { return writeStoreBank(store, own, tile); })
      .Case([&](tile::MapOp map) { return writeMap(map, own, tile); })
      // The maps clip, and constants are written where they are used.
      .Case<tile::MaskOp, arith::ConstantOp>([&](auto) { return LogicalResult(success()); })
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

LogicalResult ThreadBlockProgram::writeStore(tile::StoreOp store, tile::OwnOp own, const Tile &tile) {
  Value target = operands.lookup(store.getTarget());
  if (!target || store.getRowType() != own.getIndex(tile::AxisKind::Types) ||
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
    sm::DeliverPartsOp::create(builder, location, sums.lookup(store.getValue()), target, maps, coordinates);
    return success();
  }
  sm::DeliverOp::create(builder, location, sums.lookup(store.getValue()), target, tile.line.map,
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
