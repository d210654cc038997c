// The commands of algctl. Each add function hangs one subcommand into the command-line tree; its callback
// leaves the work in the session.
#pragma once

#include "compiler/spec/spec.h"
#include "compiler/tools/machine.h"
#include "compiler/tools/program_tools.h"
#include "compiler/tools/session.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace compiler {

// How bench has bundles made: for one target ("cpu" means this machine's), with schedules for m rows.
struct BenchCompilation {
  std::string target = "cpu";
  int64_t m = 2048;
  std::vector<algrt::Map> maps = {algrt::Map::Forward};
  bool use_cache = true;
  ProgramMaps program_maps = {};  // of programs, in place of maps
  Fusing fusing = Fusing::Layers; // of programs
  int64_t experts = 0;            // of programs: among so many networks the rows are divided; 0: one has all
};
// Writes the bundle of a spec. Empty in a build without the compiler.
using BundleCompiler =
    std::function<void(const Spec &spec, const BenchCompilation &how, const std::string &path)>;
// compile.cpp; defined only where there is a compiler. Throws UsageError for a target that there is not.
void compileForBench(const Spec &spec, const BenchCompilation &how, const std::string &path);

// On algebras alone, and on programs where there is a compiler.
void addVerify(CLI::App &app, Session &session, const ProgramTools &tools = {});
void addShow(CLI::App &app, Session &session);
void addRank(CLI::App &app, Session &session);
void addCompare(CLI::App &app, Session &session);
void addCost(CLI::App &app, Session &session, const ProgramTools &tools = {});

// Through the compiler: these need MLIR.
void addCompile(CLI::App &app, Session &session);
void addEmit(CLI::App &app, Session &session);
// GPU kernels on the simulator.
void addSimulate(CLI::App &app, Session &session);

// On bundles, through the runtime.
void addInspect(CLI::App &app, Session &session);
void addRun(CLI::App &app, Session &session, const ProgramTools &tools = {});
void addBench(CLI::App &app, Session &session, const BundleCompiler &compile, const ProgramTools &tools = {});

// On the folder of compiled kernels.
void addCache(CLI::App &app, Session &session);

void addDoctor(CLI::App &app, Session &session, const ToolchainInspector &toolchain);
// Last: it describes the tree as it finds it when it runs.
void addCompletion(CLI::App &app, Session &session);

} // namespace compiler
