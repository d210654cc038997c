// Bilinear algorithms as JSON files (docs/rank.md).
#pragma once

#include "algebras/rank/bilinear_algorithm.h"

#include <string>
#include <string_view>

namespace algebras {

struct AlgorithmFile {
  std::string name; // of the algebra, for people
  std::string rule; // how the algorithm was made, for people; may be empty
  Field field;
  int64_t dimension = 0;
  BilinearAlgorithm products;
};

// {"name": ..., "rule": ..., "field": "Q", "dimension": m,
//  "products": [{"alpha": [[i, "num/den"], ...], "beta": [...], "gamma": [...]}, ...]}
// One product to a line; parseAlgorithm reads it back.
std::string printAlgorithm(const AlgorithmFile &file);

// InputError with its place for whatever is wrong. Values are reduced into the field,
// zeros dropped. Whether the algorithm is right is for findMismatch to say.
AlgorithmFile parseAlgorithm(std::string_view text, const std::string &file);
AlgorithmFile readAlgorithmFile(const std::string &path);

} // namespace algebras
