#include "algebras/rank/recognition.h"

#include "algebras/constructions.h"
#include "algebras/linear/polynomial.h"
#include "algebras/rank/adapted_basis.h"
#include "algebras/rank/linear_maps.h"
#include "algebras/rank/matrix_multiplication.h"
#include "algebras/rank/polynomial_products.h"
#include "algebras/rank/quaternion_algorithm.h"
#include "algebras/structure/decomposition.h"
#include "algebras/structure/generators.h"
#include "algebras/structure/lattice.h"
#include "algebras/structure/minimal_polynomial.h"
#include "algebras/structure/quotient.h"
#include "algebras/structure/table_structure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace algebras {

namespace {

constexpr int tries = 12; // random elements

bool isCommutative(const Table &table) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> order;
  std::vector<const Constant *> swapped;
  for (const Constant &constant : table.constants())
    swapped.push_back(&constant);
  std::sort(swapped.begin(), swapped.end(), [](const Constant *x, const Constant *y) {
    return std::tie(x->j, x->i, x->k) < std::tie(y->j, y->i, y->k);
  });
  return std::equal(swapped.begin(), swapped.end(), table.constants().begin(),
                    [](const Constant *x, const Constant &y) {
                      return x->j == y.i && x->i == y.j && x->k == y.k && x->value == y.value;
                    });
}

std::vector<SparseVector> sparseRows(const Matrix &matrix) {
  std::vector<SparseVector> result;
  for (int64_t row = 0; row < matrix.rows(); ++row)
    result.push_back(matrix.sparseRow(row));
  return result;
}

class Recogniser {
public:
  // `is_short`: the table is in a basis with short products already.
  RecognisedAlgorithm run(const Table &table, const SparseVector &identity,
                          const Decomposition *known = nullptr, bool is_short = false) {
    RecognisedAlgorithm best{ownProducts(table), "the table's own products"};
    ProductOperator product(table);
    Matrix one = Matrix::fromSparse(table.field(), table.dimension(), identity);
    bool commutative = isCommutative(table);
    if (commutative) {
      offer(best, {commutativeProducts(table), "the table's own products, in pairs"});
      if (std::optional<RecognisedAlgorithm> own = byOneGenerator(product, one)) {
        offer(best, std::move(*own));
        return best;
      }
    }
    if (std::optional<RecognisedAlgorithm> own = byCentralIdempotents(table, product, one)) {
      offer(best, std::move(*own));
      return best;
    }
    // Not a direct product, as far as we know.
    Algebra algebra = tableAlgebra(table);
    std::optional<Decomposition> decomposition = known ? std::optional(*known) : decomposeTable(table);
    if (!decomposition)
      return best;
    if (!is_short && commonDegree(*decomposition) > 1 && isDense(table)) {
      // Short matrix units make a short algorithm.
      Block whole = blockOf(product, Matrix::identity(table.field(), table.dimension()), one);
      RecognisedAlgorithm own = run(whole.table, whole.one, nullptr, true);
      addInOwnBasis(best, table.field(), own.products, sparseRows(whole.basis), own.rule);
      return best;
    }
    if (std::optional<RecognisedAlgorithm> own = byMatrixUnits(product, one, *decomposition)) {
      offer(best, std::move(*own));
      return best;
    }
    if (!commutative && table.dimension() == 4 && decomposition->radical_powers.empty())
      if (std::optional<QuaternionBasis> basis = quaternionBasis(product, one)) {
        RecognisedAlgorithm inner =
            run(commutativeCompanion(table.field(), basis->a, basis->b), {{0, Rational(1)}});
        addInOwnBasis(best, table.field(),
                      quaternionProducts(table.field(), basis->a, basis->b, inner.products), basis->elements,
                      fmt::format("quaternions: 4, and {} for a commutative product", inner.products.size()));
      }
    for (const AdaptedBasis &adapted : adaptedBases(algebra, product, *decomposition)) {
      addInOwnBasis(best, table.field(), ownProducts(adapted.table), adapted.elements, adapted.rule);
      if (commutative)
        addInOwnBasis(best, table.field(), commutativeProducts(adapted.table), adapted.elements,
                      adapted.rule + ", in pairs");
    }
    return best;
  }

private:
  // A subalgebra e A e, in a basis with short products: over Q that of a lattice.
  struct Block {
    Matrix basis;
    Table table;
    SparseVector one;
  };
  static Block blockOf(const ProductOperator &product, const Matrix &rows, const Matrix &e) {
    if (product.field().isRationals()) {
      Lattice lattice(product, rows);
      lattice.reduce();
      return {lattice.elements(), lattice.table(), lattice.coordinates(e).sparseRow(0)};
    }
    Subspace block(rows);
    return {block.basis(), subalgebraTable(product, block), block.coordinates(e).sparseRow(0)};
  }

