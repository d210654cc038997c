// The TOML form of a spec:
//
//     [algebra]
//     product = "Q(32)"     # or graph = "file.dot", or vertices = 3 and edges = [[0, 1]], or table =
//     "file.json" field   = "Q"         # or "GF(7)" allow_nonassociative = false
//
//     [layer]
//     kind      = "projection"
//     in        = 2048      # or in_groups = [640, 512, ...]
//     out       = 6144      # or out_groups
//     dtype     = "bf16"    # or "f32"
//     row_types = "cyclic"  # or "interval(192)", "explicit"
//     lift      = "rows"    # or "slots"
//     bias      = false     # or true: one number for each of the N output features is added
//
// or, in place of [layer],
//
//     [program]
//     kind       = "swiglu" # in, out (in where it is left out), dtype, row_types, lift and bias as above
//     hidden     = 6144     # or hidden_groups
//     activation = "silu"   # or "gelu", "gelu_tanh", "relu", "relu2", "identity"
//     gate       = true
//
// or, without [algebra],
//
//     [program]
//     file = "program.mlir"
#pragma once

#include "algebras/algebra.h"
#include "compiler/spec/program_fields.h"

#include <optional>
#include <string>
#include <string_view>

namespace compiler {

struct TomlSpec {
  // Absent where the program is a file.
  std::optional<algebras::Algebra> algebra;
  bool allow_nonassociative = false;
  LayerFields layer;
  // Of the layer and the program one at most is there. A file's name starts at the base directory.
  std::optional<ProgramFields> program;
};

struct TomlSpecOptions {
  // For messages.
  std::string file = "<spec>";
  // Relative file names in the spec start here.
  std::string base_directory = ".";
  // Takes the place of what the file says.
  std::optional<std::string> field;
};

// Throws algebras::InputError with file, line, column and a caret for syntax errors, keys that do not exist
// (with the nearest one that does), values of a wrong type, contradictory or missing keys, and whatever is
// wrong with the algebra itself.
TomlSpec parseTomlSpec(std::string_view text, const TomlSpecOptions &options);

} // namespace compiler
