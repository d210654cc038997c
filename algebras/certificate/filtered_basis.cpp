#include "algebras/certificate/filtered_basis.h"

#include "algebras/certificate/field_tower.h"
#include "algebras/certificate/integral.h"
#include "algebras/linear/echelon.h"
#include "algebras/linear/modular_span.h"
#include "algebras/linear/sparse_vector.h"
#include "algebras/rank/adapted_basis.h"
#include "algebras/structure/product_operator.h"
#include "algebras/structure/table_structure.h"

#include <stdexcept>
#include <utility>
#include <vector>

namespace algebras {

namespace {

constexpr int64_t largest_dimension = 512;

// Independence modulo a prime.
class Independence {
public:
  Independence(const Field &field, int64_t dimension, uint64_t prime)
      : prime_(field.isRationals() ? prime : field.characteristic()), span_(prime_, dimension) {}
  // Whether the row was outside of the span; nothing is known any more where its denominators vanish.
  bool insert(const Matrix &row) {
    ModularSpan::Vector vector(span_.ambient());
    for (const auto &[slot, value] : row.sparseRow(0)) {
      std::optional<uint64_t> residue = value.residue(prime_);
      failed_ = failed_ || !residue;
      vector[slot] = residue.value_or(0);
    }
    return span_.insert(std::move(vector));
  }
  void insertRows(const Matrix &rows) {
    for (int64_t row = 0; row < rows.rows(); ++row)
      insert(rows.row(row));
  }
  bool failed() const { return failed_; }

private:
  uint64_t prime_;
  ModularSpan span_;
  bool failed_ = false;
};

struct Idempotent {
  size_t component;
  Matrix element;
};

class Builder {
public:
  Builder(const Table &table, const SparseVector &identity, const Decomposition &decomposition)
      : table_(table), decomposition_(decomposition), product_(table) {
    std::vector<SparseVector> diagonal;
    for (const SimpleComponent &component : decomposition.components) {
      int64_t d = unitDegree(component);
      for (int64_t a = 0; a < d; ++a)
        diagonal.push_back(component.matrix_units.empty() ? component.idempotent
                                                          : component.matrix_units[a * d + a]);
    }
    std::vector<SparseVector> lifted = liftIdempotents(table, identity, diagonal);
    size_t at = 0;
    for (size_t c = 0; c < decomposition.components.size(); ++c)
      for (int64_t a = 0; a < unitDegree(decomposition.components[c]); ++a)
        idempotents_.push_back({c, matrix(lifted[at++])});
  }

  std::optional<FilteredBasis> build(uint64_t prime) {
    basis_.clear();
    if (!addComponents(prime) || !addRadical(prime))
      return std::nullopt;
    std::vector<SparseVector> elements;
    for (const Element &element : basis_)
      elements.push_back(element.value.sparseRow(0));
    std::optional<Table> own = tableInBasis(product_, elements);
    if (!own)
      return std::nullopt;
    Matrix rows = Matrix::fromSparse(table_.field(), table_.dimension(), elements);
    Matrix slots = *solve(rows, Matrix::identity(table_.field(), table_.dimension()));
    Decomposition decomposition = inBasis(slots);
    return FilteredBasis{std::move(*own), std::move(slots), std::move(decomposition)};
  }

private:
  struct Element {
    Matrix value;
    size_t left, right; // it lies in e_left A e_right
    int64_t level;
  };

  static int64_t unitDegree(const SimpleComponent &component) {
    return component.matrix_units.empty() ? 1 : *component.matrix_degree;
  }
  Matrix matrix(const SparseVector &vector) const {
    return Matrix::fromSparse(table_.field(), table_.dimension(), vector);
  }
  Matrix power(size_t s) const { // rows that span rad^s
    std::vector<SparseVector> rows;
    if (s <= decomposition_.radical_powers.size())
      rows = decomposition_.radical_powers[s - 1];
    return Matrix::fromSparse(table_.field(), table_.dimension(), rows);
  }
  Matrix corner(size_t left, const Matrix &x, size_t right) const {
    return product_.multiply(product_.multiply(idempotents_[left].element, x), idempotents_[right].element);
  }
  Matrix primitive(const Matrix &row) const {
    return table_.field().isRationals() ? matrix(integralMultiple(row.sparseRow(0))) : row;
  }

