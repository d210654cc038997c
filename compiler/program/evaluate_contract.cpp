#include "compiler/program/evaluate_contract.h"

#include <map>

using namespace mlir;

namespace compiler {

namespace {

/// Rows of positions, X or Y of the trilinear form: activations, or a weight matrix that takes their place.
struct Rows {
  Rows(alg::SlotsType type, llvm::ArrayRef<int64_t> shape)
      : features(type.getFeatures().getGroups()), plain_weights(type.getPlain() && type.isWeights()),
        count(shape[plain_weights ? 1 : 0]) {}

  /// The place of a group's first column.
  int64_t at(int64_t row, int64_t group) const {
    if (plain_weights)
      return (group * count + row) * features.width(0);
    return row * features.total() + features.start(group);
  }

  algebras::Groups features;
  bool plain_weights;
  int64_t count;
};

/// W of the trilinear form.
struct Weights {
  explicit Weights(alg::SlotsType type)
      : inputs(type.getWeightInputs().getGroups()), outputs(type.getFeatures().getGroups()),
        plain(type.getPlain() != 0) {}

  /// The place of a row of a block.
  int64_t at(int64_t block, int64_t group, int64_t row) const {
    if (plain)
      return (block * inputs.width(0) + row) * outputs.width(0);
    return (inputs.start(block) + row) * outputs.total() + outputs.start(group);
  }

  algebras::Groups inputs, outputs;
  bool plain;
};

} // namespace

static int64_t groupOf(const algebras::Groups &groups, int64_t index) {
  int64_t group = 0;
  while (index >= groups.start(group) + groups.width(group))
    ++group;
  return group;
}

DenseArray contractArrays(alg::ContractOp contract, const DenseArray &lhs, const DenseArray &rhs,
                          const std::function<int64_t(int64_t)> &type_of_row) {
  using alg::OutputMode;
  const OutputMode mode = contract.getMode();
  const algebras::Lift &lift = contract.getLift();
  const alg::SlotsType left = contract.getLhs().getType(), right = contract.getRhs().getType(),
                       open = contract.getResult().getType();
  DenseArray result{open.getShape().vec(), {}};
  // The one size that is not in the type is that of the left operand.
  if (ShapedType::isDynamic(result.shape.front()))
    result.shape.front() = lhs.shape.front();
  result.values.assign(elementCount(result.shape), 0);

  const bool product = mode == OutputMode::Product, weight_gradient = mode == OutputMode::WeightGradient;
  const Rows x = mode == OutputMode::ActivationGradient ? Rows(open, result.shape) : Rows(left, lhs.shape);
  const Rows y = product           ? Rows(open, result.shape)
                 : weight_gradient ? Rows(right, rhs.shape)
                                   : Rows(left, lhs.shape);
  const Weights w(weight_gradient ? open : right);
  const double *xs = mode == OutputMode::ActivationGradient ? nullptr : lhs.values.data();
  const double *ys = product ? nullptr : weight_gradient ? rhs.values.data() : lhs.values.data();
  const double *ws = weight_gradient ? nullptr : rhs.values.data();
  double *sums = result.values.data();

  std::map<int64_t, std::vector<std::vector<algebras::BlockTerm>>> terms;
  const auto terms_of = [&](int64_t type) -> const std::vector<std::vector<algebras::BlockTerm>> & {
    auto [found, is_new] = terms.try_emplace(type);
    for (int64_t group = 0; is_new && group < lift.outputGroups(); ++group)
      found->second.push_back(lift.terms(type, group));
    return found->second;
  };
  for (int64_t row = 0; row < x.count; ++row) {
    int64_t type = 0;
    if (!left.getPlain())
      type = left.isWeights() ? lift.typeOfRow(groupOf(left.getWeightInputs().getGroups(), row))
                              : type_of_row(row);
    for (const auto &[group, of_group] : llvm::enumerate(terms_of(type)))
      for (const algebras::BlockTerm &term : of_group) {
        const double coefficient = term.coefficient.toDouble();
        for (int64_t a = 0; a < x.features.width(term.input_group); ++a)
          for (int64_t b = 0; b < y.features.width(group); ++b) {
            const int64_t at_x = x.at(row, term.input_group) + a, at_y = y.at(row, group) + b,
                          at_w = w.at(term.weight_row, group, a) + b;
            if (product)
              sums[at_y] += coefficient * xs[at_x] * ws[at_w];
            else if (weight_gradient)
              sums[at_w] += coefficient * xs[at_x] * ys[at_y];
            else
              sums[at_x] += coefficient * ys[at_y] * ws[at_w];
          }
      }
  }
  return result;
}

} // namespace compiler
