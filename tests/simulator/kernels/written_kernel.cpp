#include "tests/simulator/kernels/written_kernel.h"

#include "compiler/targets/hopper/passes.h"
#include "compiler/targets/nvidia/passes.h"
#include "dialects/sm/sm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace simulator_test {
namespace {

/// What passes make of a module.
std::string passed(const std::string &text, llvm::function_ref<void(mlir::OpPassManager &)> fill) {
  mlir::DialectRegistry registry;
  registry.insert<alg::AlgDialect, tile::TileDialect, sm::SmDialect, mlir::arith::ArithDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::NVVM::NVVMDialect,
                  mlir::scf::SCFDialect>();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string messages, result;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  mlir::PassManager passes(&context);
  fill(passes);
  if (!module || mlir::failed(passes.run(*module)))
    throw std::runtime_error(messages);
  llvm::raw_string_ostream stream(result);
  module->print(stream, mlir::OpPrintingFlags().printNameLocAsPrefix(true));
  return result;
}

} // namespace

std::string writtenKernel(const std::string &file) {
  std::ifstream stream(ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/" + file);
  if (!stream)
    throw std::runtime_error("there is no kernel " + file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string withBarriers(const std::string &kernel) {
  return passed(kernel, [](mlir::OpPassManager &passes) {
    passes.addPass(compiler::createSmMultiBuffer());
    passes.addPass(compiler::createSmInsertBarriers());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
  });
}

std::string instructionsOf(const std::string &kernel_with_barriers) {
  return passed(kernel_with_barriers, [](mlir::OpPassManager &passes) { compiler::addSmToNvvm(passes); });
}

} // namespace simulator_test
