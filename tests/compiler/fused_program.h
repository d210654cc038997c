// Random functions that one kernel computes, as text: products of the same rows and maps of their sums.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace compiler_test {

/// How rows get their types: `width` of one type one after another; 0 where they are explicit.
struct FusedLayer {
  std::string algebra;
  bool slots;
  std::string in, out; ///< groups of K and of N, as text
  int64_t k, n, types, width, weight_groups;

  /// Of the row `row` at position `p0 + row`, where types are not explicit.
  int64_t typeAt(int64_t position) const { return position / width % types; }
};

/// Algebras of either lift, equal and unequal groups, every kind of row types, coefficients of every kind.
const std::vector<FusedLayer> &fusedLayers();

struct FusedArgument {
  enum class Kind { Rows, Weights, Columns, RowVector, Number, Types, Position };
  Kind kind;
  bool bf16;
  int64_t columns; ///< of Rows
  bool last;       ///< whether the second of two layers reads it
};

struct FusedProgram {
  FusedLayer layer;
  bool transposed; ///< mode i: the rows are dY
  bool bf16;       ///< the operands of products
  std::string text;
  std::vector<FusedArgument> arguments; ///< of the function `f`
};

/// With 1 to 3 products, up to 4 maps that read them, each other and operands of every shape, and up to 3
/// results. With rows and weight matrices of -1, 0 and 1, and operands of whole numbers up to 4, nothing in
/// it is rounded: sums are small, and maps keep values below 60.
FusedProgram randomFusedProgram(std::mt19937 &random, const FusedLayer &layer, bool transposed, bool bf16);

/// The same of mode k with a second layer of products, from N to K, of what a map of the first one leaves.
FusedProgram randomNetwork(std::mt19937 &random, const FusedLayer &layer, bool bf16);

} // namespace compiler_test