  bool addComponents(uint64_t prime) {
    Independence independent(table_.field(), table_.dimension(), prime);
    independent.insertRows(power(1));
    centers_.clear();
    for (size_t c = 0, first = 0; c < decomposition_.components.size(); ++c) {
      const SimpleComponent &component = decomposition_.components[c];
      int64_t d = unitDegree(component);
      auto m = static_cast<int64_t>(component.center_polynomial.size()) - 1;
      centers_.push_back(centerGenerator(component));
      int64_t missing = component.dimension;
      auto take = [&](size_t a, size_t b, Matrix value) {
        if (missing > 0 && independent.insert(value)) {
          basis_.push_back({std::move(value), a, b, 0});
          --missing;
        }
      };
      for (int64_t a = 0; a < d; ++a)
        for (int64_t b = 0; b < d; ++b) {
          size_t left = first + a, right = first + b;
          if (component.dimension == d * d * m) { // split
            Matrix unit = a == b ? idempotents_[left].element
                                 : corner(left, matrix(component.matrix_units[a * d + b]), right);
            take(left, right, unit);
            for (int64_t s = 1; s < m; ++s)
              take(left, right,
                   unit = corner(left, product_.multiply(matrix(centers_[c].generator), unit), right));
          } else {
            if (a == b)
              take(left, right, idempotents_[left].element);
            for (int64_t slot = 0; slot < table_.dimension() && missing > 0; ++slot)
              if (Matrix value = corner(left, product_.unit(slot), right); !value.isZero())
                take(left, right, primitive(value));
          }
        }
      if (missing > 0)
        return false;
      first += d;
    }
    return !independent.failed();
  }

  // The layer of rad modulo its square is chosen from the e_i x e_j, later ones from products.
  bool addRadical(uint64_t prime) {
    size_t length = decomposition_.radical_powers.size();
    for (size_t s = 1; s <= length; ++s) {
      Matrix next = power(s + 1);
      Independence independent(table_.field(), table_.dimension(), prime);
      independent.insertRows(next);
      auto missing = static_cast<int64_t>(decomposition_.radical_powers[s - 1].size()) - next.rows();
      auto take = [&](size_t left, size_t right, const Matrix &value) {
        if (missing > 0 && !value.isZero() && independent.insert(value)) {
          basis_.push_back({primitive(value), left, right, static_cast<int64_t>(s)});
          --missing;
        }
      };
      if (s == 1)
        takeGenerators(take, missing);
      else
        takeProducts(take, missing, static_cast<int64_t>(s));
      if (missing > 0 || independent.failed())
        return false;
    }
    return true;
  }
  template <typename Take> void takeGenerators(Take take, const int64_t &missing) const {
    Matrix radical = power(1);
    for (size_t a = 0; a < idempotents_.size() && missing > 0; ++a) {
      Matrix half = radical * product_.leftMatrix(idempotents_[a].element);
      if (half.isZero())
        continue;
      for (size_t b = 0; b < idempotents_.size() && missing > 0; ++b) {
        Matrix rows = half * product_.rightMatrix(idempotents_[b].element);
        for (int64_t row = 0; row < rows.rows(); ++row)
          take(a, b, rows.row(row));
      }
    }
  }
  template <typename Take> void takeProducts(Take take, const int64_t &missing, int64_t s) {
    const std::vector<Element> before = basis_;
    for (const Element &x : before) {
      if (x.level != 1 || missing == 0)
        continue;
      Matrix times_x = product_.leftMatrix(x.value);
      for (const Element &y : before)
        if (y.level == s - 1 && x.right == y.left)
          take(x.left, y.right, y.value * times_x);
    }
  }

