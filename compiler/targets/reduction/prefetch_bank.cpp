// What a block asks of the bank before the grid before it has ended: blocks that follow from its number and
// from the position of row 0.
#include "compiler/targets/reduction/reduction_program.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

/// The part's columns of a block, line by line, into the second-level cache: thread t takes rows t, t +
/// threads, and so on.
void ReductionProgram::prefetchBlock(const Part &part, Value bank_row) {
  constexpr std::int64_t line = 64; // elements of 128 bytes
  const auto level = NVVM::PrefetchCacheLevelAttr::get(builder.getContext(), NVVM::PrefetchCacheLevel::L2);
  for (std::int64_t before = 0; before < schedule.getColumns(); before += line) {
    Value column = least(instructions.add(part.column, before), instructions.constant(outputWidth() - 1));
    Value stride;
    Value start = bankBlock(part, bank_row, column, stride);
    loop(instructions.thread(), instructions.constant(inputWidth()),
         instructions.constant(schedule.getThreads()), {}, [&](Value depth, ValueRange) -> Values {
           Value at = instructions.advance(start, multiply(instructions.wide(depth), stride));
           NVVM::PrefetchOp::create(builder, location, level, /*evictPriority=*/{}, at,
                                    /*predicate=*/Value());
           return {};
         });
  }
}

/// The diagonal block, which all rows share, and where positions are not read the blocks of the rows' types.
void ReductionProgram::writePrefetch(const Part &part) {
  if (complete)
    prefetchBlock(part, part.group);
  Value none = LLVM::ZeroOp::create(builder, location, positions.getType());
  OpBuilder::InsertionGuard guard(builder);
  scf::IfOp counted = when(compare(LLVM::ICmpPredicate::eq, positions, none));
  builder.setInsertionPoint(counted.thenBlock()->getTerminator());
  for (std::int64_t number = 0; number < schedule.getRows(); ++number) {
    Row row;
    row.row = instructions.add(part.row, number);
    OpBuilder::InsertionGuard inner(builder);
    scf::IfOp exists = when(compare(LLVM::ICmpPredicate::ult, row.row, rows));
    builder.setInsertionPoint(exists.thenBlock()->getTerminator());
    row.type = typeAt([&] { return countedPosition(row.row); });
    if (complete) {
      scf::IfOp another = when(compare(LLVM::ICmpPredicate::ne, row.type, part.group));
      builder.setInsertionPoint(another.thenBlock()->getTerminator());
      prefetchBlock(part, row.type);
      continue;
    }
    Part next = part;
    next.group = instructions.add(part.group, 1);
    loop(firstTerm(row, part), firstTerm(row, next), instructions.constant(wordsOfTerm()), {},
         [&](Value at, ValueRange) -> Values {
           constexpr std::int64_t all_but_sign = 0x7fffffff;
           prefetchBlock(part, instructions.bitAnd(readTerms(instructions.add(at, 1)), all_but_sign));
           return {};
         });
  }
}

} // namespace compiler
