// convert-sm-to-nvvm: kernels of `sm` become functions of instructions.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/passes.h"
#include "compiler/targets/nvidia/row_registers.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

namespace compiler {
#define GEN_PASS_DEF_CONVERTSMTONVVM
#include "compiler/targets/nvidia/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace compiler {

void addSmTypeConversions(LLVMTypeConverter &types) {
  MLIRContext *context = &types.getContext();
  types.addConversion([=](sm::MapsType) { return pointerTo(context, Space::Generic); });
  types.addConversion([=](sm::BufferType) { return pointerTo(context, Space::Shared); });
  types.addConversion([=](sm::BarriersType) { return pointerTo(context, Space::Shared); });
  types.addConversion([=](sm::ReductionBufferType) { return pointerTo(context, Space::Shared); });
  types.addConversion([=](sm::ColumnsType) { return pointerTo(context, Space::Global); });
  types.addConversion([=](sm::TermsTableType) { return pointerTo(context, Space::Global); });
  types.addConversion([=](sm::PositionsType) { return pointerTo(context, Space::Global); });
  types.addConversion([=](sm::ExpertStartsType) { return pointerTo(context, Space::Global); });
  types.addConversion([=](sm::ExpertRowsType) { return pointerTo(context, Space::Global); });
  types.addConversion([=](sm::SumsBufferType) { return pointerTo(context, Space::Shared); });
  types.addConversion([=](sm::HiddenBufferType) { return pointerTo(context, Space::Shared); });
  types.addConversion([=](sm::ViewType) { return structOfView(context); });
  types.addConversion([=](sm::PieceType type) {
    return LLVM::LLVMStructType::getLiteral(context, SmallVector<Type>(type.getVectors(), vectorOf(type)));
  });
  types.addConversion([=](sm::FragmentType type) {
    return LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(static_cast<size_t>(type.getWords()), IntegerType::get(context, 32)));
  });
  types.addConversion([=](sm::RowSumsType type) {
    return LLVM::LLVMStructType::getLiteral(context,
                                            SmallVector<Type>(type.getVector(), Float32Type::get(context)));
  });
  types.addConversion([=](sm::AccumulatorType type) {
    // A warpgroup holds 64 times the instruction's width of sums in 128 threads.
    const int64_t registers = type.hasThreads() ? type.getElementsOfThread()
                              : type.hasWarps()
                                  ? type.getRowsOfWarp() * type.getColumnsOfWarp() / sm::warp_threads
                                  : type.getInstructionWidth() * sm::warpgroup_rows / sm::warpgroup_threads;
    const SmallVector<Type> sums(registers, Float32Type::get(context));
    return LLVM::LLVMStructType::getLiteral(context, sums);
  });
}

void addSmToNvvm(OpPassManager &passes) {
  passes.addPass(createConvertSmToNvvm());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void registerNvidiaPipelines() {
  registerNvidiaPasses();
  PassPipelineRegistration<>("sm-to-nvvm", "From the programs of thread blocks to tidy nvvm", addSmToNvvm);
}

} // namespace compiler

namespace {

struct ConvertSmToNvvm : compiler::impl::ConvertSmToNvvmBase<ConvertSmToNvvm> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (sm::KernelOp kernel : llvm::make_early_inc_range(module.getOps<sm::KernelOp>())) {
      FailureOr<LLVM::LLVMFuncOp> function = compiler::lowerKernelStructure(module, kernel);
      if (failed(function))
        return signalPassFailure();
      kernel.erase();
      if (failed(flatten(*function)) || failed(lowerInstructions(*function)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult flatten(LLVM::LLVMFuncOp function) {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalOp<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(function, target, std::move(patterns));
  }

  LogicalResult lowerInstructions(LLVM::LLVMFuncOp function) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(32);
    LLVMTypeConverter types(context, options);
    compiler::addSmTypeConversions(types);

    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    compiler::addGridPatterns(types, patterns);
    compiler::addBarrierPatterns(types, patterns);
    compiler::addCopyPatterns(types, patterns);
    compiler::addThreadCopyPatterns(types, patterns);
    compiler::addProductPatterns(types, patterns);
    compiler::addFragmentPatterns(types, patterns);
    compiler::addWarpProductPatterns(types, patterns);
    compiler::addReductionPatterns(types, patterns);
    compiler::addRowProductPatterns(types, patterns);
    compiler::addRowSumPatterns(types, patterns);
    compiler::addHiddenRowPatterns(types, patterns);
    compiler::addMapPatterns(types, patterns);
    compiler::addResultPatterns(types, patterns);
    compiler::addThreadResultPatterns(types, patterns);

    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.addDynamicallyLegalOp<sm::SettleOp>(
        [](sm::SettleOp op) { return isa<LLVM::LLVMStructType>(op.getAccumulator().getType()); });
    target.addDynamicallyLegalOp<sm::WgmmaFromRegistersOp>(
        [](sm::WgmmaFromRegistersOp op) { return isa<LLVM::LLVMStructType>(op.getSums().getType()); });
    target.addIllegalDialect<sm::SmDialect, arith::ArithDialect, math::MathDialect, cf::ControlFlowDialect,
                             scf::SCFDialect>();
    if (failed(applyPartialConversion(function, target, std::move(patterns))))
      return failure();
    SmallVector<UnrealizedConversionCastOp> casts;
    function.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
    return success();
  }
};

} // namespace
