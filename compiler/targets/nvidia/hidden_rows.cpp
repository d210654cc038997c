// What one layer of a kernel leaves of few rows for the next one, in shared memory.
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/row_registers.h"
#include "compiler/targets/nvidia/thread_elements.h"

#include "compiler/targets/nvidia/conditional.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;

namespace compiler {
namespace {

constexpr int64_t hidden_bytes = 2; // of a bf16

/// The first byte of column `column`, as it was left for a term, of the buffer's first row.
Value placeOf(const Instructions &write, sm::HiddenBufferType type, Value buffer, Value term, Value column) {
  Value bytes = write.add(write.multiply(term, type.getRows() * type.getRowBytes()),
                          write.multiply(column, hidden_bytes));
  return write.advance(buffer, bytes);
}

struct StoreHiddenLowering : ConvertOpToLLVMPattern<sm::StoreHiddenOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::StoreHiddenOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::HiddenBufferType type = op.getBuffer().getType();
    Value start =
        write.advance(placeOf(write, type, adaptor.getBuffer(), adaptor.getTerm(), adaptor.getColumn()),
                      static_cast<int64_t>(op.getRow().value_or(0)) * type.getRowBytes());
    Value zero = LLVM::ZeroOp::create(rewriter, location, rewriter.getI16Type());
    for (auto [number, element] : llvm::enumerate(elementsOfThread(write, op.getAccumulator().getType()))) {
      Value sum = LLVM::ExtractValueOp::create(rewriter, location, adaptor.getAccumulator(),
                                               static_cast<int64_t>(number));
      Value bits = roundedBits(rewriter, location, sum);
      bits = write.select(write.below(element.column, adaptor.getPresent()), bits, zero);
      Value place = write.advance(start, write.add(write.multiply(element.row, type.getRowBytes()),
                                                   write.multiply(element.column, hidden_bytes)));
      onlyWhere(rewriter, location, element.exists, [&] {
        LLVM::StoreOp::create(rewriter, location, bits, place, static_cast<unsigned>(hidden_bytes));
      });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadHiddenLowering : ConvertOpToLLVMPattern<sm::ReadHiddenOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(sm::ReadHiddenOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    const sm::HiddenBufferType type = op.getBuffer().getType();
    const sm::PieceType piece = op.getPiece().getType();
    Value start =
        write.advance(placeOf(write, type, adaptor.getBuffer(), adaptor.getTerm(), adaptor.getColumn()),
                      op.getRowAttr().getInt() * type.getRowBytes());
    SmallVector<Value> vectors;
    const int64_t bytes = piece.getVector() * hidden_bytes;
    for (int64_t vector = 0; vector < piece.getVectors(); ++vector)
      vectors.push_back(LLVM::LoadOp::create(rewriter, location, vectorOf(piece),
                                             write.advance(start, vector * bytes),
                                             static_cast<unsigned>(bytes)));
    rewriter.replaceOp(op, structOf(rewriter, location, vectors));
    return success();
  }
};

} // namespace

void addHiddenRowPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<StoreHiddenLowering, ReadHiddenLowering>(types);
}

} // namespace compiler
