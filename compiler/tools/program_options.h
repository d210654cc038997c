// The options of commands on programs.
#pragma once

#include "compiler/pipeline/pipeline.h"

#include <string>

namespace CLI {
class App;
}

namespace compiler {

// The option --program-maps, which says what of programs is compiled.
void addProgramMaps(CLI::App &app, std::string &maps);
// What it says, where it is not empty. Throws UsageError for anything but forward, backward and keeping,
// which goes with backward.
ProgramMaps programMapsOf(const std::string &maps);

// The option --fuse: nothing, products or layers.
void addFusing(CLI::App &app, std::string &fuse);
// What it says, where it is not empty. Throws UsageError for anything else.
Fusing fusingOf(const std::string &fuse);

} // namespace compiler