  struct Center {
    SparseVector generator;
    std::vector<Rational> polynomial;
  };
  Center centerGenerator(const SimpleComponent &component) const {
    if (!table_.field().isRationals() || component.center_polynomial.size() <= 2)
      return {component.center_generator, component.center_polynomial};
    SmallGenerator small = smallGenerator(component.center_polynomial);
    Rational inverse = Rational(1) / small.scale;
    return {combine(table_.field(), inverse, component.center_generator, -(small.shift * inverse),
                    component.idempotent),
            small.polynomial};
  }

  // What the decomposition says, with the elements in terms of the basis.
  Decomposition inBasis(const Matrix &slots) const {
    auto coordinates = [&](const SparseVector &x) { return (matrix(x) * slots).sparseRow(0); };
    Decomposition result;
    result.center_dimension = decomposition_.center_dimension;
    result.radical_powers.resize(decomposition_.radical_powers.size());
    for (size_t at = 0; at < basis_.size(); ++at)
      for (int64_t s = 0; s < basis_[at].level; ++s)
        result.radical_powers[s].push_back({{static_cast<int64_t>(at), Rational(1)}});
    for (size_t c = 0; c < decomposition_.components.size(); ++c) {
      SimpleComponent component = decomposition_.components[c];
      component.idempotent = coordinates(component.idempotent);
      component.center_generator = coordinates(centers_[c].generator);
      component.center_polynomial = centers_[c].polynomial;
      for (SparseVector &unit : component.matrix_units)
        unit = coordinates(unit);
      result.components.push_back(std::move(component));
    }
    return result;
  }

  const Table &table_;
  const Decomposition &decomposition_;
  ProductOperator product_;
  std::vector<Idempotent> idempotents_;
  std::vector<Center> centers_; // by component
  std::vector<Element> basis_;
};

} // namespace

std::optional<FilteredBasis> filteredBasis(const Table &table, const SparseVector &identity,
                                           const Decomposition &decomposition) {
  if (table.dimension() > largest_dimension)
    return std::nullopt;
  Builder builder(table, identity, decomposition);
  constexpr int primes = 3; // that a basis looks dependent modulo one of them is no more than bad luck
  uint64_t prime = 0;
  for (int attempt = 0; attempt < primes; ++attempt) {
    prime = nextModulus(prime);
    if (std::optional<FilteredBasis> basis = builder.build(prime))
      return basis;
  }
  return std::nullopt;
}

std::optional<FilteredBasis> filteredBasisWithoutIdentity(const Table &table) {
  const Field &field = table.field();
  int64_t n = table.dimension();
  std::vector<Constant> constants = table.constants();
  for (int64_t slot = 0; slot < n; ++slot) {
    constants.push_back({n, slot, slot, Rational(1)});
    constants.push_back({slot, n, slot, Rational(1)});
  }
  constants.push_back({n, n, n, Rational(1)});
  Table hull(table.name(), field, n + 1, std::move(constants));
  std::optional<Decomposition> decomposition = n < largest_dimension ? decomposeTable(hull) : std::nullopt;
  std::optional<FilteredBasis> basis;
  if (decomposition)
    basis = filteredBasis(hull, {{n, Rational(1)}}, *decomposition);
  if (!basis)
    return std::nullopt;
  // A is an ideal, and every element but one of a Peirce component lies in it: the coordinates of A vanish
  // there.
  int64_t outside = 0;
  while (outside <= n && !basis->slots.rowRange(0, n).selectColumns(std::span(&outside, 1)).isZero())
    ++outside;
  if (outside > n)
    throw std::logic_error("filteredBasisWithoutIdentity: no element lies outside");
  std::vector<int64_t> kept;
  for (int64_t slot = 0; slot <= n; ++slot)
    if (slot != outside)
      kept.push_back(slot);
  std::vector<Constant> own;
  for (Constant constant : basis->table.constants())
    if (constant.i != outside && constant.j != outside) {
      for (int64_t *slot : {&constant.i, &constant.j, &constant.k})
        *slot -= *slot > outside ? 1 : 0;
      own.push_back(std::move(constant));
    }
  return FilteredBasis{Table(table.name(), field, n, std::move(own)),
                       basis->slots.rowRange(0, n).selectColumns(kept), Decomposition()};
}

} // namespace algebras
