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
      : lift(lift), inputs(inputs.getGroups()), outputs(outputs.getGroups()) {}

  double ofType(std::int64_t type) const {
    double sum = 0;
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group)
      for (const algebras::BlockTerm &term : lift.terms(type, group))
        sum +=
            static_cast<double>(inputs.width(term.input_group)) * static_cast<double>(outputs.width(group));
    return sum;
  }

  /// Of activations, whose types are equally frequent.
  double ofActivations() const {
    double sum = 0;
    for (std::int64_t type = 0; type < lift.types(); ++type)
      sum += ofType(type);
    return sum / static_cast<double>(lift.types());
  }

  /// Of all rows of a bank.
  double ofBank(alg::SlotsType bank) const {
    if (bank.getPlain())
      return ofType(0) * static_cast<double>(bank.getShape()[1]);
    const algebras::Groups rows = bank.getRowGroups().getGroups();
    double sum = 0;
    for (std::int64_t group = 0; group < rows.count(); ++group)
      sum += static_cast<double>(rows.width(group)) * ofType(lift.typeOfRow(group));
    return sum;
  }

private:
  const algebras::Lift &lift;
  algebras::Groups inputs, outputs;
};

struct ComposeProducts : OpRewritePattern<alg::ContractOp> {
  ComposeProducts(MLIRContext *context, std::int64_t rows, bool constant)
      : OpRewritePattern(context), rows(rows), constant(constant) {}

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
    const RowCost first(lift, w.getBankInputs(), w.getFeatures()),
        second(lift, v.getBankInputs(), v.getFeatures()), composed(lift, w.getBankInputs(), v.getFeatures());
    const double composition = constant ? 0 : second.ofBank(w);
    if (x.isBank())
      return first.ofBank(x) + second.ofBank(x) > composed.ofBank(x) + composition;
    const double m = static_cast<double>(x.getShape()[0] >= 0 ? x.getShape()[0] : rows);
    return m * (first.ofActivations() + second.ofActivations()) > m * composed.ofActivations() + composition;
  }

  std::int64_t rows;
  bool constant;
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
