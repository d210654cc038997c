#include "compiler/simulator/kernel_module.h"

#include "compiler/process/failure.h"
#include "compiler/spec/module_depth.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace compiler {

KernelModule::KernelModule(const std::string &text, const std::string &name) {
  requireShallowModule(text, name);
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, sm::SmDialect>();
  context_ = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context_->printOpOnDiagnostic(false); // the line is printed already
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name), llvm::SMLoc());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  SourceMgrDiagnosticHandler handler(sources, context_.get(), stream);
  parsed_ = parseSourceFile<ModuleOp>(sources, context_.get());
  if (!parsed_)
    throw Failure(llvm::StringRef(messages).rtrim().str());
}

} // namespace compiler
