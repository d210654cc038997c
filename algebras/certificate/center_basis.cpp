#include "algebras/certificate/center_basis.h"

#include "algebras/structure/generators.h"
#include "algebras/structure/quotient.h"

#include <flint/ulong_extras.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace algebras {

namespace {

constexpr int64_t largest_dense = 512;
using Equation = std::map<int64_t, Rational>; // unknown -> coefficient

Rational inverse(const Field &field, const Rational &value) {
  if (field.isRationals())
    return Rational(1) / value;
  uint64_t p = field.characteristic();
  return Rational(static_cast<int64_t>(n_invmod(value.integerModulo(p).value(), p)));
}

// Rows whose last unknown is expressed by earlier ones: x_last = sum.
class Elimination {
public:
  Elimination(const Field &field, int64_t unknowns) : field_(field), solved_(unknowns) {}

  // Whether the work stays within bounds.
  bool insert(Equation equation) {
    while (!equation.empty()) {
      auto last = std::prev(equation.end());
      if (!solved_[last->first]) {
        Rational factor = inverse(field_, last->second);
        Equation sum;
        for (auto entry = equation.begin(); entry != last; ++entry)
          sum.emplace(entry->first, field_.multiply(field_.reduce(-entry->second), factor));
        solved_[last->first] = std::move(sum);
        return true;
      }
      auto [unknown, coefficient] = *last;
      equation.erase(last);
      for (const auto &[slot, value] : *solved_[unknown]) {
        Rational &entry = equation[slot];
        entry = field_.add(entry, field_.multiply(coefficient, value));
        if (entry.isZero())
          equation.erase(slot);
        if (++steps_ > most_steps)
          return false;
      }
    }
    return true;
  }

  // One vector for each unknown that is free.
  std::vector<SparseVector> kernel() const {
    std::map<int64_t, SparseVector> basis;
    std::vector<Equation> value(solved_.size()); // of each unknown, in the free ones
    for (size_t unknown = 0; unknown < solved_.size(); ++unknown) {
      if (!solved_[unknown]) {
        value[unknown].emplace(unknown, Rational(1));
      } else {
        for (const auto &[slot, coefficient] : *solved_[unknown])
          for (const auto &[free, factor] : value[slot]) {
            Rational &entry = value[unknown][free];
            entry = field_.add(entry, field_.multiply(coefficient, factor));
          }
        std::erase_if(value[unknown], [](const auto &entry) { return entry.second.isZero(); });
      }
      for (const auto &[free, coefficient] : value[unknown])
        basis[free].emplace_back(unknown, coefficient);
    }
    std::vector<SparseVector> result;
    for (auto &[free, vector] : basis)
      result.push_back(std::move(vector));
    return result;
  }

private:
  static constexpr int64_t most_steps = int64_t{1} << 26;
  Field field_;
  std::vector<std::optional<Equation>> solved_;
  int64_t steps_ = 0;
};

std::vector<SparseVector> denseBasis(const Table &table, const SparseVector &identity) {
  ProductOperator product(table);
  return center(product, generatingElements(table, identity)).sparseBasis();
}

} // namespace

std::optional<std::vector<SparseVector>> centerBasis(const Table &table, const SparseVector &identity) {
  const Field &field = table.field();
  int64_t n = table.dimension();
  // Dense tables: two or three generators give all equations.
  if (n <= largest_dense && table.nonzeros() > 8 * n * n)
    return denseBasis(table, identity);
  // [x, b_s]_k = sum_i x_i (c[i,s,k] - c[s,i,k]), collected by (s, k).
  std::vector<Constant> terms; // i: s, j: k, k: the unknown
  terms.reserve(2 * table.constants().size());
  for (const Constant &constant : table.constants()) {
    terms.push_back({constant.j, constant.k, constant.i, constant.value});
    terms.push_back({constant.i, constant.k, constant.j, field.reduce(-constant.value)});
  }
  std::sort(terms.begin(), terms.end(), [](const Constant &a, const Constant &b) {
    return std::tie(a.i, a.j, a.k) < std::tie(b.i, b.j, b.k);
  });
  Elimination equations(field, n);
  for (size_t at = 0; at < terms.size();) {
    Equation equation;
    size_t end = at;
    for (; end < terms.size() && terms[end].i == terms[at].i && terms[end].j == terms[at].j; ++end) {
      Rational &entry = equation[terms[end].k];
      entry = field.add(entry, terms[end].value);
    }
    at = end;
    std::erase_if(equation, [](const auto &entry) { return entry.second.isZero(); });
    if (!equations.insert(std::move(equation)))
      return n <= largest_dense ? std::optional(denseBasis(table, identity)) : std::nullopt;
  }
  return equations.kernel();
}

} // namespace algebras