  // Over Q, by far more constants than a short basis would have.
  static bool isDense(const Table &table) {
    return table.field().isRationals() && table.nonzeros() > 4 * table.dimension() * table.dimension();
  }

  // What divides all matrix degrees; 1 where some are not known.
  static int64_t commonDegree(const Decomposition &decomposition) {
    int64_t result = 0;
    for (const SimpleComponent &component : decomposition.components)
      result = std::gcd(result, component.matrix_degree.value_or(1));
    return result;
  }

  static void offer(RecognisedAlgorithm &best, RecognisedAlgorithm own) {
    if (own.products.size() < best.products.size())
      best = std::move(own);
  }

  static void addInOwnBasis(RecognisedAlgorithm &best, const Field &field, const BilinearAlgorithm &algorithm,
                            const std::vector<SparseVector> &basis, std::string rule) {
    if (algorithm.size() >= best.products.size())
      return;
    if (std::optional<BilinearAlgorithm> own = inOwnBasis(field, algorithm, basis))
      offer(best, {std::move(*own), std::move(rule)});
  }

  Matrix combination(const Matrix &rows) {
    Matrix coefficients(rows.field(), 1, rows.rows());
    for (int64_t s = 0; s < rows.rows(); ++s)
      coefficients.set(0, s, Rational(static_cast<int64_t>(random_() % 7) - 3));
    return coefficients * rows;
  }

  // Elements to try: the rows, and some combinations.
  std::vector<Matrix> candidates(const Matrix &rows) {
    std::vector<Matrix> result;
    for (int64_t s = 0; s < rows.rows(); ++s)
      result.push_back(rows.row(s));
    for (int round = 0; round < tries; ++round)
      result.push_back(combination(rows));
    return result;
  }

  std::optional<RecognisedAlgorithm> byOneGenerator(const ProductOperator &product, const Matrix &one) {
    int64_t n = product.dimension();
    for (const Matrix &x : candidates(Matrix::identity(product.field(), n))) {
      MinimalPolynomial own = minimalPolynomial(product, x, one, n);
      if (degree(own.polynomial) < n)
        continue;
      BilinearAlgorithm algorithm = PolynomialProducts(product.field()).modulo(own.polynomial);
      std::optional<BilinearAlgorithm> result =
          inOwnBasis(product.field(), algorithm, sparseRows(own.powers.rowRange(0, n)));
      if (!result)
        throw std::logic_error("powers below the degree of a minimal polynomial are dependent");
      size_t factors = factor(product.field(), own.polynomial).size();
      std::string rule = fmt::format("k[x]/(f), deg f = {}, with {} irreducible factor{}", n, factors,
                                     factors == 1 ? "" : "s");
      return RecognisedAlgorithm{std::move(*result), std::move(rule)};
    }
    return std::nullopt;
  }

  std::optional<RecognisedAlgorithm> byCentralIdempotents(const Table &table, const ProductOperator &product,
                                                          const Matrix &one) {
    const Field &field = table.field();
    Subspace central = center(product, generatingElements(table, one.sparseRow(0)));
    for (const Matrix &z : candidates(central.basis())) {
      MinimalPolynomial own = minimalPolynomial(product, z, one, central.dimension());
      if (degree(own.polynomial) < 2)
        continue;
      std::vector<PolynomialFactor> factors = factor(field, own.polynomial);
      if (factors.size() < 2)
        continue;
      BilinearAlgorithm all;
      std::vector<SparseVector> basis;
      std::vector<std::string> parts;
      for (const PolynomialFactor &one_factor : factors) {
        Polynomial local = power(field, one_factor.factor, one_factor.multiplicity);
        Polynomial others = divideExactly(field, own.polynomial, local);
        Matrix e = evaluate(idempotent(field, local, others), own.powers);
        Block block = blockOf(product, product.leftMatrix(e), e);
        RecognisedAlgorithm part = run(block.table, block.one, nullptr, true);
        appendDirect(all, part.products, static_cast<int64_t>(basis.size()));
        for (SparseVector &row : sparseRows(block.basis))
          basis.push_back(std::move(row));
        parts.push_back(fmt::format("{}", part.products.size()));
      }
      std::optional<BilinearAlgorithm> result = inOwnBasis(field, all, basis);
      if (!result)
        throw std::logic_error("central idempotents do not decompose the algebra");
      return RecognisedAlgorithm{std::move(*result), fmt::format("direct factors by central idempotents: {}",
                                                                 fmt::join(parts, " + "))};
    }
    return std::nullopt;
  }

