#include "compiler/targets/nvidia/sm_translation.h"

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

/// wgmma with operand A in registers: sums are tied, the four words of A and the descriptor of B go in. The
/// product is added (scale-d), its operands keep their signs, and B is stored by rows of its depth.
LogicalResult translateWgmma(sm::WgmmaFromRegistersOp wgmma, llvm::IRBuilderBase &builder,
                             LLVM::ModuleTranslation &translation) {
  llvm::Value *sums = translation.lookupValue(wgmma.getSums());
  auto *type = llvm::dyn_cast<llvm::StructType>(sums->getType());
  if (!type || type->getNumElements() % 4 != 0 ||
      !llvm::all_of(type->elements(), [](llvm::Type *element) { return element->isFloatTy(); }))
    return wgmma.emitOpError("can be translated on structs of four f32 for every 8 columns only");
  const unsigned count = type->getNumElements();
  std::string outputs, inputs, registers;
  SmallVector<llvm::Value *> values;
  SmallVector<llvm::Type *> types;
  for (unsigned i = 0; i < count; ++i) {
    outputs += i ? ",=f" : "=f";
    inputs += "," + std::to_string(i);
    registers += (i ? ", $" : "$") + std::to_string(i);
    values.push_back(builder.CreateExtractValue(sums, i));
    types.push_back(values.back()->getType());
  }
  // Operands that go in are numbered behind those that come out and those that are tied to them.
  unsigned next = 2 * count;
  const auto next_operand = [&next] { return "$" + std::to_string(next++); };
  std::string fragment;
  for (Value word : {wgmma.getA0(), wgmma.getA1(), wgmma.getA2(), wgmma.getA3()}) {
    values.push_back(translation.lookupValue(word));
    types.push_back(values.back()->getType());
    inputs += ",r";
  }
  values.push_back(translation.lookupValue(wgmma.getB()));
  types.push_back(values.back()->getType());
  inputs += ",l";
  for (int word = 0; word < 4; ++word)
    fragment += (word ? ", " : "") + next_operand();
  const std::string text = "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n" +
                           std::to_string(2 * count) + "k16.f32.bf16.bf16 {" + registers + "}, {" + fragment +
                           "}, " + next_operand() + ", p, 1, 1, 1; }";
  auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, types, /*isVarArg=*/false), text,
                                        outputs + inputs, /*hasSideEffects=*/true);
  translation.mapValue(wgmma.getResult(), builder.CreateCall(assembly, values));
  return success();
}

class SmTranslation : public LLVMTranslationDialectInterface {
public:
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;

  LogicalResult convertOperation(Operation *op, llvm::IRBuilderBase &builder,
                                 LLVM::ModuleTranslation &translation) const final {
    if (auto settle = dyn_cast<sm::SettleOp>(op))
      return translateSettle(settle, builder, translation);
    if (auto wgmma = dyn_cast<sm::WgmmaFromRegistersOp>(op))
      return translateWgmma(wgmma, builder, translation);
    return op->emitOpError("cannot be translated: lower it with convert-sm-to-nvvm");
  }
};

} // namespace

void registerSmTranslation(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<sm::SmDialect>();
  registry.addExtension(
      +[](MLIRContext *, sm::SmDialect *dialect) { dialect->addInterfaces<SmTranslation>(); });
  context.appendDialectRegistry(registry);
}

} // namespace compiler
