// Exact rational numbers of any size, over FLINT's fmpq.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace algebras {

// Always in lowest terms with a positive denominator. Small values take no heap memory.
class Rational {
public:
  Rational(); // zero
  Rational(std::int64_t value);
  Rational(std::int64_t numerator, std::int64_t denominator); // InputError when the denominator is zero
  Rational(const Rational &);
  Rational(Rational &&) noexcept;
  Rational &operator=(const Rational &);
  Rational &operator=(Rational &&) noexcept;
  ~Rational();

  // "3", "-3/2", "6/4": decimal digits, an optional sign in front, an optional positive denominator.
  // InputError for anything else, "1/0" and "1.5" included.
  static Rational parse(std::string_view text);

  std::string toString() const; // "1", "-3/2"
  double toDouble() const;
  bool isZero() const;
  bool isOne() const;
  bool isInteger() const;
  int sign() const;
  // The value when it is an integer that fits in 64 bits.
  std::optional<std::int64_t> toInteger() const;
  Rational numerator() const;
  Rational denominator() const;
  // The residue modulo 1 <= modulus < 2^63 of an integer; nothing for a proper fraction.
  std::optional<std::uint64_t> integerModulo(std::uint64_t modulus) const;

  Rational operator-() const;
  Rational &operator+=(const Rational &);
  Rational &operator-=(const Rational &);
  Rational &operator*=(const Rational &);
  Rational &operator/=(const Rational &); // InputError on division by zero
  friend Rational operator+(Rational left, const Rational &right) { return left += right; }
  friend Rational operator-(Rational left, const Rational &right) { return left -= right; }
  friend Rational operator*(Rational left, const Rational &right) { return left *= right; }
  friend Rational operator/(Rational left, const Rational &right) { return left /= right; }
  friend bool operator==(const Rational &, const Rational &);
  friend std::strong_ordering operator<=>(const Rational &, const Rational &);

private:
  friend struct FlintAccess; // rational_flint.h: the one place that knows the layout
  long words_[2]; // an fmpq: two FLINT integers, kept opaque so that FLINT's headers stay out of here
};

} // namespace algebras
