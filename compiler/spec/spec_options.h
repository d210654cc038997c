// The SPEC argument and the options that describe a layer, the same for every command that takes a spec.
#pragma once

#include "compiler/spec/spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace compiler {

struct SpecOptions {
  // A .toml, .dot, .gv, .graphml, .json or .mlir file, or an expression.
  std::string spec;
  // Each of these takes the place of what a spec file says.
  std::optional<int64_t> in, hidden, out;
  std::vector<int64_t> in_groups, hidden_groups, out_groups;
  std::string dtype, row_types, lift, field; // empty: not given
  std::optional<bool> bias;
  bool allow_nonassociative = false;
};

// Adds the positional SPEC and the option groups "Algebra" and "Layer". `options` must outlive `app`.
void addSpecOptions(CLI::App &app, SpecOptions &options);

// The option groups alone, for a command that takes its specs in another way.
void addLayerOptions(CLI::App &app, SpecOptions &options);

// Throws UsageError where any of these options is given beside a file that describes a layer completely.
void refuseLayerOptions(const SpecOptions &options, const std::string &file);

// Reads the file or expression and lays the options over it. Throws UsageError when options that belong
// together are not all there, and algebras::InputError for whatever is wrong with the input.
Spec loadSpec(const SpecOptions &options);

// Whether the file, which is read again, or the command line say the element type of the layer or of the
// program that is described. Throws as loadSpec does.
bool saysDtype(const SpecOptions &options);

} // namespace compiler
