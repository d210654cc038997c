// A program as the user wrote it, before it is put together with an algebra: as LayerFields a layer.
#pragma once

#include "compiler/spec/layer_fields.h"

namespace compiler {

struct ProgramFields {
  // Kind, widths of x and y, element type, row types, lift, bias, and the [program] header.
  LayerFields layer;
  std::optional<Given<std::string>> file, activation;
  std::optional<Given<int64_t>> hidden;
  std::optional<Given<std::vector<int64_t>>> hidden_groups;
  std::optional<Given<bool>> gate;

  // What `other` says wins. A width replaces groups and groups replace a width.
  void overrideWith(const ProgramFields &other);
};

} // namespace compiler
