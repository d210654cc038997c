#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;
using namespace sm;

/// `, swizzle 64, vector 8, unequal, listed, run 8`, each of them left out where it is 0 or false.
static ParseResult parseMapEntries(AsmParser &parser, int64_t &swizzle, int64_t &vector, bool &unequal,
                                   bool &listed, int64_t &run) {
  swizzle = vector = run = 0;
  unequal = listed = false;
  StringRef keyword;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc where = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&keyword, {"swizzle", "vector", "unequal", "listed", "run"})))
      return parser.emitError(where, "expected 'swizzle', 'vector', 'unequal', 'listed' or 'run'");
    auto twice = [&] { return parser.emitError(where) << "gives its " << keyword << " twice"; };
    if (keyword == "unequal" || keyword == "listed") {
      if (std::exchange(keyword == "unequal" ? unequal : listed, true))
        return twice();
      continue;
    }
    int64_t &value = keyword == "swizzle" ? swizzle : keyword == "vector" ? vector : run;
    if (value)
      return twice();
    if (parser.parseInteger(value))
      return failure();
  }
  return success();
}

static void printMapEntries(AsmPrinter &printer, int64_t swizzle, int64_t vector, bool unequal, bool listed,
                            int64_t run) {
  if (swizzle)
    printer << ", swizzle " << swizzle;
  if (vector)
    printer << ", vector " << vector;
  if (unequal)
    printer << ", unequal";
  if (listed)
    printer << ", listed";
  if (run)
    printer << ", run " << run;
}

/// `, warps 2 x 2` for sums of single warps, `, threads 96` for those of single threads, `, transposed` for
/// those of warpgroups that hold columns.
static ParseResult parseHoldersOfSums(AsmParser &parser, int64_t &warp_rows, int64_t &warp_columns,
                                      bool &transposed, int64_t &threads, int64_t &blocks) {
  warp_rows = warp_columns = threads = 0;
  blocks = 1;
  transposed = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  transposed = succeeded(parser.parseOptionalKeyword("transposed"));
  if (transposed)
    return success();
  if (succeeded(parser.parseOptionalKeyword("threads"))) {
    if (parser.parseInteger(threads))
      return failure();
    if (failed(parser.parseOptionalKeyword("x")))
      return success();
    blocks = threads;
    return parser.parseInteger(threads);
  }
  return failure(parser.parseKeyword("warps", ", 'threads' or 'transposed'") ||
                 parser.parseInteger(warp_rows) || parser.parseKeyword("x") ||
                 parser.parseInteger(warp_columns));
}

static void printHoldersOfSums(AsmPrinter &printer, int64_t warp_rows, int64_t warp_columns, bool transposed,
                               int64_t threads, int64_t blocks) {
  if (warp_rows)
    printer << ", warps " << warp_rows << " x " << warp_columns;
  if (threads) {
    printer << ", threads ";
    if (blocks > 1)
      printer << blocks << " x ";
    printer << threads;
  }
  if (transposed)
    printer << ", transposed";
}

#define GET_TYPEDEF_CLASSES
#include "dialects/sm/sm_types.cpp.inc"

void SmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/sm/sm_types.cpp.inc"
      >();
}

MapsType MapsType::withSwizzle(int64_t swizzle) const {
  return get(getContext(), getCount(), getRows(), getColumns(), getElementType(), getRowDimension(), swizzle,
             getVector(), getUnequal(), getListed(), getRun());
}

bool MapsType::hasAllRows() const { return getRun() && getCount() > maps_of_joined_runs; }

static int64_t bytesOf(Type element_type) { return element_type.getIntOrFloatBitWidth() / 8; }

int64_t BufferType::getPanelColumns() const {
  assert(getSwizzle() && "a buffer without a layout has no panels");
  return getSwizzle() / bytesOf(getElementType());
}
int64_t BufferType::getPanels() const { return getColumns() / getPanelColumns(); }
int64_t BufferType::getPanelBytes() const { return getRows() * getSwizzle(); }
int64_t BufferType::getStageBytes() const { return getRows() * getColumns() * bytesOf(getElementType()); }
int64_t BufferType::getBytes() const { return getStages() * getStageBytes(); }

