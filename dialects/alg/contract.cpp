// What a contraction demands of its operands, and the view that comes out.
#include "dialects/alg/alg.h"
#include "dialects/alg/schedules.h"
#include "dialects/alg/syntax.h"

using namespace mlir;
using namespace alg;

namespace {

using Report = function_ref<LogicalResult(const Twine &)>;

/// The groups and slots of an operand beside those of the lift.
struct Contraction {
  SlotsType lhs, rhs;
  AlgebraAttr algebra;
  OutputMode mode;
  Type into; ///< null where the result has the operands' element type
  const algebras::Lift *lift = nullptr;
  Report report;

  LogicalResult checkRoles();
  LogicalResult checkLift();
  LogicalResult checkCount(StringRef operand, StringRef part, GroupsAttr groups, int64_t expected);
  LogicalResult checkTypes(StringRef operand, SlotsType activations);
  LogicalResult checkSameGroups(StringRef left, GroupsAttr a, StringRef right, GroupsAttr b);
  LogicalResult checkSameRows();
  LogicalResult checkElements();
  LogicalResult check();
  SlotsType result();
  SlotsType weightGradient(Type element);
};

} // namespace

static std::string quoted(AlgebraAttr algebra) { return "'" + algebra.getAlgebra().name() + "'"; }

/// Each operand has to be of the kind that the mode multiplies.
LogicalResult Contraction::checkRoles() {
  std::string mode_name = ("mode " + stringifyOutputMode(mode)).str();
  if (mode == OutputMode::WeightGradient && lhs.isWeights() != rhs.isWeights())
    return report("mode j takes two activations or two weight matrices, not one of each");
  if (mode != OutputMode::WeightGradient && !rhs.isWeights())
    return report(mode_name + " takes a weight matrix as its right operand, not activations");
  return success();
}

/// What is multiplied, and what the sums are rounded to.
LogicalResult Contraction::checkElements() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (lhs.getElementType() != rhs.getElementType()) {
    stream << "the element types of the operands differ: " << lhs.getElementType() << " and "
           << rhs.getElementType();
    return report(text);
  }
  if (into == lhs.getElementType()) {
    stream << "the sums are rounded to " << into << " in any case: leave out 'into'";
    return report(text);
  }
  return success();
}

LogicalResult Contraction::checkLift() {
  if (!algebra.getAlgebra().field().isRationals())
    return report(quoted(algebra) + " is an algebra over " + algebra.getAlgebra().field().name() +
                  ": it can be verified but not contracted, because kernels compute with real numbers");
  if (lhs.getLiftKind() != rhs.getLiftKind())
    return report(
        "one operand is a plain view, the other one has rows and columns: they belong to different lifts");
  lift = algebra.getLift(lhs.getLiftKind());
  if (!lift)
    return report(quoted(algebra) + " is not matrix-like and has no row lift; take plain(" +
                  Twine(algebra.getAlgebra().dimension()) + ") views");
  return success();
}

LogicalResult Contraction::checkCount(StringRef operand, StringRef part, GroupsAttr groups,
                                      int64_t expected) {
  if (groups.getCount() == expected)
    return success();
  if (lhs.getPlain())
    return report(operand + " has " + Twine(groups.getCount()) + " slots, " + quoted(algebra) + " has " +
                  Twine(expected));
  return report("the " + part + " of " + operand + " are cut into " + describe(groups) +
                ", the row lift of " + quoted(algebra) + " has " + Twine(expected));
}

LogicalResult Contraction::checkTypes(StringRef operand, SlotsType activations) {
  RowTypesAttr types = activations.getRowTypes();
  if (!types || types.getCount() == lift->types())
    return success();
  return report("the rows of " + operand + " are '" + describe(types) + "', with " + Twine(types.getCount()) +
                " types, the row lift of " + quoted(algebra) + " has " + Twine(lift->types()));
}

LogicalResult Contraction::checkSameGroups(StringRef left, GroupsAttr a, StringRef right, GroupsAttr b) {
  if (a == b)
    return success();
  return report(left + " are cut into " + describe(a) + ", " + right + " into " + describe(b));
}

/// The operands of mode j are contracted over their rows.
LogicalResult Contraction::checkSameRows() {
  if (lhs.isWeights())
    return checkSameGroups("the rows of the left operand", lhs.getWeightInputs(),
                           "the rows of the right operand", rhs.getWeightInputs());
  int64_t a = lhs.getShape()[0], b = rhs.getShape()[0];
  if (!ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b)
    return report("mode j contracts over the rows, but there are " + Twine(a) + " and " + Twine(b));
  if (lhs.getRowTypes() != rhs.getRowTypes())
    return report("mode j contracts over the rows, but their types are '" + describe(lhs.getRowTypes()) +
                  "' and '" + describe(rhs.getRowTypes()) + "'");
  return success();
}

