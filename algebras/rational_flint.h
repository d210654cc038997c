// Rational seen as FLINT's fmpq, for the sources that call FLINT.
#pragma once

#include "algebras/rational.h"

#include <flint/fmpq.h>

namespace algebras {

struct FlintAccess {
  static fmpq *get(Rational &value) { return reinterpret_cast<fmpq *>(value.words_); }
  static const fmpq *get(const Rational &value) { return reinterpret_cast<const fmpq *>(value.words_); }
};
static_assert(sizeof(fmpq) == sizeof(Rational) && alignof(fmpq) == alignof(Rational));

} // namespace algebras
