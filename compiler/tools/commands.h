// The commands of algctl. Each add function hangs one subcommand into the command-line tree; its callback
// leaves the work in the session.
#pragma once

#include "compiler/tools/session.h"

namespace CLI {
class App;
}

namespace compiler {

// On algebras alone.
void addVerify(CLI::App &app, Session &session);
void addShow(CLI::App &app, Session &session);
void addCost(CLI::App &app, Session &session);

// Through the compiler: these two need MLIR.
void addCompile(CLI::App &app, Session &session);
void addEmit(CLI::App &app, Session &session);

// On bundles, through the runtime.
void addInspect(CLI::App &app, Session &session);
void addRun(CLI::App &app, Session &session);
void addBench(CLI::App &app, Session &session);

void addDoctor(CLI::App &app, Session &session);
// Last: it describes the tree as it finds it when it runs.
void addCompletion(CLI::App &app, Session &session);

} // namespace compiler
