#include "algebras/cost/decode.h"

#include "algebras/error.h"

namespace algebras::cost {

namespace {

void validate(const DecodeBlock &block) {
  if (block.model_width < 1 || block.query_width < 1 || block.key_value_width < 1 || block.hidden_width < 1)
    throw InputError("the widths of a decoder block have to be at least 1");
  if (block.cached_positions < 0)
    throw InputError("the number of cached positions is negative");
}

Rational projections(const DecodeBlock &block, const Rational &rho) {
  Rational width(block.model_width), maps(block.gated ? 3 : 2);
  return Rational(2) * width * Rational(block.query_width) +
         Rational(2) * width * Rational(block.key_value_width) +
         rho * maps * width * Rational(block.hidden_width);
}

} // namespace

Rational decodeMacs(const DecodeBlock &block, const Rational &rho) {
  validate(block);
  return projections(block, rho) +
         Rational(2) * Rational(block.cached_positions) * Rational(block.query_width);
}

Rational decodeProjectionFraction(const DecodeBlock &block, const Rational &rho) {
  validate(block);
  return projections(block, rho) / projections(block, Rational(1));
}

} // namespace algebras::cost
