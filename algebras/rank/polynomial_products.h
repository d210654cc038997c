// Bilinear algorithms for polynomials: products, truncated products, products modulo a polynomial.
#pragma once

#include "algebras/linear/polynomial.h"
#include "algebras/rank/bilinear_algorithm.h"

#include <cstdint>
#include <map>
#include <vector>

namespace algebras {

// Over fields with enough elements by evaluation at points and at infinity. Over small ones the best of
// Karatsuba's split, and of the Chinese remainder theorem with moduli that are powers of irreducible
// polynomials, found by counting.
class PolynomialProducts {
public:
  explicit PolynomialProducts(const Field &field) : field_(field) {}

  // Two polynomials of degree below n; the 2n - 1 coefficients of the product. 2n - 1 products where the
  // field has at least 2n - 2 elements.
  BilinearAlgorithm full(int64_t n);
  // The first n coefficients: k[x]/(x^n). 2n - 1 products where the field has at least 2n - 4 elements.
  BilinearAlgorithm truncated(int64_t n);
  // k[x]/(f) in the basis 1, x, x^2, ..., f of degree at least 1: 2n - t over large fields, with t the number
  // of distinct irreducible factors.
  BilinearAlgorithm modulo(const Polynomial &f);

  int64_t fullCost(int64_t n) { return fullPlan(n).cost; }
  int64_t truncatedCost(int64_t n) { return truncatedPlan(n).cost; }

private:
  struct Modulus {
    Polynomial base; // irreducible; empty stands for the point at infinity
    int64_t exponent = 1;
  };
  struct FullPlan {
    int64_t cost = 0;
    int64_t split = 0;           // Karatsuba with a lower half of this length, where positive
    std::vector<Modulus> moduli; // else the Chinese remainder theorem
  };
  struct TruncatedPlan {
    int64_t cost = 0;
    int64_t split = 0; // full product of this length, and two truncated products of the rest; or all of n
  };

  const FullPlan &fullPlan(int64_t n);
  const TruncatedPlan &truncatedPlan(int64_t n);
  std::vector<Modulus> cheapestModuli(int64_t n);
  int64_t modulusCost(int64_t degree, int64_t exponent);
  BilinearAlgorithm localAlgorithm(const Polynomial &base, int64_t exponent, int64_t inputs,
                                   const Polynomial &e, const Polynomial &all);
  BilinearAlgorithm byRemainders(int64_t n, std::vector<Modulus> moduli);
  BilinearAlgorithm byKaratsuba(int64_t n, int64_t half);

  Field field_;
  std::map<int64_t, FullPlan> full_plans_;
  std::map<int64_t, TruncatedPlan> truncated_plans_;
};

} // namespace algebras
