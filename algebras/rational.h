// Exact rational numbers of any size, over FLINT's fmpq.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace algebras {

// Always in lowest terms with a positive denominator. Small values take no heap memory.
class Rational {
public:
  Rational() : words_{0, 1} {} // zero: FLINT keeps small integers in the word itself
  Rational(int64_t value);
  Rational(int64_t numerator, int64_t denominator); // InputError when the denominator is zero
  Rational(const Rational &other) : words_{0, 1} {
    if (isSmall(other.words_[0]) && isSmall(other.words_[1])) {
      words_[0] = other.words_[0];
      words_[1] = other.words_[1];
    } else {
      copy(other);
    }
  }
  // Moves are inline: tables of millions of constants are moved about by sorting.
  Rational(Rational &&other) noexcept : words_{other.words_[0], other.words_[1]} {
    other.words_[0] = 0;
    other.words_[1] = 1;
  }
  Rational &operator=(const Rational &);
  Rational &operator=(Rational &&other) noexcept {
    std::swap(words_[0], other.words_[0]);
    std::swap(words_[1], other.words_[1]);
    return *this;
  }
  ~Rational() {
    if (!isSmall(words_[0]) || !isSmall(words_[1]))
      release();
  }

  // "3", "-3/2", "6/4": decimal digits, an optional sign in front, an optional positive denominator.
  // InputError for anything else, "1/0" and "1.5" included.
  static Rational parse(std::string_view text);

  std::string toString() const; // "1", "-3/2"
  double toDouble() const;
  bool isZero() const { return words_[0] == 0; }
  bool isOne() const { return words_[0] == 1 && words_[1] == 1; }
  bool isInteger() const;
  int sign() const;
  // The value when it is an integer that fits in 64 bits.
  std::optional<int64_t> toInteger() const;
  Rational numerator() const;
  Rational denominator() const;
  // The residue modulo 1 <= modulus < 2^63 of an integer; nothing for a proper fraction.
  std::optional<uint64_t> integerModulo(uint64_t modulus) const;
  // The residue modulo a prime p < 2^63; nothing where p divides the denominator.
  std::optional<uint64_t> residue(uint64_t p) const;

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
  void copy(const Rational &other);
  void release();
  // FLINT's mark of an integer that lives on the heap, COEFF_IS_MPZ.
  static bool isSmall(long word) { return word >> 62 != 1; }

  long words_[2]; // an fmpq: two FLINT integers, kept opaque so that FLINT's headers stay out of here
};

} // namespace algebras
