#include "algebras/structure/generators.h"

#include "algebras/linear/echelon.h"
#include "algebras/linear/modular_span.h"
#include "algebras/structure/product_operator.h"

#include <random>
#include <stdexcept>

namespace algebras {

namespace {

using Vector = ModularSpan::Vector;

// The table modulo a prime: its own, or one that divides no denominator.
Table modularTable(const Table &table) {
  if (!table.field().isRationals())
    return table;
  for (uint64_t p = 0;;) {
    p = nextModulus(p);
    if (std::optional<Table> image = ProductOperator::modulo(table, p))
      return std::move(*image);
  }
}

// Everything that left multiplication by generators reaches.
class Closure {
public:
  explicit Closure(const Table &table)
      : table_(modularTable(table)), p_(table_.field().characteristic()), span_(p_, table_.dimension()) {
    for (const Constant &constant : table_.constants())
      values_.push_back(constant.value.integerModulo(p_).value());
  }

  uint64_t prime() const { return p_; }
  const ModularSpan &span() const { return span_; }

  void addStart(const Vector &start) { grow(start); }
  void addGenerator(const Vector &generator) {
    size_t known = members_.size();
    grow(generator);
    generators_.push_back(leftMatrix(generator));
    for (size_t member = 0; member < known && !span_.isEverything(); ++member)
      grow(multiply(generators_.back(), members_[member]));
    finish();
  }

private:
  // Multiplication by one element: row j is its product with b_j, as pairs of slot and value.
  using Rows = std::vector<std::vector<std::pair<int64_t, mp_limb_t>>>;

  void grow(const Vector &vector) {
    if (span_.insert(vector))
      members_.push_back(vector);
  }
  void finish() {
    // Members before `done_` have met every generator but the newest, which has met the ones known when it
    // came.
    for (; done_ < members_.size() && !span_.isEverything(); ++done_)
      for (const Rows &generator : generators_)
        grow(multiply(generator, members_[done_]));
  }
  Rows leftMatrix(const Vector &x) const {
    int64_t n = table_.dimension();
    Rows rows(n);
    Vector sums(n);
    std::vector<std::vector<std::pair<int64_t, mp_limb_t>>> terms(n); // by j: constants of row i, scaled
    const Constant *first = table_.constants().data();
    for (int64_t i = 0; i < n; ++i)
      if (x[i] != 0)
        for (const Constant &constant : table_.row(i))
          terms[constant.j].emplace_back(constant.k, nmod_mul(x[i], values_[&constant - first], span_.mod()));
    for (int64_t j = 0; j < n; ++j) {
      for (const auto &[k, value] : terms[j])
        sums[k] = nmod_add(sums[k], value, span_.mod());
      for (const auto &[k, value] : terms[j])
        if (sums[k] != 0) {
          rows[j].emplace_back(k, sums[k]);
          sums[k] = 0;
        }
      terms[j] = {};
    }
    return rows;
  }
  Vector multiply(const Rows &left, const Vector &y) const {
    Vector result(table_.dimension());
    for (int64_t j = 0; j < table_.dimension(); ++j)
      if (y[j] != 0)
        for (const auto &[k, value] : left[j])
          result[k] = nmod_add(result[k], nmod_mul(y[j], value, span_.mod()), span_.mod());
    return result;
  }

  Table table_;
  uint64_t p_;
  std::vector<mp_limb_t> values_; // of the constants
  ModularSpan span_;
  std::vector<Rows> generators_;
  std::vector<Vector> members_;
  size_t done_ = 0;
};

Vector unitVector(int64_t dimension, int64_t slot) {
  Vector result(dimension);
  result[slot] = 1;
  return result;
}

} // namespace

std::optional<std::vector<int64_t>> generatingSlots(const Table &table, int64_t most) {
  Closure closure(table);
  std::vector<int64_t> slots;
  while (!closure.span().isEverything()) {
    if (static_cast<int64_t>(slots.size()) == most)
      return std::nullopt;
    slots.push_back(closure.span().firstMissing());
    closure.addGenerator(unitVector(table.dimension(), slots.back()));
  }
  return slots;
}

namespace {

Matrix generatingRows(const Table &table, const SparseVector *identity) {
  constexpr int random_elements = 12;
  const Field &field = table.field();
  int64_t dimension = table.dimension();
  Closure closure(table);
  auto image = [&](const Matrix &element) -> std::optional<Vector> {
    std::optional<Matrix> residues = field.isRationals() ? reduceModulo(element, closure.prime()) : element;
    if (!residues)
      return std::nullopt;
    const mp_limb_t *first = residues->modular()->rows[0];
    return Vector(first, first + dimension);
  };
  // Where the prime divides a denominator of the identity it is left out, which only makes the set larger.
  if (identity)
    if (std::optional<Vector> one = image(Matrix::fromSparse(field, dimension, *identity)))
      closure.addStart(*one);
  std::mt19937_64 random(1);
  Matrix result(field, 0, dimension);
  for (int count = 0; !closure.span().isEverything(); ++count) {
    Matrix element(field, 1, dimension);
    if (count < random_elements) {
      for (int64_t slot = 0; slot < dimension; ++slot)
        element.set(0, slot, Rational(static_cast<int64_t>(random() % 5) - 2));
    } else {
      element.set(0, closure.span().firstMissing(), Rational(1));
    }
    closure.addGenerator(image(element).value());
    result = result.above(element);
  }
  return result;
}

} // namespace

Matrix generatingElements(const Table &table, const SparseVector &identity) {
  return generatingRows(table, &identity);
}

Matrix generatingElements(const Table &table) { return generatingRows(table, nullptr); }

} // namespace algebras
