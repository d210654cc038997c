#include "algebras/rank/local_algebra.h"

#include "algebras/linear/sparse_span.h"
#include "algebras/structure/sparse_product.h"

#include <fmt/format.h>

namespace algebras {

namespace {

constexpr size_t largest_radical = 48;
constexpr int64_t most_products = int64_t{1} << 22; // constants met in all products of J by J

// The x in J, as coordinates in its basis, whose products with all of J vanish: products[s] is what basis
// vector s gives with each of them, one below the other.
std::vector<SparseVector>
annihilator(const Field &field, const std::vector<std::vector<SparseVector>> &products, int64_t dimension) {
  std::vector<SparseVector> images;
  for (const std::vector<SparseVector> &row : products) {
    SparseVector image;
    for (size_t other = 0; other < row.size(); ++other)
      for (const auto &[slot, value] : row[other])
        image.emplace_back(static_cast<int64_t>(other) * dimension + slot, value);
    images.push_back(std::move(image));
  }
  return relations(field, images);
}

} // namespace

std::string localRankObstruction(const Table &table, const std::vector<SparseVector> &radical) {
  size_t size = radical.size();
  if (size == 0 || size > largest_radical)
    return "";
  int64_t entries = 0;
  for (const SparseVector &vector : radical)
    for (const auto &[slot, value] : vector)
      entries += static_cast<int64_t>(table.row(slot).size());
  if (entries > most_products / static_cast<int64_t>(size))
    return "";
  const Field &field = table.field();
  SparseProduct product(table);
  std::vector<std::vector<SparseVector>> left(size, std::vector<SparseVector>(size)), right = left;
  SparseSpan square(field);
  for (size_t s = 0; s < size; ++s)
    for (size_t t = 0; t < size; ++t) {
      left[s][t] = right[t][s] = product.multiply(radical[s], radical[t]);
      square.insert(left[s][t]);
    }
  int64_t j2 = square.dimension();
  int64_t generators = static_cast<int64_t>(size) - j2;
  if (j2 == 0)
    return "";
  if (generators == 1) {
    // J = (x): the nilpotency of x is the dimension of k + J.
    int64_t n = static_cast<int64_t>(size) + 1;
    if (!field.isRationals() && static_cast<int64_t>(size) < (int64_t{1} << 20) &&
        field.characteristic() < static_cast<uint64_t>(std::max<int64_t>(0, 2 * n - 4)))
      return fmt::format("k[x]/(x^{0}) has rank {1} over GF(q) only for q >= {2}", n, 2 * n - 1, 2 * n - 4);
    return "";
  }
  SparseSpan cube(field);
  for (const SparseVector &x : radical)
    for (const SparseVector &y : square.basis())
      cube.insert(product.multiply(x, y));
  int64_t layer = j2 - cube.dimension(); // of J^2/J^3
  SparseSpan squares = cube;
  for (size_t s = 0; s < size; ++s)
    for (size_t t = s; t < size; ++t)
      squares.insert(s == t ? left[s][s] : combine(field, Rational(1), left[s][t], Rational(1), left[t][s]));
  if (squares.dimension() < j2)
    return "rad^2 of a local part is not spanned by squares: not of minimal rank";
  auto generators_outside = [&](const std::vector<std::vector<SparseVector>> &products) {
    SparseSpan outside = square;
    for (const SparseVector &coordinates : annihilator(field, products, table.dimension())) {
      SparseVector element;
      for (const auto &[s, value] : coordinates)
        element = combine(field, Rational(1), element, value, radical[s]);
      outside.insert(element);
    }
    return static_cast<int64_t>(size) - outside.dimension();
  };
  int64_t from_left = generators_outside(left), from_right = generators_outside(right);
  if (from_left != from_right || layer > from_left)
    return "rad^2/rad^3 of a local part is larger than in an algebra of minimal rank";
  return "";
}

} // namespace algebras
