// Tiles of dW: products over rows of X and dY, and a store that may add to what dW holds.
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

LogicalResult ThreadBlockProgram::checkBankGradient() {
  if (!layout.isBankGradient())
    return success();
  if (hasParts())
    return source.emitOpError(
        "computes the gradient of the bank (mode j), whose tiles have features and columns: "
        "they share no types and hold no rows");
  if (schedule.getRowsOn() == tile::Side::N)
    return source.emitOpError(
        "computes the gradient of the bank (mode j), whose sums threads write row by row: "
        "its features are on side M");
  return success();
}

LogicalResult ThreadBlockProgram::checkBankTerms(tile::BankTermsOp terms, tile::OwnOp own) {
  Block &body = terms.getBody().front();
  auto mma = dyn_cast<tile::MmaRowsOp>(body.front());
  auto yield = cast<tile::YieldOp>(body.getTerminator());
  if (terms.getInits().size() != 1 || !mma || mma->getNextNode() != yield.getOperation() ||
      yield.getOperand(0) != mma.getResult() || mma.getAccumulator() != body.getArgument(4))
    return terms.emitOpError("must add one product to one sum for each term");
  Block &matrices = source.getBody().front();
  if (mma.getLeft() != matrices.getArgument(0) || mma.getRight() != matrices.getArgument(1))
    return mma.emitOpError("must multiply X and dY straight from memory");
  if (terms.getBankRow() != own.getIndex(tile::AxisKind::BankRows) ||
      terms.getGroup() != own.getIndex(tile::AxisKind::Groups) || mma.getRowType() != body.getArgument(0) ||
      mma.getInputGroup() != body.getArgument(1) || mma.getOutputGroup() != body.getArgument(2) ||
      mma.getFeature() != own.getIndex(tile::AxisKind::Features) ||
      mma.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return mma.emitOpError("must multiply what its tile owns");
  return checkCoefficients(mma, mma.getScale() && !mma.getSigns());
}

/// One loop over the steps of a tile: `depth` rows of one term at a time, whatever their number. What is past
/// the last row of a type is zero in both blocks.
LogicalResult ThreadBlockProgram::writeBankTerms(tile::BankTermsOp terms, tile::OwnOp own, const Tile &tile) {
  if (failed(checkBankTerms(terms, own)))
    return failure();
  auto mma = cast<tile::MmaRowsOp>(terms.getBody().front().front());
  const bool scaled = mma.getScale() && !mma.getSigns();
  const BankSteps steps(builder, location, layout,
                        scaled           ? StepTerms::Coefficients::Numbers
                        : mma.getScale() ? StepTerms::Coefficients::Signs
                                         : StepTerms::Coefficients::None,
                        table, *lines, rows, schedule.getDepth(), tile.bank_row, tile.group,
                        schedule.hasWarps() || RowLines::areListed(layout.getRowTypes())
                            ? BankSteps::AllRows::AsTheyLie
                            : BankSteps::AllRows::TypeAfterType);
  Value init = sums.lookup(terms.getInits()[0]);
  SmallVector<Value> carried = {init};
  if (scaled)
    carried.insert(carried.begin(), sm::ZeroOp::create(builder, location, init.getType()));
  // Blocks that divide a tile take steps in turn: they go through the same rows beside each other.
  Value first = math.constant(0), stride = math.constant(1);
  if (splits()) {
    Value blocks = math.constant(schedule.getSplit());
    first = splitsSome() ? math.select(tile.is_long, rank, first) : rank;
    stride = splitsSome() ? math.select(tile.is_long, blocks, stride) : blocks;
  }
  auto loop = scf::ForOp::create(builder, location, first, steps.count(), stride, carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  const BankSteps::Step step = steps.at(loop.getInductionVar());
  // Blocks of columns of a cluster share rows of X, blocks of features those of dY.
  Value a = fetch(x, step.map, {tile.row, step.input_group, step.line, step.row},
                  schedule.getClusterColumns(), &ClusterPlace::column, &ClusterPlace::row_mask);
  Value b = fetch(w, step.map, {tile.column, step.output_group, step.line, step.row},
                  schedule.getClusterRows(), &ClusterPlace::row, &ClusterPlace::column_mask);
  auto next = sm::MultiplyOp::create(builder, location, init.getType(), a, b, loop.getRegionIterArg(0),
                                     step.negative);
  next.setATransposed(true);
  if (scaled)
    writeScaling(
        step.ends_term, [&] { return steps.coefficientAt(step.ordinal); }, next.getResult(),
        loop.getRegionIterArgs().take_back());
  else
    scf::YieldOp::create(builder, location, next.getResult());
  sums[terms.getResult(0)] = loop.getResults().back();
  return success();
}

LogicalResult ThreadBlockProgram::writeStoreBank(tile::StoreBankOp store, tile::OwnOp own, const Tile &tile) {
  if (store.getTarget() != source.getBody().front().getArgument(2) ||
      store.getBankRow() != own.getIndex(tile::AxisKind::BankRows) ||
      store.getFeature() != own.getIndex(tile::AxisKind::Features) ||
      store.getGroup() != own.getIndex(tile::AxisKind::Groups) ||
      store.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return store.emitOpError("must store what its tile owns to dW");
  sm::DeliverOp::create(builder, location, sums.lookup(store.getValue()), y, math.constant(0),
                        ValueRange{tile.column, tile.group, tile.row, tile.bank_row}, beta);
  return success();
}

} // namespace compiler
