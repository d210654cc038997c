#include "tests/algebras/check_decomposition.h"

#include "algebras/structure/sparse_product.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace testing_support {

using namespace algebras;

namespace {

// Elimination by the leading entries of reduced vectors.
class Residues {
public:
  Residues(const SparseProduct &product, const std::vector<SparseVector> &basis)
      : product_(product), basis_(basis) {
    for (size_t index = 0; index < basis.size(); ++index) {
      EXPECT_FALSE(basis[index].empty());
      EXPECT_TRUE(basis[index].front().second.isOne());
      leading_[basis[index].front().first] = index;
    }
    EXPECT_EQ(leading_.size(), basis.size());
    for (size_t index = 0; index < basis.size(); ++index)
      for (const auto &[slot, value] : basis[index])
        EXPECT_TRUE(slot == basis[index].front().first || !leading_.contains(slot)) << "not reduced";
    EXPECT_TRUE(std::is_sorted(basis.begin(), basis.end(), [](const SparseVector &a, const SparseVector &b) {
      return a.front().first < b.front().first;
    }));
  }

  SparseVector reduce(SparseVector vector) const {
    for (const auto &[slot, value] : SparseVector(vector))
      if (auto place = leading_.find(slot); place != leading_.end())
        vector = product_.combine(Rational(1), vector, -value, basis_[place->second]);
    return vector;
  }
  bool contains(const SparseVector &vector) const { return reduce(vector).empty(); }

private:
  const SparseProduct &product_;
  const std::vector<SparseVector> &basis_;
  std::map<int64_t, size_t> leading_;
};

// The rank of vectors, by elimination of its own.
size_t rank(const SparseProduct &product, std::vector<SparseVector> vectors) {
  size_t result = 0;
  for (;;) {
    std::erase_if(vectors, [](const SparseVector &vector) { return vector.empty(); });
    if (vectors.empty())
      return result;
    ++result;
    SparseVector pivot = std::move(vectors.back());
    vectors.pop_back();
    auto [slot, leading] = pivot.front();
    for (SparseVector &vector : vectors)
      for (const auto &[other, value] : SparseVector(vector))
        if (other == slot)
          vector = product.combine(Rational(1), vector, product.field().reduce(-value / leading), pivot);
  }
}

SparseVector unit(int64_t slot) { return {{slot, Rational(1)}}; }

void checkRadical(const Table &table, const SparseProduct &product, const Decomposition &decomposition) {
  const auto &powers = decomposition.radical_powers;
  for (size_t s = 0; s < powers.size(); ++s) {
    ASSERT_FALSE(powers[s].empty());
    Residues own(product, powers[s]);
    for (int64_t slot = 0; slot < table.dimension(); ++slot)
      for (const SparseVector &vector : powers[s]) {
        ASSERT_TRUE(own.contains(product.multiply(unit(slot), vector))) << "no left ideal";
        ASSERT_TRUE(own.contains(product.multiply(vector, unit(slot)))) << "no right ideal";
      }
    // rad^(s+1) is spanned by the products of rad and rad^s.
    static const std::vector<SparseVector> zero;
    const std::vector<SparseVector> &next = s + 1 < powers.size() ? powers[s + 1] : zero;
    Residues below(product, next);
    std::vector<SparseVector> products;
    for (const SparseVector &x : powers[0])
      for (const SparseVector &y : powers[s]) {
        products.push_back(product.multiply(x, y));
        ASSERT_TRUE(below.contains(products.back()));
      }
    EXPECT_EQ(rank(product, products), next.size());
  }
}

void checkComponent(const SparseProduct &product, const Residues &rad, const Table &table,
                    const SimpleComponent &component) {
  auto times = [&](const SparseVector &x, const SparseVector &y) {
    return rad.reduce(product.multiply(x, y));
  };
  SparseVector e = rad.reduce(component.idempotent), z = rad.reduce(component.center_generator);
  EXPECT_EQ(times(e, e), e);
  EXPECT_EQ(times(e, z), z);
  std::vector<SparseVector> images, powers{e};
  for (int64_t slot = 0; slot < table.dimension(); ++slot) {
    EXPECT_EQ(times(e, unit(slot)), times(unit(slot), e));
    EXPECT_EQ(times(z, unit(slot)), times(unit(slot), z));
    images.push_back(times(e, unit(slot)));
  }
  EXPECT_EQ(static_cast<int64_t>(rank(product, images)), component.dimension);
  // The polynomial is monic, vanishes at z, and is minimal.
  const std::vector<Rational> &polynomial = component.center_polynomial;
  ASSERT_GE(polynomial.size(), 2u);
  EXPECT_TRUE(polynomial.back().isOne());
  SparseVector value;
  for (size_t exponent = 0; exponent < polynomial.size(); ++exponent) {
    value = product.combine(Rational(1), value, polynomial[exponent], powers.back());
    powers.push_back(times(powers.back(), z));
  }
  EXPECT_TRUE(value.empty());
  powers.resize(polynomial.size() - 1);
  EXPECT_EQ(rank(product, powers), polynomial.size() - 1);

  if (!component.matrix_degree) {
    EXPECT_TRUE(component.matrix_units.empty());
    return;
  }
  int64_t d = *component.matrix_degree;
  EXPECT_EQ(component.dimension % (d * d * static_cast<int64_t>(polynomial.size() - 1)), 0);
  bool is_matrix_over_center = component.dimension == d * d * static_cast<int64_t>(polynomial.size() - 1);
  EXPECT_EQ(is_matrix_over_center, component.division_reason.empty());
  if (d == 1) {
    EXPECT_TRUE(component.matrix_units.empty());
    return;
  }
  ASSERT_EQ(static_cast<int64_t>(component.matrix_units.size()), d * d);
  SparseVector sum;
  for (int64_t a = 0; a < d; ++a) {
    sum = product.combine(Rational(1), sum, Rational(1), component.matrix_units[a * d + a]);
    for (int64_t b = 0; b < d; ++b)
      for (int64_t c = 0; c < d; ++c)
        for (int64_t f = 0; f < d; ++f)
          ASSERT_EQ(times(component.matrix_units[a * d + b], component.matrix_units[c * d + f]),
                    b == c ? rad.reduce(component.matrix_units[a * d + f]) : SparseVector());
  }
  EXPECT_EQ(rad.reduce(sum), e);
}

} // namespace

