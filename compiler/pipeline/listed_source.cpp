#include "compiler/pipeline/listed_source.h"

#include "algebras/error.h"
#include "compiler/pipeline/compilation.h"
#include "compiler/program/passes.h"
#include "compiler/schedule/experts.h"

#include "mlir/IR/BuiltinTypes.h"

#include <fmt/format.h>

using namespace mlir;

namespace compiler {

KernelSource withListedRows(const KernelSource &source, const CompileOptions &options) {
  KernelSource listed = source;
  listed.layer = withListedRows(source.layer);
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

bool listsExperts(const KernelSource &source, Target target, int64_t rows, const CompileOptions &options) {
  if (options.experts == 0 || source.next || !entryOf(target).isGpu() ||
      !whyNoExperts(source.layer, toString(target)).empty())
    return false;
  if (!options.schedule.empty()) {
    const bool listed = !isReduction(options.schedule);
    if (const std::string why = whyNoLists(source.layer, options.experts); listed && !why.empty())
      throw algebras::InputError(
          fmt::format("the schedule {} is of a kernel that finds rows in lists: {}", options.schedule, why));
    return listed;
  }
  return chooseForExperts(source.layer, toString(target), rows, options.experts, options.output).isListed();
}

KernelSource sourceForRows(const KernelSource &source, Target target, const CompileOptions &options) {
  return listsExperts(source, target, options.rows, options) ? withListedRows(source, options) : source;
}

} // namespace compiler
