#include "algebras/rank/adapted_basis.h"

#include "algebras/linear/echelon.h"
#include "algebras/linear/sparse_span.h"

#include <algorithm>

namespace algebras {

namespace {

// Elements of the slots [first, last) of an adapted basis, made orthogonal with respect to the coefficient of
// slot `k` in their products, as combinations of these slots.
std::vector<SparseVector> orthogonalised(const Table &table, int64_t first, int64_t last, int64_t k) {
  const Field &field = table.field();
  size_t size = last - first;
  std::vector<std::vector<Rational>> gram(size, std::vector<Rational>(size));
  for (const Constant &constant : table.constants())
    if (constant.k == k && constant.i >= first && constant.i < last && constant.j >= first &&
        constant.j < last)
      gram[constant.i - first][constant.j - first] = constant.value;
  std::vector<SparseVector> left; // not yet dealt with
  for (size_t s = 0; s < size; ++s)
    left.push_back({{static_cast<int64_t>(s), Rational(1)}});
  auto form = [&](const SparseVector &x, const SparseVector &y) {
    Rational sum;
    for (const auto &[i, a] : x)
      for (const auto &[j, b] : y)
        sum += a * b * gram[i][j];
    return field.reduce(sum);
  };
  std::vector<SparseVector> result;
  while (!left.empty()) {
    // Some vector of nonzero square: one of those left, or a sum of two.
    size_t chosen = left.size();
    for (size_t s = 0; s < left.size() && chosen == left.size(); ++s)
      if (!form(left[s], left[s]).isZero())
        chosen = s;
    for (size_t s = 0; s < left.size() && chosen == left.size(); ++s)
      for (size_t t = 0; t < s; ++t)
        if (SparseVector sum = combine(field, Rational(1), left[s], Rational(1), left[t]);
            !form(sum, sum).isZero()) {
          left[s] = std::move(sum);
          chosen = s;
          break;
        }
    if (chosen == left.size()) { // the form vanishes, or alternates, on what is left
      result.insert(result.end(), left.begin(), left.end());
      break;
    }
    SparseVector own = left[chosen];
    left.erase(left.begin() + static_cast<ptrdiff_t>(chosen));
    Rational square = form(own, own);
    for (SparseVector &other : left)
      if (Rational overlap = form(own, other); !overlap.isZero())
        other = combine(field, Rational(1), other, -field.reduce(overlap / square), own);
    result.push_back(std::move(own));
  }
  for (SparseVector &vector : result)
    for (auto &[slot, value] : vector)
      slot += first;
  return result;
}

} // namespace

std::optional<Table> tableInBasis(const ProductOperator &product, const std::vector<SparseVector> &elements) {
  const Field &field = product.field();
  int64_t n = product.dimension();
  if (static_cast<int64_t>(elements.size()) != n)
    return std::nullopt;
  Matrix basis = Matrix::fromSparse(field, n, elements);
  std::optional<Matrix> inverse = solve(basis, Matrix::identity(field, n));
  if (!inverse)
    return std::nullopt;
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i) {
    Matrix rows = basis * product.leftMatrix(basis.row(i)) * *inverse;
    for (int64_t j = 0; j < n; ++j)
      for (auto &[k, value] : rows.sparseRow(j))
        constants.push_back({i, j, k, std::move(value)});
  }
  return Table("adapted", field, n, std::move(constants));
}

std::vector<AdaptedBasis> adaptedBases(const Algebra &algebra, const ProductOperator &product,
                                       const Decomposition &decomposition) {
  const Field &field = product.field();
  int64_t n = product.dimension();
  std::optional<std::vector<SparseVector>> idempotents = primitiveIdempotents(algebra, decomposition);
  if (!idempotents)
    return {};
  std::vector<Matrix> layers; // the deepest power of the radical first, the whole algebra last
  for (auto power = decomposition.radical_powers.rbegin(); power != decomposition.radical_powers.rend();
       ++power)
    layers.push_back(Matrix::fromSparse(field, n, *power));
  layers.push_back(Matrix::identity(field, n));
  std::vector<Matrix> right;
  for (const SparseVector &e : *idempotents)
    right.push_back(product.rightMatrix(Matrix::fromSparse(field, n, e)));

  std::vector<SparseVector> elements;
  std::vector<size_t> depth; // of each element: its layer
  for (size_t i = 0; i < idempotents->size(); ++i) {
    Matrix left = product.leftMatrix(Matrix::fromSparse(field, n, (*idempotents)[i]));
    std::vector<Matrix> halves; // e_i x
    for (const Matrix &layer : layers)
      halves.push_back(layer * left);
    for (size_t j = 0; j < idempotents->size(); ++j) {
      SparseSpan span(field);
      size_t before = elements.size();
      for (size_t layer = 0; layer < layers.size(); ++layer) {
        if (i == j && layer + 1 == layers.size())
          span.insert((*idempotents)[i]);
        Matrix rows = halves[layer] * right[j];
        for (int64_t row = 0; row < rows.rows(); ++row)
          span.insert(rows.sparseRow(row));
        for (size_t s = elements.size() - before; s < span.basis().size(); ++s) {
          elements.push_back(span.basis()[s]);
          depth.push_back(layer);
        }
      }
    }
  }
  std::optional<Table> table = tableInBasis(product, elements);
  if (!table)
    return {};
  std::vector<AdaptedBasis> result{{elements, *table, "products in a basis of Peirce components"}};
  if (idempotents->size() > 1 || layers.size() < 3 || field.characteristic() == 2)
    return result;
  // Local: the slots of rad outside rad^2 come one after another, and those of rad^2 outside rad^3 before
  // them.
  auto range = [&](size_t layer) {
    auto first = std::find(depth.begin(), depth.end(), layer);
    return std::pair(first - depth.begin(), std::find_if(first, depth.end(), [&](size_t own) {
                                              return own != layer;
                                            }) - depth.begin());
  };
  auto [first, last] = range(layers.size() - 2);
  auto [target, end] = range(layers.size() - 3);
  if (target == end)
    return result;
  std::vector<SparseVector> turned = orthogonalised(*table, first, last, target);
  for (int64_t s = first; s < last; ++s) {
    SparseVector sum;
    for (const auto &[slot, value] : turned[s - first])
      sum = combine(field, Rational(1), sum, value, result[0].elements[slot]);
    elements[s] = std::move(sum);
  }
  if (std::optional<Table> own = tableInBasis(product, elements))
    result.push_back({elements, std::move(*own), "products in a basis of orthogonal generators"});
  return result;
}

} // namespace algebras
