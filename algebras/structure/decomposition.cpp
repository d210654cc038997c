#include "algebras/structure/decomposition.h"

#include "algebras/associativity.h"
#include "algebras/structure/shown_decomposition.h"
#include "algebras/structure/table_structure.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace algebras {

namespace {

using Kind = Algebra::Kind;

SparseVector shifted(SparseVector vector, int64_t start) {
  for (auto &[slot, coefficient] : vector)
    slot += start;
  return vector;
}

std::optional<Decomposition> decomposeDirectProduct(const Algebra &algebra) {
  Decomposition result;
  result.center_dimension = 0;
  int64_t start = 0;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<Decomposition> own = decompose(factor);
    if (!own)
      return std::nullopt;
    if (result.radical_powers.size() < own->radical_powers.size())
      result.radical_powers.resize(own->radical_powers.size());
    for (size_t s = 0; s < own->radical_powers.size(); ++s)
      for (SparseVector &vector : own->radical_powers[s])
        result.radical_powers[s].push_back(shifted(std::move(vector), start));
    for (SimpleComponent &component : own->components) {
      component.idempotent = shifted(std::move(component.idempotent), start);
      component.center_generator = shifted(std::move(component.center_generator), start);
      for (SparseVector &unit : component.matrix_units)
        unit = shifted(std::move(unit), start);
      result.components.push_back(std::move(component));
    }
    if (result.center_dimension && own->center_dimension)
      *result.center_dimension += *own->center_dimension;
    else
      result.center_dimension.reset();
    start += factor.dimension();
  }
  sortComponents(result);
  return result;
}

} // namespace

void sortComponents(Decomposition &decomposition) {
  auto key = [](const SimpleComponent &component) {
    return std::pair(component.dimension, component.idempotent.front().first);
  };
  std::sort(decomposition.components.begin(), decomposition.components.end(),
            [&](const SimpleComponent &a, const SimpleComponent &b) {
              return key(a) != key(b) ? key(a) < key(b) : a.idempotent < b.idempotent;
            });
}

std::optional<Decomposition> decompose(const Algebra &algebra) {
  if (algebra.isMatrixLike())
    return shownByPositions(algebra);
  if (algebra.kind() == Kind::DirectProduct)
    return decomposeDirectProduct(algebra);
  if (algebra.nonzeros() > Algebra::expansion_limit)
    return std::nullopt;
  Table table = algebra.expand();
  if (!findIdentity(table) || findNonassociative(table))
    throw std::logic_error("decompose: the algebra is not associative and unital");
  return decomposeTable(table);
}

} // namespace algebras
