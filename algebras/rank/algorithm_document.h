// What a file of a bilinear algorithm says, before it is checked to be one.
#pragma once

#include "algebras/json/json_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

struct AlgorithmDocument {
  // Coefficient `value` at `index`, and where the two stand.
  struct Term {
    int64_t index = 0;
    Rational value;
    size_t index_offset = 0, value_offset = 0;
  };
  using Product = std::array<std::vector<Term>, 3>; // alpha, beta, gamma

  std::string name, rule;
  std::optional<Written<std::string>> field;
  std::optional<Written<int64_t>> dimension;
  std::optional<std::vector<Product>> products;
  size_t end = 0; // of the closing brace
};

inline constexpr std::array<const char *, 3> product_keys = {"alpha", "beta", "gamma"};

// One pass with the memory of the result. InputError, with its place, for what is not JSON, for keys that are
// unknown, missing in a product or given twice, and for values of a wrong type or form.
AlgorithmDocument readAlgorithmDocument(JsonText &text);

} // namespace algebras
