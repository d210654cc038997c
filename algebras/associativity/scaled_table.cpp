#include "algebras/associativity/scaled_table.h"

#include "algebras/rational_flint.h"

#include <flint/fmpz.h>

namespace algebras {

std::optional<IntegerScale> smallIntegers(const Table &table) {
  // Products stay below 2^80; 2^47 of them, far more than fit in memory, can be added.
  constexpr int64_t bound = int64_t{1} << 40;
  Rational scale(1);
  fmpz *common = fmpq_numref(FlintAccess::get(scale));
  for (const Constant &constant : table.constants()) {
    fmpz_lcm(common, common, fmpq_denref(FlintAccess::get(constant.value)));
    if (scale > Rational(bound))
      return std::nullopt;
  }
  for (const Constant &constant : table.constants()) {
    std::optional<int64_t> value = (constant.value * scale).toInteger();
    if (!value || *value > bound || *value < -bound)
      return std::nullopt;
  }
  return IntegerScale{scale};
}

IntegerScale integerScale(const Table &table) {
  Rational scale(1);
  fmpz *common = fmpq_numref(FlintAccess::get(scale));
  for (const Constant &constant : table.constants())
    fmpz_lcm(common, common, fmpq_denref(FlintAccess::get(constant.value)));
  return IntegerScale{scale};
}

} // namespace algebras
