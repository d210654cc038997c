#include "algebras/identity/linear_system.h"

#include "algebras/rational_flint.h"

#include <flint/fmpq_mat.h>
#include <flint/fmpz.h>
#include <flint/ulong_extras.h>

#include <algorithm>

namespace algebras {

namespace {

// Row-by-row elimination modulo a prime that remembers which equations it used.
class ModularElimination {
public:
  ModularElimination(uint64_t p, int64_t unknowns) : p_(p), unknowns_(unknowns), pivots_(unknowns) {}

  // False when a denominator vanishes modulo the prime.
  bool add(const Equation &equation, size_t index) {
    std::vector<uint64_t> row(unknowns_ + 1);
    for (const auto &[unknown, coefficient] : equation.terms)
      if (!residue(coefficient, row[unknown]))
        return false;
    if (!residue(equation.right, row[unknowns_]))
      return false;
    for (int64_t column = 0; column < unknowns_; ++column) {
      if (row[column] == 0)
        continue;
      if (pivots_[column].empty()) {
        uint64_t inverse = n_invmod(row[column], p_);
        for (int64_t at = column; at <= unknowns_; ++at)
          row[at] = multiply(row[at], inverse);
        pivots_[column] = std::move(row);
        used_.push_back(index);
        return true;
      }
      uint64_t factor = p_ - row[column];
      for (int64_t at = column; at <= unknowns_; ++at)
        if (pivots_[column][at] != 0)
          row[at] = (row[at] + multiply(factor, pivots_[column][at])) % p_;
    }
    if (row[unknowns_] != 0 && !contradiction_)
      contradiction_ = index;
    return true;
  }

  bool isComplete() const { return static_cast<int64_t>(used_.size()) == unknowns_; }
  const std::vector<size_t> &used() const { return used_; }
  // An equation that the used ones contradict.
  const std::optional<size_t> &contradiction() const { return contradiction_; }

  // Back substitution; only when complete.
  std::vector<Rational> solution() const {
    std::vector<uint64_t> values(unknowns_);
    for (int64_t column = unknowns_; column-- > 0;) {
      uint64_t value = pivots_[column][unknowns_];
      for (int64_t at = column + 1; at < unknowns_; ++at)
        value = (value + multiply(p_ - pivots_[column][at], values[at])) % p_;
      values[column] = value;
    }
    return {values.begin(), values.end()};
  }

private:
  uint64_t multiply(uint64_t left, uint64_t right) const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(left) * right % p_);
  }
  bool residue(const Rational &value, uint64_t &result) const {
    std::optional<uint64_t> own = value.residue(p_);
    if (!own)
      return false;
    result = *own;
    return true;
  }

  uint64_t p_;
  int64_t unknowns_;
  std::vector<std::vector<uint64_t>> pivots_; // by column; empty where there is none yet
  std::vector<size_t> used_;
  std::optional<size_t> contradiction_;
};

// The solution of chosen equations over Q; nothing when they contradict each other or leave something open.
struct ExactAnswer {
  bool contradictory = false;
  std::optional<std::vector<Rational>> solution;
};

ExactAnswer solveExactly(int64_t unknowns, const std::vector<Equation> &equations,
                         const std::vector<size_t> &chosen) {
  fmpq_mat_t matrix;
  fmpq_mat_init(matrix, static_cast<slong>(chosen.size()), unknowns + 1);
  for (size_t row = 0; row < chosen.size(); ++row) {
    for (const auto &[unknown, coefficient] : equations[chosen[row]].terms)
      fmpq_set(fmpq_mat_entry(matrix, row, unknown), FlintAccess::get(coefficient));
    fmpq_set(fmpq_mat_entry(matrix, row, unknowns), FlintAccess::get(equations[chosen[row]].right));
  }
  slong rank = fmpq_mat_rref(matrix, matrix);
  ExactAnswer answer;
  // A pivot in the last column: the last nonzero row reads 0 = 1.
  if (rank > 0) {
    bool left_is_zero = true;
    for (int64_t column = 0; column < unknowns; ++column)
      left_is_zero = left_is_zero && fmpq_is_zero(fmpq_mat_entry(matrix, rank - 1, column));
    answer.contradictory = left_is_zero;
  }
  if (!answer.contradictory && rank == unknowns) {
    answer.solution.emplace(unknowns);
    for (int64_t unknown = 0; unknown < unknowns; ++unknown)
      fmpq_set(FlintAccess::get((*answer.solution)[unknown]), fmpq_mat_entry(matrix, unknown, unknowns));
  }
  fmpq_mat_clear(matrix);
  return answer;
}

bool satisfies(const Field &field, const std::vector<Rational> &solution,
               const std::vector<Equation> &equations) {
  return std::all_of(equations.begin(), equations.end(), [&](const Equation &equation) {
    Rational sum = -equation.right;
    for (const auto &[unknown, coefficient] : equation.terms)
      sum += coefficient * solution[unknown];
    return field.reduce(sum).isZero();
  });
}

std::optional<std::vector<Rational>> checked(const Field &field, std::vector<Rational> solution,
                                             const std::vector<Equation> &equations) {
  if (!satisfies(field, solution, equations))
    return std::nullopt;
  return solution;
}

std::optional<std::vector<Rational>> solveModulo(const Field &field, int64_t unknowns,
                                                 const std::vector<Equation> &equations) {
  ModularElimination elimination(field.characteristic(), unknowns);
  for (size_t index = 0; index < equations.size() && !elimination.isComplete(); ++index)
    elimination.add(equations[index], index);
  // A system with exactly one solution has full rank.
  if (!elimination.isComplete())
    return std::nullopt;
  return checked(field, elimination.solution(), equations);
}

} // namespace

std::optional<std::vector<Rational>> solveUnique(const Field &field, int64_t unknowns,
                                                 const std::vector<Equation> &equations) {
  if (!field.isRationals())
    return solveModulo(field, unknowns, equations);
  constexpr int primes = 4;
  uint64_t p = uint64_t{1} << 61;
  for (int attempt = 0; attempt < primes; ++attempt) {
    p = n_nextprime(p, 1);
    ModularElimination elimination(p, unknowns);
    bool usable = true;
    for (size_t index = 0; index < equations.size() && usable && !elimination.isComplete(); ++index)
      usable = elimination.add(equations[index], index);
    if (!usable)
      continue;
    std::vector<size_t> chosen = elimination.used();
    if (elimination.isComplete()) {
      // Independent modulo p, so independent over Q: their one solution is the only candidate.
      ExactAnswer answer = solveExactly(unknowns, equations, chosen);
      return checked(field, std::move(answer.solution.value()), equations);
    }
    if (elimination.contradiction()) {
      chosen.push_back(*elimination.contradiction());
      if (solveExactly(unknowns, equations, chosen).contradictory)
        return std::nullopt;
    }
    // Otherwise the prime was unlucky.
  }
  std::vector<size_t> all(equations.size());
  for (size_t index = 0; index < all.size(); ++index)
    all[index] = index;
  return solveExactly(unknowns, equations, all).solution;
}

} // namespace algebras