LogicalResult Contraction::check() {
  if (failed(checkRoles()) || failed(checkElements()) || failed(checkLift()))
    return failure();
  constexpr StringLiteral left = "the left operand", right = "the right operand",
                          weights = "the weight matrix";
  bool from_output = mode == OutputMode::ActivationGradient;
  // A weight matrix on the left has the types of its row groups, as many as there are positions.
  if (lhs.isWeights() && failed(checkCount(left, "rows", lhs.getWeightInputs(), lift->weightRows())))
    return failure();
  if (failed(checkTypes(left, lhs)) ||
      failed(checkCount(left, "columns", lhs.getFeatures(),
                        from_output ? lift->outputGroups() : lift->inputGroups())))
    return failure();
  if (mode == OutputMode::WeightGradient)
    return failure(failed(checkTypes(right, rhs)) ||
                   failed(checkCount(right, "columns", rhs.getFeatures(), lift->outputGroups())) ||
                   failed(checkSameRows()));
  if (failed(checkCount(weights, "rows", rhs.getWeightInputs(), lift->weightRows())) ||
      failed(checkCount(weights, "columns", rhs.getFeatures(), lift->outputGroups())))
    return failure();
  if (from_output)
    return checkSameGroups("the columns of the left operand", lhs.getFeatures(),
                           "the columns of the weight matrix", rhs.getFeatures());
  return checkSameGroups("the columns of the left operand", lhs.getFeatures(),
                         "the rows of the weight matrix", rhs.getWeightInputs());
}

/// The groups of inputs and outputs are those of the operands' features.
SlotsType Contraction::weightGradient(Type element) {
  GroupsAttr inputs = lhs.getFeatures(), outputs = rhs.getFeatures();
  if (int64_t slots = lhs.getPlain())
    return SlotsType::get(RankedTensorType::get({slots, inputs.getWidth(0), outputs.getWidth(0)}, element),
                          slots);
  return SlotsType::get(RankedTensorType::get({inputs.getTotal(), outputs.getTotal()}, element), inputs,
                        outputs);
}

SlotsType Contraction::result() {
  Type element = into ? into : lhs.getElementType();
  if (mode == OutputMode::WeightGradient)
    return weightGradient(element);
  GroupsAttr features = mode == OutputMode::Product ? rhs.getFeatures() : rhs.getWeightInputs();
  if (lhs.getPlain() && lhs.isWeights())
    return SlotsType::get(
        RankedTensorType::get({lhs.getPlain(), lhs.getShape()[1], features.getWidth(0)}, element),
        lhs.getPlain());
  auto tensor = RankedTensorType::get({lhs.getShape()[0], features.getTotal()}, element);
  if (lhs.getPlain())
    return SlotsType::get(tensor, lhs.getPlain());
  if (lhs.isWeights())
    return SlotsType::get(tensor, lhs.getRowGroups(), features);
  return SlotsType::get(tensor, lhs.getRowTypes(), features);
}

LogicalResult ContractOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto lhs = dyn_cast<SlotsType>(adaptor.getLhs().getType());
  auto rhs = dyn_cast<SlotsType>(adaptor.getRhs().getType());
  auto report = [&](const Twine &message) {
    return emitOptionalError(location, "'alg.contract' op ", message);
  };
  if (!lhs || !rhs)
    return report("contracts two slot views");
  Contraction contraction{.lhs = lhs,
                          .rhs = rhs,
                          .algebra = adaptor.getAlgebra(),
                          .mode = adaptor.getMode(),
                          .into = adaptor.getInto() ? Type(*adaptor.getInto()) : Type(),
                          .report = report};
  if (failed(contraction.check()))
    return failure();
  types.push_back(contraction.result());
  return success();
}

/// Operands and result have been checked by then: the result type is inferred.
LogicalResult ContractOp::verify() {
  for (Value operand : getOperands()) {
    ContractOp inner = findNonassociativeProduct(operand);
    if (!inner && !getAlgebra().isAssociative())
      inner = findProduct(operand);
    if (!inner)
      continue;
    AlgebraAttr culprit = inner.getAlgebra().isAssociative() ? getAlgebra() : inner.getAlgebra();
    InFlightDiagnostic diagnostic = emitOpError("composes two products, but ");
    diagnostic << quoted(culprit) << " is not associative; gather the inner product first";
    diagnostic.attachNote(inner.getLoc()) << "the inner product";
    return diagnostic;
  }
  if (getMode() == OutputMode::WeightGradient)
    return verifySameOffset(getOperation(), getOperands());
  return success();
}

const algebras::Lift &ContractOp::getLift() {
  return *getAlgebra().getLift(cast<SlotsType>(getLhs().getType()).getLiftKind());
}
