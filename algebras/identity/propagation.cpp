#include "algebras/identity/propagation.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace algebras {

namespace {

struct Term {
  int64_t row, column, unknown; // of the equation (row, column)
  const Rational *coefficient;
};

// One side's equations. False when a diagonal one has no term.
bool gather(std::vector<Term> terms, int64_t dimension, std::vector<Equation> &equations) {
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    return std::tie(a.row, a.column, a.unknown) < std::tie(b.row, b.column, b.unknown);
  });
  int64_t diagonals = 0;
  for (size_t first = 0; first < terms.size();) {
    const Term &start = terms[first];
    Equation equation;
    equation.right = Rational(start.row == start.column ? 1 : 0);
    diagonals += start.row == start.column;
    for (; first < terms.size() && terms[first].row == start.row && terms[first].column == start.column;
         ++first)
      equation.terms.emplace_back(terms[first].unknown, *terms[first].coefficient);
    equations.push_back(std::move(equation));
  }
  return diagonals == dimension;
}

} // namespace

IdentityEquations identityEquations(const Table &table, Side side) {
  IdentityEquations result;
  // Every slot has to be the first index of some product; a table may have far more slots than products.
  if (table.dimension() > table.nonzeros()) {
    result.impossible = true;
    return result;
  }
  std::vector<Term> terms;
  for (const Constant &constant : table.constants())
    if (side == Side::Left)
      terms.push_back({constant.j, constant.k, constant.i, &constant.value});
    else
      terms.push_back({constant.i, constant.k, constant.j, &constant.value});
  result.impossible = !gather(std::move(terms), table.dimension(), result.equations);
  return result;
}

IdentityEquations identityEquations(const Table &table) {
  IdentityEquations result = identityEquations(table, Side::Left);
  if (result.impossible)
    return result;
  IdentityEquations right = identityEquations(table, Side::Right);
  result.impossible = right.impossible;
  std::move(right.equations.begin(), right.equations.end(), std::back_inserter(result.equations));
  return result;
}

Propagated propagate(const Field &field, int64_t unknowns, std::vector<Equation> equations) {
  Propagated result;
  result.values.resize(unknowns);
  std::vector<std::vector<std::pair<size_t, size_t>>> uses(unknowns); // equation, term
  std::vector<size_t> open(equations.size()), ready;
  for (size_t index = 0; index < equations.size(); ++index) {
    open[index] = equations[index].terms.size();
    for (size_t term = 0; term < equations[index].terms.size(); ++term)
      uses[equations[index].terms[term].first].emplace_back(index, term);
    if (open[index] == 1)
      ready.push_back(index);
  }
  while (!ready.empty()) {
    const Equation &equation = equations[ready.back()];
    ready.pop_back();
    auto unsolved = std::find_if(equation.terms.begin(), equation.terms.end(),
                                 [&](const auto &term) { return !result.values[term.first]; });
    if (unsolved == equation.terms.end())
      continue; // solved by another equation meanwhile
    int64_t unknown = unsolved->first;
    Rational value = field.reduce(equation.right / unsolved->second);
    result.values[unknown] = value;
    for (auto [index, term] : uses[unknown]) {
      Equation &touched = equations[index];
      if (!value.isZero())
        touched.right = field.reduce(touched.right - touched.terms[term].second * value);
      --open[index];
      if (open[index] == 1)
        ready.push_back(index);
      if (open[index] == 0 && !touched.right.isZero()) {
        result.contradictory = true;
        return result;
      }
    }
  }
  for (size_t index = 0; index < equations.size(); ++index) {
    if (open[index] == 0)
      continue;
    std::erase_if(equations[index].terms,
                  [&](const auto &term) { return result.values[term.first].has_value(); });
    result.left.push_back(std::move(equations[index]));
  }
  return result;
}

} // namespace algebras
