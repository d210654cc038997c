#include "algebras/rational.h"

#include "algebras/error.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <flint/ulong_extras.h>
#include <fmt/format.h>

#include <numeric>

namespace algebras {

namespace {

fmpq *raw(Rational &value) { return FlintAccess::get(value); }
const fmpq *raw(const Rational &value) { return FlintAccess::get(value); }

std::string toText(const fmpz *value) {
  char *text = fmpz_get_str(nullptr, 10, value);
  std::string result = text;
  flint_free(text);
  return result;
}

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

[[noreturn]] void refuseText(std::string_view text) {
  throw InputError(fmt::format("'{}' is not a rational number", text.substr(0, 80)))
      .hint("write an integer or a fraction of integers, such as 3 or -3/2");
}

} // namespace

Rational::Rational(int64_t value) : words_{0, 1} { fmpz_set_si(fmpq_numref(raw(*this)), value); }

Rational::Rational(int64_t numerator, int64_t denominator) : Rational(numerator) {
  *this /= Rational(denominator);
}

void Rational::copy(const Rational &other) { fmpq_set(raw(*this), raw(other)); }

Rational &Rational::operator=(const Rational &other) {
  fmpq_set(raw(*this), raw(other));
  return *this;
}

void Rational::release() { fmpq_clear(raw(*this)); }

namespace {

// Up to 18 digits, which fit in 63 bits.
std::optional<int64_t> shortInteger(std::string_view digits) {
  constexpr size_t short_digits = 18;
  if (digits.empty() || digits.size() > short_digits)
    return std::nullopt;
  int64_t value = 0;
  for (char digit : digits) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    value = 10 * value + (digit - '0');
  }
  return value;
}

} // namespace

Rational Rational::parse(std::string_view text) {
  std::string_view rest = text;
  bool negative = !rest.empty() && rest[0] == '-';
  if (negative || (!rest.empty() && rest[0] == '+'))
    rest.remove_prefix(1);
  size_t slash = rest.find('/');
  // Nearly all coefficients of a table are short; these take no heap memory.
  std::optional<int64_t> top = shortInteger(rest.substr(0, slash)),
                         bottom = slash == std::string_view::npos ? 1 : shortInteger(rest.substr(slash + 1));
  if (top && bottom && *bottom != 0) {
    int64_t common = std::gcd(*top, *bottom);
    Rational result(negative ? -(*top / common) : *top / common);
    fmpz_set_si(fmpq_denref(raw(result)), *bottom / common);
    return result;
  }
  std::string numerator(rest.substr(0, slash));
  std::string denominator(slash == std::string_view::npos ? std::string_view("1") : rest.substr(slash + 1));
  if (!isDigits(numerator) || !isDigits(denominator))
    refuseText(text);
  Rational result;
  fmpz_set_str(fmpq_numref(raw(result)), numerator.c_str(), 10);
  fmpz_set_str(fmpq_denref(raw(result)), denominator.c_str(), 10);
  if (fmpz_is_zero(fmpq_denref(raw(result)))) {
    fmpz_one(fmpq_denref(raw(result)));
    throw InputError(fmt::format("'{}' has denominator zero", text.substr(0, 80)));
  }
  fmpq_canonicalise(raw(result));
  return negative ? -result : result;
}

std::string Rational::toString() const {
  std::string result = toText(fmpq_numref(raw(*this)));
  if (!isInteger())
    result += "/" + toText(fmpq_denref(raw(*this)));
  return result;
}

double Rational::toDouble() const {
  constexpr int64_t exact = int64_t{1} << 53;
  std::optional<int64_t> top = numerator().toInteger(), bottom = denominator().toInteger();
  // Both exact as doubles: the quotient is then rounded once, to nearest. FLINT's conversion truncates.
  if (top && bottom && -exact <= *top && *top <= exact && *bottom <= exact)
    return static_cast<double>(*top) / static_cast<double>(*bottom);
  return fmpq_get_d(raw(*this));
}

bool Rational::isInteger() const { return fmpz_is_one(fmpq_denref(raw(*this))); }
int Rational::sign() const { return fmpq_sgn(raw(*this)); }

std::optional<int64_t> Rational::toInteger() const {
  if (!isInteger() || !fmpz_fits_si(fmpq_numref(raw(*this))))
    return std::nullopt;
  return fmpz_get_si(fmpq_numref(raw(*this)));
}

Rational Rational::numerator() const {
  Rational result;
  fmpz_set(fmpq_numref(raw(result)), fmpq_numref(raw(*this)));
  return result;
}

Rational Rational::denominator() const {
  Rational result;
  fmpz_set(fmpq_numref(raw(result)), fmpq_denref(raw(*this)));
  return result;
}

std::optional<uint64_t> Rational::integerModulo(uint64_t modulus) const {
  if (!isInteger())
    return std::nullopt;
  return fmpz_fdiv_ui(fmpq_numref(raw(*this)), modulus);
}

std::optional<uint64_t> Rational::residue(uint64_t p) const {
  const fmpq *own = raw(*this);
  mp_limb_t bottom = fmpz_fdiv_ui(fmpq_denref(own), p);
  if (bottom == 0)
    return std::nullopt;
  mp_limb_t top = fmpz_fdiv_ui(fmpq_numref(own), p);
  return bottom == 1 ? top : n_mulmod2(top, n_invmod(bottom, p), p);
}

Rational Rational::operator-() const {
  Rational result;
  fmpq_neg(raw(result), raw(*this));
  return result;
}

Rational &Rational::operator+=(const Rational &other) {
  fmpq_add(raw(*this), raw(*this), raw(other));
  return *this;
}

Rational &Rational::operator-=(const Rational &other) {
  fmpq_sub(raw(*this), raw(*this), raw(other));
  return *this;
}

Rational &Rational::operator*=(const Rational &other) {
  fmpq_mul(raw(*this), raw(*this), raw(other));
  return *this;
}

Rational &Rational::operator/=(const Rational &other) {
  if (other.isZero())
    throw InputError("division by zero");
  fmpq_div(raw(*this), raw(*this), raw(other));
  return *this;
}

bool operator==(const Rational &left, const Rational &right) { return fmpq_equal(raw(left), raw(right)); }

std::strong_ordering operator<=>(const Rational &left, const Rational &right) {
  return fmpq_cmp(raw(left), raw(right)) <=> 0;
}

} // namespace algebras
