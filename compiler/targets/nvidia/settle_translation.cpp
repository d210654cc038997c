#include "compiler/targets/nvidia/settle_translation.h"

#include "dialects/sm/sm.h"

#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace compiler {
namespace {

LogicalResult translateSettle(sm::SettleOp settle, llvm::IRBuilderBase &builder,
                              LLVM::ModuleTranslation &translation) {
  llvm::Value *sums = translation.lookupValue(settle.getAccumulator());
  auto *type = llvm::dyn_cast<llvm::StructType>(sums->getType());
  if (!type || !llvm::all_of(type->elements(), [](llvm::Type *element) { return element->isFloatTy(); }))
    return settle.emitOpError("can be translated on structs of f32 only");
  const unsigned count = type->getNumElements();
  std::string outputs, inputs;
  SmallVector<llvm::Value *> values;
  for (unsigned i = 0; i < count; ++i) {
    outputs += i ? ",=f" : "=f";
    inputs += "," + std::to_string(i); // the register of output i
    values.push_back(builder.CreateExtractValue(sums, i));
  }
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, type->elements(), /*isVarArg=*/false),
                                        "", outputs + inputs, /*hasSideEffects=*/true);
  translation.mapValue(settle.getResult(), builder.CreateCall(assembly, values));
  return success();
}

class SmTranslation : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult convertOperation(Operation *op, llvm::IRBuilderBase &builder,
                                 LLVM::ModuleTranslation &translation) const final {
    if (auto settle = dyn_cast<sm::SettleOp>(op))
      return translateSettle(settle, builder, translation);
    return op->emitOpError("cannot be translated: lower it with convert-sm-to-nvvm");
  }
};

} // namespace

void registerSettleTranslation(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<sm::SmDialect>();
  registry.addExtension(
      +[](MLIRContext *, sm::SmDialect *dialect) { dialect->addInterfaces<SmTranslation>(); });
  context.appendDialectRegistry(registry);
}

} // namespace compiler
