#include "algebras/rank/bounds.h"

#include "algebras/checked.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using Kind = Algebra::Kind;

bool isGraphAlgebra(Kind kind) {
  return kind == Kind::Graph || kind == Kind::CompleteGraph || kind == Kind::Path ||
         kind == Kind::Coordinates;
}

// n when the algebra is M(n) up to tensor factors of dimension one.
std::optional<std::int64_t> matrixOrder(const Algebra &algebra) {
  if (algebra.kind() == Kind::Matrices)
    return algebra.parameter();
  if (algebra.dimension() == 1 && algebra.isMatrixLike())
    return 1;
  if (algebra.kind() != Kind::Tensor)
    return std::nullopt;
  std::int64_t order = 1;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<std::int64_t> own = matrixOrder(factor);
    if (!own)
      return std::nullopt;
    order *= *own;
  }
  return order;
}

// Factors that do not change a tensor product are no part of the explanation.
std::vector<Algebra> essentialFactors(const Algebra &algebra) {
  std::vector<Algebra> result;
  for (const Algebra &factor : algebra.factors())
    if (algebra.kind() == Kind::DirectProduct || factor.dimension() > 1 || !factor.isMatrixLike())
      result.push_back(factor);
  return result;
}

} // namespace

std::int64_t alderStrassen(const Algebra &algebra, const Structure &structure) {
  return checkedNarrow(static_cast<__int128>(2) * algebra.dimension() - structure.maximalIdeals(),
                       "the Alder-Strassen bound");
}

std::optional<RankBound> rankLower(const Algebra &algebra, const Structure &structure) {
  if (std::optional<std::int64_t> order = matrixOrder(algebra))
    return matrixRankLower(*order);
  return RankBound{alderStrassen(algebra, structure), "alder-strassen"};
}

RankBound rankUpper(const Algebra &algebra) {
  if (isGraphAlgebra(algebra.kind()))
    return {algebra.nonzeros(), "graph product: |V| + 2|E|, theorem"};
  if (std::optional<std::int64_t> order = matrixOrder(algebra))
    return matrixRankUpper(*order);
  if (algebra.kind() != Kind::Tensor && algebra.kind() != Kind::DirectProduct)
    return {algebra.nonzeros(), "the table's own products"};

  bool is_tensor = algebra.kind() == Kind::Tensor;
  std::vector<Algebra> factors = essentialFactors(algebra);
  if (factors.size() == 1)
    return rankUpper(factors[0]);
  RankBound result{is_tensor ? 1 : 0, is_tensor ? "tensor product: " : "direct product: "};
  for (std::size_t index = 0; index < factors.size(); ++index) {
    RankBound own = rankUpper(factors[index]);
    // At most the nonzero constants, which fit.
    result.products = is_tensor ? result.products * own.products : result.products + own.products;
    result.rule += fmt::format("{}{}", index == 0 ? "" : is_tensor ? " * " : " + ", own.products);
  }
  return result;
}

} // namespace algebras
