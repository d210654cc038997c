#include "compiler/pipeline/compilation.h"

#include "compiler/lower/passes.h"
#include "compiler/process/failure.h"
#include "compiler/program/projection.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// A place of which lines and columns are known.
static algebras::SourceLocation locateInFile(const ProgramFile &file, unsigned line, unsigned column) {
  size_t begin = 0;
  for (unsigned passed = 1; passed < line && begin < file.text.size(); ++passed)
    begin = std::min(file.text.find('\n', begin), file.text.size() - 1) + 1;
  return algebras::locate(file.text, begin + (column == 0 ? 0 : column - 1), file.path);
}

static DialectRegistry dialects() {
  DialectRegistry registry;
  registry.insert<alg::AlgDialect, tile::TileDialect, sm::SmDialect, arith::ArithDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, vector::VectorDialect>();
  return registry;
}

Compilation::Compilation(bool print_ir_after_all, std::shared_ptr<const ProgramFile> origin)
    : print_ir_after_all_(print_ir_after_all), origin_(std::move(origin)), context_(dialects()),
      handler_(&context_, [this](Diagnostic &diagnostic) { take(diagnostic); }) {
  context_.loadAllAvailableDialects();
  // Messages are for those who wrote the spec, not the program that became of it.
  context_.printOpOnDiagnostic(false);
  if (print_ir_after_all) // printing a module is only safe while nobody else changes it
    context_.disableMultithreading();
}

/// What a value is called in a remark, of which it is the place.
static std::string placeName(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? "%" + name.getName().str() : std::string("an operation");
}

void Compilation::take(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
    std::string text = placeName(diagnostic.getLocation()) + " " + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      text += " (" + note.str() + ": " + placeName(note.getLocation()) + ")";
    remarks_.push_back(std::move(text));
    return;
  }
  std::string hint;
  for (Diagnostic &note : diagnostic.getNotes())
    hint += (hint.empty() ? "" : "\nhint: ") + note.str();
  messages_ += (messages_.empty() ? "" : "\n") + diagnostic.str() + (hint.empty() ? "" : "\nhint: " + hint);
  if (!origin_ || placed_)
    return;
  if (const auto where = placeIn(*origin_, diagnostic.getLocation()))
    placed_ = Placed{diagnostic.str(), hint, *where};
}

std::optional<algebras::SourceLocation> placeIn(const ProgramFile &file, Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename() != file.path)
    return std::nullopt;
  return locateInFile(file, place.getLine(), place.getColumn());
}

static alg::OutputMode modeOf(algrt::Map map) {
  switch (map) {
  case algrt::Map::Forward:
    return alg::OutputMode::Product;
  case algrt::Map::Dx:
    return alg::OutputMode::ActivationGradient;
  case algrt::Map::Dw:
    return alg::OutputMode::WeightGradient;
  }
  llvm_unreachable("all maps are above");
}

OwningOpRef<ModuleOp> Compilation::algProgram(const KernelSource &source, ArrayRef<algrt::Map> maps,
                                              std::optional<algebras::DataType> result) {
  if (!source.function.empty())
    return parse(source.function);
  OwningOpRef<ModuleOp> module = buildProjection(context_, source.layer, source.allow_nonassociative,
                                                 llvm::map_to_vector(maps, modeOf), result);
  check(static_cast<bool>(module), "the layer could not be written in the alg dialect");
  return module;
}

OwningOpRef<ModuleOp> Compilation::parse(const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context_);
  check(static_cast<bool>(module), "a module could not be read");
  return module;
}

void Compilation::run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> fill) {
  PassManager passes(&context_);
  if (print_ir_after_all_)
    passes.enableIRPrinting();
  fill(passes);
  if (failed(passes.run(module)))
    fail("a pass failed without saying why");
}

void Compilation::fail(const std::string &otherwise) {
  if (placed_) {
    algebras::InputError error(placed_->message, placed_->where);
    throw error.hint(placed_->hint);
  }
  throw Failure(messages_.empty() ? otherwise : messages_);
}

std::string printModule(ModuleOp module, bool names) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().printNameLocAsPrefix(names));
  stream << '\n';
  return text;
}

std::string printModuleWithPlaces(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

} // namespace compiler
