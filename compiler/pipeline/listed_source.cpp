#include "compiler/pipeline/listed_source.h"

#include "compiler/pipeline/compilation.h"
#include "compiler/program/passes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace compiler {

KernelSource withListedRows(const KernelSource &source, const CompileOptions &options) {
  KernelSource listed = source;
  listed.layer.row_types = algebras::RowTypes::explicitTypes(source.layer.row_types.count());
  if (source.function.empty())
    return listed;
  Compilation compilation(options.print_ir_after_all, source.origin);
  OwningOpRef<ModuleOp> module = compilation.parse(source.function);
  compilation.run(*module,
                  [](OpPassManager &passes) { passes.addNestedPass<func::FuncOp>(createAlgListRows()); });
  listed.function = printModuleWithPlaces(*module);
  auto function = *module->getOps<func::FuncOp>().begin();
  for (auto [argument, roles] : llvm::zip_equal(function.getArguments(), listed.operands))
    if (getElementTypeOrSelf(argument.getType()).isInteger())
      roles = {"types"};
  return listed;
}

} // namespace compiler
