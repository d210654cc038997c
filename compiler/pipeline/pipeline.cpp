#include "compiler/pipeline/pipeline.h"

#include "compiler/pipeline/cpu_pipeline.h"
#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/pipeline/feasibility.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "compiler/pipeline/kernel_options.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
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
    {"fused", Stage::Fused, true, true},
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

/// A module for the CPU has the functions of all maps; one for a GPU is of one kernel.
std::vector<algrt::Map> mapsToShow(Target target, const CompileOptions &options) {
  if (entryOf(target).isGpu())
    return {options.map};
  return {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw};
}

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

/// What one kernel of a program has for options of its own.
static CompileOptions optionsOf(const KernelSource &source, const CompileOptions &given) {
  CompileOptions options = optionsFor(source, given);
  options.map = source.maps.front();
  options.output = source.results.front();
  return options;
}

/// A kernel of a program at a stage behind those of the whole program.
static std::string emitProgramKernel(const Spec &spec, Target target, Stage stage,
                                     const CompileOptions &options) {
  if (stage == Stage::C)
    throw UsageError("the stage c for the CPU is of projections, which " + spec.source_name + " is not");
  const ProgramPlan plan = planProgram(spec, options);
  const algrt::ProgramStep step = stepToShow(plan, spec, options);
  if (step.elementwise)
    return emitElementwise(*plan.elementwise[*step.elementwise].compiled_from, target, stage, options);
  const KernelSource &source = plan.kernels[step.projection];
  return atPlaceOf(source, [&] {
    requireFeasible(source);
    return entryOf(target).isGpu() ? emitGpuStage(source, target, stage, optionsOf(source, options))
                                   : emitCpuStage(source, stage, optionsOf(source, options));
  });
}

LauncherFiles emitLauncher(const Spec &spec, const std::string &path, const CompileOptions &options) {
  const Target target = options.targets.front();
  if (!spec.program)
    return emitLauncher(projectionSource(spec, {options.map}), target, path, options);
  const ProgramPlan plan = planProgram(spec, options);
  const algrt::ProgramStep step = stepToShow(plan, spec, options);
  if (step.elementwise)
    throw AbsentError("the launcher in C launches kernels of products, which " + plan.functionOf(step) +
                      " is none of: algctl compile makes a bundle, whose runtime launches all");
  const KernelSource &source = plan.kernels[step.projection];
  return atPlaceOf(source, [&] {
    requireFeasible(source);
    return emitLauncher(source, target, path, optionsOf(source, options));
  });
}

std::string emitDbias(const Spec &spec, Stage stage, const CompileOptions &options) {
  const Target target = options.targets.front();
  requireStage(target, stage);
  const algrt::ElementType type =
      options.output == algebras::DataType::F32 ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
  for (const ElementwiseSource &source :
       projectionFunctions(projectionSource(spec, {algrt::Map::Dw}), options))
    if (source.description.name == algrt::dbiasFunction(type))
      return emitElementwise(*source.compiled_from, target, stage, options);
  throw UsageError("dbias is the gradient of a bias, which " + spec.source_name + " has not");
}

std::string emitStage(const Spec &spec, Stage stage, const CompileOptions &options) {
  const Target target = options.targets.front();
  requireStage(target, stage);
  if (spec.program && (stage == Stage::Alg || stage == Stage::Fused))
    return emitProgramStage(spec, stage, options);
  if (spec.program)
    return emitProgramKernel(spec, target, stage, options);
  const KernelSource source = projectionSource(spec, mapsToShow(target, options));
  requireFeasible(source);
  if (stage == Stage::Fused)
    return emitFusedProjection(source, options);
  return entryOf(target).isGpu() ? emitGpuStage(source, target, stage, options)
                                 : emitCpuStage(source, stage, options);
}

/// The jobs of an element-wise function, which has to outlive them as the options have.
static void addElementwiseJobs(const ElementwiseSource &source, Target target, const CompileOptions &options,
                               std::vector<CompileJob> &jobs) {
  const std::string &name = source.description.name;
  const auto part = [name](ElementwiseCode code) {
    CompiledPart made;
    made.notes = code.notes;
    made.add = [name, code = std::move(code)](BundleParts &parts) {
      parts.addElementwise(name, code.kernel, elementwiseSections(code));
    };
    return made;
  };
  if (entryOf(target).isGpu()) {
    jobs.push_back({"kernel of " + name + " for " + toString(target), [&source, &options, target, part] {
                      return part(compileElementwiseForGpu(*source.compiled_from, target, options));
                    }});
    return;
  }
  for (const std::string &level : options.cpu_levels)
    jobs.push_back({"kernel of " + name + " for " + level, [&source, &options, level, part] {
                      return part(compileElementwiseForCpu(*source.compiled_from, level, options));
                    }});
}

/// The kernels of sources, each for all targets.
static std::string compiledParts(const std::vector<KernelSource> &sources,
                                 const std::vector<ElementwiseSource> &elementwise,
                                 const BundleContents &contents, const CompileOptions &options) {
  std::vector<CompileJob> jobs;
  for (const KernelSource &source : sources)
    atPlaceOf(source, [&] {
      requireFeasible(source);
      for (const Target target : options.targets)
        if (entryOf(target).isGpu())
          addGpuJobs(source, target, options, jobs);
        else
          addCpuJobs(source, options, jobs);
    });
  for (const ElementwiseSource &source : elementwise)
    for (const Target target : options.targets)
      addElementwiseJobs(source, target, options, jobs);
  BundleParts parts;
  // Programs printed by several threads would be torn apart.
  const int threads = options.print_ir_after_all ? 1 : options.threads;
  runCompileJobs(jobs, threads, options.progress, options.note, parts);
  return parts.encode(contents);
}

std::string compiledBundle(const Spec &spec, const CompileOptions &options) {
  if (spec.program) {
    const ProgramPlan plan = planProgram(spec, options);
    return compiledParts(plan.kernels, plan.elementwise, plan.contents(), options);
  }
  KernelSource source = projectionSource(spec, options.maps);
  source.results = options.results;
  const std::vector<ElementwiseSource> functions = projectionFunctions(source, options);
  BundleContents contents = {{requireAlgebra(spec)}, {{"", source.layer, {}}}, {}, {}, {}};
  for (const ElementwiseSource &function : functions)
    contents.elementwise.push_back(function.description);
  return compiledParts({source}, functions, contents, options);
}

void compileBundle(const Spec &spec, const std::string &path, const CompileOptions &options) {
  algrt::writeFileByRename(path, compiledBundle(spec, options));
}

} // namespace compiler
