#include "algebras/invariants/measure.h"

#include "algebras/constructions.h"
#include "algebras/linear/subspace.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/product_operator.h"
#include "algebras/structure/quotient.h"

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

std::vector<ComponentType> componentTypes(const Decomposition &decomposition) {
  std::vector<ComponentType> result;
  for (const SimpleComponent &component : decomposition.components)
    result.push_back({component.dimension, static_cast<int64_t>(component.center_polynomial.size()) - 1,
                      component.matrix_degree, component.center_polynomial, component.local_indices});
  std::sort(result.begin(), result.end(), [](const ComponentType &a, const ComponentType &b) {
    return std::tie(a.dimension, a.center_degree, a.matrix_degree) <
           std::tie(b.dimension, b.center_degree, b.matrix_degree);
  });
  return result;
}

// Components in closed form: those of a known structure are matrix algebras over the ground field.
std::vector<ComponentType> splitComponents(const PeirceQuiver &peirce) {
  std::vector<ComponentType> result;
  for (int64_t size : peirce.sizes)
    result.push_back({size * size, 1, size, {Rational(-1), Rational(1)}, ""});
  std::sort(result.begin(), result.end(),
            [](const ComponentType &a, const ComponentType &b) { return a.dimension < b.dimension; });
  return result;
}

std::vector<int64_t> seriesOf(const Decomposition &decomposition) {
  std::vector<int64_t> result;
  for (const auto &power : decomposition.radical_powers)
    result.push_back(static_cast<int64_t>(power.size()));
  result.push_back(0);
  return result;
}

std::optional<CenterInvariants> measureCenter(const Table &table, const ProductOperator &product,
                                              const SparseVector &identity) {
  Table center_table = subalgebraTable(product, center(product, generatingElements(table, identity)));
  CenterInvariants result;
  result.dimension = center_table.dimension();
  std::optional<Decomposition> decomposition = decompose(tableAlgebra(center_table));
  if (!decomposition)
    return std::nullopt;
  result.radical_series = seriesOf(*decomposition);
  result.components = componentTypes(*decomposition);
  return result;
}

// J is generated, as a left and as a right ideal, by any complement of J^2 in it (Nakayama).
AnnihilatorDimensions measureAnnihilators(const ProductOperator &product,
                                          const Decomposition &decomposition) {
  int64_t n = product.dimension();
  if (decomposition.radical_powers.empty())
    return {n, n};
  std::vector<int64_t> square; // leading slots of J^2
  if (decomposition.radical_powers.size() > 1)
    for (const SparseVector &vector : decomposition.radical_powers[1])
      square.push_back(vector.front().first);
  Matrix right(product.field(), 0, n), left(product.field(), 0, n);
  for (const SparseVector &vector : decomposition.radical_powers[0]) {
    if (std::binary_search(square.begin(), square.end(), vector.front().first))
      continue;
    Matrix generator = Matrix::fromSparse(product.field(), n, vector);
    right = right.above(product.leftMatrix(generator).transposed()); // y * leftMatrix(x) = x y
    left = left.above(product.rightMatrix(generator).transposed());
    // What is linearly dependent is no condition; this keeps the stacks small.
    if (right.rows() > 4 * n) {
      right = reducedEchelon(right).rows;
      left = reducedEchelon(left).rows;
    }
  }
  return {n - reducedEchelon(right).rank(), n - reducedEchelon(left).rank()};
}

} // namespace

Invariants measure(const Algebra &algebra) {
  Invariants result;
  result.facts = deriveFacts(algebra);
  if (!result.facts.associative.value_or(false) || !result.facts.unital.value_or(false))
    return result;
  result.peirce = peirceQuiver(algebra);
  if (result.peirce)
    result.components = splitComponents(*result.peirce);
  if (algebra.dimension() > largest_measured)
    return result;
  std::optional<Decomposition> decomposition =
      result.facts.decomposition ? result.facts.decomposition : decompose(algebra);
  if (!decomposition)
    return result;
  result.components = componentTypes(*decomposition);
  Table table = algebra.expand();
  ProductOperator product(table);
  result.annihilators = measureAnnihilators(product, *decomposition);
  if (std::optional<SparseVector> identity = findIdentity(table))
    result.center = measureCenter(table, product, *identity);
  return result;
}

} // namespace algebras
