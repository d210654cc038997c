#include "compiler/spec/swiglu.h"

#include <algorithm>
#include <stdexcept>

namespace compiler {

const std::vector<std::string> &activationNames() {
  static const std::vector<std::string> names = {"silu", "gelu", "gelu_tanh", "relu", "relu2", "identity"};
  return names;
}

Activation activationNamed(std::string_view name) {
  const auto found = std::find(activationNames().begin(), activationNames().end(), name);
  if (found == activationNames().end())
    throw std::out_of_range("no activation is called " + std::string(name));
  return static_cast<Activation>(found - activationNames().begin());
}

} // namespace compiler