/// What blocks have in common wherever they are: as values, in shared memory, as boxes of a map.
static LogicalResult verifyBlock(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                 Type element_type, int64_t swizzle) {
  if (rows < 1 || columns < 1)
    return error() << "a block has at least one row and one column, got " << rows << " x " << columns;
  if (rows > longest_box_side)
    return error() << "a block has at most " << longest_box_side
                   << " rows, the side of a tensor map's box, got " << rows;
  if (!element_type.isF32() && !element_type.isBF16())
    return error() << "elements must be f32 or bf16, got " << element_type;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return error() << "the swizzle spans 32, 64 or 128 bytes, or 0 where none is assigned, got " << swizzle;
  if (swizzle && columns * bytesOf(element_type) % swizzle != 0)
    return error() << "a row of " << columns << " elements is " << columns * bytesOf(element_type)
                   << " bytes, which panels of " << swizzle << " bytes do not divide";
  return success();
}

LogicalResult MapsType::verify(function_ref<InFlightDiagnostic()> error, int64_t count, int64_t rows,
                               int64_t columns, Type element_type, int64_t row_dimension, int64_t swizzle,
                               int64_t vector, bool unequal, bool listed, int64_t run) {
  if (count < 1)
    return error() << "an operand has at least one map, got " << count;
  if (row_dimension != 2 && row_dimension != 3)
    return error()
           << "the rows of a block lie along dimension 3 (rows of X and Y) or 2 (the weight matrix), got "
           << row_dimension;
  if (vector != 0 && vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "threads move 1, 2, 4 or 8 elements at a time, got " << vector;
  if (vector && columns % vector != 0)
    return error() << "rows of " << columns << " elements are not made of vectors of " << vector;
  if ((unequal || listed) && !vector)
    return error() << "the copy engine looks nothing up: only plain maps, those with a vector, are "
                   << (unequal ? "of unequal groups" : "listed");
  if (listed && row_dimension != 3)
    return error() << "rows of X and Y are listed, which lie along dimension 3, got " << row_dimension;
  if (listed && count != 1)
    return error() << "one map has all rows of a list, got " << count;
  if (run) {
    if (run < 1 || !llvm::isPowerOf2_64(static_cast<uint64_t>(run)))
      return error() << "runs that are joined have a power of two of rows, got " << run;
    if (row_dimension != 3 || listed)
      return error()
             << "runs of rows of X and Y are joined, along dimension 3, where no list says where rows are";
    if (count != maps_of_joined_runs && count != maps_of_joined_runs + 1)
      return error() << "of joined runs there are " << maps_of_joined_runs
                     << " maps, and one more where one has all rows, got " << count;
    if (!vector && rows % run != 0 && run % rows != 0)
      return error() << "a box has whole runs or a part of one, got " << rows << " rows and runs of " << run;
  }
  return verifyBlock(error, rows, columns, element_type, swizzle);
}

LogicalResult BlockType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                Type element_type, int64_t swizzle) {
  return verifyBlock(error, rows, columns, element_type, swizzle);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t stages, int64_t rows,
                                 int64_t columns, Type element_type, int64_t swizzle) {
  if (stages < 1)
    return error() << "a buffer has at least one stage, got " << stages;
  return verifyBlock(error, rows, columns, element_type, swizzle);
}

LogicalResult BarriersType::verify(function_ref<InFlightDiagnostic()> error, int64_t stages) {
  if (stages < 1)
    return error() << "a ring has at least one barrier, got " << stages;
  return success();
}

LogicalResult ReductionBufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t warpgroups,
                                          int64_t blocks, int64_t sums) {
  constexpr int64_t vector = 4; // that a thread writes at a time
  if (warpgroups < 1)
    return error() << "sums of at least one warpgroup are exchanged, got " << warpgroups;
  if (blocks < 2 || blocks > most_parts)
    return error() << "2 to " << most_parts << " blocks exchange sums, got " << blocks;
  if (sums < vector || sums % vector != 0)
    return error() << "a thread exchanges vectors of " << vector << " sums; " << sums
                   << " is not a multiple of it";
  return success();
}

LogicalResult ColumnsType::verify(function_ref<InFlightDiagnostic()> error, int64_t groups, int64_t width,
                                  Type element_type) {
  if (groups < 1 || width < 1)
    return error() << "an operand has at least one number for at least one group, got " << groups << " x "
                   << width;
  if (!element_type.isBF16() && !element_type.isF32())
    return error() << "the numbers of columns are bf16 or f32, got " << element_type;
  return success();
}

