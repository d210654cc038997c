#include "algebras/certificate/tower_primes.h"

#include "algebras/certificate/encode.h"

#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>

#include <algorithm>

namespace algebras {

namespace {

using nlohmann::ordered_json;

// FLINT's polynomials modulo q, with a lifetime.
class ModularPolynomial {
public:
  explicit ModularPolynomial(ulong q) { nmod_poly_init(value_, q); }
  ModularPolynomial(const ModularPolynomial &) = delete;
  ModularPolynomial &operator=(const ModularPolynomial &) = delete;
  ~ModularPolynomial() { nmod_poly_clear(value_); }
  operator nmod_poly_struct *() { return value_; }

private:
  nmod_poly_t value_;
};

class Factors {
public:
  Factors() { nmod_poly_factor_init(value_); }
  Factors(const Factors &) = delete;
  Factors &operator=(const Factors &) = delete;
  ~Factors() { nmod_poly_factor_clear(value_); }
  operator nmod_poly_factor_struct *() { return value_; }
  const nmod_poly_factor_struct *operator->() const { return value_; }

private:
  nmod_poly_factor_t value_;
};

ordered_json encode(const nmod_poly_struct *polynomial) {
  SparseVector terms;
  for (slong exponent = 0; exponent < nmod_poly_length(polynomial); ++exponent)
    if (ulong value = nmod_poly_get_coeff_ui(polynomial, exponent); value != 0)
      terms.emplace_back(exponent, Rational(static_cast<int64_t>(value)));
  return encodeElement(terms);
}

class PrimeSearch {
public:
  PrimeSearch(const std::vector<TowerPolynomial> &tower, bool several) : tower_(tower), several_(several) {
    size_t count = 1;
    for (const TowerPolynomial &polynomial : tower)
      count *= degrees_.emplace_back((polynomial.size() - 1) / count);
    possible_.assign(degrees_.back() + 1, true);
  }

  std::optional<ordered_json> run() {
    constexpr ulong largest_prime = 4000;
    for (ulong q = 2; q < largest_prime && !settled(); q = n_nextprime(q, 1)) {
      q_ = q;
      chains_ = 0;
      descend({1}, {});
    }
    return settled() ? std::optional(std::move(primes_)) : std::nullopt;
  }

private:
  static constexpr int most_chains = 16; // of roots, modulo one prime

  bool settled() const { return std::count(possible_.begin(), possible_.end(), true) == 2; }

  // `values` of the monomials at `roots` of the polynomials before.
  void descend(const std::vector<ulong> &values, const std::vector<ulong> &roots) {
    size_t step = roots.size();
    ModularPolynomial f(q_);
    for (size_t exponent = 0; exponent <= degrees_[step]; ++exponent) {
      ulong sum = 0;
      for (size_t at = 0; at < values.size() && exponent * values.size() + at < tower_[step].size(); ++at)
        sum = (sum + tower_[step][exponent * values.size() + at].integerModulo(q_).value() * values[at]) % q_;
      nmod_poly_set_coeff_ui(f, static_cast<slong>(exponent), sum);
    }
    if (step + 1 == tower_.size()) {
      ++chains_;
      judge(f, roots);
      return;
    }
    Factors linear;
    nmod_poly_roots(linear, f, 1);
    for (slong at = 0; at < linear->num && chains_ < most_chains && !settled(); ++at) {
      if (linear->exp[at] != 1)
        continue;
      ulong root = n_negmod(nmod_poly_get_coeff_ui(linear->p + at, 0), q_);
      std::vector<ulong> more = values, longer = roots;
      for (size_t place = 0; more.size() < values.size() * degrees_[step]; ++place)
        more.push_back(more[place] * root % q_);
      longer.push_back(root);
      descend(more, longer);
    }
  }

  void judge(nmod_poly_struct *f, const std::vector<ulong> &roots) {
    ordered_json prime = {{"modulo", q_}};
    for (ulong root : roots)
      prime["roots"].push_back(root == 0 ? q_ : root); // numbers are not 0
    if (nmod_poly_is_irreducible(f)) {
      primes_ = ordered_json::array({std::move(prime)});
      std::fill(possible_.begin(), possible_.end(), false);
      possible_.front() = possible_.back() = true;
      return;
    }
    if (!several_)
      return;
    Factors factors;
    nmod_poly_factor(factors, f);
    std::vector<bool> sums(possible_.size());
    sums[0] = true;
    for (slong at = 0; at < factors->num; ++at)
      for (slong copy = 0; copy < factors->exp[at]; ++copy) {
        auto degree = static_cast<size_t>(nmod_poly_degree(factors->p + at));
        for (size_t sum = sums.size(); sum-- > degree;)
          sums[sum] = sums[sum] || sums[sum - degree];
        prime["factors"].push_back(encode(factors->p + at));
      }
    std::vector<bool> both = possible_;
    for (size_t sum = 0; sum < both.size(); ++sum)
      both[sum] = both[sum] && sums[sum];
    if (both != possible_)
      primes_.push_back(std::move(prime));
    possible_ = std::move(both);
  }

  const std::vector<TowerPolynomial> &tower_;
  bool several_;
  std::vector<size_t> degrees_; // of the steps
  ulong q_ = 0;
  int chains_ = 0;
  std::vector<bool> possible_; // degrees of factors, as far as the primes tell
  ordered_json primes_ = ordered_json::array();
};

} // namespace

std::optional<ordered_json> irreducibilityPrimes(const std::vector<TowerPolynomial> &tower, bool several) {
  return PrimeSearch(tower, several).run();
}

} // namespace algebras
