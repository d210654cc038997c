// The layer as the user wrote it, before it is put together with an algebra. Fields of the file and options
// of the command line meet here, and each remembers where it came from, so that an error can point at it.
#pragma once

#include "compiler/spec/given.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct LayerFields {
  std::optional<Given<std::string>> kind, dtype, row_types, lift;
  std::optional<Given<int64_t>> in, out;
  std::optional<Given<bool>> bias;
  std::optional<Given<std::vector<int64_t>>> in_groups, out_groups;
  // The [layer] header, where there is one: the place to point at when a key is missing.
  std::optional<algebras::SourceLocation> where;

  bool any() const;
  // What `other` says wins. A width replaces groups and groups replace a width.
  void overrideWith(const LayerFields &other);
};

} // namespace compiler
