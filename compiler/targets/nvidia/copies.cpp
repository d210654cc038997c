// Copies between global and shared memory by the tensor-map engine: one for each panel of a stage.
#include "compiler/targets/nvidia/conditional.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/joined_rows.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "runtime/gpu_kernel_abi.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace compiler {
namespace {

Value mapOf(ConversionPatternRewriter &rewriter, Location location, Value maps, Value index) {
  auto map = LLVM::LLVMArrayType::get(rewriter.getI8Type(), algrt_tensor_map_bytes);
  return LLVM::GEPOp::create(rewriter, location, maps.getType(), map, maps, ArrayRef<LLVM::GEPArg>{index});
}

/// As a tensor map takes them, whose rows may come in joined runs.
void splitRows(ConversionPatternRewriter &rewriter, Location location, sm::MapsType maps, Value map,
               MutableArrayRef<Value> coordinates) {
  if (const auto joined = JoinedRows::of(rewriter, location, maps, map)) {
    const JoinedRows::Place place = joined->at(coordinates[2], coordinates[3]);
    coordinates[2] = place.within;
    coordinates[3] = place.run;
  }
}

/// Some panels of a stage.
struct Panels {
  int64_t first, end;
};

/// Calls `copy` with the address and the coordinates of each of these panels, from one of its rows on.
void forEachPanel(ConversionPatternRewriter &rewriter, Location location, Panels panels, sm::BufferType type,
                  Value buffer, Value stage, int64_t row, ValueRange coordinates,
                  llvm::function_ref<void(Value address, ValueRange coordinates)> copy) {
  Instructions write(rewriter, location);
  Value start =
      write.advance(write.advance(buffer, write.multiply(stage, stageStride(type))), row * type.getSwizzle());
  for (int64_t panel = panels.first; panel < panels.end; ++panel) {
    SmallVector<Value> at(coordinates);
    at.front() = write.add(at.front(), panel * type.getPanelColumns());
    copy(write.advance(start, panel * type.getPanelBytes()), at);
  }
}

struct LoadLowering : ConvertOpToLLVMPattern<sm::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getBarriers())
      return op.emitOpError("signals no barrier, so nobody could wait for it: insert barriers before");
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    constexpr int64_t barrier_bytes = 8;
    Value map = mapOf(rewriter, location, adaptor.getSource(), adaptor.getMap());
    Value barrier =
        write.advance(adaptor.getBarriers(), write.multiply(adaptor.getBarrierStage(), barrier_bytes));
    auto tile = NVVM::TMALoadModeAttr::get(rewriter.getContext(), NVVM::TMALoadMode::TILE);
    const sm::MapsType maps = op.getSource().getType();
    SmallVector<Value> first(adaptor.getCoordinates());
    Value rows_before, mask; // of this part, in every panel
    if (Value part = adaptor.getPart()) {
      rows_before = write.multiply(part, maps.getRows());
      first[maps.getRowDimension()] = write.add(first[maps.getRowDimension()], rows_before);
      mask = LLVM::TruncOp::create(rewriter, location, rewriter.getI16Type(), adaptor.getMask());
    }
    splitRows(rewriter, location, maps, adaptor.getMap(), first);
    // What `createpolicy.fractional.L2::evict_first` of all lines makes, on every GPU with tensor maps.
    constexpr int64_t evict_first = 0x12f0000000000000;
    Value policy;
    if (op.getEvictFirst())
      policy = LLVM::ConstantOp::create(rewriter, location, rewriter.getI64IntegerAttr(evict_first));
    auto copy = [&](Value address, ValueRange coordinates) {
      if (rows_before)
        address = write.advance(address, write.multiply(rows_before, maps.getSwizzle()));
      // The form of the instruction whose target is the cluster's shared memory needs no more than the PTX
      // version that sm_90a itself needs.
      Value target = LLVM::AddrSpaceCastOp::create(
          rewriter, location, pointerTo(rewriter.getContext(), Space::ClusterShared), address);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          rewriter, location, target, map, coordinates, barrier, ValueRange(), mask, policy, tile,
          rewriter.getBoolAttr(false), NVVM::CTAGroupKindAttr(), Value());
    };
    auto load = [&](Panels panels) {
      forEachPanel(rewriter, location, panels, op.getTarget().getType(), adaptor.getTarget(),
                   adaptor.getStage(), static_cast<int64_t>(op.getRow().value_or(0)), first, copy);
    };
    const int64_t panels = op.getTarget().getType().getPanels(), certain = op.getNarrowPanels();
    onlyWhere(rewriter, location, adaptor.getCondition(), [&] { load({0, certain}); });
    if (certain < panels && !matchPattern(op.getNarrow(), m_One())) {
      Value always = LLVM::ConstantOp::create(rewriter, location, rewriter.getI1Type(), 1);
      Value whole = LLVM::XOrOp::create(rewriter, location, adaptor.getNarrow(), always);
      onlyWhere(rewriter, location, whole, [&] { load({certain, panels}); });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreLowering : ConvertOpToLLVMPattern<sm::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value map = mapOf(rewriter, location, adaptor.getTarget(), adaptor.getMap());
    auto tile = NVVM::TMAStoreModeAttr::get(rewriter.getContext(), NVVM::TMAStoreMode::TILE);
    auto add = NVVM::TMAReduxKindAttr::get(rewriter.getContext(), NVVM::TMAReduxKind::ADD);
    const sm::MapsType maps = op.getTarget().getType();
    Instructions write(rewriter, location);
    sm::BufferType stage = op.getSource().getType();
    const int64_t columns = op.getColumns() ? op.getColumnsAttr().getInt() : stage.getColumns();
    const Panels panels = {0, llvm::divideCeilSigned(columns, stage.getPanelColumns())};
    for (int64_t row = 0; row < op.getSource().getType().getRows(); row += maps.getRows()) {
      SmallVector<Value> first(adaptor.getCoordinates());
      first[maps.getRowDimension()] = write.add(first[maps.getRowDimension()], row);
      splitRows(rewriter, location, maps, adaptor.getMap(), first);
      forEachPanel(rewriter, location, panels, op.getSource().getType(), adaptor.getSource(),
                   adaptor.getStage(), row, first, [&](Value address, ValueRange coordinates) {
                     if (op.getAdded())
                       NVVM::CpAsyncBulkTensorReduceOp::create(rewriter, location, map, address, add, tile,
                                                               coordinates, Value());
                     else
                       NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
                           rewriter, location, map, address, coordinates, Value(), tile, Value());
                   });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreCommitLowering : ConvertOpToLLVMPattern<sm::StoreCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::StoreCommitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkCommitGroupOp>(op);
    return success();
  }
};

struct StoreWaitLowering : ConvertOpToLLVMPattern<sm::StoreWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::StoreWaitOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, rewriter.getI32IntegerAttr(static_cast<int32_t>(op.getPending())),
        op.getWritten() ? UnitAttr() : rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void addCopyPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<LoadLowering, StoreLowering, StoreCommitLowering, StoreWaitLowering>(types);
}

} // namespace compiler
