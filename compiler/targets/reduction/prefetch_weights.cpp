// What a block asks of the weight matrix before the grid before it has ended: blocks that follow from its
// number and from the position of row 0.
#include "compiler/targets/reduction/reduction_program.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

/// The part's columns of a block, line by line, into the second-level cache: thread t takes rows t, t +
/// threads, and so on.
void ReductionProgram::prefetchBlock(const Part &part, Value weight_row) {
  constexpr int64_t line = 64; // elements of 128 bytes
  const auto level = NVVM::PrefetchCacheLevelAttr::get(builder_.getContext(), NVVM::PrefetchCacheLevel::L2);
  for (int64_t before = 0; before < schedule_.getColumns(); before += line) {
    Value column = least(instructions_.add(part.column, before), instructions_.constant(outputWidth() - 1));
    Value stride;
    Value start = weightBlock(part, weight_row, column, stride);
    loop(instructions_.thread(), instructions_.constant(inputWidth()),
         instructions_.constant(schedule_.getThreads()), {}, [&](Value depth, ValueRange) -> Values {
           Value at = instructions_.advance(start, multiply(instructions_.wide(depth), stride));
           NVVM::PrefetchOp::create(builder_, location_, level, /*evictPriority=*/{}, at,
                                    /*predicate=*/Value());
           return {};
         });
  }
}

/// The diagonal block, which all rows share, and where positions are not read the blocks of the rows' types.
void ReductionProgram::writePrefetch(const Part &part) {
  if (complete_)
    prefetchBlock(part, part.group);
  Value none = LLVM::ZeroOp::create(builder_, location_, positions_.getType());
  OpBuilder::InsertionGuard guard(builder_);
  scf::IfOp counted = when(compare(LLVM::ICmpPredicate::eq, positions_, none));
  builder_.setInsertionPoint(counted.thenBlock()->getTerminator());
  for (int64_t number = 0; number < schedule_.getRows(); ++number) {
    Row row;
    row.row = instructions_.add(part.row, number);
    OpBuilder::InsertionGuard inner(builder_);
    scf::IfOp exists = when(compare(LLVM::ICmpPredicate::ult, row.row, rows_));
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
    row.type = typeAt([&] { return countedPosition(row.row); });
    if (complete_) {
      scf::IfOp another = when(compare(LLVM::ICmpPredicate::ne, row.type, part.group));
      builder_.setInsertionPoint(another.thenBlock()->getTerminator());
      prefetchBlock(part, row.type);
      continue;
    }
    Part next = part;
    next.group = instructions_.add(part.group, 1);
    loop(firstTerm(row, part), firstTerm(row, next), instructions_.constant(wordsOfTerm()), {},
         [&](Value at, ValueRange) -> Values {
           constexpr int64_t all_but_sign = 0x7fffffff;
           prefetchBlock(part, instructions_.bitAnd(readTerms(instructions_.add(at, 1)), all_but_sign));
           return {};
         });
  }
}

} // namespace compiler
