// The canonical form: views are made once, as coarse as the algebra allows, and nothing is computed twice.
#include "algebras/coarsest.h"
#include "dialects/alg/alg.h"
#include "dialects/alg/schedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace alg;

static SlotsType typeOf(Value view) { return cast<SlotsType>(view.getType()); }

/// Whether a view that was gathered may be used again as it is, under the rows of `slots`.
static bool reusesRows(SlotsOp slots, Value view) {
  // Composition is off over an algebra that is not associative, and the gather is what separates the
  // products.
  if (findNonassociativeProduct(view))
    return false;
  if (!typeOf(slots.getView()).getRowTypes())
    return true;
  SlotsOp source = findRowSchedule(view);
  return source && haveSameSchedule(slots, source);
}

// Views

OpFoldResult SlotsOp::fold(FoldAdaptor) {
  auto gather = getTensor().getDefiningOp<GatherOp>();
  if (!gather || gather.getView().getType() != getView().getType() || !reusesRows(*this, gather.getView()))
    return {};
  return gather.getView();
}

OpFoldResult GatherOp::fold(FoldAdaptor) {
  if (auto slots = getView().getDefiningOp<SlotsOp>())
    return slots.getTensor();
  return {};
}

OpFoldResult RegroupOp::fold(FoldAdaptor) {
  Value source = getSource();
  while (auto inner = source.getDefiningOp<RegroupOp>())
    source = inner.getSource();
  if (source.getType() == getResult().getType())
    return source;
  if (source == getSource())
    return {};
  getSourceMutable().assign(source);
  return getResult();
}

namespace {

/// The offset 0 is no offset, and one beyond the period is the same as one within.
struct ReduceOffset : OpRewritePattern<SlotsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SlotsOp slots, PatternRewriter &rewriter) const override {
    std::optional<int64_t> offset = constantOffset(slots);
    if (!slots.getOffset() || !offset || *offset < 0)
      return failure();
    int64_t reduced = *offset % typeOf(slots.getView()).getRowTypes().getPeriod();
    if (reduced == *offset && reduced != 0)
      return failure();
    Value constant;
    if (reduced != 0)
      constant = arith::ConstantIndexOp::create(rewriter, slots.getLoc(), reduced);
    rewriter.replaceOpWithNewOp<SlotsOp>(slots, slots.getView().getType(), slots.getTensor(), constant,
                                         slots.getTypes());
    return success();
  }
};

/// slots(gather(v)) with other groups is v regrouped.
struct RegroupGathered : OpRewritePattern<SlotsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SlotsOp slots, PatternRewriter &rewriter) const override {
    auto gather = slots.getTensor().getDefiningOp<GatherOp>();
    if (!gather)
      return failure();
    SlotsType from = typeOf(gather.getView()), to = typeOf(slots.getView());
    if (from == to || from.getPlain() || to.getPlain() || from.isWeights() != to.isWeights() ||
        from.getRowTypes() != to.getRowTypes() || !reusesRows(slots, gather.getView()))
      return failure();
    rewriter.replaceOpWithNewOp<RegroupOp>(slots, to, gather.getView());
    return success();
  }
};

/// gather(regroup(v)) is gather(v): the tensor does not know its groups.
struct GatherRegrouped : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    auto regroup = gather.getView().getDefiningOp<RegroupOp>();
    if (!regroup)
      return failure();
    rewriter.modifyOpInPlace(gather, [&] { gather.getViewMutable().assign(regroup.getSource()); });
    return success();
  }
};

/// regroup(slots(x)) is a view of x under the other groups.
struct RegroupSlots : OpRewritePattern<RegroupOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RegroupOp regroup, PatternRewriter &rewriter) const override {
    auto slots = regroup.getSource().getDefiningOp<SlotsOp>();
    if (!slots)
      return failure();
    rewriter.replaceOpWithNewOp<SlotsOp>(regroup, regroup.getResult().getType(), slots.getTensor(),
                                         slots.getOffset(), slots.getTypes());
    return success();
  }
};

} // namespace

void SlotsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReduceOffset, RegroupGathered>(context);
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherRegrouped>(context);
}

void RegroupOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<RegroupSlots>(context);
}

// Products

/// The view with `factor` consecutive groups joined into one.
static SlotsType join(SlotsType type, int64_t factor) {
  if (RowTypesAttr types = type.getRowTypes())
    return SlotsType::get(type.getTensor(), types, type.getCols().join(factor));
  return SlotsType::get(type.getTensor(), type.getRowGroups().join(factor), type.getCols().join(factor));
}

namespace {

/// In the row lift of A*M(b) all rows of M(b) are one type, and the b*b blocks that a block of A is cut into
/// always enter together: their terms are the one term of A on the whole block.
struct TakeOutMatrices : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp contract, PatternRewriter &rewriter) const override {
    if (typeOf(contract.getLhs()).getPlain())
      return failure();
    std::optional<algebras::WithoutMatrices> reduction =
        algebras::withoutMatrices(contract.getAlgebra().getAlgebra());
    if (!reduction)
      return failure();
    auto joined = [&](Value view) -> Value {
      return RegroupOp::create(rewriter, contract.getLoc(), join(typeOf(view), reduction->factor), view);
    };
    auto algebra =
        AlgebraAttr::get(getContext(), reduction->algebra, contract.getAlgebra().getAllowNonassociative());
    Value lhs = joined(contract.getLhs()), rhs = joined(contract.getRhs());
    Value product =
        ContractOp::create(rewriter, contract.getLoc(), join(typeOf(contract.getResult()), reduction->factor),
                           lhs, rhs, algebra, contract.getMode(), contract.getIntoAttr());
    rewriter.replaceOpWithNewOp<RegroupOp>(contract, contract.getResult().getType(), product);
    return success();
  }
};

