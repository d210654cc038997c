// The steps of a tile: what is fetched and multiplied for its terms.
#include "compiler/targets/thread_block/shared_terms.h"

#include "compiler/schedule/cost.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

sm::BlockType ThreadBlockProgram::blockOf(Value maps, int64_t boxes) {
  auto type = cast<sm::MapsType>(maps.getType());
  return sm::BlockType::get(maps.getContext(), boxes * type.getRows(), type.getColumns(),
                            type.getElementType(), type.getSwizzle());
}

LogicalResult ThreadBlockProgram::checkTerms(tile::TermsOp terms, tile::ForallOp own) {
  Block &body = terms.getBody().front();
  auto products = llvm::to_vector(body.getOps<tile::MmaOp>());
  auto yield = cast<tile::YieldOp>(body.getTerminator());
  bool one_each = !products.empty() && products.size() == terms.getInits().size() &&
                  llvm::range_size(body.without_terminator()) == products.size();
  for (unsigned number = 0; one_each && number < products.size(); ++number) {
    tile::MmaOp mma = products[number];
    one_each =
        mma.getAccumulator() == body.getArgument(3 + number) && yield.getOperand(number) == mma.getResult();
  }
  if (!one_each)
    return terms.emitOpError("must add one product to ")
           << (terms.getInits().size() == 1 ? "one" : "each") << " sum for each term";
  auto index = [&](tile::AxisKind kind) { return own.getIndex(kind); };
  for (auto [mma, weights] : llvm::zip(products, source_weights_)) {
    if (mma.getRows() != source_.getBody().getArgument(0) || mma.getWeights() != weights)
      return mma.emitOpError(hasSeveralWeights()
                                 ? "must multiply X and each of the weight matrices straight from memory, in "
                                   "the order of the kernel's operands"
                                 : "must multiply X and W straight from memory");
    if (terms.getRowType() != index(tile::AxisKind::Types) ||
        terms.getGroup() != index(tile::AxisKind::Groups) ||
        mma.getRowType() != index(tile::AxisKind::Types) || mma.getRow() != index(tile::AxisKind::Rows) ||
        mma.getGroup() != index(tile::AxisKind::Groups) ||
        mma.getColumn() != index(tile::AxisKind::Columns) || mma.getInputGroup() != body.getArgument(0) ||
        mma.getWeightRow() != body.getArgument(1))
      return mma.emitOpError("must multiply what its tile owns");
    if (static_cast<bool>(mma.getScale()) != static_cast<bool>(products[0].getScale()) ||
        mma.getSigns() != products[0].getSigns())
      return mma.emitOpError(
          "must have coefficients where the first product has some: their terms are the same");
  }
  if (products.size() != source_weights_.size())
    return terms.emitOpError("has ") << products.size() << " products, of " << source_weights_.size()
                                     << " weight matrices: each weight matrix is multiplied once";
  return checkCoefficients(products[0], products[0].getScale() && !products[0].getSigns());
}

LogicalResult ThreadBlockProgram::checkCoefficients(Operation *product, bool scales) {
  if (scales && !schedule_.hasWarps())
    return product->emitOpError("scales by coefficients that are not signs, which tensor cores cannot do in "
                                "passing; only a schedule with warps has sums to scale");
  return success();
}

StepShare ThreadBlockProgram::shareOfBlock(Value steps, const Tile &tile) {
  const StepShare all = {math_.constant(0), steps};
  if (!splits())
    return all;
  const StepShare part = shareOf(math_, steps, rank_, schedule_.getSplitK());
  return splitsSome() ? StepShare{math_.select(tile.is_long, part.first, all.first),
                                  math_.select(tile.is_long, part.end, all.end)}
                      : part;
}

