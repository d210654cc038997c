#include "compiler/compilation.h"

#include "compiler/failure.h"
#include "compiler/lower/passes.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace compiler {

static DialectRegistry dialects() {
  DialectRegistry registry;
  registry.insert<alg::AlgDialect, tile::TileDialect, sm::SmDialect, arith::ArithDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  return registry;
}

Compilation::Compilation(bool print_ir_after_all)
    : print_ir_after_all(print_ir_after_all), context(dialects()),
      handler(&context, [this](Diagnostic &diagnostic) {
        llvm::raw_string_ostream stream(messages);
        stream << (messages.empty() ? "" : "\n") << diagnostic;
        for (Diagnostic &note : diagnostic.getNotes())
          stream << "\nhint: " << note;
      }) {
  context.loadAllAvailableDialects();
  // Messages are for those who wrote the spec, not the program that became of it.
  context.printOpOnDiagnostic(false);
  if (print_ir_after_all) // printing a module is only safe while nobody else changes it
    context.disableMultithreading();
}

static alg::OutputMode modeOf(algrt::Map map) {
  switch (map) {
  case algrt::Map::forward:
    return alg::OutputMode::Product;
  case algrt::Map::dx:
    return alg::OutputMode::ActivationGradient;
  case algrt::Map::dw:
    return alg::OutputMode::BankGradient;
  }
  llvm_unreachable("all maps are above");
}

OwningOpRef<ModuleOp> Compilation::algProgram(const Spec &spec, ArrayRef<algrt::Map> maps) {
  OwningOpRef<ModuleOp> module = buildProjection(context, requireLayer(spec), spec.allow_nonassociative,
                                                 llvm::map_to_vector(maps, modeOf));
  if (!module)
    fail("the layer could not be written in the alg dialect");
  return module;
}

OwningOpRef<ModuleOp> Compilation::parse(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    fail("a module could not be read");
  return module;
}

void Compilation::run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> fill) {
  PassManager passes(&context);
  if (print_ir_after_all)
    passes.enableIRPrinting();
  fill(passes);
  if (failed(passes.run(module)))
    fail("a pass failed without saying why");
}

void Compilation::fail(const std::string &otherwise) {
  throw Failure(messages.empty() ? otherwise : messages);
}

std::string printModule(ModuleOp module, bool names) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().printNameLocAsPrefix(names));
  stream << '\n';
  return text;
}

} // namespace compiler
