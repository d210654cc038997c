#include "algebras/rank/bounds.h"

#include "algebras/checked.h"
#include "algebras/rank/lower_bounds.h"
#include "algebras/rank/minimal_rank.h"
#include "algebras/rank/recognition.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
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
std::optional<int64_t> matrixOrder(const Algebra &algebra) {
  if (algebra.kind() == Kind::Matrices)
    return algebra.parameter();
  if (algebra.dimension() == 1 && algebra.isMatrixLike())
    return 1;
  if (algebra.kind() != Kind::Tensor)
    return std::nullopt;
  int64_t order = 1;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<int64_t> own = matrixOrder(factor);
    if (!own)
      return std::nullopt;
    order *= *own;
  }
  return order;
}

// From row-major matrix units to the slots of an algebra that is M(order): factors M(a) * M(b) number them
// otherwise.
BilinearAlgorithm inSlots(const Algebra &algebra, BilinearAlgorithm algorithm, int64_t order) {
  std::vector<int64_t> slots(order * order);
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot) {
    Position position = algebra.position(slot);
    slots[position.row * order + position.column] = slot;
  }
  for (BilinearProduct &product : algorithm)
    for (SparseVector *vector : {&product.alpha, &product.beta, &product.gamma}) {
      for (auto &[index, value] : *vector)
        index = slots[index];
      std::sort(vector->begin(), vector->end(),
                [](const auto &left, const auto &right) { return left.first < right.first; });
    }
  return algorithm;
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

namespace {

// Exact elimination over Q takes a step for each word of its results: with long coefficients that is no
// matter of an instant.
bool hasShortCoefficients(const Table &table) {
  constexpr size_t longest = 256; // bits
  return std::all_of(table.constants().begin(), table.constants().end(), [](const Constant &constant) {
    const fmpq *value = FlintAccess::get(constant.value);
    return fmpz_bits(fmpq_numref(value)) <= longest && fmpz_bits(fmpq_denref(value)) <= longest;
  });
}

} // namespace

int64_t alderStrassen(const Algebra &algebra, const Structure &structure) {
  return checkedNarrow(static_cast<__int128>(2) * algebra.dimension() - structure.maximalIdeals(),
                       "the Alder-Strassen bound");
}

std::optional<RankBound> rankLower(const Algebra &algebra, const Structure &structure) {
  std::map<SimpleFactor, int64_t> factors;
  for (const auto &[kind, count] : structure.components)
    factors[{kind.dimension, kind.centerDimension(), kind.matrix_degree}] += count;
  // A semisimple algebra of minimal rank is known by its factors.
  std::optional<RankShape> shape;
  if (structure.layers.size() > 1)
    shape = rankShape(algebra);
  return rankLower(algebra.field(), algebra.dimension(), factors, shape ? shape->obstruction : "");
}

std::optional<RankBound> rankLower(const Algebra &algebra, const Decomposition &decomposition) {
  std::map<SimpleFactor, int64_t> factors;
  for (const SimpleComponent &component : decomposition.components) {
    auto center = static_cast<int64_t>(component.center_polynomial.size()) - 1;
    ++factors[{component.dimension, center, component.matrix_degree}];
  }
  std::optional<RankShape> shape =
      algebra.table() ? tableRankShape(*algebra.table(), decomposition) : rankShape(algebra);
  return rankLower(algebra.field(), algebra.dimension(), factors, shape ? shape->obstruction : "");
}

RankBound rankUpper(const Algebra &algebra) {
  if (isGraphAlgebra(algebra.kind()))
    return {algebra.nonzeros(), "graph product: |V| + 2|E|, theorem"};
  if (std::optional<int64_t> order = matrixOrder(algebra))
    return matrixRankUpper(*order);
  if (const Table *table = algebra.table()) {
    int64_t products = ownProductCount(*table);
    return {products, products == algebra.nonzeros()
                          ? "the table's own products"
                          : "the table's own products, those of one pair together"};
  }
  if (algebra.kind() != Kind::Tensor && algebra.kind() != Kind::DirectProduct)
    return {algebra.nonzeros(), "the table's own products"};

  bool is_tensor = algebra.kind() == Kind::Tensor;
  std::vector<Algebra> factors = essentialFactors(algebra);
  if (factors.size() == 1)
    return rankUpper(factors[0]);
  RankBound result{is_tensor ? 1 : 0, is_tensor ? "tensor product: " : "direct product: "};
  for (size_t index = 0; index < factors.size(); ++index) {
    RankBound own = rankUpper(factors[index]);
    // At most the nonzero constants, which fit.
    result.products = is_tensor ? result.products * own.products : result.products + own.products;
    result.rule += fmt::format("{}{}", index == 0 ? "" : is_tensor ? " * " : " + ", own.products);
  }
  return result;
}

RankBound rankUpper(const Algebra &algebra, const SparseVector &identity,
                    const Decomposition *decomposition) {
  RankBound known = rankUpper(algebra);
  if (algebra.isMatrixLike() || algebra.dimension() > recognised_at_once)
    return known;
  Table table = algebra.expand();
  if (!hasShortCoefficients(table))
    return known;
  RecognisedAlgorithm recognised = recognisedAlgorithm(table, identity, decomposition);
  if (static_cast<int64_t>(recognised.products.size()) >= known.products)
    return known;
  return {static_cast<int64_t>(recognised.products.size()), recognised.rule};
}

std::optional<BilinearAlgorithm> constructedAlgorithm(const Algebra &algebra) {
  if (rankUpper(algebra).products > Algebra::expansion_limit)
    return std::nullopt;
  if (const Table *table = algebra.table())
    return ownProducts(*table);
  if (std::optional<int64_t> order = matrixOrder(algebra))
    return inSlots(algebra, matrixAlgorithm(algebra.field(), *order), *order);
  if (algebra.kind() == Kind::Tensor) {
    BilinearAlgorithm result{{{{0, Rational(1)}}, {{0, Rational(1)}}, {{0, Rational(1)}}}};
    for (const Algebra &factor : algebra.factors())
      result = tensorAlgorithm(algebra.field(), result, *constructedAlgorithm(factor), factor.dimension());
    return result;
  }
  if (algebra.kind() == Kind::DirectProduct) {
    BilinearAlgorithm result;
    int64_t start = 0;
    for (const Algebra &factor : algebra.factors()) {
      appendDirect(result, *constructedAlgorithm(factor), start);
      start += factor.dimension();
    }
    return result;
  }
  return ownProducts(algebra.expand());
}

} // namespace algebras
