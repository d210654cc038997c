#include "algebras/structure/structure.h"

#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/quiver_structure.h"
#include "algebras/structure/table_structure.h"

#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace algebras {

namespace {

using Kind = Algebra::Kind;
constexpr size_t longest_series = size_t{1} << 20;

// Layers as the coefficients of a polynomial: the filtrations of a tensor product multiply. All values are
// dimensions, so the sum of the result, and each part of it, fits in 64 bits when the product's dimension
// does.
std::vector<int64_t> convolve(const std::vector<int64_t> &left, const std::vector<int64_t> &right) {
  fmpz_poly_t a, b;
  fmpz_poly_init(a);
  fmpz_poly_init(b);
  for (size_t s = 0; s < left.size(); ++s)
    fmpz_poly_set_coeff_si(a, static_cast<slong>(s), left[s]);
  for (size_t s = 0; s < right.size(); ++s)
    fmpz_poly_set_coeff_si(b, static_cast<slong>(s), right[s]);
  fmpz_poly_mul(a, a, b);
  std::vector<int64_t> result(fmpz_poly_length(a));
  for (size_t s = 0; s < result.size(); ++s)
    result[s] = fmpz_poly_get_coeff_si(a, static_cast<slong>(s));
  fmpz_poly_clear(a);
  fmpz_poly_clear(b);
  return result;
}

Structure graphStructure(int64_t vertices, int64_t edges, int64_t weak_components) {
  Structure result;
  result.layers = {vertices};
  if (edges > 0)
    result.layers.push_back(edges);
  result.components[1] = vertices;
  result.center_dimension = weak_components;
  return result;
}

std::optional<Structure> triangularStructure(int64_t n) {
  if (static_cast<size_t>(n) > longest_series)
    return std::nullopt;
  Structure result;
  for (int64_t s = 0; s < n; ++s)
    result.layers.push_back(n - s);
  result.components[1] = n;
  result.center_dimension = 1;
  return result;
}

template <typename Combine>
std::optional<int64_t> both(std::optional<int64_t> left, std::optional<int64_t> right, Combine combine) {
  if (!left || !right)
    return std::nullopt;
  return combine(*left, *right);
}

// M_d(F) x M_e(D) = M_de(D); nothing where neither side splits.
std::optional<SimpleKind> tensorKind(const SimpleKind &left, const SimpleKind &right) {
  if (!left.isSplit() && !right.isSplit())
    return std::nullopt;
  SimpleKind result = left.isSplit() ? right : left;
  const SimpleKind &matrices = left.isSplit() ? left : right;
  result.dimension *= matrices.dimension;
  if (result.matrix_degree)
    *result.matrix_degree *= *matrices.matrix_degree;
  return result;
}

// False where components do not combine.
bool tensorWith(Structure &result, const Structure &factor) {
  std::map<SimpleKind, int64_t> components;
  for (const auto &[left, left_count] : result.components)
    for (const auto &[right, right_count] : factor.components) {
      std::optional<SimpleKind> kind = tensorKind(left, right);
      if (!kind)
        return false;
      components[*kind] += left_count * right_count;
    }
  result.components = std::move(components);
  result.layers = convolve(result.layers, factor.layers);
  result.center_dimension = both(result.center_dimension, factor.center_dimension, std::multiplies<>());
  return true;
}

void multiplyDirectly(Structure &result, const Structure &factor) {
  result.layers.resize(std::max(result.layers.size(), factor.layers.size()));
  for (size_t s = 0; s < factor.layers.size(); ++s)
    result.layers[s] += factor.layers[s];
  for (const auto &[kind, count] : factor.components)
    result.components[kind] += count;
  result.center_dimension = both(result.center_dimension, factor.center_dimension, std::plus<>());
}

std::optional<Structure> expandedStructure(const Algebra &algebra) {
  if (algebra.dimension() > largest_dense || algebra.nonzeros() > Algebra::expansion_limit)
    return std::nullopt;
  return tableStructure(algebra.expand());
}

std::optional<Structure> productStructure(const Algebra &algebra) {
  std::optional<Structure> result;
  for (const Algebra &factor : algebra.factors()) {
    std::optional<Structure> own = deriveStructure(factor);
    if (!own)
      return std::nullopt;
    if (result)
      result->source = std::max(result->source, own->source);
    if (!result)
      result = std::move(own);
    else if (algebra.kind() == Kind::DirectProduct)
      multiplyDirectly(*result, *own);
    else if (result->layers.size() + own->layers.size() > longest_series)
      return std::nullopt;
    else if (!tensorWith(*result, *own))
      return expandedStructure(algebra);
  }
  return result;
}

} // namespace

SimpleKind::SimpleKind(int64_t size)
    : dimension(size),
      matrix_degree(static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(size))))) {
  if (*matrix_degree * *matrix_degree != size)
    throw std::logic_error("SimpleKind: a full matrix algebra has a square as dimension");
}

SimpleKind::SimpleKind(const SimpleComponent &component)
    : dimension(component.dimension), matrix_degree(component.matrix_degree),
      division_reason(component.division_reason) {
  if (component.center_polynomial.size() > 2)
    center_polynomial = component.center_polynomial;
}

int64_t SimpleKind::centerDimension() const {
  return center_polynomial.empty() ? 1 : static_cast<int64_t>(center_polynomial.size()) - 1;
}

std::optional<int64_t> SimpleKind::divisionDimension() const {
  return matrix_degree ? std::optional(dimension / (*matrix_degree * *matrix_degree)) : std::nullopt;
}

int64_t Structure::maximalIdeals() const {
  return std::accumulate(components.begin(), components.end(), int64_t{0},
                         [](int64_t sum, const auto &entry) { return sum + entry.second; });
}

int64_t Structure::radicalDimension() const {
  return std::accumulate(layers.begin() + 1, layers.end(), int64_t{0});
}

std::vector<int64_t> Structure::radicalSeries() const {
  std::vector<int64_t> result(layers.size());
  int64_t sum = 0;
  for (size_t s = layers.size(); s-- > 0;) {
    result[s] = sum;
    sum += layers[s];
  }
  return result;
}

std::optional<Structure> deriveStructure(const Algebra &algebra) {
  int64_t n = algebra.parameter();
  switch (algebra.kind()) {
  case Kind::Graph:
    return graphStructure(n, algebra.graph()->edgeCount(), algebra.graph()->weakComponents());
  case Kind::CompleteGraph:
    return graphStructure(n, n * n - n, 1);
  case Kind::Path:
    return graphStructure(n, n - 1, 1);
  case Kind::Coordinates:
    return graphStructure(n, 0, n);
  case Kind::Matrices:
    return Structure{{n * n}, {{n * n, 1}}, 1, StructureSource::Construction};
  case Kind::Triangular:
    return triangularStructure(n);
  case Kind::Table:
    return tableStructure(*algebra.table());
  case Kind::Quiver:
    return quiverStructure(algebra);
  case Kind::Incidence:
    return incidenceStructure(algebra);
  case Kind::Tensor:
  case Kind::DirectProduct:
    return productStructure(algebra);
  }
  __builtin_unreachable();
}

} // namespace algebras
