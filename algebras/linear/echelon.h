// Reduced row echelon forms, and what follows from them: rank, kernel, solutions.
#pragma once

#include "algebras/linear/matrix.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace algebras {

// rows: the nonzero rows of the reduced row echelon form, leading entries 1; pivots: their columns,
// ascending.
struct Echelon {
  Matrix rows;
  std::vector<int64_t> pivots;
  int64_t rank() const { return static_cast<int64_t>(pivots.size()); }
};

// Over GF(p) by elimination. Over Q modulo word-sized primes, with Chinese remainders and rational
// reconstruction, until W = W[pivots] R holds exactly: then R spans at least the rows of W, and its rank
// modulo a prime is at most the rank of W, so that they span the same. Costs (bits of the result / 31)
// eliminations modulo a prime, and one exact product.
Echelon reducedEchelon(const Matrix &matrix);

// A basis, as rows, of the v with matrix * v = 0: v_f = 1 at one free column f, zero at the others.
Matrix kernel(const Matrix &matrix);

// Some X with matrix * X = right; nothing when there is none. Both answers are exact.
std::optional<Matrix> solve(const Matrix &matrix, const Matrix &right);

// matrix modulo p, where p divides no denominator; nothing otherwise. Of a matrix over Q.
std::optional<Matrix> reduceModulo(const Matrix &matrix, uint64_t p);

// The primes that modular steps use, descending from 2^62: the one after `previous` (0: the first). Which one
// is used never decides an answer.
uint64_t nextModulus(uint64_t previous);

} // namespace algebras
