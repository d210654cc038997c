// Sums on their way from registers to a stage in shared memory.
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/lowering_patterns.h"
#include "compiler/targets/nvidia/shared_memory.h"
#include "compiler/targets/nvidia/warp_part.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {
namespace {

/// The tensor-map engine permutes pieces of this many bytes inside each row of a panel.
constexpr int64_t piece_bytes = 16;
/// Rows of the sums that a warp holds; lanes hold them in groups of 8 rows.
constexpr int64_t warp_rows = 16;
/// Columns of an 8 x 8 matrix of stmatrix, and of the pieces of an accumulator.
constexpr int64_t matrix_columns = 8;

/// Byte offsets inside a stage that is written by 16-byte pieces, for one row that depends on the thread.
class SwizzledRow {
public:
  SwizzledRow(Instructions &write, sm::BufferType type, Value stage_start, Value row)
      : write_(write), type_(type),
        start_(write.advance(stage_start, write.multiply(row, type.getSwizzle()))) {
    // The engine XORs the number of a piece with address bits 7 and up: with the row, where rows have 128
    // bytes, with every second or fourth row where they are shorter.
    const int64_t pieces = type.getSwizzle() / piece_bytes;
    const int64_t rows_per_128_bytes = 128 / type.getSwizzle();
    Value period = rows_per_128_bytes == 1 ? row : write.shiftRight(row, llvm::Log2_64(rows_per_128_bytes));
    permutation_ = write.shiftLeft(write.bitAnd(period, pieces - 1), llvm::Log2_64(piece_bytes));
  }

