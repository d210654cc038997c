#include "compiler/pipeline/gpu_pipeline.h"

#include "algebras/coarsest.h"
#include "algebras/error.h"
#include "compiler/bundle/assemble.h"
#include "compiler/bundle/attach_records.h"
#include "compiler/bundle/layer_description.h"
#include "compiler/lower/passes.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/pipeline/feasibility.h"
#include "compiler/pipeline/gpu_variants.h"
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/pipeline/kernel_options.h"
#include "compiler/pipeline/listed_source.h"
#include "compiler/pipeline/machine_code.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/gpu_layer.h"
#include "compiler/targets/ampere/passes.h"
#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/kernel_attribute.h"
#include "compiler/targets/nvidia/passes.h"
#include "compiler/targets/nvidia/ptx.h"
#include "compiler/targets/thread_block/passes.h"
#include "runtime/cuda/launch_plan.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace compiler {
namespace {

/// Refuses what the target has no kernels for, by its name where others were asked for too.
void requireSupported(const algebras::Layer &layer, Target target, const CompileOptions &options) {
  try {
    requireGpuLayer(algebras::coarsest(layer), toString(target));
  } catch (const algebras::InputError &error) {
    if (options.targets.size() == 1)
      throw;
    throw algebras::InputError("for " + toString(target) + ": " + error.what()).hint(error.hint());
  }
}

/// A kernel on its way down.
class GpuLowering {
public:
  GpuLowering(const KernelSource &source, Target target, const CompileOptions &options)
      : source_(source), target_(target), options_(options),
        compilation_(options.print_ir_after_all, source.origin) {
    requireFeasible(source);
    requireSupported(source.layer, target, options);
    module_ = compilation_.algProgram(source, options.map, options.output);
  }

  /// As far as a stage's module; instructions for everything behind Stage::Nvvm.
  void to(Stage stage) {
    if (stage == Stage::Alg)
      return;
    compilation_.run(*module_, [&](OpPassManager &passes) { addAlgToTile(passes); });
    if (stage == Stage::Tile)
      return;
    compilation_.run(*module_, addMathOfGpus);
    compilation_.run(*module_, [&](OpPassManager &passes) {
      // Threads of vector reductions read straight into registers: nothing is left to be made asynchronous.
      if (stage == Stage::SmSynchronous || isReduction()) {
        ConvertTileToSmOptions options;
        options.dependent = entryOf(target_).kernels == Kernels::EngineCopies;
        passes.addPass(createConvertTileToSm(options));
        passes.addPass(createCanonicalizerPass());
        passes.addPass(createCSEPass());
      } else if (threadsCopy()) {
        addTileToCopyingSm(passes);
      } else {
        addTileToSm(passes);
      }
      if (stage != Stage::SmSynchronous && stage != Stage::Sm)
        addSmToNvvm(passes);
    });
  }
  void toNvvm() { to(Stage::Nvvm); }

  std::string print(bool names) { return printModule(*module_, names); }
  /// What becomes machine code, with what the kernel says of itself. After toNvvm, once.
  ModuleOp program() {
    attachRecords(*module_, {kernel()}, source_, RecordSpace::GpuConstant);
    return *module_;
  }

  /// The only kernel of the module, as the manifest describes it. After toNvvm.
  algrt::Kernel kernel() {
    auto function = *module_->getOps<LLVM::LLVMFuncOp>().begin();
    algrt::Kernel kernel;
    kernel.name = function.getSymName().str();
    kernel.target = toString(target_);
    kernel.gpu = readKernelAttribute(function);
    kernel.map = algrt::name(kernel.gpu->map);
    kernel.gpu->architecture = entryOf(target_).architecture;
    kernel.gpu->exact_architecture = entryOf(target_).exact_architecture;
    return kernel;
  }

private:
  /// Whether the tile program is one of vector reductions.
  bool isReduction() {
    return static_cast<bool>((*module_->getOps<tile::KernelOp>().begin()).getReducedSchedule());
  }

  /// Whether the tile program's schedule has threads copy, not the copy engine.
  bool threadsCopy() {
    auto kernel = *module_->getOps<tile::KernelOp>().begin();
    return kernel.getStagedSchedule().hasWarps();
  }

  void addAlgToTile(OpPassManager &passes) {
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    ConvertAlgToTileOptions choice;
    choice.target = toString(target_);
    choice.output = algebras::toString(options_.output);
    choice.schedule = options_.schedule;
    choice.rows = options_.rows;
    choice.vector = options_.vector;
    choice.positions = options_.positions;
    choice.experts = options_.experts;
    passes.addPass(createConvertAlgToTile(choice));
  }

