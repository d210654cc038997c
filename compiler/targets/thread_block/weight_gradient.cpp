// Tiles of dW: products over rows of X and dY, and a store that may add to what dW holds.
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

LogicalResult ThreadBlockProgram::checkWeightGradient() {
  if (!layout_.isWeightGradient())
    return success();
  if (hasParts())
    return source_.emitOpError(
        "computes the gradient of the weight matrix (mode j), whose tiles have features and columns: "
        "they share no types and hold no rows");
  if (schedule_.getRowsOn() == tile::Side::N)
    return source_.emitOpError(
        "computes the gradient of the weight matrix (mode j), whose sums threads add to it row by row: "
        "its features are on side M");
  return success();
}

LogicalResult ThreadBlockProgram::checkWeightTerms(tile::WeightTermsOp terms, tile::ForallOp own) {
  Block &body = terms.getBody().front();
  auto mma = dyn_cast<tile::MmaRowsOp>(body.front());
  auto yield = cast<tile::YieldOp>(body.getTerminator());
  if (terms.getInits().size() != 1 || !mma || mma->getNextNode() != yield.getOperation() ||
      yield.getOperand(0) != mma.getResult() || mma.getAccumulator() != body.getArgument(4))
    return terms.emitOpError("must add one product to one sum for each term");
  Block &matrices = source_.getBody().front();
  if (mma.getLeft() != matrices.getArgument(0) || mma.getRight() != matrices.getArgument(1))
    return mma.emitOpError("must multiply X and dY straight from memory");
  if (terms.getWeightRow() != own.getIndex(tile::AxisKind::WeightRows) ||
      terms.getGroup() != own.getIndex(tile::AxisKind::Groups) || mma.getRowType() != body.getArgument(0) ||
      mma.getInputGroup() != body.getArgument(1) || mma.getOutputGroup() != body.getArgument(2) ||
      mma.getFeature() != own.getIndex(tile::AxisKind::Features) ||
      mma.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return mma.emitOpError("must multiply what its tile owns");
  return checkCoefficients(mma, mma.getScale() && !mma.getSigns());
}

/// One loop over the steps of a tile: `depth` rows of one term at a time, whatever their number. What is past
/// the last row of a type is zero in both blocks.
LogicalResult ThreadBlockProgram::writeWeightTerms(tile::WeightTermsOp terms, tile::ForallOp own,
                                                   const Tile &tile) {
  if (failed(checkWeightTerms(terms, own)))
    return failure();
  auto mma = cast<tile::MmaRowsOp>(terms.getBody().front().front());
  const bool scaled = mma.getScale() && !mma.getSigns();
  const WeightSteps steps(math_, layout_,
                          scaled           ? Coefficients::General
                          : mma.getScale() ? Coefficients::Signs
                                           : Coefficients::One,
                          table_, *segments_, rows_, schedule_.getDepth(), tile.weight_row, tile.group,
                          schedule_.hasWarps() || RowSegments::areListed(layout_.getRowTypes())
                              ? WeightSteps::AllRows::AsTheyLie
                              : WeightSteps::AllRows::TypeAfterType);
  Value init = sums_.lookup(terms.getInits()[0]);
  SmallVector<Value> carried = {init};
  if (scaled)
    carried.insert(carried.begin(), sm::ZeroOp::create(builder_, location_, init.getType()));
  // Blocks that divide a tile take steps in turn: they go through the same rows beside each other.
  Value first = math_.constant(0), stride = math_.constant(1);
  if (splits()) {
    Value blocks = math_.constant(schedule_.getSplitK());
    first = splitsSome() ? math_.select(tile.is_long, rank_, first) : rank_;
    stride = splitsSome() ? math_.select(tile.is_long, blocks, stride) : blocks;
  }
  auto loop = scf::ForOp::create(builder_, location_, first, steps.count(), stride, carried);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  const WeightSteps::Step step = steps.at(loop.getInductionVar());
  // Blocks of columns of a cluster share rows of X, blocks of features those of dY.
  Value a = fetch(x_, step.map, {tile.row, step.input_group, step.segment, step.row},
                  schedule_.getClusterColumns(), &ClusterPlace::column, &ClusterPlace::row_mask);
  Value b = fetch(w_, step.map, {tile.column, step.output_group, step.segment, step.row},
                  schedule_.getClusterRows(), &ClusterPlace::row, &ClusterPlace::column_mask);
  markNarrow(b, tile);
  auto next = sm::MultiplyOp::create(builder_, location_, init.getType(), a, b, loop.getRegionIterArg(0),
                                     step.negative);
  next.setATransposed(true);
  if (scaled)
    writeScaling(
        step.ends_term, [&] { return steps.coefficientAt(step.ordinal); }, next.getResult(),
        loop.getRegionIterArgs().take_back());
  else
    scf::YieldOp::create(builder_, location_, next.getResult());
  sums_[terms.getResult(0)] = loop.getResults().back();
  return success();
}

LogicalResult ThreadBlockProgram::writeStoreWeights(tile::StoreWeightOp store, tile::ForallOp own,
                                                    const Tile &tile) {
  if (store.getTarget() != source_.getBody().front().getArgument(2) ||
      store.getWeightRow() != own.getIndex(tile::AxisKind::WeightRows) ||
      store.getFeature() != own.getIndex(tile::AxisKind::Features) ||
      store.getGroup() != own.getIndex(tile::AxisKind::Groups) ||
      store.getColumn() != own.getIndex(tile::AxisKind::Columns))
    return store.emitOpError("must store what its tile owns to dW");
  Value map = math_.constant(0);
  auto write = [&](OpBuilder &builder, Value target, Value beta) {
    return sm::StoreSumsOp::create(builder, location_, sums_.lookup(store.getValue()), target, map,
                                   ValueRange{tile.column, tile.group, tile.row, tile.weight_row}, beta);
  };
  const auto where_beta = [&](OpBuilder &builder, arith::CmpFPredicate predicate, float value) {
    Value number = arith::ConstantOp::create(builder, location_, builder.getF32FloatAttr(value));
    Value holds = arith::CmpFOp::create(builder, location_, predicate, beta_, number);
    return scf::IfOp::create(builder, location_, holds, /*withElseRegion=*/true);
  };
  // A beta that is no number counts, too.
  scf::IfOp adds = where_beta(builder_, arith::CmpFPredicate::UNE, 0);
  OpBuilder add = adds.getThenBodyBuilder(), replace = adds.getElseBodyBuilder();
  write(replace, y_, Value());
  // Steps of training that accumulate in f32 add as it is, which the copy engine can do.
  if (y_ == plain_result_ || !cast<sm::MapsType>(y_.getType()).getElementType().isF32()) {
    write(add, plain_result_, beta_);
    return success();
  }
  scf::IfOp is_one = where_beta(add, arith::CmpFPredicate::OEQ, 1);
  OpBuilder by_engine = is_one.getThenBodyBuilder(), by_threads = is_one.getElseBodyBuilder();
  write(by_engine, y_, Value()).setAdded(true);
  write(by_threads, plain_result_, beta_);
  return success();
}

} // namespace compiler
