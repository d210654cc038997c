// Kernels of two layers: how a thread block makes hidden groups, and multiplies them.
#include "compiler/targets/thread_block/chained_program.h"
#include "compiler/targets/thread_block/step_terms.h"

#include "compiler/schedule/cost.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

Value ChainedProgram::hold(const Place &place, Value group, int64_t stages) {
  auto maps = cast<sm::MapsType>(x_.getType());
  const int64_t columns = roundUp(hidden_layout_.getIn().getWidth(0), maps.getColumns());
  auto block =
      sm::BlockType::get(builder_.getContext(), schedule_.getTileRows(), columns, maps.getElementType(), 0);
  SmallVector<Value> maps_of_parts, coordinates;
  for (const RowSegments::RowBlock &part : place.parts) {
    maps_of_parts.push_back(part.segment.map);
    coordinates.append(
        {math_.constant(0), group ? group : part.segment.type, part.segment.segment, part.row});
  }
  auto held = sm::HoldOp::create(builder_, location_, block, x_, maps_of_parts, coordinates);
  held.setStages(stages);
  return held;
}

/// In a tile of several types each warpgroup has its part's.
Value ChainedProgram::ownGroup(const Place &place) {
  Value own = place.parts.front().segment.type;
  if (place.parts.size() == 1)
    return own;
  Value warpgroup = sm::WarpgroupOp::create(builder_, location_, builder_.getIndexType());
  Value part = math_.divide(warpgroup, schedule_.getRows() / sm::warpgroup_rows);
  for (size_t number = 1; number < place.parts.size(); ++number)
    own =
        math_.select(math_.equal(part, static_cast<int64_t>(number)), place.parts[number].segment.type, own);
  return own;
}

SmallVector<Value> ChainedProgram::placeOfRows(const Place &place, Value column, Value group) {
  if (place.parts.size() > 1)
    return {};
  const RowSegments::RowBlock &rows = place.parts.front();
  return {rows.segment.map, column, group, rows.segment.segment, rows.row};
}

/// Whether blocks of so many columns, and groups of them, have lines of the second-level cache to themselves.
static bool isOfWholeLines(tile::LayoutAttr layout, int64_t columns) {
  constexpr int64_t line_columns = 64;
  return layout.getOut().getWidth(0) % line_columns == 0 && columns % line_columns == 0;
}

Value ChainedProgram::fetch(Value weights, ValueRange coordinates, Reader reader, bool of_whole_lines) {
  auto maps = cast<sm::MapsType>(weights.getType());
  // A box is what one block of a cluster loads for all.
  const int64_t boxes = schedule_.getClusterTypes();
  auto block = sm::BlockType::get(builder_.getContext(), boxes * maps.getRows(), maps.getColumns(),
                                  maps.getElementType(), 0);
  if (boxes == 1 || reader == Reader::OwnType) {
    auto fetch = sm::FetchOp::create(builder_, location_, block, weights, math_.constant(0), coordinates);
    fetch.setEvictFirst(schedule_.getEvictFirst() != 0 && reader == Reader::OwnType && of_whole_lines);
    return fetch;
  }
  return sm::FetchOp::create(builder_, location_, block, weights, math_.constant(0), coordinates,
                             place_in_cluster_->row, builder_.getI64IntegerAttr(boxes),
                             place_in_cluster_->column_mask);
}

Value ChainedProgram::fetchHiddenWeights(Value weights, Value column, Value group, Value depth,
                                         Value weight_row, Reader reader) {
  return fetch(weights, {column, group, depth, weight_row}, reader,
               isOfWholeLines(hidden_layout_, hidden_schedule_.getColumns()));
}

Value ChainedProgram::fetchLastWeights(Value group, Value chunk, Value weight_row, Reader reader) {
  Value depth = math_.multiply(chunk, schedule_.getDepth());
  return fetch(weights_.back(), {math_.constant(0), group, depth, weight_row}, reader,
               isOfWholeLines(layout_, schedule_.getColumns()));
}

Value ChainedProgram::isShort(Value chunk) {
  if (lastColumns() == schedule_.getDepth())
    return {};
  return math_.equal(chunk, chunks() - 1);
}