  // A = M_g(f_1 A f_1), where g divides all matrix degrees: the matrix units of A/rad lift.
  std::optional<RecognisedAlgorithm> byMatrixUnits(const ProductOperator &product, const Matrix &one,
                                                   const Decomposition &decomposition) {
    int64_t g = commonDegree(decomposition);
    if (g < 2)
      return std::nullopt;
    const Field &field = product.field();
    int64_t n = product.dimension();
    auto times = [&](const Matrix &x, const Matrix &y) { return product.multiply(x, y); };
    // F_ab modulo rad: in a component of degree m g, the sum over s < m of its units (s g + a, s g + b).
    auto unit = [&](int64_t a, int64_t b) {
      Matrix sum(field, 1, n);
      for (const SimpleComponent &component : decomposition.components) {
        int64_t d = *component.matrix_degree;
        for (int64_t s = 0; s < d; s += g)
          sum = sum + Matrix::fromSparse(field, n, component.matrix_units[(s + a) * d + s + b]);
      }
      return sum;
    };
    std::vector<Matrix> diagonal; // lifted, orthogonal, adding up to one
    Matrix rest = one;
    for (int64_t a = 0; a + 1 < g; ++a) {
      Matrix x = times(times(rest, unit(a, a)), rest);
      for (Matrix square = times(x, x); !(square == x); square = times(x, x))
        x = square.scaled(Rational(3)) - times(square, x).scaled(Rational(2));
      rest = rest - x;
      diagonal.push_back(std::move(x));
    }
    diagonal.push_back(std::move(rest));
    const Matrix &first = diagonal[0];
    std::vector<Matrix> to_first, from_first; // u_b in f_1 A f_b and v_a in f_a A f_1 with u_a v_a = f_1
    for (int64_t a = 0; a < g; ++a) {
      Matrix u = a == 0 ? first : times(times(first, unit(0, a)), diagonal[a]);
      Matrix v = a == 0 ? first : times(times(diagonal[a], unit(a, 0)), first);
      // u v = f_1 + nilpotent: its inverse in f_1 A f_1 is a geometric series.
      Matrix nilpotent = first - times(u, v), inverse = first, power_of = nilpotent;
      for (; !power_of.isZero(); power_of = times(power_of, nilpotent))
        inverse = inverse + power_of;
      to_first.push_back(std::move(u));
      from_first.push_back(times(v, inverse));
    }
    Block corner = blockOf(product, product.leftMatrix(first) * product.rightMatrix(first), first);
    RecognisedAlgorithm inner = run(corner.table, corner.one, nullptr, true);
    std::vector<SparseVector> basis;
    for (int64_t a = 0; a < g; ++a)
      for (int64_t b = 0; b < g; ++b) {
        Matrix rows = corner.basis * product.leftMatrix(from_first[a]) * product.rightMatrix(to_first[b]);
        for (SparseVector &row : sparseRows(rows))
          basis.push_back(std::move(row));
      }
    BilinearAlgorithm matrix = matrixAlgorithm(field, g);
    std::optional<BilinearAlgorithm> result =
        inOwnBasis(field, tensorAlgorithm(field, matrix, inner.products, corner.table.dimension()), basis);
    if (!result)
      return std::nullopt;
    std::string rule = corner.table.dimension() == 1
                           ? matrixRankUpper(g).rule
                           : fmt::format("M({}) over an algebra of dimension {}: {} * {}", g,
                                         corner.table.dimension(), matrix.size(), inner.products.size());
    return RecognisedAlgorithm{std::move(*result), std::move(rule)};
  }

  std::mt19937_64 random_{1};
};

} // namespace

RecognisedAlgorithm recognisedAlgorithm(const Table &table, const SparseVector &identity,
                                        const Decomposition *known) {
  if (table.dimension() > largest_recognised)
    return {ownProducts(table), "the table's own products"};
  RecognisedAlgorithm result = Recogniser().run(table, identity, known);
  if (findMismatch(result.products, table))
    throw std::logic_error(fmt::format("the algorithm for {} is wrong: {}", table.name(), result.rule));
  return result;
}

} // namespace algebras
