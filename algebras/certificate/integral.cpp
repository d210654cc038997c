#include "algebras/certificate/integral.h"

#include "algebras/rational_flint.h"

#include <flint/fmpz.h>

namespace algebras {

namespace {

class Accumulator { // of least common multiples or greatest common divisors
public:
  explicit Accumulator(slong start) { fmpz_init_set_si(value_, start); }
  Accumulator(const Accumulator &) = delete;
  Accumulator &operator=(const Accumulator &) = delete;
  ~Accumulator() { fmpz_clear(value_); }
  void multiple(const Rational &value) { fmpz_lcm(value_, value_, fmpq_denref(FlintAccess::get(value))); }
  void divisor(const Rational &value) { fmpz_gcd(value_, value_, fmpq_numref(FlintAccess::get(value))); }
  Rational value() const {
    Rational result;
    fmpq_set_fmpz(FlintAccess::get(result), value_);
    return result;
  }

private:
  fmpz_t value_;
};

} // namespace

Rational commonDenominator(std::span<const SparseVector> vectors) {
  Accumulator multiple(1);
  for (const SparseVector &vector : vectors)
    for (const auto &[slot, value] : vector)
      multiple.multiple(value);
  return multiple.value();
}

Rational commonDenominator(const Table &table) {
  Accumulator multiple(1);
  for (const Constant &constant : table.constants())
    multiple.multiple(constant.value);
  return multiple.value();
}

SparseVector scaled(SparseVector vector, const Rational &factor) {
  for (auto &[slot, value] : vector)
    value *= factor;
  return vector;
}

SparseVector integralMultiple(const SparseVector &vector) {
  if (vector.empty())
    return vector;
  SparseVector result = scaled(vector, commonDenominator(std::span(&vector, 1)));
  Accumulator divisor(0);
  for (const auto &[slot, value] : result)
    divisor.divisor(value);
  return scaled(std::move(result), Rational(1) / divisor.value());
}

} // namespace algebras
