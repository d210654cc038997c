// The activations of feed-forward networks, by name and in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

enum class Activation {
  Silu,     // x / (1 + exp(-x))
  Gelu,     // x (1 + erf(x / sqrt 2)) / 2
  GeluTanh, // the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf
  Relu,     // max(x, 0)
  Relu2,    // max(x, 0)^2
  Identity
};

// "silu", "gelu", "gelu_tanh", "relu", "relu2", "identity".
inline const std::vector<std::string> &activationNames() {
  static const std::vector<std::string> names = {"silu", "gelu", "gelu_tanh", "relu", "relu2", "identity"};
  return names;
}

// Throws std::out_of_range for a name that is not among them.
inline Activation activationNamed(std::string_view name) {
  const auto found = std::ranges::find(activationNames(), name);
  if (found == activationNames().end())
    throw std::out_of_range("no activation is called " + std::string(name));
  return static_cast<Activation>(found - activationNames().begin());
}

// As the definition above says it.
inline double activated(Activation activation, double x) {
  switch (activation) {
  case Activation::Silu:
    return x / (1 + std::exp(-x));
  case Activation::Gelu:
    return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  case Activation::GeluTanh:
    return x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))) / 2;
  case Activation::Relu:
    return std::max(x, 0.0);
  case Activation::Relu2:
    return std::max(x, 0.0) * std::max(x, 0.0);
  case Activation::Identity:
    return x;
  }
  throw std::logic_error("an activation without a formula");
}

} // namespace algrt