/// The terms of the hidden group's own input group and of the type's.
SmallVector<Value> ChainedProgram::multiplyHidden(const Place &place, const HiddenChunk &hidden) {
  Value group = hidden.group;
  const int64_t depth = hidden_schedule_.getDepth(), width = hidden_layout_.getIn().getWidth(0);
  const int64_t steps = llvm::divideCeil(width, depth);
  const size_t products = tile_.hidden_terms.getInits().size();
  const int64_t columns = hidden_schedule_.getColumns();
  Value column = columnOf(hidden);
  const bool beside = areBeside();
  const sm::AccumulatorType one = sumsOf(hidden_schedule_);
  const auto both = sm::AccumulatorType::get(builder_.getContext(), one.getRows(), 2 * columns);
  SmallVector<Value> sums;
  for (size_t sum = 0; sum < (beside ? 1 : products); ++sum)
    sums.push_back(sm::ZeroOp::create(builder_, location_, beside ? both : one));
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(steps),
                                 math_.constant(1), sums);
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    Value step = loop.getInductionVar(), k = math_.multiply(step, depth);
    // What is left of the group for its last step may be less deep.
    const int64_t rest = roundUp(width - (steps - 1) * depth, sm::mma_depth);
    Value shallow = rest == depth ? Value() : math_.equal(step, steps - 1);
    const IntegerAttr shallow_depth = shallow ? builder_.getI64IntegerAttr(rest) : IntegerAttr();
    // All blocks first, so that the products of all terms are one group of instructions; and what passes
    // together, the blocks of all weight matrices that the same rows multiply, one behind the other.
    const ArrayRef<Value> matrices = ArrayRef(weights_).take_front(products);
    SmallVector<SmallVector<Value>> shared(sums.size()), own(sums.size());
    const auto of_sum = [&](size_t product) { return beside ? 0 : product; };
    if (group)
      for (auto [product, weights] : llvm::enumerate(matrices))
        shared[of_sum(product)].push_back(
            fetchHiddenWeights(weights, column, group, k, group, Reader::AllTypes));
    for (const RowSegments::RowBlock &part : place.parts)
      for (auto [product, weights] : llvm::enumerate(matrices)) {
        Value type = part.segment.type;
        own[of_sum(product)].push_back(
            fetchHiddenWeights(weights, column, group ? group : type, k, type, Reader::OwnType));
      }
    SmallVector<Value> next(loop.getRegionIterArgs());
    auto multiply = [&](Value rows, ArrayRef<SmallVector<Value>> blocks) {
      for (auto [sum, of_sum] : llvm::zip_equal(next, blocks))
        sum = sm::MultiplyHeldOp::create(builder_, location_, sum.getType(), rows, step, of_sum, sum, shallow,
                                         shallow_depth);
    };
    if (group)
      multiply(hidden.rows_of_group, shared);
    multiply(place.rows_of_types, own);
    scf::YieldOp::create(builder_, location_, next);
  }
  return loop.getResults();
}

FailureOr<Value> ChainedProgram::mapHidden(const Place &place, const HiddenChunk &hidden, ValueRange sums) {
  const int64_t columns = hidden_schedule_.getColumns();
  const sm::AccumulatorType one = sumsOf(hidden_schedule_);
  const bool beside = areBeside();
  Value column = columnOf(hidden);
  for (auto [product, sum] : llvm::enumerate(tile_.hidden_terms.getResults())) {
    if (!beside)
      sums_[sum] = sums[product];
    else
      sums_[sum] = sm::TakeColumnsOp::create(builder_, location_, one, sums[0],
                                             static_cast<int64_t>(product) * columns);
  }
  Block &body = tile_.columns.getBody().front();
  const NamedPlace named(
      {tile_.own.getIndex(tile::AxisKind::Types), tile_.own.getIndex(tile::AxisKind::Rows)},
      tile_.hidden_terms.getGroup(), body.getArgument(0));
  Value group_of_columns = hidden.group ? hidden.group : ownGroup(place);
  for (Operation &op : llvm::make_range(std::next(tile_.hidden_terms->getIterator()), body.end()))
    if (auto map = dyn_cast<tile::MapOp>(op);
        map &&
        failed(writeMap(map, named, column, group_of_columns, placeOfRows(place, column, group_of_columns))))
      return failure();
  Value mapped = sums_.lookup(tile_.store_held.getValue());
  if (!mapped) {
    tile_.store_held.emitOpError("holds sums that are not finished");
    return failure();
  }
  // What maps leave beyond the last column may be anything; instructions go by 16 of the depth: what is
  // between the last column and their end has to be zero.
  if (lastColumns() % sm::mma_depth == 0)
    return mapped;
  return Value(sm::ClipColumnsOp::create(builder_, location_, mapped.getType(), mapped,
                                         math_.equal(hidden.chunk, chunks() - 1), lastColumns()));
}

