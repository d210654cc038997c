#include "algebras/rank/matrix_multiplication.h"

#include "algebras/rank/linear_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace algebras {

namespace {

constexpr int64_t largest_planned = 32;

// The coefficients of one product of a published scheme, row-major.
template <size_t Size> struct SchemeProduct {
  std::array<int, Size> alpha, beta, gamma;
};

// Strassen 1969.
constexpr SchemeProduct<4> strassen[] = {
    {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},  {{0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 1, -1}},
    {{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 1, 0, 1}}, {{0, 0, 0, 1}, {-1, 0, 1, 0}, {1, 0, 1, 0}},
    {{1, 1, 0, 0}, {0, 0, 0, 1}, {-1, 1, 0, 0}}, {{-1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}},
    {{0, 1, 0, -1}, {0, 0, 1, 1}, {1, 0, 0, 0}},
};

// Laderman 1976.
constexpr SchemeProduct<9> laderman[] = {
    {{1, 1, 1, -1, -1, 0, 0, -1, -1}, {0, 0, 0, 0, 1, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0}},
    {{1, 0, 0, -1, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 0, 0, 0, 0}},
    {{0, 0, 0, 0, 1, 0, 0, 0, 0}, {-1, 1, 0, 1, -1, -1, -1, 0, 1}, {0, 0, 0, 1, 0, 0, 0, 0, 0}},
    {{-1, 0, 0, 1, 1, 0, 0, 0, 0}, {1, -1, 0, 0, 1, 0, 0, 0, 0}, {0, 1, 0, 1, 1, 0, 0, 0, 0}},
    {{0, 0, 0, 1, 1, 0, 0, 0, 0}, {-1, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 1, 0, 0, 0, 0}},
    {{1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 0, 1, 0, 1}},
    {{-1, 0, 0, 0, 0, 0, 1, 1, 0}, {1, 0, -1, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 1, 0, 1}},
    {{-1, 0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 1}},
    {{0, 0, 0, 0, 0, 0, 1, 1, 0}, {-1, 0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 1}},
    {{1, 1, 1, 0, -1, -1, -1, -1, 0}, {0, 0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0, 0, 1, 0}, {-1, 0, 1, 1, -1, -1, -1, 1, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 0}},
    {{0, 0, -1, 0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 0, 1, -1, 0}, {0, 1, 0, 0, 0, 0, 1, 1, 0}},
    {{0, 0, 1, 0, 0, 0, 0, 0, -1}, {0, 0, 0, 0, 1, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 0, 1, 1, 0}},
    {{0, 0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 1, 0, 1, 1, 1, 0}},
    {{0, 0, 0, 0, 0, 0, 0, 1, 1}, {0, 0, 0, 0, 0, 0, -1, 1, 0}, {0, 1, 0, 0, 0, 0, 0, 1, 0}},
    {{0, 0, -1, 0, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 1, 0, -1}, {0, 0, 1, 1, 0, 1, 0, 0, 0}},
    {{0, 0, 1, 0, 0, -1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0, -1}, {0, 0, 0, 1, 0, 1, 0, 0, 0}},
    {{0, 0, 0, 0, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, -1, 0, 1}, {0, 0, 1, 0, 0, 1, 0, 0, 0}},
    {{0, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 0}},
    {{0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0, 0, 0}},
    {{0, 0, 0, 0, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1, 0}},
    {{0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1}},
};

template <size_t Size> SparseVector sparse(const Field &field, const std::array<int, Size> &dense) {
  SparseVector result;
  for (size_t slot = 0; slot < Size; ++slot)
    if (dense[slot] != 0)
      result.emplace_back(static_cast<int64_t>(slot), field.reduce(Rational(dense[slot])));
  return result;
}

template <size_t Size, size_t Count>
BilinearAlgorithm readScheme(const Field &field, const SchemeProduct<Size> (&scheme)[Count]) {
  BilinearAlgorithm result;
  for (const SchemeProduct<Size> &product : scheme)
    result.push_back(
        {sparse(field, product.alpha), sparse(field, product.beta), sparse(field, product.gamma)});
  return result;
}

// Rows and columns of x, columns of y.
struct Shape {
  std::array<int64_t, 3> sizes;
  auto operator<=>(const Shape &) const = default;
};

// How the product of one shape is put together.
struct Plan {
  int64_t products = 0;
  int64_t recursion = 1; // 2: Strassen's scheme over blocks, 3: Laderman's
  int cut = -1;          // or this one of the three sizes is cut
  int64_t first = 0;     // into this and the rest
};

const Plan &planFor(const Shape &shape, std::map<Shape, Plan> &plans) {
  if (auto known = plans.find(shape); known != plans.end())
    return known->second;
  const auto &[a, b, c] = shape.sizes;
  Plan best{a * b * c};
  for (auto [order, products] : {std::pair<int64_t, int64_t>{2, 7}, {3, 23}})
    if (a % order == 0 && b % order == 0 && c % order == 0)
      if (int64_t total = products * planFor({{a / order, b / order, c / order}}, plans).products;
          total < best.products)
        best = {total, order};
  if (std::min({a, b, c}) > 1)
    for (int side = 0; side < 3; ++side)
      for (int64_t first = 1; 2 * first <= shape.sizes[side]; ++first) {
        Shape left = shape, right = shape;
        left.sizes[side] = first;
        right.sizes[side] -= first;
        if (int64_t total = planFor(left, plans).products + planFor(right, plans).products;
            total < best.products)
          best = {total, 1, side, first};
      }
  return plans[shape] = best;
}

std::vector<SparseVector> block(int64_t rows, int64_t columns, int64_t first_row, int64_t first_column,
                                int64_t all_columns) {
  std::vector<SparseVector> result;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      result.push_back({{(first_row + row) * all_columns + first_column + column, Rational(1)}});
  return result;
}

// Slots of a tensor product of matrix blocks are numbered by (outer row, outer column, inner row, inner
// column).
std::vector<SparseVector> refined(int64_t order, int64_t rows, int64_t columns) {
  std::vector<SparseVector> result;
  for (int64_t i = 0; i < order; ++i)
    for (int64_t j = 0; j < order; ++j)
      for (const SparseVector &own : block(rows, columns, i * rows, j * columns, order * columns))
        result.push_back(own);
  return result;
}

BilinearAlgorithm build(const Field &field, const Shape &shape, std::map<Shape, Plan> &plans) {
  const Plan plan = planFor(shape, plans);
  const auto &[a, b, c] = shape.sizes;
  BilinearAlgorithm result;
  if (plan.recursion > 1) {
    int64_t order = plan.recursion;
    BilinearAlgorithm outer = order == 2 ? readScheme(field, strassen) : readScheme(field, laderman);
    Shape inner{{a / order, b / order, c / order}};
    BilinearAlgorithm own = build(field, inner, plans);
    // The three spaces have sizes of their own: one vector at a time.
    auto kronecker = [&](const SparseVector &left, const SparseVector &right, int64_t size,
                         const std::vector<SparseVector> &numbers) {
      SparseVector both;
      for (const auto &[i, p] : left)
        for (const auto &[j, q] : right)
          both.emplace_back(numbers[i * size + j][0].first, field.multiply(p, q));
      std::sort(both.begin(), both.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
      return both;
    };
    const auto &[ia, ib, ic] = inner.sizes;
    std::vector<SparseVector> x = refined(order, ia, ib), y = refined(order, ib, ic),
                              z = refined(order, ia, ic);
    for (const BilinearProduct &left : outer)
      for (const BilinearProduct &right : own)
        result.push_back({kronecker(left.alpha, right.alpha, ia * ib, x),
                          kronecker(left.beta, right.beta, ib * ic, y),
                          kronecker(left.gamma, right.gamma, ia * ic, z)});
    return result;
  }
  if (plan.cut < 0) {
    for (int64_t i = 0; i < a; ++i)
      for (int64_t j = 0; j < b; ++j)
        for (int64_t k = 0; k < c; ++k)
          result.push_back(
              {{{i * b + j, Rational(1)}}, {{j * c + k, Rational(1)}}, {{i * c + k, Rational(1)}}});
    return result;
  }
  for (bool second : {false, true}) {
    Shape part = shape;
    part.sizes[plan.cut] = second ? shape.sizes[plan.cut] - plan.first : plan.first;
    std::array<int64_t, 3> start{0, 0, 0};
    start[plan.cut] = second ? plan.first : 0;
    const auto &[pa, pb, pc] = part.sizes;
    BilinearAlgorithm own =
        transformed(field, build(field, part, plans), block(pa, pb, start[0], start[1], b),
                    block(pb, pc, start[1], start[2], c), block(pa, pc, start[0], start[2], c));
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

// Beyond what is planned: the order of the scheme whose blocks come first, or 1.
int64_t outerOrder(int64_t n) { return n <= largest_planned ? 1 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 1; }

std::map<Shape, Plan> &allPlans() {
  thread_local std::map<Shape, Plan> plans;
  return plans;
}

// "Strassen: 7 for 2x2, 2 levels; Laderman: 23 for 3x3", where that is all.
std::string pureRule(int64_t n) {
  std::string rule;
  for (auto [order, text] :
       {std::pair<int64_t, const char *>{2, "Strassen: 7 for 2x2"}, {3, "Laderman: 23 for 3x3"}}) {
    int64_t levels = 0;
    for (; n % order == 0; n /= order)
      ++levels;
    if (levels > 0)
      rule += fmt::format("{}{}{}", rule.empty() ? "" : "; ", text,
                          levels > 1 ? fmt::format(", {} levels", levels) : "");
  }
  return n == 1 ? rule : "";
}

} // namespace

RankBound matrixRankLower(int64_t n) {
  int64_t square = n * n; // n^3 fits in 64 bits for every M(n) that exists
  RankBound best{2 * square - 1, "alder-strassen"};
  if (n >= 3 && 2 * square + n - 2 > best.products)
    best = {2 * square + n - 2, "Blaser 2003: 2n^2 + n - 2 for n >= 3, any field"};
  int64_t half = (5 * square + 1) / 2 - 3 * n; // rounded up
  if (half > best.products)
    best = {half, "Blaser 1999: (5/2)n^2 - 3n, any field"};
  return best;
}

RankBound matrixRankUpper(int64_t n) {
  if (n == 1)
    return {1, "one product"};
  if (int64_t order = outerOrder(n); order > 1) {
    RankBound inner = matrixRankUpper(n / order);
    std::string rule = pureRule(n);
    return {(order == 2 ? 7 : 23) * inner.products,
            rule.empty()
                ? fmt::format("{} over blocks; {}x{}: {}", order == 2 ? "Strassen's 7" : "Laderman's 23",
                              n / order, n / order, inner.rule)
                : rule};
  }
  if (n > largest_planned)
    return {n * n * n, "the definition: n^3"};
  int64_t products = planFor({{n, n, n}}, allPlans()).products;
  if (std::string rule = pureRule(n); !rule.empty())
    return {products, rule};
  return {products, "blocks of unequal sizes, with Strassen's 7 and Laderman's 23"};
}

BilinearAlgorithm matrixAlgorithm(const Field &field, int64_t n) {
  std::map<Shape, Plan> &plans = allPlans();
  if (int64_t order = outerOrder(n); order > 1)
    plans[{{n, n, n}}] = {matrixRankUpper(n).products, order};
  else if (n > largest_planned)
    plans[{{n, n, n}}] = {n * n * n};
  return build(field, {{n, n, n}}, plans);
}

} // namespace algebras