  /// Address of the bytes `column_bytes` (known) + `lane_bytes` (of this thread) of the row. The two share no
  /// bits, and `lane_bytes` stays inside the panel of `column_bytes`.
  Value at(int64_t column_bytes, Value lane_bytes) {
    const int64_t panel = column_bytes / type_.getSwizzle();
    Value within = write_.bitXor(lane_bytes, permutation_);
    if (const int64_t rest = column_bytes % type_.getSwizzle())
      within = write_.bitXor(within, rest);
    return write_.advance(write_.advance(start_, within), panel * type_.getPanelBytes());
  }

private:
  Instructions &write_;
  sm::BufferType type_;
  Value start_;
  Value permutation_;
};

struct WriteLowering : ConvertOpToLLVMPattern<sm::WriteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(sm::WriteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Instructions write(rewriter, op.getLoc());
    sm::BufferType type = op.getTarget().getType();
    Value start = write.advance(adaptor.getTarget(), write.multiply(adaptor.getStage(), stageStride(type)));
    const sm::AccumulatorType sums = op.getAccumulator().getType();
    if (!sums.getTransposed() && type.getRows() > sums.getRowsOfWarpgroup())
      start = write.advance(start, write.multiply(warpgroupOfTile(write, op, sums.getWarpgroups()),
                                                  sm::warpgroup_rows * type.getSwizzle()));
    const bool bf16 = type.getElementType().isBF16(),
               transposed = op.getAccumulator().getType().getTransposed();
    auto store = transposed ? bf16 ? storeTransposedMatrices : storeTransposed
                 : bf16     ? storeMatrices
                            : storePairs;
    store(op, adaptor.getAccumulator(), start, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value element(OpBuilder &builder, Location location, Value sums, int64_t position) {
    return LLVM::ExtractValueOp::create(builder, location, sums, position);
  }

  /// bf16: stmatrix writes four 8 x 8 matrices, rows 0-7 and 8-15 of the warp at 8 columns and the same at
  /// the next 8. Lane l gives the address of row l mod 16 in the columns l / 16.
  static void storeMatrices(sm::WriteOp op, Value sums, Value start, ConversionPatternRewriter &rewriter) {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    sm::BufferType type = op.getTarget().getType();
    constexpr int64_t element_bytes = 2;
    Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
    Value row = write.add(write.multiply(warp, warp_rows), write.bitAnd(write.thread(), warp_rows - 1));
    Value lane_bytes = write.bitAnd(write.thread(), warp_rows); // 16 = one piece, for lanes 16 to 31
    SwizzledRow stage_row(write, type, start, row);
    storeFourByFour(op, sums, NVVM::MMALayout::row, rewriter, [&](int64_t matrix) {
      return stage_row.at(matrix * matrix_columns * element_bytes, lane_bytes);
    });
  }

  /// Transposed bf16: what is a column of the stage for one matrix is a row of the sums. Lane l gives the
  /// address of row l mod 8 (+ 8 for lanes 16 to 31), in the first or second 8 of the warp's 16 columns.
  static void storeTransposedMatrices(sm::WriteOp op, Value sums, Value start,
                                      ConversionPatternRewriter &rewriter) {
    Instructions write(rewriter, op.getLoc());
    sm::BufferType type = op.getTarget().getType();
    constexpr int64_t warp_bytes = 2 * piece_bytes;
    Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
    Value second_piece = write.bitAnd(write.thread(), matrix_columns);         // 8 or 0
    Value second_rows = write.shiftRight(write.bitAnd(write.thread(), 16), 1); // 8 or 0
    Value row = write.add(second_rows, write.bitAnd(write.thread(), matrix_columns - 1));
    Value lane_bytes = write.add(write.multiply(warp, warp_bytes), write.multiply(second_piece, 2));
    SwizzledRow stage_row(write, type, start, row);
    Value first = stage_row.at(0, lane_bytes);
    storeFourByFour(op, sums, NVVM::MMALayout::col, rewriter, [&](int64_t matrix) {
      return write.advance(first, matrix * matrix_columns * type.getSwizzle());
    });
  }

  /// stmatrix of four 8 x 8 matrices at a time, two along the instruction's side N and two along M. `address`
  /// is what this lane gives for the matrix of that number along N, and the next.
  static void storeFourByFour(sm::WriteOp op, Value sums, NVVM::MMALayout layout,
                              ConversionPatternRewriter &rewriter,
                              llvm::function_ref<Value(int64_t matrix)> address) {
    Location location = op.getLoc();
    MLIRContext *context = rewriter.getContext();
    auto round = NVVM::FPRoundingModeAttr::get(context, NVVM::FPRoundingMode::RN);
    Type pair = VectorType::get(2, rewriter.getBF16Type());
    auto rounded = [&](int64_t low) -> Value {
      Value both = NVVM::ConvertF32x2ToBF16x2Op::create(
          rewriter, location, pair, element(rewriter, location, sums, low + 1),
          element(rewriter, location, sums, low), Value(), round);
      return LLVM::BitcastOp::create(rewriter, location, rewriter.getI32Type(), both);
    };
    const int64_t matrices = op.getAccumulator().getType().getInstructionWidth() / matrix_columns;
    for (int64_t matrix = 0; matrix < matrices; matrix += 2) {
      SmallVector<Value> registers;
      for (int64_t i = matrix; i < std::min(matrix + 2, matrices); ++i)
        registers.append({rounded(4 * i), rounded(4 * i + 2)});
      NVVM::StMatrixOp::create(rewriter, location, address(matrix), registers,
                               NVVM::MMALayoutAttr::get(context, layout),
                               NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
                               NVVM::LdStMatrixEltTypeAttr::get(context, NVVM::LdStMatrixEltType::B16));
    }
  }

  /// f32: every thread writes its pairs, of row l / 4 of the warp and the row 8 below.
  static void storePairs(sm::WriteOp op, Value sums, Value start, ConversionPatternRewriter &rewriter) {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    sm::BufferType type = op.getTarget().getType();
    constexpr int64_t element_bytes = 4, pair_bytes = 2 * element_bytes, lanes_per_row = 4;
    Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
    Value first = write.add(write.multiply(warp, warp_rows),
                            write.shiftRight(write.lane(), llvm::Log2_64(lanes_per_row)));
    Value lane_bytes = write.multiply(write.bitAnd(write.thread(), lanes_per_row - 1), pair_bytes);
    Type pair = VectorType::get(2, rewriter.getF32Type());
    for (int64_t below : {0, 1}) {
      SwizzledRow stage_row(write, type, start, write.add(first, 8 * below));
      const int64_t matrices = op.getAccumulator().getType().getInstructionWidth() / matrix_columns;
      for (int64_t matrix = 0; matrix < matrices; ++matrix) {
        Value both = LLVM::PoisonOp::create(rewriter, location, pair);
        for (int64_t i : {0, 1})
          both = LLVM::InsertElementOp::create(rewriter, location, both,
                                               element(rewriter, location, sums, 4 * matrix + 2 * below + i),
                                               write.constant(i));
        LLVM::StoreOp::create(rewriter, location, both,
                              stage_row.at(matrix * matrix_columns * element_bytes, lane_bytes), pair_bytes);
      }
    }
  }

  /// Transposed f32: of column l / 4 of the warp and the column 8 behind it, every thread writes two rows.
  static void storeTransposed(sm::WriteOp op, Value sums, Value start, ConversionPatternRewriter &rewriter) {
    Location location = op.getLoc();
    Instructions write(rewriter, location);
    sm::BufferType type = op.getTarget().getType();
    constexpr int64_t element_bytes = 4, lanes_per_column = 4;
    // A panel of 128 bytes has the columns of two warps.
    const int64_t warp_bytes = warp_rows * element_bytes, warps_per_panel = type.getSwizzle() / warp_bytes;
    Value warp = write.shiftRight(write.threadInWarpgroup(), llvm::Log2_64(sm::warp_threads));
    Value panel = write.advance(
        start, write.multiply(write.shiftRight(warp, llvm::Log2_64(warps_per_panel)), type.getPanelBytes()));
    Value column = write.shiftRight(write.lane(), llvm::Log2_64(lanes_per_column));
    Value lane_bytes = write.add(write.multiply(write.bitAnd(warp, warps_per_panel - 1), warp_bytes),
                                 write.multiply(column, element_bytes));
    Value first = write.multiply(write.bitAnd(write.thread(), lanes_per_column - 1), 2);
    for (int64_t next : {0, 1}) {
      SwizzledRow stage_row(write, type, panel, write.add(first, next));
      for (int64_t behind : {0, 1}) {
        Value address = stage_row.at(behind * matrix_columns * element_bytes, lane_bytes);
        for (int64_t matrix = 0; matrix < type.getRows() / matrix_columns; ++matrix)
          LLVM::StoreOp::create(
              rewriter, location, element(rewriter, location, sums, 4 * matrix + 2 * behind + next),
              write.advance(address, matrix * matrix_columns * type.getSwizzle()), element_bytes);
      }
    }
  }
};

} // namespace

void addResultPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<WriteLowering>(types);
}

} // namespace compiler