/// The hidden groups of the rows' own types, of which x_i alone is a term.
LogicalResult ChainedProgram::writeOwnHidden(const Place &place) {
  auto loop =
      scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(chunks()), math_.constant(1));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  Value chunk = loop.getInductionVar();
  const HiddenChunk own{/*group=*/Value(), /*rows_of_group=*/Value(), chunk};
  FailureOr<Value> hidden = mapHidden(place, own, multiplyHidden(place, own));
  if (failed(hidden))
    return failure();
  sm::KeepOp::create(builder_, location_, *hidden, kept_, chunk);
  return success();
}

/// What instructions multiply of the last chunk, where that is not all of a chunk.
static IntegerAttr shortDepth(OpBuilder &builder, Value is_short, int64_t columns, int64_t depth) {
  const int64_t multiplied = roundUp(columns, sm::mma_depth);
  return is_short && multiplied < depth ? builder.getI64IntegerAttr(multiplied) : IntegerAttr();
}

Value ChainedProgram::roundHidden(Value hidden) {
  auto fragment = sm::FragmentType::get(builder_.getContext(), schedule_.getTileRows(), schedule_.getDepth());
  return sm::FragmentOp::create(builder_, location_, fragment, hidden);
}

Value ChainedProgram::multiplyChunk(const Place &place, Value group, Value chunk, Value is_short, Value rows,
                                    Value sum) {
  Value diagonal = fetchLastWeights(group, chunk, group, Reader::AllTypes);
  SmallVector<Value> own, are_other;
  for (const RowSegments::RowBlock &part : place.parts) {
    own.push_back(fetchLastWeights(group, chunk, part.segment.type, Reader::OwnType));
    // A part whose type's own group this is has kept it.
    if (mixesTypes())
      are_other.push_back(math_.differ(group, part.segment.type));
  }
  const IntegerAttr depth = shortDepth(builder_, is_short, lastColumns(), schedule_.getDepth());
  if (!depth)
    is_short = {};
  sum = sm::MultiplyFragmentOp::create(builder_, location_, sum.getType(), rows, diagonal, sum, is_short,
                                       depth, are_other);
  return sm::MultiplyHeldOp::create(builder_, location_, sum.getType(), kept_, chunk, own, sum, is_short,
                                    depth);
}

FailureOr<Value> ChainedProgram::addBothTerms(const Place &place, Value group, Value sums) {
  Value rows_of_group = hold(place, group, std::max<int64_t>(1, hidden_schedule_.getStationaryGroups()));
  if (schedule_.getOverlap() && chunks() > 1)
    return addBothTermsBehind(place, group, rows_of_group, sums);
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(chunks()),
                                 math_.constant(1), sums);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  const HiddenChunk other{group, rows_of_group, loop.getInductionVar()};
  FailureOr<Value> hidden = mapHidden(place, other, multiplyHidden(place, other));
  if (failed(hidden))
    return failure();
  scf::YieldOp::create(builder_, location_,
                       multiplyChunk(place, group, other.chunk, isShort(other.chunk), roundHidden(*hidden),
                                     loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

/// The first chunk is made ahead of the loop, the last one multiplied behind it.
FailureOr<Value> ChainedProgram::addBothTermsBehind(const Place &place, Value group, Value rows_of_group,
                                                    Value sums) {
  const HiddenChunk first{group, rows_of_group, math_.constant(0)};
  FailureOr<Value> hidden = mapHidden(place, first, multiplyHidden(place, first));
  if (failed(hidden))
    return failure();
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(1), math_.constant(chunks()),
                                 math_.constant(1), ValueRange{sums, roundHidden(*hidden)});
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToEnd(loop.getBody());
    const HiddenChunk next{group, rows_of_group, loop.getInductionVar()};
    const SmallVector<Value> products = multiplyHidden(place, next);
    Value sum = multiplyChunk(place, group, math_.add(next.chunk, -1), /*is_short=*/Value(),
                              loop.getRegionIterArg(1), loop.getRegionIterArg(0));
    hidden = mapHidden(place, next, products);
    if (failed(hidden))
      return failure();
    scf::YieldOp::create(builder_, location_, ValueRange{sum, roundHidden(*hidden)});
  }
  Value last = math_.constant(chunks() - 1);
  return multiplyChunk(place, group, last, isShort(last), loop.getResult(1), loop.getResult(0));
}