/// One loop over the steps of a tile: `depth` of one term at a time, whatever their number.
LogicalResult ThreadBlockProgram::writeTerms(tile::TermsOp terms, tile::ForallOp own, const Tile &tile) {
  if (failed(checkTerms(terms, own)))
    return failure();
  if (hasParts()) {
    writeSharedTerms(terms, tile);
    return success();
  }
  auto mma = cast<tile::MmaOp>(terms.getBody().front().front());
  const bool scaled = mma.getScale() && !mma.getSigns();
  const StepTerms steps(math_, layout_,
                        scaled           ? Coefficients::General
                        : mma.getScale() ? Coefficients::Signs
                                         : Coefficients::One,
                        table_, tile.segment.type, tile.group);
  const int64_t depth = schedule_.getDepth();
  // Pieces of terms are one step each.
  const int64_t depth_blocks = steps.arePieces() ? 1 : (layout_.getIn().getWidth(0) + depth - 1) / depth;
  const auto products = static_cast<unsigned>(weights_.size());
  // Scaled terms carry the products of the current coefficient and, last, the sums of what has been scaled.
  SmallVector<Value> carried;
  for (unsigned number = 0; scaled && number < products; ++number)
    carried.push_back(
        sm::ZeroOp::create(builder_, location_, sums_.lookup(terms.getInits()[number]).getType()));
  for (Value init : terms.getInits())
    carried.push_back(sums_.lookup(init));
  const StepShare share = shareOfBlock(math_.multiply(steps.count(), depth_blocks), tile);
  auto loop = scf::ForOp::create(builder_, location_, share.first, share.end, math_.constant(1), carried);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  Value step = loop.getInductionVar();
  Value depth_block = math_.remainder(step, depth_blocks), ordinal = math_.divide(step, depth_blocks);
  Value k = math_.multiply(depth_block, depth);
  const StepTerms::Term term = steps.at(ordinal);
  if (steps.arePieces())
    k = term.column;

  Value a = fetch(x_, tile.segment.map, {k, term.input_group, tile.segment.segment, tile.row},
                  schedule_.getClusterColumns(), &ClusterPlace::column, &ClusterPlace::row_mask);
  SmallVector<Value> blocks, next;
  for (Value weights : weights_)
    blocks.push_back(fetchWeights(weights, tile, k, term.weight_row));
  for (auto [number, b] : llvm::enumerate(blocks))
    next.push_back(multiply(a, b, loop.getRegionIterArg(static_cast<unsigned>(number)), term.negative));
  if (!steps.arePieces())
    markShallow(next, depth_block);
  if (scaled)
    writeScaling(
        math_.equal(depth_block, depth_blocks - 1), [&] { return steps.coefficientAt(ordinal); }, next,
        loop.getRegionIterArgs().take_back(products));
  else
    scf::YieldOp::create(builder_, location_, next);
  for (auto [sum, result] : llvm::zip_equal(terms.getResults(), loop.getResults().take_back(products)))
    sums_[sum] = result;
  return success();
}

/// A block of so many parts, the rows of the maps' boxes. Where they are several, each block of a row or a
/// column of the cluster fetches one, by its place there, for all blocks of the mask.
Value ThreadBlockProgram::fetch(Value maps, Value map, ValueRange coordinates, int64_t parts,
                                Value ClusterPlace::*part, Value ClusterPlace::*mask) {
  if (parts == 1)
    return sm::FetchOp::create(builder_, location_, blockOf(maps), maps, map, coordinates);
  return sm::FetchOp::create(builder_, location_, blockOf(maps, parts), maps, map, coordinates,
                             (*place_).*part, builder_.getI64IntegerAttr(parts), (*place_).*mask);
}

Value ThreadBlockProgram::fetchWeights(Value weights, const Tile &tile, Value k, Value weight_row) {
  // A block of the weight matrix in the slot lift belongs to no output group: all read it from column 0 on.
  const bool slots = layout_.getLift() == tile::LiftKind::Slots;
  Value zero = math_.constant(0);
  // Block (b, j) of the transposed weight matrix is that of row group j and column group b, columns and depth
  // in each other's place; in the slot lift it is block b.
  SmallVector<Value, 4> coordinates = {tile.column, slots ? zero : tile.group, k, weight_row};
  if (layout_.isTransposed())
    coordinates = {k, slots ? zero : weight_row, tile.column, slots ? weight_row : tile.group};
  // The weight matrices of experts lie one below the other.
  if (Value expert = tile.segment.expert)
    coordinates[3] = math_.add(coordinates[3], math_.multiply(expert, layout_.getWeights().getCount()));
  Value block = fetch(weights, zero, coordinates, schedule_.getClusterRows(), &ClusterPlace::row,
                      &ClusterPlace::column_mask);
  // Columns of the transposed matrix are rows of its boxes.
  if (!layout_.isTransposed())
    markNarrow(block, tile);
  return block;
}