void checkDecomposition(const Table &table, const Decomposition &decomposition) {
  SparseProduct product(table);
  checkRadical(table, product, decomposition);
  static const std::vector<SparseVector> zero;
  const std::vector<SparseVector> &basis =
      decomposition.radical_powers.empty() ? zero : decomposition.radical_powers[0];
  Residues rad(product, basis);
  SparseVector sum;
  int64_t dimension = static_cast<int64_t>(basis.size());
  for (size_t index = 0; index < decomposition.components.size(); ++index) {
    const SimpleComponent &component = decomposition.components[index];
    checkComponent(product, rad, table, component);
    sum = product.combine(Rational(1), sum, Rational(1), component.idempotent);
    dimension += component.dimension;
    for (size_t other = 0; other < index; ++other)
      EXPECT_TRUE(
          rad.contains(product.multiply(component.idempotent, decomposition.components[other].idempotent)));
    if (index > 0)
      EXPECT_LE(decomposition.components[index - 1].dimension, component.dimension);
  }
  EXPECT_EQ(dimension, table.dimension());
  EXPECT_EQ(rad.reduce(sum), rad.reduce(findIdentity(table).value()));
}

Table denseBasis(const Table &table, std::mt19937 &random) {
  int64_t m = table.dimension();
  using Row = std::vector<Rational>;
  std::vector<Row> change(m, Row(m)), inverse(m, Row(m));
  const Field &field = table.field();
  for (int64_t i = 0; i < m; ++i)
    change[i][i] = inverse[i][i] = Rational(1);
  // Row i gains factor * row j; the inverse loses it in its columns.
  auto add = [&](int64_t i, int64_t j, int64_t factor) {
    for (int64_t k = 0; k < m; ++k) {
      change[i][k] = field.reduce(change[i][k] + Rational(factor) * change[j][k]);
      inverse[k][j] = field.reduce(inverse[k][j] - Rational(factor) * inverse[k][i]);
    }
  };
  for (int64_t i = 0; i + 1 < m; ++i)
    add(i, i + 1 + static_cast<int64_t>(random() % (m - i - 1)), static_cast<int64_t>(random() % 3) - 1);
  for (int64_t i = m; i-- > 1;)
    add(i, static_cast<int64_t>(random() % i), static_cast<int64_t>(random() % 3) - 1);
  // One index of c[i,j,k] after the other; in each step the first index is replaced and becomes the last one.
  std::vector<Rational> cube(m * m * m);
  for (const Constant &c : table.constants())
    cube[(c.i * m + c.j) * m + c.k] = c.value;
  for (int step = 0; step < 3; ++step) {
    std::vector<Rational> turned(m * m * m);
    for (int64_t old = 0; old < m; ++old)
      for (int64_t rest = 0; rest < m * m; ++rest) {
        const Rational &value = cube[old * m * m + rest];
        for (int64_t fresh = 0; !value.isZero() && fresh < m; ++fresh) {
          const Rational &factor = step < 2 ? change[fresh][old] : inverse[old][fresh];
          if (!factor.isZero())
            turned[rest * m + fresh] += factor * value;
        }
      }
    cube = std::move(turned);
  }
  std::vector<Constant> constants;
  for (int64_t at = 0; at < m * m * m; ++at)
    if (!cube[at].isZero())
      constants.push_back({at / (m * m), at / m % m, at % m, cube[at]});
  return Table("dense " + table.name(), field, m, constants);
}

} // namespace testing_support
