// The sums of all slices of a block, added in one order: by shuffles within a warp, through shared memory
// among warps, and among the blocks of a cluster.
#include "compiler/targets/nvidia/conditional.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/thread_elements.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t sum_bytes = 4; // f32

struct ShareSumsLowering : ConvertOpToLLVMPattern<sm::ShareSumsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ShareSumsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const auto type = cast<sm::RowSumsType>(op.getSums().front().getType());
    const int64_t vector = type.getVector(), lanes = type.getLanes(), columns = type.getColumns(),
                  all = op.getBuffer().getType().getRows() * columns;
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> of_warp;
    for (Value row : adaptor.getSums())
      for (int64_t column = 0; column < vector; ++column)
        of_warp.push_back(LLVM::ExtractValueOp::create(rewriter, location, row, column));
    for (int64_t apart = lanes; apart < sm::warp_threads; apart *= 2)
      for (Value &sum : of_warp) {
        Value other =
            NVVM::ShflOp::create(rewriter, location, f32, write.constant(-1), sum, write.constant(apart),
                                 write.constant(sm::warp_threads - 1), NVVM::ShflKind::bfly, UnitAttr());
        sum = LLVM::FAddOp::create(rewriter, location, sum, other);
      }

    // One slice of the warp writes for all.
    constexpr int64_t most_together = 4;
    const int64_t together = std::min(vector, most_together);
    onlyWhere(rewriter, location, write.below(write.lane(), lanes), [&] {
      Value place = write.add(write.multiply(write.warp(), all),
                              write.multiply(write.remainder(write.thread(), lanes), vector));
      Value start = write.advance(adaptor.getBuffer(), write.multiply(place, sum_bytes));
      for (int64_t sum = 0; sum < static_cast<int64_t>(of_warp.size()); sum += together) {
        Value sums = of_warp[sum];
        if (together > 1) {
          sums = LLVM::PoisonOp::create(rewriter, location, VectorType::get(together, f32));
          for (int64_t i = 0; i < together; ++i)
            sums =
                LLVM::InsertElementOp::create(rewriter, location, sums, of_warp[sum + i], write.constant(i));
        }
        const int64_t offset = sum / vector * columns + sum % vector;
        LLVM::StoreOp::create(rewriter, location, sums, write.advance(start, offset * sum_bytes),
                              static_cast<unsigned>(together * sum_bytes));
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct CollectSumsLowering : ConvertOpToLLVMPattern<sm::CollectSumsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::CollectSumsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::SumsBufferType buffer = op.getBuffer().getType();
    const int64_t of_warp = buffer.getBytes() / buffer.getWarps();
    SmallVector<Value> sums;
    const int64_t blocks = op.getResult().getType().getBlocks();
    const Type in_cluster = pointerTo(rewriter.getContext(), Space::ClusterShared);
    for (const ElementOfThread &element : elementsOfThread(write, op.getResult().getType())) {
      Value number =
          write.add(element.number, static_cast<int64_t>(op.getRow().value_or(0)) * buffer.getColumns());
      Value own = write.advance(adaptor.getBuffer(), write.multiply(number, sum_bytes)), sum;
      for (int64_t block = 0; block < blocks; ++block) {
        Value start = own;
        if (blocks > 1)
          start = NVVM::MapaOp::create(rewriter, location, in_cluster, own, write.constant(block));
        for (int64_t warp = 0; warp < buffer.getWarps(); ++warp) {
          Value of_this = LLVM::LoadOp::create(rewriter, location, rewriter.getF32Type(),
                                               write.advance(start, warp * of_warp), sum_bytes);
          sum = sum ? LLVM::FAddOp::create(rewriter, location, sum, of_this).getResult() : of_this;
        }
      }
      sums.push_back(sum);
    }
    rewriter.replaceOp(op, structOf(rewriter, location, sums));
    return success();
  }
};

} // namespace

void addRowSumPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ShareSumsLowering, CollectSumsLowering>(types);
}

} // namespace compiler
