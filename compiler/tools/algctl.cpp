// The main program: the list of commands.
#include "compiler/tools/command_line.h"
#include "compiler/tools/commands.h"

int main(int argc, char **argv) {
  return compiler::runCommandLine(argc, argv, [](CLI::App &app, compiler::Session &session) {
    compiler::addVerify(app, session);
    compiler::addShow(app, session);
    compiler::addRank(app, session);
    compiler::addCompare(app, session);
    compiler::addCost(app, session);
    compiler::addCompile(app, session);
    compiler::addEmit(app, session);
    compiler::addInspect(app, session);
    compiler::addRun(app, session);
    compiler::addSimulate(app, session);
    compiler::addBench(app, session, compiler::compileForBench);
    compiler::addCache(app, session);
    compiler::addDoctor(app, session, compiler::inspectToolchain);
    compiler::addCompletion(app, session);
  });
}
