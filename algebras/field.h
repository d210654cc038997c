// The ground field: the rationals, or a prime field.
#pragma once

#include "algebras/rational.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace algebras {

// Elements of both kinds travel as Rational; over GF(p) the canonical ones are the integers 0..p-1.
class Field {
public:
  Field() = default; // Q
  static Field rationals() { return Field(); }
  // InputError unless p is a prime below 2^63 (the primality test is exact).
  static Field prime(uint64_t p);
  // "Q" or "GF(p)"; InputError otherwise.
  static Field parse(std::string_view text);

  uint64_t characteristic() const { return characteristic_; } // 0 for Q
  bool isRationals() const { return characteristic_ == 0; }
  std::string name() const; // "Q", "GF(7)"

  // The element of this field that a rational number stands for, in canonical form.
  // InputError when its denominator is divisible by p.
  Rational reduce(const Rational &value) const;
  Rational add(const Rational &left, const Rational &right) const;
  Rational multiply(const Rational &left, const Rational &right) const;

  bool operator==(const Field &) const = default;

private:
  uint64_t characteristic_ = 0;
};

} // namespace algebras
