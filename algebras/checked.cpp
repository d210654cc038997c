#include "algebras/checked.h"

#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras {

namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw InputError(fmt::format("{} does not fit in 64 bits", what));
}

} // namespace

int64_t checkedAdd(int64_t left, int64_t right, std::string_view what) {
  int64_t result;
  if (__builtin_add_overflow(left, right, &result))
    refuse(what);
  return result;
}

int64_t checkedMultiply(int64_t left, int64_t right, std::string_view what) {
  int64_t result;
  if (__builtin_mul_overflow(left, right, &result))
    refuse(what);
  return result;
}

int64_t checkedPower(int64_t base, int64_t exponent, std::string_view what) {
  int64_t result = 1;
  if (base == 1 || exponent == 0)
    return result;
  for (int64_t step = 0; step < exponent; ++step) {
    result = checkedMultiply(result, base, what);
    if (result == 0)
      break;
  }
  return result;
}

int64_t checkedNarrow(__int128 value, std::string_view what) {
  auto narrow = static_cast<int64_t>(value);
  if (narrow != value)
    refuse(what);
  return narrow;
}

} // namespace algebras
