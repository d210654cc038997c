// convert-nvvm-to-simulator: from the module of a GPU kernel to one that runs against the model.
#include "compiler/simulator/conversion/conversion_list.h"
#include "compiler/simulator/conversion/hazards.h"
#include "compiler/simulator/conversion/memory_accesses.h"
#include "compiler/simulator/conversion/sites.h"
#include "compiler/simulator/passes.h"

#include "mlir/IR/AsmState.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTNVVMTOSIMULATOR
#include "compiler/simulator/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

bool isSharedMemory(LLVM::GlobalOp global) {
  auto bytes = dyn_cast<LLVM::LLVMArrayType>(global.getType());
  return global.getAddrSpace() == 3 && bytes && bytes.getNumElements() == 0 &&
         global.getInitializerRegion().empty();
}

struct ConvertNvvmToSimulator : compiler::impl::ConvertNvvmToSimulatorBase<ConvertNvvmToSimulator> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkModule(module)))
      return signalPassFailure();
    SmallVector<std::string> sites{"outside of the kernel"};
    SmallVector<LLVM::LLVMFuncOp> functions(module.getOps<LLVM::LLVMFuncOp>());
    bool good = true;
    for (LLVM::LLVMFuncOp function : functions)
      good &= succeeded(convertFunction(function, sites));
    if (!good)
      return signalPassFailure();
    for (LLVM::LLVMFuncOp function : functions)
      if (function->hasAttr("nvvm.kernel"))
        finishKernel(function);
    for (LLVM::GlobalOp global : llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>()))
      global.erase();
    SmallVector<StringRef> texts(sites.begin(), sites.end());
    module->setAttr(sites_attribute, Builder(module).getStrArrayAttr(texts));
  }

private:
  LogicalResult checkModule(ModuleOp module);
  LogicalResult convertFunction(LLVM::LLVMFuncOp function, SmallVectorImpl<std::string> &sites);
  void finishKernel(LLVM::LLVMFuncOp kernel);
};

} // namespace

LogicalResult ConvertNvvmToSimulator::checkModule(ModuleOp module) {
  bool kernel = false;
  for (Operation &op : *module.getBody()) {
    if (auto global = dyn_cast<LLVM::GlobalOp>(op)) {
      if (!isSharedMemory(global))
        return global.emitOpError(
            "has no model: the only global of a kernel is an external array without elements in "
            "address space 3, its dynamic shared memory");
      continue;
    }
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function)
      return op.emitOpError("has no model: the module of a kernel holds functions and shared memory only");
    kernel |= function->hasAttr("nvvm.kernel");
  }
  if (!kernel)
    return module.emitOpError("holds no kernel: no function has the attribute nvvm.kernel");
  return success();
}

LogicalResult ConvertNvvmToSimulator::convertFunction(LLVM::LLVMFuncOp function,
                                                      SmallVectorImpl<std::string> &sites) {
  if (function.isExternal())
    return success(); // a call of it is an error
  // All are printed before the first one changes the names of values.
  struct Site {
    Operation *op;
    int32_t number;
    bool hazard;
  };
  SmallVector<Site> found;
  AsmState names(function, OpPrintingFlags().useLocalScope());
  bool good = true;
  function.getBody().walk([&](Operation *op) {
    bool hazard = false;
    if (isa<LLVM::LLVMDialect>(op->getDialect())) {
      const HostForm form = hostForm(op);
      hazard = isHazard(op);
      if (form == HostForm::Same && !hazard)
        return;
      if (form == HostForm::Unknown) {
        op->emitOpError("has no model in the simulator");
        good = false;
        return;
      }
    } else if (!conversionList().contains(op->getName().getStringRef())) {
      op->emitOpError("has no model in the simulator");
      good = false;
      return;
    }
    found.push_back({op, static_cast<int32_t>(sites.size()), hazard});
    sites.push_back(siteText(op, names));
  });
  if (!good)
    return failure();

  for (const Site &site : found) {
    CallBuilder call(site.op, site.number);
    const bool llvm_op = isa<LLVM::LLVMDialect>(site.op->getDialect());
    if (llvm_op && site.hazard) {
      guardHazard(site.op, call);
      good &= !call.refused();
      continue;
    }
    if (llvm_op && hostForm(site.op) == HostForm::Checked) {
      checkAccess(site.op, call);
      continue;
    }
    if (llvm_op)
      replaceLlvmOp(site.op, call);
    else
      conversionList().find(site.op->getName().getStringRef())->second(site.op, call);
    if (call.refused()) {
      good = false;
      continue;
    }
    if (!site.op->use_empty()) {
      site.op->emitOpError("has no model in this form: its result has none");
      good = false;
      continue;
    }
    site.op->erase();
  }
  return success(good);
}

/// Makes the kernel a plain function, and writes the one that takes its arguments through pointers.
void ConvertNvvmToSimulator::finishKernel(LLVM::LLVMFuncOp kernel) {
  const unsigned count = kernel.getNumArguments();
  SmallVector<bool> by_value;
  for (unsigned i = 0; i < count; ++i)
    by_value.push_back(static_cast<bool>(kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName())));
  kernel.removeArgAttrsAttr();
  for (NamedAttribute attribute : llvm::to_vector(kernel->getDiscardableAttrs()))
    kernel->removeDiscardableAttr(attribute.getName());

  OpBuilder build(kernel->getContext());
  build.setInsertionPointAfter(kernel);
  const Location location = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(kernel->getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernel->getContext()), {pointer});
  auto call = LLVM::LLVMFuncOp::create(build, location, (kernel.getName() + call_suffix).str(), type);
  build.setInsertionPointToStart(call.addEntryBlock(build));
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < count; ++i) {
    Value place = LLVM::GEPOp::create(build, location, pointer, pointer, call.getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    Value argument = LLVM::LoadOp::create(build, location, pointer, place);
    if (!by_value[i])
      argument = LLVM::LoadOp::create(build, location, kernel.getArgument(i).getType(), argument);
    arguments.push_back(argument);
  }
  LLVM::CallOp::create(build, location, kernel, arguments);
  LLVM::ReturnOp::create(build, location, ValueRange());
}
