#include "algebras/checked.h"

#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras {

namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw InputError(fmt::format("{} does not fit in 64 bits", what));
}

} // namespace

std::int64_t checkedAdd(std::int64_t left, std::int64_t right, std::string_view what) {
  std::int64_t result;
  if (__builtin_add_overflow(left, right, &result))
    refuse(what);
  return result;
}

std::int64_t checkedMultiply(std::int64_t left, std::int64_t right, std::string_view what) {
  std::int64_t result;
  if (__builtin_mul_overflow(left, right, &result))
    refuse(what);
  return result;
}

std::int64_t checkedPower(std::int64_t base, std::int64_t exponent, std::string_view what) {
  std::int64_t result = 1;
  if (base == 1 || exponent == 0)
    return result;
  for (std::int64_t step = 0; step < exponent; ++step) {
    result = checkedMultiply(result, base, what);
    if (result == 0)
      break;
  }
  return result;
}

std::int64_t checkedNarrow(__int128 value, std::string_view what) {
  auto narrow = static_cast<std::int64_t>(value);
  if (narrow != value)
    refuse(what);
  return narrow;
}

} // namespace algebras