Value ChainedProgram::addOwnTerm(const Place &place, Value sums) {
  auto loop = scf::ForOp::create(builder_, location_, math_.constant(0), math_.constant(chunks()),
                                 math_.constant(1), sums);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(loop.getBody());
  Value chunk = loop.getInductionVar();
  Value type = place.parts.front().segment.type, own = fetchLastWeights(type, chunk, type, Reader::OwnType);
  Value is_short = isShort(chunk);
  const IntegerAttr depth = shortDepth(builder_, is_short, lastColumns(), schedule_.getDepth());
  if (!depth)
    is_short = {};
  Value sum = sm::MultiplyHeldOp::create(builder_, location_, sums.getType(), kept_, chunk, ValueRange{own},
                                         loop.getRegionIterArg(0), is_short, depth);
  scf::YieldOp::create(builder_, location_, sum);
  return loop.getResult(0);
}

FailureOr<Value> ChainedProgram::addTerms(const Place &place, Value group, Value sums) {
  Value type = place.parts.front().segment.type;
  // Of a complete graph there is an edge to every other group.
  std::optional<scf::IfOp> has_terms;
  OpBuilder::InsertionGuard guard(builder_);
  if (!layout_.getTerms().completeGraph()) {
    const StepTerms terms(math_, layout_, Coefficients::One, table_, type, group);
    has_terms = scf::IfOp::create(builder_, location_, sums.getType(), math_.less(0, terms.count()),
                                  /*withElseRegion=*/true);
    builder_.setInsertionPointToEnd(has_terms->elseBlock());
    scf::YieldOp::create(builder_, location_, sums);
    builder_.setInsertionPointToEnd(has_terms->thenBlock());
  }
  auto is_other = scf::IfOp::create(builder_, location_, sums.getType(), math_.differ(group, type),
                                    /*withElseRegion=*/true);
  if (has_terms)
    scf::YieldOp::create(builder_, location_, is_other.getResult(0));
  builder_.setInsertionPointToEnd(is_other.thenBlock());
  FailureOr<Value> both = addBothTerms(place, group, sums);
  if (failed(both))
    return failure();
  builder_.setInsertionPointToEnd(is_other.thenBlock());
  scf::YieldOp::create(builder_, location_, *both);
  builder_.setInsertionPointToEnd(is_other.elseBlock());
  Value own = addOwnTerm(place, sums);
  builder_.setInsertionPointToEnd(is_other.elseBlock());
  scf::YieldOp::create(builder_, location_, own);
  return has_terms.value_or(is_other).getResult(0);
}

LogicalResult ChainedProgram::writeGroup(const Place &place, Value group) {
  Value zero = sm::ZeroOp::create(builder_, location_, sumsOf(schedule_));
  FailureOr<Value> sums = mixesTypes() ? addBothTerms(place, group, zero) : addTerms(place, group, zero);
  return failed(sums) ? failure() : writeEpilogue(place, group, *sums);
}

void ChainedProgram::writeStore(const Place &place, Value group, Value target, Value sums) {
  SmallVector<Value> maps, coordinates;
  for (const RowSegments::RowBlock &part : place.parts) {
    maps.push_back(part.segment.map);
    coordinates.append({math_.constant(0), group, part.segment.segment, part.row});
  }
  if (place.parts.size() > 1)
    sm::StoreSumsInPartsOp::create(builder_, location_, sums, target, maps, coordinates);
  else
    sm::StoreSumsOp::create(builder_, location_, sums, target, maps.front(), coordinates);
}

/// The maps behind the last products, and the store.
LogicalResult ChainedProgram::writeEpilogue(const Place &place, Value group, Value sums) {
  sums_[tile_.terms.getResult(0)] = sums;
  Value column = math_.constant(0);
  Block &body = tile_.own.getBody().front();
  for (Operation &op : llvm::make_range(std::next(tile_.terms->getIterator()), body.end())) {
    const LogicalResult written =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](tile::MapOp map) {
              return writeMap(map, NamedPlace(tile_.own), column, group, placeOfRows(place, column, group));
            })
            .Case<tile::MaskOp, arith::ConstantOp>([](auto) { return LogicalResult(success()); })
            .Case([&](tile::StoreOp store) -> LogicalResult {
              Value stored = sums_.lookup(store.getValue());
              if (!stored)
                return store.emitOpError("must store sums that its tile has finished");
              writeStore(place, group, operands_.lookup(store.getTarget()), stored);
              return LogicalResult(success());
            })
            .Default([](Operation *other) -> LogicalResult {
              return other->emitOpError("is not something that a kernel of two layers does with its sums");
            });
    if (failed(written))
      return failure();
  }
  return success();
}

} // namespace compiler
