#include "compiler/program/parse_program.h"

#include "compiler/spec/module_depth.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace compiler {

/// What stands at a definition, as "%x"; nothing where it is a number.
static StringRef nameAt(llvm::SMRange range) {
  if (!range.isValid())
    return {};
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return llvm::all_of(text, llvm::isDigit) ? StringRef() : text;
}

static Location named(StringRef name, Location location) {
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

/// Values are numbered once they have been parsed; what the text calls them is known to the parser alone.
static void nameValues(AsmParserState &state) {
  for (AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    if (definition.op->getNumResults() != 1 || definition.resultGroups.empty())
      continue;
    const StringRef name = nameAt(definition.resultGroups.front().definition.loc);
    if (!name.empty())
      definition.op->setLoc(named(name, definition.op->getLoc()));
  }
  for (AsmParserState::BlockDefinition &definition : state.getBlockDefs())
    for (auto [argument, place] : llvm::zip(definition.block->getArguments(), definition.arguments)) {
      const StringRef name = nameAt(place.loc);
      if (!name.empty())
        argument.setLoc(named(name, argument.getLoc()));
    }
}

OwningOpRef<ModuleOp> parseProgram(MLIRContext &context, const ProgramFile &file) {
  requireShallowModule(file.text, file.path);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(file.text, file.path), llvm::SMLoc());
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context), &state)))
    return {};
  nameValues(state);
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return module;
    }
  OwningOpRef<ModuleOp> module = ModuleOp::create(FileLineColLoc::get(&context, file.path, 1, 1));
  module->getBody()->getOperations().splice(module->getBody()->end(), block.getOperations());
  return module;
}

} // namespace compiler
