// The SPEC argument and the options that describe a layer, the same for every command that takes a spec.
#ifndef ALGCTL_COMPILER_SPEC_SPEC_OPTIONS_H
#define ALGCTL_COMPILER_SPEC_SPEC_OPTIONS_H

#include "compiler/spec/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace compiler {

struct SpecOptions {
  std::string spec;
  // Empty or zero-sized: not given.
  std::string in, out, in_groups, out_groups, dtype, row_types, lift, field;
  bool allow_nonassociative = false;
};

// Adds the positional SPEC and the option group "Layer". `options` must outlive `app`.
void addSpecOptions(CLI::App &app, SpecOptions &options);

// Reads the file or expression and lays the options of the command line over it. Throws UsageError for option values
// that cannot be read at all, and algebras::InputError for everything that is wrong with what they say.
Spec loadSpec(const SpecOptions &options);

} // namespace compiler

#endif
