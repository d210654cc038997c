#include "algebras/linear/modular_span.h"

#include <flint/ulong_extras.h>

namespace algebras {

bool ModularSpan::insert(Vector vector) {
  int64_t width = ambient();
  for (int64_t column = 0; column < width; ++column) {
    if (vector[column] == 0)
      continue;
    if (rows_[column].empty()) {
      mp_limb_t inverse = n_invmod(vector[column], mod_.n);
      _nmod_vec_scalar_mul_nmod(vector.data() + column, vector.data() + column, width - column, inverse,
                                mod_);
      rows_[column] = std::move(vector);
      ++dimension_;
      return true;
    }
    _nmod_vec_scalar_addmul_nmod(vector.data() + column, rows_[column].data() + column, width - column,
                                 nmod_neg(vector[column], mod_), mod_);
  }
  return false;
}

int64_t ModularSpan::firstMissing() const {
  for (int64_t column = 0; column < ambient(); ++column)
    if (rows_[column].empty())
      return column;
  return -1;
}

} // namespace algebras