sm::MultiplyOp ThreadBlockProgram::multiply(Value a, Value b, Value sums, Value negate) {
  auto product = sm::MultiplyOp::create(builder_, location_, sums.getType(), a, b, sums, negate);
  product.setBTransposed(layout_.isTransposed());
  return product;
}

/// What is left of a group for its last block may be less deep than a block.
void ThreadBlockProgram::markShallow(ValueRange products, Value depth_block) {
  const int64_t depth = schedule_.getDepth(), width = layout_.getIn().getWidth(0);
  const int64_t last = (width + depth - 1) / depth - 1;
  const int64_t rest = roundUp(width - last * depth, sm::mma_depth);
  if (rest == depth)
    return;
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(products.front().getDefiningOp());
  Value shallow = math_.equal(depth_block, last);
  for (Value product : products) {
    auto multiply = product.getDefiningOp<sm::MultiplyOp>();
    multiply.getShallowMutable().assign(shallow);
    multiply.setShallowDepth(rest);
  }
}

/// The same loop for a tile of several types. A step of the term that they share brings and multiplies the
/// rows of all of them, one of a type's own term only that type's.
void ThreadBlockProgram::writeSharedTerms(tile::TermsOp terms, const Tile &tile) {
  const int64_t depth = schedule_.getDepth(), parts = schedule_.getTypes();
  const int64_t depth_blocks = (layout_.getIn().getWidth(0) + depth - 1) / depth;
  const SharedTerms steps(math_, layout_.getRowTypes().getCount(), tile.parts[0].segment.type, tile.present,
                          tile.group);
  Value init = sums_.lookup(terms.getInits()[0]);
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0),
                                 math_.multiply(steps.count(), depth_blocks), math_.constant(1), init);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  Value step = loop.getInductionVar();
  Value piece = math_.remainder(step, depth_blocks), k = math_.multiply(piece, depth);
  const SharedTerms::Term term = steps.at(math_, math_.divide(step, depth_blocks));
  Value part = math_.select(term.shared, parts, term.part);
  // What is held need not come.
  Value fetched = holds() ? math_.select(term.shared, parts, parts + 1) : part;

  SmallVector<Value> maps, coordinates;
  for (const RowSegments::RowBlock &block : tile.parts) {
    maps.push_back(block.segment.map);
    coordinates.append({k, term.group, block.segment.segment, block.row});
  }
  Value a = sm::FetchPartsOp::create(builder_, location_, blockOf(x_, parts), x_, maps, coordinates, fetched);
  Value b = fetchWeights(w_, tile, k, term.group);
  auto next = multiply(a, b, loop.getRegionIterArg(0), /*negate=*/Value());
  next.getPartMutable().assign(part);
  next.setParts(parts);
  if (holds()) {
    next.getHeldMutable().assign(tile.held);
    next.getPieceMutable().assign(piece);
  }
  markShallow(next.getResult(), piece);
  scf::YieldOp::create(builder_, location_, next.getResult());
  sums_[terms.getResult(0)] = loop.getResult(0);
}

/// Ends a step of scaled terms. The sums of their products are scaled behind the last step of a run of terms
/// with one coefficient, and begin anew.
void ThreadBlockProgram::writeScaling(Value ends_term,
                                      function_ref<StepTerms::Coefficient()> coefficient_here,
                                      ValueRange partials, ValueRange totals) {
  SmallVector<Value> as_they_are(partials);
  llvm::append_range(as_they_are, totals);
  auto choose = [&](Value condition, auto then) {
    auto branch = scf::IfOp::create(builder_, location_, ValueRange(as_they_are).getTypes(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder_, location_, as_they_are);
    builder_.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder_, location_, then());
    return SmallVector<Value>(branch.getResults());
  };
  const SmallVector<Value> next = choose(ends_term, [&]() -> SmallVector<Value> {
    const StepTerms::Coefficient coefficient = coefficient_here();
    return choose(coefficient.ends_run, [&]() -> SmallVector<Value> {
      SmallVector<Value> anew, scaled;
      for (auto [partial, total] : llvm::zip_equal(partials, totals)) {
        scaled.push_back(sm::AddScaledOp::create(builder_, location_, total.getType(), partial,
                                                 coefficient.number, total));
        anew.push_back(sm::ZeroOp::create(builder_, location_, partial.getType()));
      }
      llvm::append_range(anew, scaled);
      return anew;
    });
  });
  scf::YieldOp::create(builder_, location_, next);
}

} // namespace compiler
