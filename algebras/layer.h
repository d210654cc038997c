// A projection layer: an algebra's lift, feature groups, element type, schedule of types and bias.
#pragma once

#include "algebras/data_type.h"
#include "algebras/groups.h"
#include "algebras/lift.h"
#include "algebras/row_types.h"

#include <cstdint>

namespace algebras {

// What a kernel computes beyond one product of a layer, as far as its cost and its limits go by it.
struct Fused {
  int64_t weights = 1;          // weight matrices of the layer's shape, which the same X is multiplied by
  int64_t results = 1;          // matrices like Y that are written
  int64_t element_operands = 0; // matrices like Y that maps of the sums read
  int64_t row_operands = 0;     // vectors of one number for each row that they read
  // Bytes of one element of all results together, and of all matrices that maps read; 0 where each element is
  // of the layer's type.
  int64_t result_bytes = 0, operand_bytes = 0;
  // Of the maps of one sum of each product, on a GPU: how many operations they have, and cycles in which a
  // scheduler issues them for one warp; of a gate by SiLU where nothing else is said.
  int64_t map_operations = 6, map_cycles = 16;

  bool mapsReadRows() const { return element_operands + row_operands > 0; }
  bool operator==(const Fused &) const = default;
};

struct Layer {
  Lift lift;
  Groups in, out; // K and N, cut into the lift's groups
  DataType dtype = DataType::F32;
  RowTypes row_types;
  bool bias =
      false; // Y = X W + b, with one element of b for each output feature, in the order of Y's columns
  Fused fused = {};

  // InputError when group counts do not match the lift, the slots lift has unequal groups, the number of
  // types is not the lift's, or K * N leaves 64 bits.
  void validate() const;

  // The layer read backwards, of which dX = dY W^T is the forward product: Lift::transposed, from the groups
  // of Y to those of X. It has no bias, on which X does not depend.
  Layer transposed() const { return {lift.transposed(), out, in, dtype, row_types, false, fused}; }
};

// Layer with equal groups; InputError that suggests in_groups / out_groups where the count does not divide K
// or N.
Layer makeLayer(const Lift &lift, int64_t in, int64_t out, DataType dtype = DataType::F32);

} // namespace algebras