  const KernelSource &source_;
  Target target_;
  const CompileOptions &options_;
  Compilation compilation_;
  OwningOpRef<ModuleOp> module_;
};

} // namespace

GpuProgram gpuProgram(const KernelSource &given, Target target, const CompileOptions &options) {
  const KernelSource source = sourceForRows(given, target, options);
  GpuLowering lowering(source, target, options);
  lowering.toNvvm();
  return {lowering.print(/*names=*/true), lowering.kernel()};
}

GpuProgram gpuProgram(const Spec &spec, Target target, const CompileOptions &options) {
  return gpuProgram(projectionSource(spec, {options.map}), target, options);
}

GpuImages gpuImages(const KernelSource &source, Target target, const CompileOptions &options) {
  GpuLowering lowering(source, target, options);
  lowering.toNvvm();
  GpuImages images;
  images.kernel = lowering.kernel();
  GpuCode made =
      gpuCode(lowering.program(), toString(target), images.kernel.gpu->symbol, options.cache.get());
  images.kernel.gpu->registers = made.code.registers;
  images.ptx = std::move(made.code.ptx);
  images.cubin = std::move(made.code.cubin);
  images.why_no_cubin = std::move(made.why_no_cubin);
  images.notes = std::move(made.notes);
  return images;
}

static void tellNotes(const GpuImages &images, const CompileOptions &options) {
  for (const std::string &note : images.notes)
    if (options.note)
      options.note(note);
}

/// The cubin for a stage that is one. Throws AbsentError where there is no assembler.
static std::string requireCubin(const KernelSource &source, Target target, const CompileOptions &options) {
  GpuImages images = gpuImages(source, target, options);
  if (images.cubin.empty())
    throw AbsentError(images.why_no_cubin);
  tellNotes(images, options);
  return std::move(images.cubin);
}

std::string emitGpuStage(const KernelSource &given, Target target, Stage stage,
                         const CompileOptions &options) {
  const KernelSource source = sourceForRows(given, target, options);
  if (stage == Stage::Cubin)
    return requireCubin(source, target, options);
  if (stage == Stage::Sass)
    return disassemble(requireCubin(source, target, options));
  GpuLowering lowering(source, target, options);
  lowering.to(stage);
  switch (stage) {
  case Stage::Llvm:
    return nvptxLlvmIr(lowering.program(), toString(target));
  case Stage::Ptx:
    return generatePtx(lowering.program(), toString(target)).ptx;
  default:
    return lowering.print(/*names=*/true);
  }
}

LauncherFiles emitLauncher(const KernelSource &source, Target target, const std::string &path,
                           const CompileOptions &options) {
  const algebras::Layer &layer = source.layer;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    throw AbsentError(
        "the launcher in C groups no rows of explicit types: algctl compile makes a bundle, whose "
        "runtime does");
  if (source.next)
    throw AbsentError(
        "the launcher in C launches kernels of one layer: take --fuse products, or algctl compile, "
        "which makes a bundle, whose runtime launches all");
  if (options.experts > 0)
    throw AbsentError(
        "the launcher in C launches kernels of one network: leave --experts away, or take algctl "
        "compile, which makes a bundle, whose runtime launches all");
  CudaProgram program;
  program.names = launcherNames(path);
  const GpuImages images = gpuImages(source, target, options);
  if (images.kernel.gpu->isReduction())
    throw AbsentError(
        "the launcher in C launches no kernels of vector reductions, which take positions: give "
        "another --schedule, or more rows with --m; algctl compile makes a bundle, whose runtime "
        "launches all");
  program.title = source.title;
  program.kernel = *images.kernel.gpu;
  program.layer = algrt::cuda::kernelLayer(runtimeLayer(layer, source.fusion), program.kernel);
  // Machine code is for one generation of devices; a kernel for all since its target is PTX.
  if (program.kernel.exact_architecture)
    program.cubin = images.cubin;
  program.ptx = images.ptx;
  tellNotes(images, options);
  if (images.kernel.gpu->terms)
    program.terms = algrt::cuda::termsTable(runtimeLayer(layer), program.kernel, runtimeSupport(layer));
  return cudaLauncher(program);
}

