// The layer that a bundle computes, as the manifest describes it.
#pragma once

#include <cstdint>
#include <vector>

namespace algrt {

class JsonFields;

enum class Lift { rows, slots };
enum class ElementType { f32, bf16 };
enum class RowTypesKind { cyclic, interval, explicit_types };

int64_t elementBytes(ElementType type);
const char *name(Lift lift);
const char *name(ElementType type);
const char *name(RowTypesKind kind);

struct Layer {
  Lift lift;
  ElementType dtype;
  int64_t k, n;
  int64_t types;
  RowTypesKind row_types;
  int64_t row_type_width; // 1 for cyclic, 0 for explicit
  std::vector<int64_t> in_groups;
  std::vector<int64_t> out_groups;
  std::vector<int64_t> bank_rows;
  bool bias = false; // forward adds n numbers of type dtype to every row of y

  // The bank as a matrix: k rows, and n columns (row lift) or n over the number of output groups (slot lift).
  int64_t bankColumns() const;
};

// The layer with its groups joined into `groups` of as many consecutive ones each: what A*M(b) is to a kernel
// that computes A on whole blocks. `groups` divides their number.
Layer joinGroups(const Layer &layer, int64_t groups);

// Reads and checks the manifest's "layer". Throws Error(ALGRT_BAD_BUNDLE) naming the key.
Layer parseLayer(const JsonFields &fields);

} // namespace algrt