LogicalResult RowSumsType::verify(function_ref<InFlightDiagnostic()> error, int64_t columns, int64_t slices,
                                  int64_t vector) {
  if (vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "a thread has the sums of 1, 2, 4 or 8 columns, got " << vector;
  const int64_t lanes = columns / vector;
  if (columns < 1 || columns % vector != 0 || !llvm::isPowerOf2_64(lanes) || lanes > warp_threads)
    return error() << "the columns are 1, 2, 4, 8, 16 or 32 times the " << vector << " of a thread, got "
                   << columns;
  if (slices < 1 || lanes * slices > most_threads || lanes * slices % warp_threads != 0)
    return error() << slices << " slices of " << lanes << " threads are no whole warps, or more than "
                   << most_threads << " threads";
  return success();
}

LogicalResult PieceType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                Type element_type, int64_t vector) {
  if (!element_type.isBF16())
    return error() << "threads read bf16 into registers, got " << element_type;
  if (vector != 1 && vector != 2 && vector != 4 && vector != 8)
    return error() << "threads read 1, 2, 4 or 8 elements at a time, got " << vector;
  if (rows < 1 || columns < 1 || columns % vector != 0)
    return error() << "rows of " << columns << " elements are not made of vectors of " << vector;
  return success();
}

LogicalResult SumsBufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t warps, int64_t rows,
                                     int64_t columns) {
  if (warps < 1 || warps > most_threads / warp_threads || rows < 1 || columns < 1)
    return error() << "1 to " << most_threads / warp_threads << " warps leave at least one sum, got " << warps
                   << " of " << rows << " x " << columns;
  return success();
}

LogicalResult HiddenBufferType::verify(function_ref<InFlightDiagnostic()> error, int64_t terms, int64_t rows,
                                       int64_t columns) {
  if (terms < 1 || rows < 1 || columns < 1)
    return error() << "there is at least one number, got " << terms << " x " << rows << " x " << columns;
  return success();
}

LogicalResult PipeType::verify(function_ref<InFlightDiagnostic()> error, ArrayRef<Type> blocks) {
  if (blocks.empty())
    return error() << "a pipe passes at least one block";
  for (Type block : blocks)
    if (!isa<BlockType>(block))
      return error() << "a pipe passes blocks, got " << block;
  return success();
}

LogicalResult StagedPipeType::verify(function_ref<InFlightDiagnostic()> error, int64_t stages) {
  if (stages < 1)
    return error() << "a pipe has at least one stage, got " << stages;
  return success();
}

LogicalResult AccumulatorType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns,
                                      int64_t warp_rows, int64_t warp_columns, bool transposed,
                                      int64_t threads, int64_t blocks) {
  if (threads) {
    if (threads < 1 || threads > most_threads)
      return error() << "the sums are dealt out among 1 to " << most_threads << " threads, got " << threads;
    if (blocks < 1 || blocks > most_cluster)
      return error() << "a cluster has 1 to " << most_cluster << " blocks of threads, got " << blocks;
    if (rows < 1 || columns < 1)
      return error() << "there is at least one sum, got " << rows << " x " << columns;
    return success();
  }
  if (warp_rows || warp_columns) {
    if (warp_rows < 1 || warp_columns < 1 || warp_rows * warp_columns > most_threads / warp_threads)
      return error() << "the sums are cut among 1 to " << most_threads / warp_threads << " warps, got "
                     << warp_rows << " x " << warp_columns;
    if (rows < 1 || rows % (warp_rows * mma_rows) != 0 || columns < 1 ||
        columns % (warp_columns * mma_columns) != 0)
      return error() << "each of " << warp_rows << " x " << warp_columns << " warps holds tiles of "
                     << mma_rows << " x " << mma_columns << ", which does not cut up " << rows << " x "
                     << columns;
    const int64_t registers = rows * columns / (warp_rows * warp_columns * warp_threads);
    if (registers > most_registers)
      return error() << "the sums take " << registers << " registers of a thread, of " << most_registers;
    return success();
  }
  const char *m_side = transposed ? "columns" : "rows", *n_side = transposed ? "rows" : "columns";
  const int64_t m = transposed ? columns : rows, n = transposed ? rows : columns;
  if (m < 1 || m % warpgroup_rows != 0)
    return error() << "the sums of a warpgroup have " << warpgroup_rows << ' ' << m_side << "; " << m
                   << " is not a multiple of it";
  if (n < 8 || n > 256 || n % 8 != 0)
    return error() << "tensor-core instructions have 8 to 256 " << n_side << ", a multiple of 8, got " << n;
  return success();
}
