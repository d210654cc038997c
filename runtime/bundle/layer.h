// The layer that a bundle computes, as the manifest describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

class JsonFields;

enum class Lift { Rows, Slots };
enum class ElementType { F32, Bf16 };
enum class RowTypesKind { Cyclic, Interval, ExplicitTypes };

int64_t elementBytes(ElementType type);
const char *name(Lift lift);
const char *name(ElementType type);
const char *name(RowTypesKind kind);

// What maps of a product's sums read beside these: numbers in f32 or bf16.
struct FusedOperand {
  enum class Per {
    Column,  // one for each column of the result: shape [N]
    Row,     // one for each row: [M]
    Element, // one for each element: [M, N]
    Call     // one for the call: [1], always on the CPU, as an argument of the launch; f32
  };
  std::string name; // neither a matrix of the product nor what says the rows' types
  Per per;
  ElementType type;
  int64_t layer = 0; // whose maps read it: 0 of the products of x, 1 of the next layer's
  bool operator==(const FusedOperand &) const = default;
};
const char *name(FusedOperand::Per per);

// A further layer of a fused one: products, by the same algebra, of what maps of the first one's sums have
// left. Its input groups are the output groups of the layer before.
struct NextLayer {
  std::vector<int64_t> out_groups;
  int64_t weights = 1; // of its products, numbered behind those of the layer before
  int64_t n() const;
  bool operator==(const NextLayer &) const = default;
};

// What kernels of a program compute at once: products of the same rows with several weights, which are all
// shaped like the layer's weight matrix, and maps of their sums. Kernels of a fused layer are of one map,
// forward or dx. Beside x (or dy) they take the weights "w", "w2", "w3", ..., then the operands, and write
// the results "y", "y2", ... (or "dx", "dx2", ...), all shaped like the result of the map. With a next layer,
// which kernels of forward alone have, the results are that one's.
struct Fusion {
  int64_t weights = 1;
  std::vector<FusedOperand> operands;
  std::vector<ElementType> results;
  std::optional<NextLayer> next = {};
  // Weights of all layers, and which layer one of them belongs to.
  int64_t allWeights() const { return weights + (next ? next->weights : 0); }
  int64_t layerOf(int64_t weight) const { return weight < weights ? 0 : 1; }
  bool operator==(const Fusion &) const = default;
};

// "w" or "w3"; "y" or "y2": a matrix of a product and those like it, counted from 0.
std::string numberedName(const char *first, int64_t number);

struct Layer {
  Lift lift;
  ElementType dtype;
  int64_t k, n;
  int64_t types;
  RowTypesKind row_types;
  int64_t row_type_width; // 1 for cyclic, 0 for explicit
  std::vector<int64_t> in_groups;
  std::vector<int64_t> out_groups;
  std::vector<int64_t> weight_rows;
  bool bias = false; // forward adds n numbers of type dtype to every row of y
  // Of a kernel of a program; a plain projection has none. With it there is no bias: that is an operand.
  std::optional<Fusion> fusion = {};

  // The weight matrix as a matrix: k rows, and n columns (row lift) or n over the number of output groups
  // (slot lift).
  int64_t weightColumns() const;
  // Columns of the results of forward: n, or those of the fusion's next layer.
  int64_t outputColumns() const { return fusion && fusion->next ? fusion->next->n() : n; }
};

// The layer that a weight of a fused one belongs to, 0 or 1, as a layer of its own.
Layer layerOfWeight(const Layer &layer, int64_t weight);

// The layer with its groups joined into `groups` of as many consecutive ones each: what A*M(b) is to a kernel
// that computes A on whole blocks. `groups` divides their number.
Layer joinGroups(const Layer &layer, int64_t groups);

// Reads and checks the manifest's "layer". Throws Error(ALGRT_BAD_BUNDLE) naming the key.
Layer parseLayer(const JsonFields &fields);

} // namespace algrt
