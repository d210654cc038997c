#include "compiler/pipeline.h"

#include "algebras/error.h"
#include "compiler/bundle/assemble.h"
#include "compiler/failure.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/projection_module.h"
#include "compiler/targets/c/plain_c.h"
#include "compiler/targets/cpu/object_code.h"
#include "dialects/sm/sm.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace compiler {

const std::vector<std::string> &stageNames() {
  static const std::vector<std::string> names = {"alg", "tile", "vector", "llvm", "asm", "obj", "c"};
  return names;
}

Stage stageNamed(std::string_view name) {
  static const Stage stages[] = {Stage::Alg,      Stage::Tile,   Stage::Vector, Stage::Llvm,
                                 Stage::Assembly, Stage::Object, Stage::C};
  for (std::size_t i = 0; i < stageNames().size(); ++i)
    if (stageNames()[i] == name)
      return stages[i];
  throw std::out_of_range("no stage is called " + std::string(name));
}

namespace {

/// Kernels hold coefficients in f32, where a large one would turn into infinity and a small one into zero.
void requireFloatCoefficients(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  if (lift.kind() != algebras::Lift::Kind::Slots || lift.algebra().isMatrixLike())
    return; // ones only
  for (std::int64_t slot = 0; slot < lift.outputGroups(); ++slot)
    for (const algebras::BlockTerm &term : lift.terms(0, slot)) {
      const float value = static_cast<float>(term.coefficient.toDouble());
      if (std::isfinite(value) && value != 0)
        continue;
      std::string written = term.coefficient.toString();
      if (written.size() > 40)
        written = written.substr(0, 37) + "...";
      throw algebras::InputError(
          fmt::format("structure constant [{}, {}, {}] of {} is {}, which is too {} for f32",
                      term.input_group, term.bank_row, slot, lift.algebra().name(), written,
                      value == 0 ? "small" : "large"))
          .hint("it can be verified; to compile it, scale the basis so that the constants are moderate");
    }
}

/// Refuses layers that no machine could hold, before anything is allocated for them.
void requireFeasible(const algebras::Layer &layer) {
  const algebras::Lift &lift = layer.lift;
  const std::int64_t columns =
      lift.kind() == algebras::Lift::Kind::Slots ? layer.out.total() / layer.out.count() : layer.out.total();
  constexpr std::int64_t address_space = std::int64_t{1} << 47;
  if (columns > address_space / layer.in.total() / byteWidth(layer.dtype))
    throw Failure(
        "the bank of " + std::to_string(layer.in.total()) + " x " + std::to_string(columns) +
        " elements is larger than the memory that an x86-64 process can address; make the layer narrower");
  if (lift.completeGraph())
    return;
  // A kernel's tables have an entry for every (type, output group) and one for every term.
  constexpr std::int64_t most_entries = std::int64_t{1} << 25;
  const std::string advice =
      "; kernels read at most " + std::to_string(most_entries) + "; take a smaller algebra";
  if (lift.types() > most_entries / lift.outputGroups())
    throw Failure("the terms of " + lift.algebra().name() +
                  " are too many for a table: " + std::to_string(lift.types()) + " row types write " +
                  std::to_string(lift.outputGroups()) + " groups each" + advice);
  if (lift.termCount() > most_entries)
    throw Failure("the terms of " + lift.algebra().name() +
                  " are too many for a table: " + std::to_string(lift.termCount()) + advice);
  requireFloatCoefficients(layer);
}

/// A context whose diagnostics become the text of a Failure.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options)
      : options(options), context(registry()), handler(&context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream stream(messages);
          stream << (messages.empty() ? "" : "\n") << diagnostic;
        }) {
    context.loadAllAvailableDialects();
    if (options.print_ir_after_all) // printing a module is only safe while nobody else changes it
      context.disableMultithreading();
  }

  OwningOpRef<ModuleOp> algProgram(const Spec &spec) {
    OwningOpRef<ModuleOp> module = buildProjection(context, requireLayer(spec), spec.allow_nonassociative);
    if (!module)
      fail("the layer could not be written in the alg dialect");
    return module;
  }

  void toTile(ModuleOp module, const std::string &cpu) {
    run(module, [&](PassManager &passes) {
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
      ConvertAlgToTileOptions choice;
      choice.cpu = cpu;
      choice.rows = options.rows;
      passes.addPass(createConvertAlgToTile(choice));
    });
  }

  void toVector(ModuleOp module) {
    run(module, [](PassManager &passes) {
      passes.addPass(createConvertTileToCpu());
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
      passes.addPass(createLoopInvariantCodeMotionPass());
    });
  }

  void toLlvm(ModuleOp module, const CpuLevel &level) {
    run(module, [&](PassManager &passes) { addVectorToLlvm(passes, /*expand_bf16=*/!level.bf16_dot); });
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registry
        .insert<alg::AlgDialect, tile::TileDialect, arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                memref::MemRefDialect, scf::SCFDialect, sm::SmDialect, vector::VectorDialect>();
    return registry;
  }

  void run(ModuleOp module, llvm::function_ref<void(PassManager &)> fill) {
    PassManager passes(&context);
    if (options.print_ir_after_all)
      passes.enableIRPrinting();
    fill(passes);
    if (failed(passes.run(module)))
      fail("a pass failed without saying why");
  }

  [[noreturn]] void fail(const std::string &otherwise) {
    throw Failure(messages.empty() ? otherwise : messages);
  }

  const CompileOptions &options;
  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
};

std::string print(ModuleOp module, bool names = false) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().printNameLocAsPrefix(names));
  stream << '\n';
  return text;
}

} // namespace

std::string emitStage(const Spec &spec, Stage stage, const CompileOptions &options) {
  requireFeasible(requireLayer(spec));
  if (stage == Stage::C)
    return plainC(requireLayer(spec), spec.source_name);
  Compilation compilation(options);
  OwningOpRef<ModuleOp> module = compilation.algProgram(spec);
  if (stage == Stage::Alg)
    return print(*module, /*names=*/true);
  const CpuLevel level = cpuLevel(options.cpu_levels.front());
  compilation.toTile(*module, options.cpu_levels.front());
  if (stage == Stage::Tile)
    return print(*module, /*names=*/true);
  compilation.toVector(*module);
  if (stage == Stage::Vector)
    return print(*module);
  compilation.toLlvm(*module, level);
  const MachineCode code = stage == Stage::Llvm       ? MachineCode::LlvmIr
                           : stage == Stage::Assembly ? MachineCode::Assembly
                                                      : MachineCode::Object;
  return generateMachineCode(*module, level, code);
}

void compileBundle(const Spec &spec, const std::string &path, const CompileOptions &options) {
  auto say = [&](const std::string &what) {
    if (options.progress)
      options.progress(what);
  };
  requireFeasible(requireLayer(spec));
  BundleParts parts;
  for (const std::string &name : options.cpu_levels) {
    const CpuLevel level = cpuLevel(name);
    Compilation compilation(options);
    say("choosing schedules for " + name);
    OwningOpRef<ModuleOp> module = compilation.algProgram(spec);
    compilation.toTile(*module, name);
    say("lowering for " + name);
    compilation.toVector(*module);
    std::vector<KernelRecord> kernels = recordKernels(*module);
    compilation.toLlvm(*module, level);
    say("generating machine code for " + name);
    parts.addCpu(level, kernels, linkSharedObject(generateMachineCode(*module, level, MachineCode::Object)));
  }
  say("writing " + path);
  parts.write(path, spec);
}

} // namespace compiler
