// alg-compose: two products in a row as one product with their composition.
#include "compiler/program/passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace compiler {
#define GEN_PASS_DEF_ALGCOMPOSE
#include "compiler/program/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

/// The multiplications that one row of a type costs from one cut of features to another.
class RowCost {
public:
  RowCost(const algebras::Lift &lift, alg::GroupsAttr inputs, alg::GroupsAttr outputs)
      : lift_(lift), inputs_(inputs.getGroups()), outputs_(outputs.getGroups()) {}

  double ofType(int64_t type) const {
    double sum = 0;
    for (int64_t group = 0; group < lift_.outputGroups(); ++group)
      for (const algebras::BlockTerm &term : lift_.terms(type, group))
        sum +=
            static_cast<double>(inputs_.width(term.input_group)) * static_cast<double>(outputs_.width(group));
    return sum;
  }

  /// Of activations, whose types are equally frequent.
  double ofActivations() const {
    double sum = 0;
    for (int64_t type = 0; type < lift_.types(); ++type)
      sum += ofType(type);
    return sum / static_cast<double>(lift_.types());
  }

  /// Of all rows of a weight matrix.
  double ofWeights(alg::SlotsType weights) const {
    if (weights.getPlain())
      return ofType(0) * static_cast<double>(weights.getShape()[1]);
    const algebras::Groups rows = weights.getRowGroups().getGroups();
    double sum = 0;
    for (int64_t group = 0; group < rows.count(); ++group)
      sum += static_cast<double>(rows.width(group)) * ofType(lift_.typeOfRow(group));
    return sum;
  }

private:
  const algebras::Lift &lift_;
  algebras::Groups inputs_, outputs_;
};

struct ComposeProducts : OpRewritePattern<alg::ContractOp> {
  ComposeProducts(MLIRContext *context, int64_t rows, bool constant)
      : OpRewritePattern(context), rows_(rows), constant_(constant) {}

  LogicalResult matchAndRewrite(alg::ContractOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getLhs().getDefiningOp<alg::ContractOp>();
    if (!inner || outer.getMode() != alg::OutputMode::Product ||
        inner.getMode() != alg::OutputMode::Product || inner.getAlgebra() != outer.getAlgebra() ||
        !outer.getAlgebra().isAssociative() || inner.getInto() || !inner.getResult().hasOneUse() ||
        !pays(inner, outer))
      return failure();
    Value composition = alg::ContractOp::create(rewriter, outer.getLoc(), inner.getRhs(), outer.getRhs(),
                                                outer.getAlgebra(), alg::OutputMode::Product,
                                                /*into=*/TypeAttr());
    rewriter.replaceOpWithNewOp<alg::ContractOp>(outer, inner.getLhs(), composition, outer.getAlgebra(),
                                                 alg::OutputMode::Product, outer.getIntoAttr());
    return success();
  }

private:
  bool pays(alg::ContractOp inner, alg::ContractOp outer) const {
    const alg::SlotsType x = inner.getLhs().getType(), w = inner.getRhs().getType(),
                         v = outer.getRhs().getType();
    const algebras::Lift &lift = outer.getLift();
    const RowCost first(lift, w.getWeightInputs(), w.getFeatures()),
        second(lift, v.getWeightInputs(), v.getFeatures()),
        composed(lift, w.getWeightInputs(), v.getFeatures());
    const double composition = constant_ ? 0 : second.ofWeights(w);
    if (x.isWeights())
      return first.ofWeights(x) + second.ofWeights(x) > composed.ofWeights(x) + composition;
    const double m = static_cast<double>(x.getShape()[0] >= 0 ? x.getShape()[0] : rows_);
    return m * (first.ofActivations() + second.ofActivations()) > m * composed.ofActivations() + composition;
  }

  int64_t rows_;
  bool constant_;
};

struct AlgCompose : compiler::impl::AlgComposeBase<AlgCompose> {
  using AlgComposeBase::AlgComposeBase;

  void runOnOperation() override {
    if (rows < 1) {
      getOperation().emitError("products have at least one row, got ") << rows.getValue();
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<ComposeProducts>(&getContext(), rows.getValue(), constant.getValue());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
