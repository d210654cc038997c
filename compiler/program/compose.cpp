// alg-compose: two products in a row as one product with their composition.
#include "algebras/weight_row_types.h"
#include "compiler/program/passes.h"
#include "compiler/program/value_names.h"

#include <cmath>
#include <optional>
#include <string>

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

/// The multiplications of a call either way.
struct Multiplications {
  double apart;    ///< (x w) v
  double composed; ///< x (w v), and w v where that is made in the call
};

/// What a weight matrix is called: by its tensor where that is an argument.
std::string nameOfWeights(Value weights) {
  auto view = weights.getDefiningOp<alg::SlotsOp>();
  const StringRef name = nameOf(view ? view.getTensor() : weights);
  return name.empty() ? "weights" : name.str();
}

std::string countText(double multiplications) {
  return std::to_string(static_cast<int64_t>(std::llround(multiplications)));
}

class Composition {
public:
  Composition(int64_t rows, bool constant, bool kernels, bool remarks)
      : rows_(rows), constant_(constant), kernels_(kernels), remarks_(remarks) {}

  /// Composes a product with the one that it reads, and then what became of them with what those read.
  void compose(alg::ContractOp outer) const;

private:
  /// Why the two products cannot be one; nothing where they can.
  std::optional<std::string> objection(alg::ContractOp inner, alg::ContractOp outer) const;
  Multiplications multiplications(alg::ContractOp inner, alg::ContractOp outer) const;
  /// "x (w v) and w v take 12 multiplications for 2 rows, (x w) v takes 40".
  std::string comparison(alg::ContractOp inner, const Multiplications &count) const;
  double rowsOf(alg::SlotsType x) const {
    return static_cast<double>(x.getShape()[0] >= 0 ? x.getShape()[0] : rows_);
  }
  void remark(alg::ContractOp inner, alg::ContractOp outer, const std::string &text) const;

  int64_t rows_;
  bool constant_, kernels_, remarks_;
};

std::optional<std::string> Composition::objection(alg::ContractOp inner, alg::ContractOp outer) const {
  const alg::SlotsType w = inner.getRhs().getType();
  if (inner.getAlgebra() != outer.getAlgebra() || !outer.getAlgebra().isAssociative())
    return "the products are not both of one associative algebra";
  if (inner.getResult().getType().getElementType() != w.getElementType())
    return "the inner product has elements of another type than its weights";
  if (!inner.getResult().hasOneUse())
    return "the inner product is read by others as well";
  if (!kernels_)
    return std::nullopt;
  if (w.getPlain())
    return "kernels multiply weights by weights in the lift by rows alone";
  if (!algebras::typesOfWeightRows(outer.getLift(), w.getWeightInputs().getGroups()))
    return "kernels multiply weights by weights where the rows of all types come in intervals of one width";
  return std::nullopt;
}

Multiplications Composition::multiplications(alg::ContractOp inner, alg::ContractOp outer) const {
  const alg::SlotsType x = inner.getLhs().getType(), w = inner.getRhs().getType(),
                       v = outer.getRhs().getType();
  const algebras::Lift &lift = outer.getLift();
  const RowCost first(lift, w.getWeightInputs(), w.getFeatures()),
      second(lift, v.getWeightInputs(), v.getFeatures()),
      composed(lift, w.getWeightInputs(), v.getFeatures());
  const double composition = constant_ ? 0 : second.ofWeights(w);
  if (x.isWeights())
    return {first.ofWeights(x) + second.ofWeights(x), composed.ofWeights(x) + composition};
  const double m = rowsOf(x);
  return {m * (first.ofActivations() + second.ofActivations()), m * composed.ofActivations() + composition};
}

std::string Composition::comparison(alg::ContractOp inner, const Multiplications &count) const {
  const alg::SlotsType x = inner.getLhs().getType();
  std::string text = std::string(constant_ ? "x (w v) takes " : "x (w v) and w v take ") +
                     countText(count.composed) + " multiplications";
  if (!x.isWeights())
    text += " for " + countText(rowsOf(x)) + " rows";
  return text + ", (x w) v takes " + countText(count.apart);
}

void Composition::remark(alg::ContractOp inner, alg::ContractOp outer, const std::string &text) const {
  if (!remarks_)
    return;
  InFlightDiagnostic message = outer.emitRemark(text);
  message.attachNote(inner.getLoc()) << "the product that it reads";
}

void Composition::compose(alg::ContractOp outer) const {
  auto inner = outer.getLhs().getDefiningOp<alg::ContractOp>();
  if (!inner || outer.getMode() != alg::OutputMode::Product || inner.getMode() != alg::OutputMode::Product)
    return;
  const std::string apart = "is not composed with the product that it reads: ",
                    together = "is composed with the product that it reads: ";
  if (const std::optional<std::string> reason = objection(inner, outer))
    return remark(inner, outer, apart + *reason);
  const Multiplications count = multiplications(inner, outer);
  const std::string why = comparison(inner, count);
  if (count.apart <= count.composed)
    return remark(inner, outer, apart + why);
  remark(inner, outer, together + why);
  OpBuilder builder(outer);
  const Value w = inner.getRhs(), v = outer.getRhs();
  const Location place =
      NameLoc::get(builder.getStringAttr(nameOfWeights(w) + "_" + nameOfWeights(v)), outer.getLoc());
  auto weights = alg::ContractOp::create(builder, place, w, v, outer.getAlgebra(), alg::OutputMode::Product,
                                         /*into=*/TypeAttr());
  auto product = alg::ContractOp::create(builder, outer.getLoc(), inner.getLhs(), weights, outer.getAlgebra(),
                                         alg::OutputMode::Product, outer.getIntoAttr());
  outer.replaceAllUsesWith(product.getResult());
  outer.erase();
  inner.erase(); // which nobody else read
  compose(weights);
  compose(product);
}

struct AlgCompose : compiler::impl::AlgComposeBase<AlgCompose> {
  using AlgComposeBase::AlgComposeBase;

  void runOnOperation() override {
    if (rows < 1) {
      getOperation().emitError("products have at least one row, got ") << rows.getValue();
      return signalPassFailure();
    }
    // In the order of the text: what goes is read by what comes later.
    SmallVector<alg::ContractOp> products;
    getOperation().walk([&](alg::ContractOp product) { products.push_back(product); });
    const Composition composition(rows, constant, kernels, remarks);
    for (alg::ContractOp product : products)
      composition.compose(product);
  }
};

} // namespace
