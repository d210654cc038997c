#include "algebras/field.h"

#include "algebras/error.h"
#include "algebras/rational_flint.h"

#include <flint/fmpz.h>
#include <flint/ulong_extras.h>
#include <fmt/format.h>

#include <charconv>

namespace algebras {

namespace {

std::string shortened(std::string text) {
  constexpr size_t longest = 80;
  if (text.size() > longest)
    text.replace(longest - 3, std::string::npos, "...");
  return text;
}

} // namespace

Field Field::prime(uint64_t p) {
  if (p >= (uint64_t{1} << 63))
    throw InputError(fmt::format("GF({}): the characteristic has to be below 2^63", p));
  if (!n_is_prime(p))
    throw InputError(fmt::format("GF({}): {} is not prime", p, p))
        .hint("the fields are Q and GF(p) for a prime p, such as GF(7)");
  Field field;
  field.characteristic_ = p;
  return field;
}

Field Field::parse(std::string_view text) {
  if (text == "Q")
    return rationals();
  if (text.size() > 4 && text.starts_with("GF(") && text.ends_with(")")) {
    std::string_view digits = text.substr(3, text.size() - 4);
    uint64_t p = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), p);
    if (end == digits.data() + digits.size() && code == std::errc())
      return prime(p);
    if (code == std::errc::result_out_of_range)
      throw InputError(fmt::format("{}: the characteristic has to be below 2^63", text.substr(0, 80)));
  }
  throw InputError(fmt::format("'{}' is not a field", text.substr(0, 80)))
      .hint("write \"Q\" for the rationals or \"GF(p)\" for a prime field, such as \"GF(7)\"");
}

std::string Field::name() const { return isRationals() ? "Q" : fmt::format("GF({})", characteristic_); }

Rational Field::reduce(const Rational &value) const {
  if (isRationals())
    return value;
  if (std::optional<int64_t> integer = value.toInteger();
      integer && *integer >= 0 && static_cast<uint64_t>(*integer) < characteristic_)
    return value;
  Rational result, modulus;
  fmpz_set_ui(fmpq_numref(FlintAccess::get(modulus)), characteristic_);
  if (!fmpq_mod_fmpz(fmpq_numref(FlintAccess::get(result)), FlintAccess::get(value),
                     fmpq_numref(FlintAccess::get(modulus))))
    throw InputError(fmt::format("{} has no value in {}: {} divides its denominator",
                                 shortened(value.toString()), name(), characteristic_));
  return result;
}

Rational Field::add(const Rational &left, const Rational &right) const { return reduce(left + right); }

Rational Field::multiply(const Rational &left, const Rational &right) const { return reduce(left * right); }

} // namespace algebras
