// One decoder block on one new token (paper, eq. icml-decode-total).
#pragma once

#include "algebras/rational.h"

#include <cstdint>

namespace algebras::cost {

struct DecodeBlock {
  std::int64_t model_width = 0;      // D
  std::int64_t query_width = 0;      // H_q = n_q d_h
  std::int64_t key_value_width = 0;  // H_kv = n_kv d_h
  std::int64_t hidden_width = 0;     // F
  bool gated = true;                 // g = 2 for a gated MLP, else 1
  std::int64_t cached_positions = 0; // N
};

// 2 D H_q + 2 D H_kv + rho (g+1) D F + 2 N H_q: algebraic FFN, dense attention. rho = 1 is the dense
// baseline.
Rational decodeMacs(const DecodeBlock &block, const Rational &rho);
// The same without the attention contractions, over the dense count: 59/80 in the paper's configuration.
Rational decodeProjectionFraction(const DecodeBlock &block, const Rational &rho);

} // namespace algebras::cost
