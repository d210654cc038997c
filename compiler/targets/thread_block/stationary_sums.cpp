// Gradients of X whose sums of a type's own group stay in registers while a thread block goes through all
// groups of dY.
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

/// A walk over the groups of dY with one block of rows, or over this block's share of them. Of a complete
/// graph the rows dY(j) of type i are used twice: with the diagonal block W(j, j) they are all of dX(j), and
/// with W(i, j) they add to dX(i). So a step multiplies the same rows by both blocks. dX(j) is stored after
/// its steps, and dX(i) after all.
LogicalResult ThreadBlockProgram::writeStationarySums(tile::ForallOp own, const Tile &tile) {
  auto terms = *own.getBody().getOps<tile::TermsOp>().begin();
  if (failed(checkTerms(terms, own)))
    return failure();
  const SmallVector<Operation *> epilogue = epilogueOf(own);
  const sm::AccumulatorType sums =
      sumsOf(cast<tile::FragmentType>(terms.getResult(0).getType()), [&] { return terms.emitError(); });
  if (!sums)
    return failure();
  const auto zero = [&]() -> Value { return sm::ZeroOp::create(builder_, location_, sums); };
  Tile of_type = tile;
  of_type.group = tile.segment.type;

  const int64_t groups = layout_.getIn().getCount(), share = schedule_.getStationaryGroups();
  Value first = splits() ? math_.least(math_.multiply(rank_, share), groups) : math_.constant(0);
  Value end = math_.least(math_.add(first, share), groups);
  auto over_groups = scf::ForOp::create(builder_, location_, first, end, math_.constant(1), zero());
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(over_groups.getBody());
    Tile of_group = tile;
    of_group.group = over_groups.getInductionVar();
    const auto [single, own_sums] =
        addBothProducts(of_group, of_type, zero(), over_groups.getRegionIterArg(0));
    // Of the type's own group these are not all terms.
    auto is_other = scf::IfOp::create(builder_, location_, math_.differ(of_group.group, of_type.group),
                                      /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(builder_);
      builder_.setInsertionPoint(is_other.thenBlock()->getTerminator());
      const llvm::DenseMap<Value, Value> before = sums_;
      sums_[terms.getResult(0)] = single;
      for (Operation *op : epilogue)
        if (failed(writeOp(op, own, of_group)))
          return failure();
      sums_ = before;
    }
    scf::YieldOp::create(builder_, location_, own_sums);
  }
  sums_[terms.getResult(0)] = over_groups.getResult(0);
  return writeEpilogue(epilogue, own, of_type);
}

/// The loop over the depth of one group of dY. Returns what it makes of the sums of that group and of the
/// type's own.
std::pair<Value, Value> ThreadBlockProgram::addBothProducts(const Tile &of_group, const Tile &of_type,
                                                            Value single, Value own_sums) {
  const int64_t depth = schedule_.getDepth();
  Value depth_blocks = math_.constant((layout_.getIn().getWidth(0) + depth - 1) / depth);
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0), depth_blocks, math_.constant(1),
                                 ValueRange{single, own_sums});
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  Value depth_block = loop.getInductionVar(), k = math_.multiply(depth_block, depth);
  Value rows = fetch(x_, of_group.segment.map, {k, of_group.group, of_group.segment.segment, of_group.row},
                     schedule_.getClusterColumns(), &ClusterPlace::column, &ClusterPlace::row_mask);
  Value diagonal = fetchWeights(w_, of_group, k, of_group.group),
        own_weights = fetchWeights(w_, of_type, k, of_group.group);
  const SmallVector<Value> next = {multiply(rows, diagonal, loop.getRegionIterArg(0), /*negate=*/Value()),
                                   multiply(rows, own_weights, loop.getRegionIterArg(1), /*negate=*/Value())};
  markShallow(next, depth_block);
  scf::YieldOp::create(builder_, location_, next);
  return {loop.getResult(0), loop.getResult(1)};
}

} // namespace compiler
