#include "algebras/certificate/peirce_chain.h"

#include "algebras/linear/subspace.h"
#include "algebras/structure/product_operator.h"
#include "algebras/structure/sparse_product.h"

#include <algorithm>
#include <map>
#include <random>

namespace algebras {

namespace {

// Remainders modulo a space in reduced echelon form.
class Remainders {
public:
  Remainders(const SparseProduct &product, const std::vector<SparseVector> &rows) : product_(product) {
    for (const SparseVector &row : rows)
      rows_.emplace(row[0].first, &row);
  }
  bool contain(const SparseVector &vector) const {
    SparseVector rest = vector;
    for (const auto &[slot, value] : vector)
      if (auto row = rows_.find(slot); row != rows_.end())
        rest = product_.combine(Rational(1), rest, -value, *row->second);
    return rest.empty();
  }

private:
  const SparseProduct &product_;
  std::map<std::int64_t, const SparseVector *> rows_;
};

struct Arrow {
  std::int64_t from = 0, to = 0;
  SparseVector element; // e_from x e_to
};

bool isSplitBasic(const Decomposition &decomposition) {
  return std::all_of(decomposition.components.begin(), decomposition.components.end(),
                     [](const SimpleComponent &component) { return component.dimension == 1; });
}

// In a dense table: x and y are random sums of the radical's basis, which show some chain if there is one,
// nearly always.
std::optional<PeirceChain> denseChain(const Table &table, const Decomposition &decomposition) {
  ProductOperator product(table);
  const Field &field = table.field();
  auto rows = [&](std::size_t s) {
    std::vector<SparseVector> power;
    if (s < decomposition.radical_powers.size())
      power = decomposition.radical_powers[s];
    return Matrix::fromSparse(field, table.dimension(), power);
  };
  Matrix radical = rows(0);
  Subspace square(rows(1)), cube(rows(2));
  std::mt19937_64 random(1);
  auto sum = [&] {
    Matrix choice(field, 1, radical.rows());
    for (std::int64_t row = 0; row < radical.rows(); ++row)
      choice.set(0, row, Rational(static_cast<std::int64_t>(random() % 3)));
    return choice * radical;
  };
  std::vector<Matrix> left, right; // multiplication by the idempotents
  for (const SimpleComponent &component : decomposition.components) {
    Matrix idempotent = Matrix::fromSparse(field, table.dimension(), component.idempotent);
    left.push_back(product.leftMatrix(idempotent));
    right.push_back(product.rightMatrix(idempotent));
  }
  auto t = static_cast<std::int64_t>(right.size());
  std::optional<PeirceChain> arrow;
  constexpr int kTries = 4;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Matrix x = sum(), y = sum(), times_y = product.rightMatrix(y);
    for (std::int64_t i = 0; i < t; ++i)
      for (std::int64_t j = 0; j < t; ++j) {
        Matrix step = x * left[i] * right[j];
        if (i == j || square.contains(step))
          continue;
        if (!arrow)
          arrow = PeirceChain{{i, j}, {x.sparseRow(0)}};
        for (std::int64_t l = 0; l < t && square.dimension() > 0; ++l)
          if (l != j && !cube.contains(step * times_y * right[l]))
            return PeirceChain{{i, j, l}, {x.sparseRow(0), y.sparseRow(0)}};
      }
  }
  return arrow;
}

} // namespace

std::optional<PeirceChain> findPeirceChain(const Table &table, const Decomposition &decomposition) {
  constexpr std::size_t kMostArrows = 4096;
  constexpr std::int64_t kMostDense = 512;
  if (decomposition.radical_powers.empty() || decomposition.components.size() < 2 ||
      !isSplitBasic(decomposition))
    return std::nullopt;
  if (std::int64_t n = table.dimension(); n <= kMostDense && table.nonzeros() > 4 * n * n)
    return denseChain(table, decomposition);
  SparseProduct product(table);
  auto power = [&](std::size_t s) {
    return s <= decomposition.radical_powers.size() ? decomposition.radical_powers[s - 1]
                                                    : std::vector<SparseVector>();
  };
  const std::vector<SparseVector> square = power(2), cube = power(3);
  Remainders in_square(product, square), in_cube(product, cube);

  // Components by the slots of their idempotents: those alone can have products with an element.
  std::map<std::int64_t, std::vector<std::int64_t>> holders;
  for (std::size_t c = 0; c < decomposition.components.size(); ++c)
    for (const auto &[slot, value] : decomposition.components[c].idempotent)
      holders[slot].push_back(static_cast<std::int64_t>(c));
  std::map<std::int64_t, std::vector<std::int64_t>> left_of, right_of; // components that may act on a slot
  for (const Constant &constant : table.constants()) {
    if (auto found = holders.find(constant.i); found != holders.end() && left_of[constant.j].size() < 64)
      left_of[constant.j].insert(left_of[constant.j].end(), found->second.begin(), found->second.end());
    if (auto found = holders.find(constant.j); found != holders.end() && right_of[constant.i].size() < 64)
      right_of[constant.i].insert(right_of[constant.i].end(), found->second.begin(), found->second.end());
  }
  auto candidates = [](const SparseVector &x, const auto &acting) {
    std::vector<std::int64_t> result;
    for (const auto &[slot, value] : x)
      if (auto found = acting.find(slot); found != acting.end())
        result.insert(result.end(), found->second.begin(), found->second.end());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  };

  std::vector<Arrow> arrows;
  for (const SparseVector &x : decomposition.radical_powers[0]) {
    if (in_square.contain(x))
      continue;
    for (std::int64_t i : candidates(x, left_of)) {
      SparseVector half = product.multiply(decomposition.components[i].idempotent, x);
      if (half.empty())
        continue;
      for (std::int64_t j : candidates(half, right_of)) {
        SparseVector arrow = product.multiply(half, decomposition.components[j].idempotent);
        if (i == j || in_square.contain(arrow))
          continue;
        arrows.push_back({i, j, x});
        break;
      }
      if (arrows.size() >= kMostArrows)
        break;
    }
    if (arrows.size() >= kMostArrows)
      break;
  }
  if (arrows.empty())
    return std::nullopt;
  auto idempotent = [&](std::int64_t c) -> const SparseVector & {
    return decomposition.components[c].idempotent;
  };
  std::multimap<std::int64_t, const Arrow *> starting;
  for (const Arrow &arrow : arrows)
    starting.emplace(arrow.from, &arrow);
  for (const Arrow &first : arrows) {
    if (square.empty())
      break;
    auto [next, end] = starting.equal_range(first.to);
    for (; next != end; ++next) {
      const Arrow &second = *next->second;
      SparseVector chain = product.multiply(
          product.multiply(
              product.multiply(product.multiply(idempotent(first.from), first.element), idempotent(first.to)),
              second.element),
          idempotent(second.to));
      if (!in_cube.contain(chain))
        return PeirceChain{{first.from, first.to, second.to}, {first.element, second.element}};
    }
  }
  return PeirceChain{{arrows[0].from, arrows[0].to}, {arrows[0].element}};
}

} // namespace algebras
