// The tree of commands and the reading of a command line.
#pragma once

#include "compiler/tools/session.h"

#include <functional>

namespace CLI {
class App;
}

namespace compiler {

// Reads the command line, runs the command it names and returns the exit code. `add_commands` hangs the
// commands into the tree, in the order in which --help lists them.
int runCommandLine(int argc, char **argv, const std::function<void(CLI::App &, Session &)> &add_commands);

} // namespace compiler
