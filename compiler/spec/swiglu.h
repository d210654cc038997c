// What a feed-forward network computes: y = (act(x gate) * (x up)) down, or without a gate y = act(x up)
// down.
#pragma once

#include "algebras/layer.h"
#include "runtime/reference/activation.h"

namespace compiler {

using algrt::Activation;

struct Swiglu {
  algebras::Lift lift;
  algebras::Groups in, hidden, out; // widths of x, of what is between, of y, cut into the lift's groups
  algebras::DataType dtype = algebras::DataType::BF16;
  algebras::RowTypes row_types;
  Activation activation = Activation::Silu;
  bool gate = true;
  bool bias = false; // one for each product
};

} // namespace compiler
