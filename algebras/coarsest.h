// The same layer in as few and as wide groups as its algebra allows: what kernels are made for.
#pragma once

#include "algebras/layer.h"

#include <cstdint>
#include <optional>

namespace algebras {

// An algebra without its last tensor factor M(b).
struct WithoutMatrices {
  Algebra algebra;
  int64_t factor; // b: so many consecutive groups of a lift become one
};
// Nothing where the last factor is another algebra, or the whole algebra is M(1).
std::optional<WithoutMatrices> withoutMatrices(const Algebra &algebra);

// In the row lift of A*M(b) all rows of M(b) are one type, and the b*b blocks that a block of A is cut into
// always enter together: the layer of A on groups b times as wide. Layers in the slot lift are returned as
// they are.
Layer coarsest(const Layer &layer);

} // namespace algebras
