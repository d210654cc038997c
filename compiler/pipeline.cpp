#include "compiler/pipeline.h"

#include "compiler/cpu_pipeline.h"
#include "compiler/feasibility.h"
#include "compiler/gpu_pipeline.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <stdexcept>

namespace compiler {
namespace {

struct StageEntry {
  const char *name;
  Stage stage;
  bool cpu, gpu;
};

constexpr StageEntry stages[] = {
    {"alg", Stage::Alg, true, true},
    {"tile", Stage::Tile, true, true},
    {"vector", Stage::Vector, true, false},
    {"sm-synchronous", Stage::SmSynchronous, false, true},
    {"sm", Stage::Sm, false, true},
    {"nvvm", Stage::Nvvm, false, true},
    {"llvm", Stage::Llvm, true, true},
    {"asm", Stage::Assembly, true, false},
    {"obj", Stage::Object, true, false},
    {"ptx", Stage::Ptx, false, true},
    {"cubin", Stage::Cubin, false, true},
    {"sass", Stage::Sass, false, true},
    {"c", Stage::C, true, true},
};

bool has(const StageEntry &entry, Target target) { return entryOf(target).isGpu() ? entry.gpu : entry.cpu; }

void requireStage(Target target, Stage stage) {
  for (const StageEntry &entry : stages)
    if (entry.stage == stage && !has(entry, target))
      throw std::invalid_argument("the target " + toString(target) + " has no stage " + entry.name);
}

} // namespace

const std::vector<std::string> &stageNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const StageEntry &entry : stages)
      all.push_back(entry.name);
    return all;
  }();
  return names;
}

std::vector<std::string> stageNames(Target target) {
  std::vector<std::string> names;
  for (const StageEntry &entry : stages)
    if (has(entry, target))
      names.push_back(entry.name);
  return names;
}

Stage stageNamed(std::string_view name) {
  for (const StageEntry &entry : stages)
    if (entry.name == name)
      return entry.stage;
  throw std::out_of_range("no stage is called " + std::string(name));
}

std::string emitStage(const Spec &spec, Stage stage, const CompileOptions &options) {
  const Target target = options.targets.front();
  requireStage(target, stage);
  requireFeasible(requireLayer(spec));
  return entryOf(target).isGpu() ? emitGpuStage(spec, target, stage, options)
                                 : emitCpuStage(spec, stage, options);
}

std::string compiledBundle(const Spec &spec, const CompileOptions &options) {
  requireFeasible(requireLayer(spec));
  std::vector<CompileJob> jobs;
  for (const Target target : options.targets)
    if (entryOf(target).isGpu())
      addGpuJobs(spec, target, options, jobs);
    else
      addCpuJobs(spec, options, jobs);
  BundleParts parts;
  // Programs printed by several threads would be torn apart.
  const int threads = options.print_ir_after_all ? 1 : options.threads;
  runCompileJobs(jobs, threads, options.progress, options.note, parts);
  return parts.encode(spec);
}

void compileBundle(const Spec &spec, const std::string &path, const CompileOptions &options) {
  algrt::writeFileByRename(path, compiledBundle(spec, options));
}

} // namespace compiler
