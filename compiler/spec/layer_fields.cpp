#include "compiler/spec/layer_fields.h"

namespace compiler {

bool LayerFields::any() const {
  return kind || dtype || row_types || lift || in || out || in_groups || out_groups || bias;
}

void LayerFields::overrideWith(const LayerFields &other) {
  auto take = [](auto &field, const auto &newer) {
    if (newer)
      field = newer;
  };
  if (other.in || other.in_groups) {
    in = other.in;
    in_groups = other.in_groups;
  }
  if (other.out || other.out_groups) {
    out = other.out;
    out_groups = other.out_groups;
  }
  take(kind, other.kind);
  take(dtype, other.dtype);
  take(row_types, other.row_types);
  take(lift, other.lift);
  take(bias, other.bias);
}

} // namespace compiler
