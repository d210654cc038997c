// What a feed-forward network computes: y = (act(x gate) * (x up)) down, or without a gate y = act(x up)
// down.
#pragma once

#include "algebras/layer.h"

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

enum class Activation {
  Silu,     // x / (1 + exp(-x))
  Gelu,     // x (1 + erf(x / sqrt 2)) / 2
  GeluTanh, // the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf
  Relu,     // max(x, 0)
  Relu2,    // max(x, 0)^2
  Identity
};

// "silu", "gelu", "gelu_tanh", "relu", "relu2", "identity".
const std::vector<std::string> &activationNames();
// Throws std::out_of_range for a name that is not among them.
Activation activationNamed(std::string_view name);

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