/// One kernel of a bundle.
static CompiledPart compileKernel(const KernelSource &source, Target target, const CompileOptions &options,
                                  const algrt::RowRange &rows, const std::string &suffix) {
  GpuImages images = gpuImages(source, target, options);
  images.kernel.name += suffix;
  images.kernel.gpu->best_for_rows = rows;
  CompiledPart part{[=, projection = source.projection](BundleParts &parts) {
                      parts.addGpu(projection, images.kernel, images.ptx, images.cubin);
                    },
                    images.notes};
  if (!images.why_no_cubin.empty())
    part.notes.push_back("the bundle holds PTX alone, which the driver compiles when it is loaded: " +
                         images.why_no_cubin);
  return part;
}

namespace {
/// Kernels that are made from one source: as it is, or with listed rows.
struct SourceOfKernels {
  std::shared_ptr<const KernelSource> source;
  bool listed; ///< beside kernels of the source as it is
  CompileOptions options;
};
} // namespace

static bool findsRowsInLists(const KernelSource &source) {
  return source.layer.lift.kind() == algebras::Lift::Kind::Rows && !source.next &&
         source.layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
}

/// Rows that are divided among experts are for vector reductions, or for kernels that find them in lists, as
/// either is faster.
static std::vector<SourceOfKernels> sourcesOfExperts(const std::shared_ptr<const KernelSource> &source,
                                                     Target target, CompileOptions options) {
  options.output = source->results.front();
  std::vector<int64_t> of_lists, of_reductions;
  for (const int64_t rows : options.allRows())
    (listsExperts(*source, target, rows, options) ? of_lists : of_reductions).push_back(rows);
  std::vector<SourceOfKernels> sources;
  const auto add = [&](const std::shared_ptr<const KernelSource> &one, bool listed,
                       const std::vector<int64_t> &rows) {
    if (rows.empty())
      return;
    sources.push_back({one, listed, options});
    sources.back().options.rows = rows.front();
    sources.back().options.further_rows.assign(rows.begin() + 1, rows.end());
  };
  add(source, false, of_reductions);
  if (!of_lists.empty())
    add(std::make_shared<const KernelSource>(withListedRows(*source, options)), true, of_lists);
  return sources;
}

static std::vector<SourceOfKernels> sourcesOfKernels(const KernelSource &given, Target target,
                                                     const CompileOptions &options) {
  const std::shared_ptr<const KernelSource> source(std::shared_ptr<const KernelSource>(), &given);
  if (options.experts > 0)
    return sourcesOfExperts(source, target, options);
  std::vector<SourceOfKernels> sources = {{source, false, options}};
  if (options.row_lists && given.layer.lift.kind() == algebras::Lift::Kind::Rows && given.takes_positions &&
      !given.next && given.layer.row_types.kind() != algebras::RowTypes::Kind::Explicit) {
    sources.push_back({std::make_shared<const KernelSource>(withListedRows(given, options)), true, options});
    // A schedule by hand is for the other kernels; these take operands at any address by themselves.
    sources.back().options.schedule.clear();
    sources.back().options.further_schedules.clear();
  }
  return sources;
}

void addGpuJobs(const KernelSource &source, Target target, const CompileOptions &given,
                std::vector<CompileJob> &jobs) {
  const CompileOptions options = optionsFor(source, given);
  // Refused before schedules are looked for.
  requireSupported(source.layer, target, options);
  const std::vector<SourceOfKernels> sources = sourcesOfKernels(source, target, options);
  // Jobs refer to what is given, which outlives them.
  if (std::ranges::any_of(sources, [](const SourceOfKernels &one) { return findsRowsInLists(*one.source); }))
    jobs.push_back(groupRowsJob(source, target, given));
  const std::string of = source.projection.empty() ? "" : source.projection + ", ";
  for (const algrt::Map map : source.maps)
    for (const algebras::DataType output : source.results)
      for (const auto &[which, listed, of_source] : sources) {
        CompileOptions one = of_source;
        one.map = map;
        one.output = output;
        size_t number = 0;
        const std::vector<GpuVariant> variants =
            which->next ? chainedVariants({which->layer, *which->next, output}, target, one)
                        : gpuVariants(which->layer, target, output, one);
        for (const GpuVariant &variant : variants) {
          one.schedule = variant.schedule;
          const std::string suffix =
              (listed ? "-listed" : "") + (++number > 1 ? "-" + std::to_string(number) : "");
          jobs.push_back({"kernel of " + of + algrt::name(map) + " for " + toString(target) +
                              ", results in " + algebras::toString(output) +
                              (listed ? ", rows in a list" : "") +
                              (number > 1 ? ", variant " + std::to_string(number) : ""),
                          [which, target, one, rows = variant.best_for_rows, suffix] {
                            return compileKernel(*which, target, one, rows, suffix);
                          }});
        }
      }
}

} // namespace compiler