/// The same product of the same views is computed once.
struct MergeEqualProducts : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp contract, PatternRewriter &rewriter) const override {
    for (Operation *user : contract.getLhs().getUsers()) {
      auto other = dyn_cast<ContractOp>(user);
      if (!other || other == contract || other->getBlock() != contract->getBlock() ||
          other.getLhs() != contract.getLhs() || other.getRhs() != contract.getRhs() ||
          other.getAlgebra() != contract.getAlgebra() || other.getMode() != contract.getMode() ||
          other.getInto() != contract.getInto() || !other->isBeforeInBlock(contract))
        continue;
      rewriter.replaceOp(contract, other.getResult());
      return success();
    }
    return failure();
  }
};

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TakeOutMatrices, MergeEqualProducts>(context);
}

// Maps

/// Whether a function returns a view's tensor.
static bool isReturned(Value view) {
  return llvm::any_of(view.getUsers(), [](Operation *user) {
    return isa<GatherOp>(user) && llvm::any_of(user->getUsers(), [](Operation *reader) {
             return reader->hasTrait<OpTrait::IsTerminator>();
           });
  });
}

/// Whether a map that passes its operand on makes a tensor of its own of it: a function returns one, and the
/// other is its argument, or is returned, too.
static bool isCopy(MapOp map, Value operand) {
  auto slots = operand.getDefiningOp<SlotsOp>();
  const bool of_argument = slots && isa<BlockArgument>(slots.getTensor());
  return isReturned(map.getResult()) && (of_argument || isReturned(operand));
}

OpFoldResult MapOp::fold(FoldAdaptor) {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  auto argument = dyn_cast<BlockArgument>(yield.getValue());
  if (!argument || argument.getOwner() != &getBody().front())
    return {};
  Value operand = getOperand(argument.getArgNumber());
  if (operand.getType() != getResult().getType() || isCopy(*this, operand))
    return {};
  return operand;
}

/// Erases one operand of a map, of whichever kind it is.
static void eraseOperand(MapOp map, unsigned index) {
  for (MutableOperandRange kind :
       {map.getInputsMutable(), map.getColumnsMutable(), map.getRowsMutable(), map.getNumbersMutable()}) {
    if (index < kind.size())
      return kind.erase(index);
    index -= kind.size();
  }
}

/// The first operand of the same kind that is the same value.
static unsigned firstOfItsKind(MapOp map, unsigned index) {
  unsigned begin = 0;
  for (OperandRange kind : {map.getInputs(), map.getColumns(), map.getRows(), map.getNumbers()}) {
    if (index < begin + kind.size())
      return begin + std::distance(kind.begin(), llvm::find(kind, map.getOperand(index)));
    begin += kind.size();
  }
  llvm_unreachable("the index of an operand that a map does not have");
}

namespace {

/// Operands that the body does not use, and those that are there twice.
struct DropOperands : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    Block &body = map.getBody().front();
    for (BlockArgument argument : body.getArguments()) {
      unsigned index = argument.getArgNumber(), earlier = firstOfItsKind(map, index);
      // One view stays in any case: it says what the result looks like.
      bool last_view = index < map.getInputs().size() && map.getInputs().size() == 1;
      if (earlier == index && (!argument.use_empty() || last_view))
        continue;
      rewriter.modifyOpInPlace(map, [&] {
        if (earlier != index)
          argument.replaceAllUsesWith(body.getArgument(earlier));
        body.eraseArgument(index);
        eraseOperand(map, index);
      });
      return success();
    }
    return failure();
  }
};

/// A map of refined views is the refinement of the map: regroupings move towards the products and gathers
/// that absorb them.
struct MapCoarserViews : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp map, PatternRewriter &rewriter) const override {
    SlotsType coarse;
    for (Value input : map.getInputs()) {
      auto regroup = input.getDefiningOp<RegroupOp>();
      if (regroup && isCoarser(typeOf(regroup.getSource()), typeOf(input)))
        coarse = typeOf(regroup.getSource());
    }
    if (!coarse)
      return failure();
    SlotsType fine = typeOf(map.getResult());
    SmallVector<Value> inputs;
    for (Value input : map.getInputs())
      inputs.push_back(RegroupOp::create(rewriter, map.getLoc(),
                                         coarse.withElementType(typeOf(input).getElementType()), input));
    auto moved = MapOp::create(rewriter, map.getLoc(), coarse.withElementType(fine.getElementType()), inputs,
                               map.getColumns(), map.getRows(), map.getNumbers());
    moved.getBody().takeBody(map.getBody());
    rewriter.replaceOpWithNewOp<RegroupOp>(map, fine, moved.getResult());
    return success();
  }

  static bool isCoarser(SlotsType a, SlotsType b) {
    return a.getCols().getCount() < b.getCols().getCount() ||
           (a.isWeights() && a.getCols() == b.getCols() &&
            a.getRowGroups().getCount() < b.getRowGroups().getCount());
  }
};

} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropOperands, MapCoarserViews>(context);
}

// Reductions

namespace {

/// A reduction does not know the groups of what it reduces.
struct ReduceRegrouped : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp reduce, PatternRewriter &rewriter) const override {
    auto regroup = reduce.getView().getDefiningOp<RegroupOp>();
    if (!regroup)
      return failure();
    rewriter.modifyOpInPlace(reduce, [&] { reduce.getViewMutable().assign(regroup.getSource()); });
    return success();
  }
};

} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReduceRegrouped>(context);
}
