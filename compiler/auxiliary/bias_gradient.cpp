#include "compiler/auxiliary/bias_gradient.h"

#include "compiler/auxiliary/instruction_writer.h"
#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {
namespace {

/// Rows of a thread that are on their way at a time: with as many threads as the blocks below have 48 KB on a
/// multiprocessor, of which 22 KB cover a latency of 1200 cycles at the rate of an H200's memory.
constexpr int64_t rows_in_flight = 16;

/// Blocks of a multiprocessor: one loads while another adds up its slices. It keeps ptxas from unrolling
/// loops until registers are left for one.
constexpr int64_t blocks_together = 3;

/// Writes the kernel. Columns and the form are i32; rows, parts and places in memory i64. Sums are f64, each
/// over ascending rows, then over ascending slices.
class BiasGradient : InstructionWriter {
public:
  BiasGradient(MLIRContext &context, int64_t threads)
      : InstructionWriter(context, threads), slices_(threads / algrt_dbias_columns) {}

  OwningOpRef<ModuleOp> write();

private:
  void writeBody();
  /// Columns of a block and the rows of a part, by all threads of the block.
  void sumTile(Value tile);
  /// Of this thread's column the rows first + slice, first + slice + slices, ... before last.
  Value sumRows(Value column, Value first, Value last);
  Value sumRowsOf(Type element, Value column, Value first, Value last);
  /// Element of the matrix as f64.
  Value number(Type element, Value row, Value column);
  /// The sums of all slices of a column of the block.
  Value addSlices();
  /// With what is there before, to where it belongs.
  void deliver(Value sum, Value part, Value column);
  Value withHeld(Value sum, Value column);

