#include "algebras/constructions/construction.h"

#include <algorithm>
#include <tuple>

namespace algebras::detail {

const std::vector<Algebra> &Construction::factors() const {
  static const std::vector<Algebra> none;
  return none;
}

std::vector<Constant> MatrixConstruction::constantsInto(int64_t slot) const {
  Position where = position(slot);
  std::vector<Constant> result;
  // (i,k)(k,j): slots of one row ascend with their column, so that ascending k gives ascending first indices.
  for (int64_t k : support(where.row, where.column))
    result.push_back({slotAt({where.row, k}).value(), slotAt({k, where.column}).value(), slot, Rational(1)});
  return result;
}

} // namespace algebras::detail
