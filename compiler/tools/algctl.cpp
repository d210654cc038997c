// The main program: the list of commands.
#include "compiler/process/interruption.h"
#include "compiler/process/temporary_folder.h"
#include "compiler/tools/command_line.h"
#include "compiler/tools/commands.h"
#include "runtime/support/standard_streams.h"
#include "runtime/support/unfinished_file.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

// As on a signal, where no destructor runs.
static void removeWhatIsUnfinished() noexcept {
  compiler::removeTemporaryFolder();
  algrt::removeUnfinishedFiles();
}

int main(int argc, char **argv) {
  algrt::openStandardStreams();
  compiler::cleanUpOnSignals();
  algrt::installTerminateHandler("algctl", compiler::ExitCode::Failed, compiler::ExitCode::Bug,
                                 removeWhatIsUnfinished);
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    if (llvm::StringRef(reason).contains("pthread_create"))
      algrt::endOutOfThreads(reason);
    algrt::endAsBug(reason);
  });
  // LLVM's own allocations abort where nobody says otherwise; it cannot be unwound.
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { algrt::endOutOfMemory(); });
  const int code = compiler::runCommandLine(argc, argv, [](CLI::App &app, compiler::Session &session) {
    const compiler::ProgramTools programs = compiler::programTools();
    compiler::addVerify(app, session, programs);
    compiler::addShow(app, session);
    compiler::addRank(app, session);
    compiler::addCompare(app, session);
    compiler::addCost(app, session, programs);
    compiler::addCompile(app, session);
    compiler::addEmit(app, session);
    compiler::addInspect(app, session);
    compiler::addRun(app, session, programs);
    compiler::addSimulate(app, session);
    compiler::addBench(app, session, compiler::compileForBench, programs);
    compiler::addCache(app, session);
    compiler::addDoctor(app, session, compiler::inspectToolchain);
    compiler::addCompletion(app, session);
  });
  // Programs that were asked for on stderr and are lost there: LLVM would abort because of them.
  llvm::errs().clear_error();
  return code;
}