  Value hasForm(int64_t bit) {
    return compare(arith::CmpIPredicate::ne, arith::AndIOp::create(builder, form_, constant(bit)),
                   constant(0));
  }
  Value zero() { return arith::ConstantFloatOp::create(builder, builder.getF64Type(), llvm::APFloat(0.0)); }
  Value sumOf(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value asDouble(Value value) { return arith::ExtFOp::create(builder, builder.getF64Type(), value); }
  /// The upper half of an f32 is a bf16.
  Value fromBfloat16(Value bits) {
    Value word = arith::ShLIOp::create(builder, arith::ExtUIOp::create(builder, i32(), bits), constant(16));
    return arith::BitcastOp::create(builder, builder.getF32Type(), word);
  }
  Value toBfloat16(Value value);

  const int64_t slices_; ///< threads of a block side by side that divide the rows of a part
  Value to_, from_, leading_, rows_, columns_, part_rows_, form_, beta_; ///< parameters
  Value thread_, own_column_, slice_;
  Value column_blocks_, wide_rows_;
};

OwningOpRef<ModuleOp> BiasGradient::write() {
  using Name = algrt::ParameterValue;
  OwningOpRef<ModuleOp> module = declare(bias_gradient_name,
                                         {{Name::SumsResult, &to_},
                                          {Name::SumsMatrix, &from_},
                                          {Name::MatrixStride, &leading_},
                                          {Name::Rows, &rows_},
                                          {Name::Columns, &columns_},
                                          {Name::PartRows, &part_rows_},
                                          {Name::SumsForm, &form_},
                                          {Name::Beta, &beta_}},
                                         blocks_together);
  writeBody();
  return module;
}

void BiasGradient::writeBody() {
  thread_ = NVVM::ThreadIdXOp::create(builder, i32());
  own_column_ = arith::RemUIOp::create(builder, thread_, constant(algrt_dbias_columns));
  slice_ = arith::DivUIOp::create(builder, thread_, constant(algrt_dbias_columns));
  wide_rows_ = wide(rows_);
  auto wholes = [&](Value count, Value size) {
    return arith::DivUIOp::create(builder, add(count, subtract(size, wide(1))), size);
  };
  column_blocks_ = wholes(wide(columns_), wide(algrt_dbias_columns));
  // Without rows there is a part all the same, and its sums are 0.
  Value parts = arith::MaxSIOp::create(builder, wholes(wide_rows_, wide(part_rows_)), wide(1));
  Value block = wide(NVVM::BlockIdXOp::create(builder, i32())),
        blocks = wide(NVVM::GridDimXOp::create(builder, i32()));
  loop(block, multiply(column_blocks_, parts), blocks, {}, [&](Value tile, ValueRange) {
    sumTile(tile);
    return Values();
  });
  LLVM::ReturnOp::create(builder, ValueRange());
}

void BiasGradient::sumTile(Value tile) {
  Value part = arith::DivUIOp::create(builder, tile, column_blocks_);
  Value column = add(multiply(subtract(tile, multiply(part, column_blocks_)), wide(algrt_dbias_columns)),
                     wide(own_column_));
  Value first = multiply(part, wide(part_rows_)), last = least(add(first, wide(part_rows_)), wide_rows_);
  Value inside = below(column, wide(columns_));
  Value sum = either(inside, [&] { return sumRows(column, first, last); }, [&] { return zero(); });
  store(sum, shared, thread_);
  barrier();
  when(arith::AndIOp::create(builder, inside, equal(slice_, constant(0))),
       [&] { deliver(addSlices(), part, column); });
  barrier(); // the next tile's sums overwrite those that others still read
}

Value BiasGradient::sumRows(Value column, Value first, Value last) {
  return either(
      hasForm(algrt_dbias_from_sums), [&] { return sumRowsOf(builder.getF64Type(), column, first, last); },
      [&] { return sumRowsOf(builder.getI16Type(), column, first, last); });
}

Value BiasGradient::sumRowsOf(Type element, Value column, Value first, Value last) {
  Value own = add(first, wide(slice_)), step = wide(slices_);
  auto ahead = [&](int64_t rows) { return wide(rows * slices_); };
  const Values most = loop(own, subtract(last, ahead(rows_in_flight - 1)), ahead(rows_in_flight),
                           {zero(), own}, [&](Value row, ValueRange so_far) {
                             Values numbers;
                             for (int64_t i = 0; i < rows_in_flight; ++i)
                               numbers.push_back(number(element, add(row, ahead(i)), column));
                             Value sum = so_far[0];
                             for (Value number : numbers)
                               sum = sumOf(sum, number);
                             return Values{sum, add(row, ahead(rows_in_flight))};
                           });
  return loop(most[1], last, step, {most[0]}, [&](Value row, ValueRange so_far) {
    return Values{sumOf(so_far[0], number(element, row, column))};
  })[0];
}

Value BiasGradient::number(Type element, Value row, Value column) {
  Value loaded = load(element, from_, add(multiply(row, leading_), column));
  return element.isF64() ? loaded : asDouble(fromBfloat16(loaded));
}

Value BiasGradient::addSlices() {
  Value sum;
  for (int64_t i = 0; i < slices_; ++i) {
    Value of_slice = load(builder.getF64Type(), shared, add(thread_, constant(i * algrt_dbias_columns)));
    sum = sum ? sumOf(sum, of_slice) : of_slice;
  }
  return sum;
}

void BiasGradient::deliver(Value sum, Value part, Value column) {
  scf::IfOp::create(
      builder, hasForm(algrt_dbias_to_sums),
      [&](OpBuilder &, Location) {
        store(sum, to_, add(multiply(part, wide(columns_)), column));
        scf::YieldOp::create(builder);
      },
      [&](OpBuilder &, Location) {
        Value rounded = arith::TruncFOp::create(builder, builder.getF32Type(), withHeld(sum, column));
        scf::IfOp::create(
            builder, hasForm(algrt_dbias_to_f32),
            [&](OpBuilder &, Location) {
              store(rounded, to_, column);
              scf::YieldOp::create(builder);
            },
            [&](OpBuilder &, Location) {
              store(toBfloat16(rounded), to_, column);
              scf::YieldOp::create(builder);
            });
        scf::YieldOp::create(builder);
      });
}

Value BiasGradient::withHeld(Value sum, Value column) {
  Value nothing = arith::ConstantFloatOp::create(builder, builder.getF32Type(), llvm::APFloat(0.0f));
  Value reads = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, beta_, nothing);
  return either(
      reads,
      [&] {
        Value held = either(
            hasForm(algrt_dbias_to_f32), [&] { return load(builder.getF32Type(), to_, column); },
            [&] { return fromBfloat16(load(builder.getI16Type(), to_, column)); });
        return sumOf(sum, arith::MulFOp::create(builder, asDouble(beta_), asDouble(held)));
      },
      [&] { return sum; });
}

/// To nearest even. The conversion is of pairs; the second one goes to the lower half.
Value BiasGradient::toBfloat16(Value value) {
  auto nearest = NVVM::FPRoundingModeAttr::get(builder.getContext(), NVVM::FPRoundingMode::RN);
  Value nothing = arith::ConstantFloatOp::create(builder, builder.getF32Type(), llvm::APFloat(0.0f));
  Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(builder, VectorType::get(2, builder.getBF16Type()),
                                                    nothing, value, Value(), nearest);
  return arith::TruncIOp::create(builder, builder.getI16Type(),
                                 LLVM::BitcastOp::create(builder, i32(), pair));
}

} // namespace

OwningOpRef<ModuleOp> biasGradientModule(MLIRContext &context, int64_t threads) {
  OwningOpRef<ModuleOp> module = BiasGradient(context, threads).write();
  lowerAuxiliary(*module, bias_gradient_name);
  return module;
}

} // namespace compiler
